// Version and addresses of a release stand in package.json alone. Without arguments: writes them into the manifests of the
// clients. --check: names manifests that differ. --ready [tag]: fails while owner, repository or contact are placeholders,
// or the tag is not that of the version.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const PLACEHOLDER = /OWNER|CONTACT@example/;

/** @typedef {{ version: string, isReady: boolean, repository: string, owner: string, email: string }} Facts */

/** @param {{ version: string, author: { name: string, email: string }, repository: { url: string } }} manifest @returns {Facts} */
export function factsOf({ version, author, repository: { url } }) {
  const isReady = ![author.name, author.email, url].some((text) => PLACEHOLDER.test(text));
  return { version, isReady, repository: url.replace(/^git\+|\.git$/g, ''), owner: author.name, email: author.email };
}

/** A replacement that must find its place once. */
function put(text, pattern, replacement) {
  if ([...text.matchAll(new RegExp(pattern, 'gm'))].length !== 1) throw new Error(`${pattern} is not found once`);
  return text.replace(new RegExp(pattern, 'm'), replacement);
}

function npmManifest(folder, more = () => ({})) {
  return (text, { version, isReady, repository, owner, email }) => {
    const { repository: _repository, bugs: _bugs, homepage: _homepage, ...manifest } = JSON.parse(text);
    const added = isReady && {
      author: { name: owner, email },
      repository: { type: 'git', url: `git+${repository}.git`, directory: folder },
      bugs: `${repository}/issues`,
      homepage: `${repository}/tree/main/${folder}#readme`,
      ...more(repository, folder),
    };
    return `${JSON.stringify({ ...manifest, version, ...added }, null, 2)}\n`;
  };
}

const unityLinks = (repository, folder) => ({
  documentationUrl: `${repository}/blob/main/${folder}/README.md`,
  changelogUrl: `${repository}/blob/main/${folder}/CHANGELOG.md`,
  licensesUrl: `${repository}/blob/main/LICENSE`,
});

function csproj(text, { version, isReady, repository, owner }) {
  const versioned = put(text, '<Version>.*</Version>', `<Version>${version}</Version>`);
  if (!isReady) return versioned;
  const own = put(versioned, '<Authors>.*</Authors>', `<Authors>${owner}</Authors>`);
  const bare = own.replace(/ *<RepositoryUrl>.*\n/, '');
  return put(bare, '^( *)<Authors>', `$1<RepositoryUrl>${repository}</RepositoryUrl>\n$1<Authors>`);
}

function rockspec(text, { version, isReady, repository }) {
  const versioned = put(text, '^version = ".*"$', `version = "${version}-1"`);
  if (!isReady) return versioned;
  const source = `source = {\n  url = "git+${repository}.git",\n  tag = "v${version}",\n  dir = "leaderboard-service/clients/lua",\n}`;
  return put(versioned, '^source = \\{[^}]*\\}', source);
}

/** Manifests by their files below the root, and how a release writes them. */
export const MANIFESTS = {
  'clients/typescript/package.json': npmManifest('clients/typescript'),
  'clients/csharp/package.json': npmManifest('clients/csharp', unityLinks),
  'clients/csharp/LeaderboardClient.csproj': csproj,
  'clients/lua/leaderboard-client.rockspec': rockspec,
  'clients/godot/addons/leaderboard_client/plugin.cfg': (text, { version }) =>
    put(text, '^version=".*"$', `version="${version}"`),
  'clients/godot/asset-library.json': (text, { version, isReady, repository }) => {
    const asset = { ...JSON.parse(text), version, ...(isReady && { browse_url: repository, issues_url: `${repository}/issues` }) };
    return `${JSON.stringify(asset, null, 2)}\n`;
  },
};

/** The rockspec's name holds its version. */
export function fileOf(name, version) {
  return name.replace(/\.rockspec$/, `-${version}-1.rockspec`);
}

function present(name) {
  const folder = path.join(ROOT, path.dirname(name));
  const stem = path.basename(name, '.rockspec');
  const found = readdirSync(folder).find((file) => file === path.basename(name) || /-\d/.test(file.slice(stem.length)) && file.startsWith(stem) && file.endsWith('.rockspec'));
  return path.join(folder, found);
}

function main([flag, tag]) {
  const facts = factsOf(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')));
  if (flag === '--ready') {
    if (!facts.isReady) throw new Error('package.json still has placeholders for owner, repository or contact: write the true ones');
    if (tag !== undefined && tag !== `v${facts.version}`) throw new Error(`the tag ${tag} is not v${facts.version}`);
    return;
  }
  for (const [name, derive] of Object.entries(MANIFESTS)) {
    const from = present(name);
    const to = path.join(ROOT, fileOf(name, facts.version));
    const text = readFileSync(from, 'utf8');
    const wanted = derive(text, facts);
    if (from === to && text === wanted) continue;
    if (flag === '--check') throw new Error(`${name} is not what package.json says: run "node tools/release.mjs"`);
    writeFileSync(from, wanted);
    if (from !== to) renameSync(from, to);
    process.stdout.write(`${path.relative(ROOT, to)} written\n`);
  }
}

if (process.argv[1] === import.meta.filename) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
