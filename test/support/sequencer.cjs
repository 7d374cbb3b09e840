const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The slowest files, in this order: started first, so that no worker is left alone with one at the end. A checkout
 * that has never run the tests has no recorded times.
 */
const LONGEST = [
  'flows/operate',
  'flows/list-plans',
  'flows/roles',
  'flows/backup',
  'flows/reference',
  'flows/startup',
  'flows/terminal.',
  'flows/commands',
  'flows/rules-killed',
  'flows/list-orders',
  'units/schedules-killed',
  'flows/workers',
  'flows/faults',
  'flows/public-pages-browser',
  'flows/registration-hostile',
  'flows/hostile',
  'flows/rest-bad-input',
  'units/ranking-properties',
  'flows/hook',
  'flows/jobs-kill',
  'flows/checks',
  'units/rules-properties',
  'units/embedded',
  'units/explorer-page',
  'flows/removal-properties',
  'flows/review',
  'flows/terminal-screen',
  'flows/rest-contract',
  'flows/live-',
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
