import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { PackedPackage } from '../support/packed-package.js';

// The packages as a release makes them, installed and used outside the repository. Not run here: NuGet's pack, Unity,
// and Godot's installation of an asset.

const ROOT = path.resolve(__dirname, '../..');
const CLIENTS = path.join(ROOT, 'clients');
const { gdtool } = require('../../clients/conformance/gdtoolkit.cjs') as {
  gdtool(name: string): string | undefined;
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-packed-'));
});
afterEach(() => rmSync(dir, { recursive: true }));

const run = (program: string, args: string[], cwd = dir) =>
  execFileSync(program, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** @returns the name of a client's archive in the empty folder */
function packed(client: string): string {
  run('npm', ['pack', '--ignore-scripts', '--pack-destination', dir], path.join(CLIENTS, client));
  return readdirSync(dir).find((file) => file.endsWith('.tgz'))!;
}

/** @returns the folder of a client that npm has installed there */
function installed(client: string, name: string): string {
  const archive = packed(client);
  writeFileSync(path.join(dir, 'package.json'), '{"private":true}');
  const quietly = ['--no-audit', '--no-fund', '--ignore-scripts', '--legacy-peer-deps', '--offline'];
  run('npm', ['install', ...quietly, `./${archive}`]);
  return path.join(dir, 'node_modules', name);
}

const missing = (...files: string[]) => files.filter((file) => !existsSync(file));

function testWith(needs: string[], sentence: string, body: () => void): void {
  const absent = missing(...needs);
  if (absent.length > 0) test.skip(`${sentence} (${absent.join(', ')} is not installed)`, () => undefined);
  else test(sentence, body);
}

test('version and addresses of all manifests are those of package.json', () => {
  run('node', [path.join(ROOT, 'tools/release.mjs'), '--check']);
});

test('a release stops while owner, repository or contact are placeholders, and at a tag of another version', () => {
  const tools = path.join(dir, 'tools');
  mkdirSync(tools);
  writeFileSync(path.join(tools, 'release.mjs'), readFileSync(path.join(ROOT, 'tools/release.mjs')));
  const ready = (owner: string, email: string, tag: string) => {
    const url = `git+https://github.com/${owner}/boards.git`;
    const manifest = { version: '0.1.0', author: { name: owner, email }, repository: { url } };
    writeFileSync(path.join(dir, 'package.json'), JSON.stringify(manifest));
    return spawnSync('node', [path.join(tools, 'release.mjs'), '--ready', tag]).status;
  };
  expect(ready('blue', 'we@blue.example', 'v0.1.0')).toBe(0);
  expect(ready('blue', 'we@blue.example', 'v0.2.0')).toBe(1);
  expect(ready('OWNER', 'we@blue.example', 'v0.1.0')).toBe(1);
  expect(ready('blue', 'CONTACT@example.com', 'v0.1.0')).toBe(1);
});

test('npm: the packed client has licence and changelog, and can be imported', () => {
  const place = installed('typescript', 'leaderboard-client');
  expect(missing(...['LICENSE', 'CHANGELOG.md', 'README.md'].map((file) => path.join(place, file)))).toEqual(
    [],
  );
  const names = run('node', [
    '--input-type=module',
    '--eval',
    "console.log(Object.keys(await import('leaderboard-client')).join(), Object.keys(await import('leaderboard-client/live')).join())",
  ]);
  expect(names).toMatch(/\w+ \w+/);
});

test('npm: the packed terminal has its schema files, runs without the service, and says what needs it', () => {
  const terminal = new PackedPackage(path.join(CLIENTS, 'terminal'));
  try {
    const files = ['LICENSE', 'CHANGELOG.md', 'README.md'].map((file) => path.join(terminal.folder, file));
    expect(missing(...files)).toEqual([]);
    expect(terminal.run(['--version']).stdout).toBe(`${terminal.manifest.version}\n`);
    expect(terminal.run(['boards', 'create', '--help']).stdout).toContain('--keep-strategy <');
    expect(JSON.parse(terminal.run(['schema']).stdout)).toHaveProperty('definitions.board');
    expect(terminal.run(['boards', 'list', '--api', 'http://127.0.0.1:1'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('leaderboard login'),
    });
    expect(terminal.run(['backup', 'copy'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('run "npx leaderboard" in the folder of the service'),
    });
  } finally {
    terminal.remove();
  }
});

testWith(['/usr/bin/mcs'], 'Unity: every packed file has its .meta, and the sources compile', () => {
  // As Unity does: npm cannot install it, because its dependency is a part of Unity.
  run('tar', ['--extract', '--file', packed('csharp')]);
  const place = path.join(dir, 'package');
  const files = readdirSync(place, { recursive: true, encoding: 'utf8' }).filter(
    (file) => !file.split(path.sep).some((part) => part.endsWith('~')),
  );
  const plain = files.filter((file) => !file.endsWith('.meta'));
  expect(plain.length).toBeGreaterThan(20);
  expect(plain.filter((file) => !files.includes(`${file}.meta`))).toEqual([]);
  const stubs = path.join(CLIENTS, 'csharp/Conformance~/unity/UnityEngine.cs');
  const options = ['-langversion:7', '-nowarn:626,649', '-target:library', '-r:System.Net.Http.dll'];
  const sources = ['-recurse:Runtime/*.cs', 'Samples~/FirstScore/FirstScore.cs', stubs];
  run(
    'mcs',
    [...options, '-define:UNITY_5_3_OR_NEWER', `-out:${path.join(dir, 'unity.dll')}`, ...sources],
    place,
  );
});

testWith(
  ['/usr/bin/mcs', '/usr/bin/mono'],
  'C#: a program uses the library of the files that the project names',
  () => {
    const project = readFileSync(path.join(CLIENTS, 'csharp/LeaderboardClient.csproj'), 'utf8');
    const [, sources = ''] = /<Compile Include="([^"]+)\/\*\*\/\*\.cs" \/>/.exec(project) ?? [];
    const [, packed = ''] = /<None Include="([^"]+)" Pack="true"/.exec(project) ?? [];
    expect(missing(...packed.split(';').map((file) => path.join(CLIENTS, 'csharp', file)))).toEqual([]);
    const from = path.join(CLIENTS, 'csharp', sources);
    const library = path.join(dir, 'LeaderboardClient.dll');
    run('mcs', [
      '-langversion:7',
      '-target:library',
      '-r:System.Net.Http.dll',
      `-out:${library}`,
      `-recurse:${from}/*.cs`,
    ]);
    writeFileSync(
      path.join(dir, 'game.cs'),
      'class Game { static void Main() { System.Console.WriteLine(typeof(LeaderboardClient.Leaderboard).Name); } }',
    );
    run('mcs', ['-r:LeaderboardClient.dll', '-out:game.exe', 'game.cs']);
    expect(run('mono', ['game.exe'])).toBe('Leaderboard\n');
  },
);

