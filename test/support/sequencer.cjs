const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * What takes longest, in that order: begun first, so that no worker is left alone with it at the end. A checkout that has never
 * run the tests knows no times.
 */
const LONGEST = [
  'flows/rules-killed',
  'flows/list-plans',
  'flows/roles',
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
    return [...super.sort(tests)].sort((a, b) => place(a) - place(b));
  }
}

module.exports = LongestFirst;
