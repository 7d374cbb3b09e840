const { readFileSync } = require('node:fs');
const path = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

const TESTS = path.resolve(__dirname, '..');
const TOGETHER = path.join(TESTS, 'together') + path.sep;

/** What the files of test/together run (stories.ts), where these are themselves to be run. */
function runTogether(tests) {
  const texts = tests
    .filter((test) => test.path.startsWith(TOGETHER))
    .map((test) => readFileSync(test.path, 'utf8'));
  const names = texts.flatMap((text) =>
    [...text.matchAll(/'((?:flows|units|contract)\/[\w-]+)'/g)].map(([, name]) => name),
  );
  return new Set(names.map((name) => path.join(TESTS, `${name}.test.ts`)));
}

/**
 * What takes longest, in that order: begun first, so that no worker is left alone with it at the end. A checkout that has never
 * run the tests knows no times.
 */
const LONGEST = [
  'flows/rules-killed',
  'flows/list-plans',
  'flows/roles',
  'together/',
  'units/schedule-year',
  'flows/startup',
  'flows/jobs-kill',
  'flows/list-orders',
  'flows/commands',
  'units/explorer-page',
  'flows/hooks-process',
  'flows/hook-places',
  'flows/hostile',
  'units/ranking-properties',
  'flows/faults',
  'flows/live-rules',
];

const place = ({ path }) => {
  const found = LONGEST.findIndex((name) => path.includes(`/test/${name}`));
  return found === -1 ? LONGEST.length : found;
};

class LongestFirst extends Sequencer {
  sort(tests) {
    const elsewhere = runTogether(tests);
    const own = tests.filter((test) => !elsewhere.has(test.path));
    return [...super.sort(own)].sort((a, b) => place(a) - place(b));
  }
}

module.exports = LongestFirst;
