// Version and addresses of a release are only in package.json. Without arguments, writes them into the manifests of
// the clients and of the terminal. --check fails on a manifest that differs. --ready [tag] fails while owner, repository or contact are
// placeholders, or if the tag doesn't match the version.
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '..');
const PLACEHOLDER = /OWNER|CONTACT@example/;

/**
 * @typedef {{ version: string, isReady: boolean, repository: string, owner: string, email: string, dependencies?:
 * Record<string, string> }} Facts
 */

/**
 * @param {{ version: string, author: { name: string, email: string }, repository: { url: string }, dependencies?:
 * Record<string, string> }} manifest
 * @returns {Facts}
 */
export function factsOf({ version, author, repository: { url }, dependencies }) {
  const isReady = ![author.name, author.email, url].some((text) => PLACEHOLDER.test(text));
  return { version, isReady, repository: url.replace(/^git\+|\.git$/g, ''), owner: author.name, email: author.email, dependencies };
}

/** Replaces the only match. */
function put(text, pattern, replacement) {
  if ([...text.matchAll(new RegExp(pattern, 'gm'))].length !== 1) throw new Error(`${pattern} must match exactly once`);
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

/** The service brings the terminal along, so that both have the same versions of their dependencies. */
function terminalManifest(text, facts) {
  const manifest = JSON.parse(npmManifest('clients/terminal')(text, facts));
  const dependencies = Object.keys(manifest.dependencies).map((name) => {
    if (facts.dependencies[name] === undefined) throw new Error(`package.json lacks ${name}, which the terminal depends on`);
    return [name, facts.dependencies[name]];
  });
  return `${JSON.stringify({ ...manifest, dependencies: Object.fromEntries(dependencies) }, null, 2)}\n`;
}

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

/** How a release rewrites each manifest. */
export const MANIFESTS = {
  'clients/typescript/package.json': npmManifest('clients/typescript'),
  'clients/terminal/package.json': terminalManifest,
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

/** The file of a manifest; a rockspec has the version in its name. */
export function fileOf(name, version) {
  return name.replace(/\.rockspec$/, `-${version}-1.rockspec`);
}

/** Versions in the names of files, `-0.1.0-1`. */
const VERSION_IN_NAME = /-\d+\.\d+\.\d+-\d+(?=\.rockspec$)/;

/** The current file of a manifest, with whatever version is in its name. */
function currentFileOf(name) {
  const folder = path.dirname(name);
  const file = readdirSync(path.join(ROOT, folder)).find((file) => path.join(folder, file.replace(VERSION_IN_NAME, '')) === name);
  if (file === undefined) throw new Error(`${name} is missing`);
  return path.join(ROOT, folder, file);
}

function main([flag, tag]) {
  const facts = factsOf(JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')));
  if (flag === '--ready') {
    if (!facts.isReady) throw new Error('package.json still has placeholders for owner, repository or contact. Fill them in.');
    if (tag !== undefined && tag !== `v${facts.version}`) {
      throw new Error(`The tag is ${tag}, but package.json has version ${facts.version}.`);
    }
    return;
  }
  for (const [name, derive] of Object.entries(MANIFESTS)) {
    const from = currentFileOf(name);
    const to = path.join(ROOT, fileOf(name, facts.version));
    const text = readFileSync(from, 'utf8');
    const wanted = derive(text, facts);
    if (from === to && text === wanted) continue;
    if (flag === '--check') throw new Error(`${name} differs from package.json. Run "node tools/release.mjs".`);
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
