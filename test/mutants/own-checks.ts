import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CUTS, type Cut, EVENTS } from './own-cuts.js';

// Removes, one at a time, the checks of access that single places make, and expects the matrix to notice. Each removal loads
// the service anew, so only the rows that should fail are played.

const ROOT = path.resolve(__dirname, '../..');
const AT_ONCE = 2;

function readSource({ file }: Cut): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

/** Plays rows of the matrix in a process of its own. @returns true if all pass */
function matrixPasses(rows: string, without?: Cut): Promise<boolean> {
  const env = { ...process.env, SOURCE_CUT: without && JSON.stringify(without) };
  const child = spawn(
    process.execPath,
    ['node_modules/jest/bin/jest.js', 'test/flows/roles.test.ts', '-t', rows],
    { cwd: ROOT, env, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  let output = '';
  child.stderr.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      // A service that does not start proves nothing.
      if (!/\d+ passed|✕ [A-Z]/.test(output) || /Test suite failed to run/.test(output))
        reject(new Error(output));
      else resolve(code === 0);
    });
  });
}

test.each(CUTS.map((one) => [`${one.file}: ${one.from}`, one] as const))('%s occurs once', (_name, one) => {
  expect(readSource(one).split(one.from).length - 1).toBe(1);
});

test('the matrix notices each of these checks when it is cut out', async () => {
  const rows = [...new Set(CUTS.map((one) => one.rows))];
  // By itself: other rows would see its writes.
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
