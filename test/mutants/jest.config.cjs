const { runtime: _runtime, testEnvironment: _environment, ...all } = require('../../jest.config.cjs');
const { compilerOptions } = require('../support/ts-require.cjs');

// Here modules are replaced, which needs jest's own way of loading, anew for every file.
module.exports = {
  ...all,
  rootDir: '../..',
  testMatch: ['**/test/mutants/*-checks.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // A module of packages that only exists as one of ES.
  transformIgnorePatterns: ['/node_modules/(?!any-ascii/)'],
  transform: {
    '^.+\\.ts$|/any-ascii/.+\\.js$': [
      '@swc/jest',
      { ...compilerOptions, module: { type: 'commonjs' }, sourceMaps: 'inline', swcrc: undefined },
    ],
  },
};
