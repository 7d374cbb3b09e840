import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { SCRATCH } from '../support/scratch.js';
import { DIFFERS, LEFT_OUT } from './flow-list.js';

// npm run prove:cells -- flows [<name>…]: flows through a gateway with a second cell beside, one file after the other. A name
// may be the beginning of several.

const ROOT = path.resolve(__dirname, '../..');
const ENDING = '.test.ts';

interface Outcome {
  numPassedTests: number;
  numFailedTests: number;
  numFailedTestSuites: number;
  testResults: { assertionResults: { status: string; title: string }[] }[];
}

function run(name: string, dir: string): Outcome {
  const file = path.join(dir, `${name}.json`);
  const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
  // A failed test can leave connections open, with which jest would not end.
  const args = [
    ...[jest, '-w', '1', '--forceExit', '--json', `--outputFile=${file}`],
    `test/flows/${name}${ENDING}`,
  ];
  spawnSync(process.execPath, args, { cwd: ROOT, env: { ...process.env, TEST_CELLS: '1' }, stdio: 'ignore' });
  return JSON.parse(readFileSync(file, 'utf8')) as Outcome;
}

/** A flow that is no part of the suite: test/cells/<name>.flow.ts. */
export function proveApart(name: string): void {
  const jest = path.join(ROOT, 'node_modules/jest/bin/jest.js');
  const match = `--testMatch=**/test/cells/${name}.flow.ts`;
  const args = [jest, '-w', '1', '--testTimeout=1800000', match];
  process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
}

export function proveFlows(beginnings: string[]): void {
  const flows = readdirSync(path.join(ROOT, 'test/flows'))
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .filter((name) => beginnings.length === 0 || beginnings.some((start) => name.startsWith(start)));
  const dir = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  let [passed, failed] = [0, 0];
  try {
    for (const name of flows) {
      if (LEFT_OUT[name]) {
        console.log(`${name}: left out, ${LEFT_OUT[name]}`);
        continue;
      }
      const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = run(name, dir);
      const faults = testResults.flatMap(({ assertionResults }) =>
        assertionResults.filter(({ status }) => status === 'failed').map(({ title }) => title),
      );
      const [known, news] = [
        faults.filter((title) => DIFFERS[title]),
        faults.filter((title) => !DIFFERS[title]),
      ];
      passed += numPassedTests;
      // A file that could not be run has no failed test.
      failed += numFailedTests === 0 ? numFailedTestSuites : news.length;
      console.log(`${name}: ${numPassedTests} passed`);
      for (const title of known) console.log(`  differs: ${title}: ${DIFFERS[title]}`);
      for (const title of news) console.log(`  failed: ${title}`);
    }
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
}
