// jest itself resolves and loads its global set-up with Node's own rules.
require('./test/support/ts-require.cjs');
const { TESTS, ignored } = require('./test/lanes.cjs');

module.exports = {
  runtime: '<rootDir>/test/support/runtime.cjs',
  testEnvironment: '<rootDir>/test/support/environment.cjs',
  roots: TESTS.map((folder) => `<rootDir>/${folder}`),
  testMatch: ['**/*.test.ts'],
  testPathIgnorePatterns: ignored(process.env.LANE),
  globalSetup: '<rootDir>/test/support/cluster-up.ts',
  globalTeardown: '<rootDir>/test/support/cluster-down.ts',
  setupFiles: ['<rootDir>/test/support/env.ts'],
  // One more than the two cores of the machine that decides: many tests wait for processes, clocks and the database.
  maxWorkers: 3,
  testSequencer: '<rootDir>/test/support/sequencer.cjs',
  reporters: [
    'default',
    '<rootDir>/test/support/summary-reporter.cjs',
    ...(process.env.TEST_FIGURES ? ['<rootDir>/tools/figures-reporter.cjs'] : []),
  ],
  // Ends what waits in vain; nothing else: what takes seconds takes minutes on a machine that does much besides.
  testTimeout: 600_000,
  transform: {},
};
