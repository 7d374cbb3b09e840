const { runtime: _runtime, testEnvironment: _environment, ...all } = require('../../jest.config.cjs');
const { compilerOptions } = require('../support/ts-require.cjs');

// Here modules are replaced, which needs jest's own way of loading, anew for every file.
module.exports = {
  ...all,
  rootDir: '../..',
  testMatch: ['**/test/mutants/*-checks.ts'],
  moduleNameMapper: { '^(\\.{1,2}/.*)\\.js$': '$1' },
  // Modules of packages that only exist as ones of ES.
  transformIgnorePatterns: ['/node_modules/(?!(any-ascii|request-filtering-agent)/)'],
  transform: {
    '^.+\\.ts$|/(any-ascii|request-filtering-agent)/.+\\.js$': [
      '@swc/jest',
      { ...compilerOptions, module: { type: 'commonjs' }, sourceMaps: 'inline', swcrc: undefined },
    ],
  },
};
