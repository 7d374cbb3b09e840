// Writes the .meta file of each file and folder that Unity imports and that has none. A package from a git address or an
// archive is read-only: Unity ignores files of it without one. The ids come from the paths, and must not change afterwards.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');

/** @returns {string[]} paths below the package; folders that end in ~ are none of Unity's */
function imported(folder = '') {
  return readdirSync(path.join(ROOT, folder), { withFileTypes: true })
    .filter(({ name }) => !name.endsWith('~') && !name.endsWith('.meta') && !name.startsWith('.'))
    .flatMap((entry) => {
      const file = path.posix.join(folder, entry.name);
      return entry.isDirectory() ? [file, ...imported(file)] : [file];
    });
}

function importerOf(file) {
  if (file.endsWith('.cs'))
    return (
      'MonoImporter:\n  externalObjects: {}\n  serializedVersion: 2\n  defaultReferences: []\n  ' +
      'executionOrder: 0\n  icon: {instanceID: 0}'
    );
  if (file.endsWith('.asmdef')) return 'AssemblyDefinitionImporter:\n  externalObjects: {}';
  if (file === 'package.json') return 'PackageManifestImporter:\n  externalObjects: {}';
  if (file.endsWith('.md')) return 'TextScriptImporter:\n  externalObjects: {}';
  return `${path.extname(file) === '' ? 'folderAsset: yes\n' : ''}DefaultImporter:\n  externalObjects: {}`;
}

for (const file of imported()) {
  const meta = path.join(ROOT, `${file}.meta`);
  if (existsSync(meta)) continue;
  const guid = createHash('md5').update(`com.leaderboard.client/${file}`).digest('hex');
  const tail = '\n  userData: \n  assetBundleName: \n  assetBundleVariant: \n';
  writeFileSync(meta, `fileFormatVersion: 2\nguid: ${guid}\n${importerOf(file)}${tail}`);
  process.stdout.write(`${meta}\n`);
}
