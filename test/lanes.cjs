const { readdirSync, readFileSync } = require('node:fs');
const path = require('node:path');

/**
 * The two lanes of tests. `npm test` runs what shows every feature, rule and error code in a few minutes; `npm run test:full` runs
 * the files below: what needs minutes, other programs, another Postgres, or kills processes. Without LANE, jest runs what it is given.
 */
const FULL = [
  // Kill and restart processes and databases, or run several of them.
  'flows/.*-killed',
  'units/.*-killed',
  'flows/.*-process(es)?\\.',
  'flows/jobs-kill',
  'flows/cells.*',
  'flows/workers',
  'flows/single-sign-on-dex',
  'flows/faults',
  'flows/startup',
  'flows/backup',
  'flows/prizes-year',
  'flows/operate',
  // Other versions of Postgres, and an installation of an older version.
  'flows/upgrade-.*',
  'flows/old-installation',
  'units/embedded\\.',
  'units/installed-postgres',
  // Everybody at every door, every list in every order, thousands of wrong requests.
  'flows/roles(-team)?\\.',
  'flows/list-plans',
  'flows/list-orders',
  // Bounds of work that need dozens of requests at the same moment.
  'flows/bounded-work',
  'flows/shared-slots',
  'flows/imports-work',
  'flows/webhooks-backlog',
  'flows/season-guide',
  'flows/hostile-.*',
  'flows/registration-hostile.*',
  'flows/peers',
  // Whole programs, packages, and browsers but for one flow of each page.
  'flows/console-(held|verdicts|overview|prizes|work|queue|restart|passkeys|month|oidc|steady)',
  'flows/game-pictures-browser',
  'flows/public-pages-browser-access',
  'flows/reference',
  'flows/demo',
  'flows/terminal-screen',
  'contract/package',
  'clients/.*',
];

/** Folders of tests: the service's, and the terminal's. */
const TESTS = ['test', 'clients/terminal/test'];
const ROOT = path.join(__dirname, '..');

/** In both lanes: with fewer runs and tests in the quick one, by support/lane.ts. */
const BOTH = TESTS.flatMap((tests) =>
  ['flows', 'units'].map((folder) => [path.join(ROOT, tests, folder), folder]),
).flatMap(([place, folder]) =>
  readdirSync(place)
    .filter((name) => readFileSync(path.join(place, name), 'utf8').includes("/support/lane.js'"))
    .map((name) => `${folder}/${name.replace('.test.ts', '\\.')}`),
);
const FULL_FILES = [...FULL, ...BOTH].join('|');

/** Paths that a lane leaves out, as jest takes them. */
function ignored(lane) {
  const roots = `<rootDir>/(${TESTS.join('|')})`;
  if (lane === 'quick') return [`${roots}/(${FULL.join('|')})`];
  if (lane === 'full') return [`${roots}/(?!${FULL_FILES})`];
  return [];
}

module.exports = { TESTS, ignored };
