// npm run prove:node [-- 22 24 [workers]]: the core of the tests, or the named files, on the newest Node of each
// supported major version. The binaries come from the npm package `node`, one per platform.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const MAJORS = ['20', '22', '24'];
/** Ranks, submissions, pages, live feeds, sessions, jobs, whole processes, the terminal. */
const CORE = [
  'test/units/(ranking-properties|keyset|config)',
  'test/flows/(submit|leaderboard|boards|sessions|jobs|startup|sockets|live-stream|workers|terminal)[.]test',
];

/** Patterns of test files to run instead of the core. */
const chosen = process.argv.slice(2).filter((text) => !/^\d+$/.test(text));

const ROOT = path.resolve(import.meta.dirname, '..');
const PLATFORM = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

function prove(major) {
  const dir = mkdtempSync(path.join(os.tmpdir(), 'leaderboard-node-'));
  try {
    const install = ['install', '--prefix', dir, '--no-save', '--no-audit', '--no-fund', `${PLATFORM}@^${major}`];
    execFileSync('npm', install, { cwd: dir, stdio: ['ignore', 'ignore', 'inherit'] });
    const bin = path.join(dir, 'node_modules', PLATFORM, 'bin');
    const program = [path.join(bin, 'node'), path.join(bin, 'node.exe')].find(existsSync);
    const version = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
    console.log(`Node ${version}:`);
    const env = { ...process.env, PATH: `${bin}${path.delimiter}${process.env.PATH}` };
    const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
    const { status } = spawnSync(program, [jest, ...(chosen.length > 0 ? chosen : CORE)], { cwd: ROOT, stdio: 'inherit', env });
    return { version, passed: status === 0 };
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

const named = process.argv.slice(2).filter((text) => /^\d+$/.test(text));
const results = (named.length > 0 ? named : MAJORS).map(prove);
for (const { version, passed } of results) console.log(`Node ${version}: ${passed ? 'passed' : 'failed'}`);
if (results.some(({ passed }) => !passed)) process.exitCode = 1;
