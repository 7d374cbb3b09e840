const { createRequire } = require('node:module');
const path = require('node:path');
const { default: JestRuntime } = require('jest-runtime');
const { sourceMaps } = require('./ts-require.cjs');

const CIRCUS = path.dirname(require.resolve('jest-circus/package.json')) + path.sep;

/**
 * Loads modules like plain Node: what one test file has loaded is available to the next one in the same process.
 * jest would load the service again for every file, which takes longer than most of them. It needs the environment
 * in environment.cjs.
 */
class Runtime extends JestRuntime {
  #testPath;

  constructor(...args) {
    super(...args);
    const [, , , , , , testPath, { watch, watchAll }] = args;
    if (watch || watchAll) throw new Error('Changed sources are not loaded again: run jest without --watch.');
    this.#testPath = testPath;
  }

  requireModule(from, name) {
    return name === undefined ? require(from) : createRequire(from)(name);
  }

  /** The test runner keeps state about tests, so it is new for every file. */
  requireInternalModule(from, name) {
    for (const file of Object.keys(require.cache)) if (file.startsWith(CIRCUS)) delete require.cache[file];
    return this.requireModule(from, name);
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    globalThis.jest = this.requireModuleOrMock(this.#testPath, '@jest/globals').jest;
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

module.exports = Runtime;
