import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { SCRATCH } from '../support/scratch.js';
import { reasonToSkip, runApart } from './apart.js';

// npm run prove:rolling [-- <commit>]: processes of the version before go on on this version's schema, under load behind
// nginx, and are replaced one after the other. The version before: the commit given; otherwise the newest tag whose
// migrations are others than those of this folder, otherwise the newest commit of that kind.

const ROOT = path.resolve(__dirname, '../..');

const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
const lines = (text: string) => text.split('\n').filter((line) => line !== '');
const isMigration = (name: string) => /^\d{3}_.+\.sql$/.test(path.basename(name));

function versionBefore(): string {
  const present = readdirSync(path.join(ROOT, 'migrations')).filter(isMigration).length;
  const knows = (commit: string) =>
    lines(git('ls-tree', '--name-only', commit, 'migrations/')).filter(isMigration).length;
  const tags = lines(git('tag', '--merged', 'HEAD', '--sort=-creatordate'));
  const commits = lines(git('rev-list', '--first-parent', '--max-count=500', 'HEAD'));
  const found = [...tags, ...commits].find((commit) => knows(commit) < present);
  if (found === undefined) throw new Error('No commit with fewer migrations is there: name one.');
  return found;
}

function run(dir: string, program: string, ...args: string[]): void {
  const { status } = spawnSync(program, args, { cwd: dir, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} failed in ${dir}`);
}

/** Builds the service of a commit in a folder. Packages that are the same there are those of this folder. */
function build(dir: string): string {
  const lock = (place: string) => readFileSync(path.join(place, 'package-lock.json'), 'utf8');
  if (lock(dir) === lock(ROOT)) symlinkSync(path.join(ROOT, 'node_modules'), path.join(dir, 'node_modules'));
  else run(dir, 'npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund');
  run(dir, 'npm', 'run', 'compile');
  const main = ['dist/src/main.js', 'dist/main.js'].map((name) => path.join(dir, name)).find(existsSync);
  if (main === undefined) throw new Error(`The build in ${dir} made no service.`);
  return main;
}

async function prove(): Promise<void> {
  spawnSync(process.execPath, [path.join(__dirname, 'install.cjs')], { stdio: 'inherit' });
  const reason = reasonToSkip('nginx');
  if (reason !== undefined) throw new Error(`A rolling upgrade cannot be tried here: ${reason}.`);
  const commit = process.argv[2] ?? versionBefore();
  const dir = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  try {
    git('worktree', 'add', '--detach', '--force', path.join(dir, 'before'), commit);
    console.log(`The version before: ${git('log', '-1', '--format=%h of %ci, %s', commit)}`);
    const main = build(path.join(dir, 'before'));
    console.log(await runApart('rolling', 'thorough', main));
  } finally {
    rmSync(dir, { recursive: true, force: true });
    git('worktree', 'prune');
  }
}

prove().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
