// npm runs this after an installation, and before `npx leaderboard` runs for the first time: builds, unless the
// existing build was made from exactly these sources.
import { execSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const SOURCES = [
  'src',
  'bench',
  'seeds',
  'web',
  'clients/typescript',
  'clients/terminal/src',
  'clients/terminal/tsconfig.json',
  'examples/arcade',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'tsconfig.client.json',
];
const MADE = ['dist/src/main.js', 'dist/src/hooks/hooks.d.ts', 'clients/typescript/dist/client.js', 'clients/terminal/dist/main.js',
  'dist/explorer/index.html', 'dist/pages/.vite/manifest.json', 'dist/arcade/index.html'];
const STAMP = path.join(ROOT, 'dist/.sources');

// The scripts of package.json begin with `exec`, so that a signal to npm reaches the program and not just a shell
// (docs/decisions/workers.md). Windows' shell has no `exec`, so there it is a command that runs its arguments.
if (process.platform === 'win32') writeFileSync(path.join(ROOT, 'node_modules/.bin/exec.cmd'), '@%*\r\n');

/**
 * Files the build writes among the sources: they exist when the next digest is taken, but not before the first
 * build.
 */
const isMade = (place) => place.endsWith('/dist') || place === 'web/console/generated';

function filesOf(place) {
  if (isMade(place)) return [];
  const stat = statSync(path.join(ROOT, place), { throwIfNoEntry: false });
  if (!stat?.isDirectory()) return stat ? [place] : [];
  return readdirSync(path.join(ROOT, place)).sort().flatMap((name) => filesOf(`${place}/${name}`));
}

function digest() {
  const hash = createHash('sha256');
  for (const file of SOURCES.flatMap(filesOf)) hash.update(`${file}\n`).update(readFileSync(path.join(ROOT, file)));
  return hash.digest('hex');
}

const sources = digest();
const current =
  MADE.every((file) => existsSync(path.join(ROOT, file))) &&
  existsSync(STAMP) &&
  readFileSync(STAMP, 'utf8') === sources;
if (!current) {
  execSync('npm run build', { cwd: ROOT, stdio: 'inherit' });
  writeFileSync(STAMP, sources);
}