testWith(
  ['/usr/bin/luarocks', '/usr/bin/lua5.4', '/usr/include/lua5.4/lua.h'],
  'Lua: luarocks makes the rock, whose modules load outside',
  () => {
    const folder = path.join(CLIENTS, 'lua');
    const [rockspec] = readdirSync(folder).filter((file) => file.endsWith('.rockspec'));
    const tree = path.join(dir, 'tree');
    run('luarocks', ['--lua-version', '5.4', '--tree', tree, 'make', rockspec!], folder);
    const modules = path.join(tree, 'share/lua/5.4');
    const sources = readdirSync(path.join(folder, 'leaderboard'), { recursive: true, encoding: 'utf8' });
    const lua = sources.filter((file) => file.endsWith('.lua'));
    expect(missing(...lua.map((file) => path.join(modules, 'leaderboard', file)))).toEqual([]);
    const program = `package.path = "${modules}/?.lua"; print(type(require("leaderboard.leaderboard").new))`;
    expect(run('lua5.4', ['-e', program])).toBe('function\n');
  },
);

const parse = gdtool('gdparse');
testWith(
  parse ? [] : ['gdparse'],
  'Godot: the archive has plugin, licence and changelog in its folder, and its scripts parse',
  () => {
    const asset = JSON.parse(readFileSync(path.join(CLIENTS, 'godot/asset-library.json'), 'utf8'));
    run(
      'tar',
      ['--create', '--file', path.join(dir, 'asset.tar'), asset.folder],
      path.join(CLIENTS, 'godot'),
    );
    run('tar', ['--extract', '--file', 'asset.tar']);
    const place = path.join(dir, asset.folder);
    const wanted = [
      'plugin.cfg',
      'plugin.gd',
      'LICENSE',
      'README.md',
      'CHANGELOG.md',
      path.basename(asset.icon),
    ];
    expect(missing(...wanted.map((file) => path.join(place, file)))).toEqual([]);
    const scripts = readdirSync(place).filter((file) => file.endsWith('.gd'));
    expect(scripts.length).toBeGreaterThan(15);
    run(parse!, scripts, place);
  },
);
