import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CUTS, type Cut, EVENTS } from './own-cuts.js';

// Takes checks of access out that places make by themselves, one at a time, in the sources, and looks whether the matrix
// notices. Each has the service loaded anew, so only rows are asked that should see it.

const ROOT = path.resolve(__dirname, '../..');
const AT_ONCE = 2;

function readSource({ file }: Cut): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Plays rows of the matrix in processes of their own. @returns whether all was well */
function matrixPasses(rows: string, without?: Cut): Promise<boolean> {
  const env = { ...process.env, SOURCE_CUT: without && JSON.stringify(without) };
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', 'test/flows/roles.test.ts', '-t', rows],
    { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let told = '';
  child.stderr.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      // A service that does not even start proves nothing.
      if (!/\d+ passed|✕ [A-Z]/.test(told) || /Test suite failed to run/.test(told)) reject(new Error(told));
      else resolve(code === 0);
    });
  });
}

test.each(CUTS.map((one) => [`${one.file}: ${one.from}`, one] as const))('%s stands once', (_name, one) => {
  expect(readSource(one).split(one.from).length - 1).toBe(1);
});

test('the matrix notices whichever of these checks is cut out', async () => {
  const rows = [...new Set(CUTS.map((one) => one.rows))];
  // By itself: what it writes is seen by others.
  const others = rows.filter((row) => row !== EVENTS);
  expect(await Promise.all([EVENTS, others.join('|')].map((some) => matrixPasses(some)))).toEqual([
    true,
    true,
  ]);
  const left = [...CUTS];
  const unnoticed: string[] = [];
  const next = async (): Promise<void> => {
    for (let one = left.shift(); one; one = left.shift()) {
      if (await matrixPasses(one.rows, one)) unnoticed.push(`${one.file}: ${one.from}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, next));
  process.stderr.write(`${CUTS.length} checks cut out, ${unnoticed.length} not noticed\n`);
  expect(unnoticed).toEqual([]);
}, 3_600_000);
