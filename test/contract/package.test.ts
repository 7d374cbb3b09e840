import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PackedPackage } from '../support/packed-package.js';

const ROOT = path.resolve(__dirname, '../..');

/** Folders that the service reads when it runs, beside its compiled code. */
const READ = ['fonts', 'migrations', 'migrations/functions', 'schema', 'web/docs'];

test('the package contains every file that is read at run time', () => {
  const printed = execFileSync('npm', ['pack', '--dry-run', '--ignore-scripts', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [{ files }] = JSON.parse(printed) as [{ files: { path: string }[] }];
  const packed = new Set(files.map((file) => file.path));
  const needed = READ.flatMap((dir) =>
    readdirSync(path.join(ROOT, dir), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => `${dir}/${name}`),
  );
  needed.push('llms.txt', 'seeds/pictures/hollow-vault-logo.png');
  expect(needed.length).toBeGreaterThan(20);
  expect(needed.filter((file) => !packed.has(file))).toEqual([]);
  // Only for work on the code.
  expect([...packed].filter((file) => /^(test|bench|dist\/bench)\//.test(file))).toEqual([]);
});

test('the package brings the terminal along, which starts the commands on the database', () => {
  const service = new PackedPackage(ROOT, '--ignore-scripts');
  try {
    expect(service.run(['--version']).stdout).toBe(`${service.manifest.version}\n`);
    expect(service.run(['boards', 'create', '--help']).stdout).toContain('--keep-strategy <');
    expect(JSON.parse(service.run(['schema']).stdout)).toHaveProperty('definitions.board');
    const former = service.run(['--version'], path.join(service.folder, 'dist/src/terminal/main.js'));
    expect(former.stdout).toBe(`${service.manifest.version}\n`);
    const backup = service.run(['backup', path.join(service.home, 'copy')]);
    expect(backup).toMatchObject({ status: 1, stderr: expect.stringMatching(/^There is no database in /) });
  } finally {
    service.remove();
  }
});

test('an installation keeps within its weight', () => {
  const { status, stdout } = spawnSync(process.execPath, [path.join(ROOT, 'tools/weight.mjs')], {
    encoding: 'utf8',
  });
  expect([stdout, status]).toEqual([expect.stringMatching(/ MB of at most 200\n.* MB of at most 122\n/), 0]);
});

/** By their SPDX names. MPL-2.0 asks for the source of changed files alone, and packages are used as they are. */
const LICENCES =
  /^(MIT|MIT-0|ISC|0BSD|BSD-2-Clause|BSD-3-Clause|Apache-2\.0|BlueOak-1\.0\.0|Python-2\.0|MPL-2\.0)$/;

test('every package that is installed with the service has a licence that lets it be used', () => {
  const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: true; devOptional?: true; link?: true; license?: string }>;
  };
  const installed = Object.entries(packages).filter(
    ([place, { dev, devOptional, link }]) =>
      place.startsWith('node_modules/') && !dev && !devOptional && !link,
  );
  expect(installed.length).toBeGreaterThan(150);
  const isPermissive = (license = '') =>
    license
      .replace(/[()]/g, '')
      .split(/ (?:AND|OR) /)
      .every((one) => LICENCES.test(one));
  expect(installed.filter(([, { license }]) => !isPermissive(license)).map(([place]) => place)).toEqual([]);
});

test('no shell stands between npm and a program that must be stopped', () => {
  const { scripts } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  const names = Object.keys(scripts).filter((name) =>
    /^(start|demo|seed|migrate|verify-ranks|test|bench:\w+)$/.test(name),
  );
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !/^exec [^&|;]+$/.test(scripts[name]!))).toEqual([]);
});

/** Files that a package's `exports` or `bin` lead to. */
function targetsOf(entry: unknown): string[] {
  if (typeof entry === 'string') return [entry];
  return Object.values(entry as object).flatMap(targetsOf);
}

test('every export of the package exists once it is compiled', () => {
  const { exports, bin } = JSON.parse(readFileSync(path.join(ROOT, 'package.json'), 'utf8')) as Record<
    string,
    unknown
  >;
  const targets = [...targetsOf(exports), ...targetsOf(bin)];
  const sources = targets.map((target) =>
    target
      .replace(/^(\.\/)?dist\/(src\/.+?)(\.d)?\.(js|ts)$/, '$2.ts')
      .replace(/^(clients\/terminal)\/dist\/(.+)\.js$/, '$1/src/$2.ts')
      .replace(/\/\*$/, ''),
  );
  expect(sources).toEqual(expect.arrayContaining(['src/hooks/hooks.ts', 'clients/terminal/src/main.ts']));
  expect(sources.filter((source) => !existsSync(path.join(ROOT, source)))).toEqual([]);
});

test('a hooks module finds the types of all that it may export in the package', () => {
  const source = readFileSync(path.join(ROOT, 'src/hooks/hooks.ts'), 'utf8');
  const names = [...source.matchAll(/^export (?:interface|type) (\w+)/gm)].map(([, name]) => name);
  const guide = readFileSync(path.join(ROOT, 'docs/guides/extending.md'), 'utf8');
  const listed = /The types are (.*?) in `leaderboard-service\/hooks`/.exec(guide)?.[1] ?? '';
  const promised = [...listed.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(promised).toEqual(expect.arrayContaining(['Hooks', 'Resolver', 'ResolverContext']));
  expect(promised.filter((name) => !names.includes(name))).toEqual([]);
});
