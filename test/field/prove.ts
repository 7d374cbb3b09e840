import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { SCRATCH } from '../support/scratch.js';

// npm run prove:field: adds a field to boards (board-field.patch) in a copy of this checkout, prints the contract, builds, and runs
// what must find the field or notice that it is missing. The patch is also what `tools/house.mjs` counts: every line that a field
// needs by hand. Where it no longer applies, make it anew: what it needs then is what a field costs.

const ROOT = path.resolve(__dirname, '../..');
const PATCH = path.join(__dirname, 'board-field.patch');
/** Not in git. */
const INSTALLED = ['node_modules', 'tools/client-types/node_modules'];
/** Fail where a place of a new field is forgotten. */
const NOTICING = [
  'flows/field-places',
  'flows/configuration',
  'flows/hooks\\.',
  'flows/rest-templates',
  'flows/interface-rules',
  'flows/personal-columns',
  'contract/',
];

function copyTo(dir: string): void {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  for (const file of listed.split('\0').filter(Boolean)) {
    // Times stay, so that only the changed pages are built. A file may have been deleted since the last commit.
    cpSync(path.join(ROOT, file), path.join(dir, file), { preserveTimestamps: true, force: true });
  }
  cpSync(path.join(ROOT, 'dist'), path.join(dir, 'dist'), { recursive: true, preserveTimestamps: true });
  for (const place of INSTALLED) symlinkSync(path.join(ROOT, place), path.join(dir, place));
}

function prove(): void {
  const dir = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  const run = (program: string, ...args: string[]) => {
    console.log(`> ${[program, ...args].join(' ')}`);
    const env = { ...process.env, NODE_ENV: undefined, LANE: undefined };
    execFileSync(program, args, { cwd: dir, stdio: 'inherit', env });
  };
  try {
    copyTo(dir);
    run('git', 'apply', '--verbose', PATCH);
    run('npm', 'run', '--silent', 'compile');
    run('npm', 'run', '--silent', 'contract');
    run('npm', 'run', '--silent', 'codegen');
    run('npx', 'tsc', '--noEmit', '-p', 'web/console');
    run('npx', 'jest', '-w', '2', '--testMatch=**/test/field/*.flow.ts');
    run('npx', 'jest', '-w', '2', ...NOTICING.map((name) => `test/${name}`));
  } catch (error) {
    console.error(`The field is not complete: ${(error as Error).message}`);
    process.exitCode = 1;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

prove();
