const asyncHooks = require('node:async_hooks');
const { createRequire } = require('node:module');
const path = require('node:path');
const { default: JestRuntime } = require('jest-runtime');
const { sourceMaps } = require('./ts-require.cjs');

const CIRCUS = path.dirname(require.resolve('jest-circus/package.json')) + path.sep;

/**
 * The test that jest attributes an unhandled rejection to. jest takes an AsyncLocalStorage for every file, and node
 * keeps all of them up to date at every promise from then on.
 */
class CurrentTest {
  #test;

  getStore() {
    return this.#test;
  }

  async run(test, work) {
    const before = this.#test;
    this.#test = test;
    try {
      return await work();
    } finally {
      this.#test = before;
    }
  }
}

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
    forget((file) => file.startsWith(CIRCUS));
    const { AsyncLocalStorage } = asyncHooks;
    asyncHooks.AsyncLocalStorage = CurrentTest;
    try {
      return this.requireModule(from, name);
    } finally {
      asyncHooks.AsyncLocalStorage = AsyncLocalStorage;
    }
  }

  /** The variables of a test file hold its whole app. */
  teardown() {
    super.teardown();
    forget((file) => file === this.#testPath);
  }

  setGlobalsForRuntime(globals) {
    super.setGlobalsForRuntime(globals);
    globalThis.jest = this.requireModuleOrMock(this.#testPath, '@jest/globals').jest;
  }

  getSourceMaps() {
    return sourceMaps;
  }
}

function forget(isMeant) {
  for (const file of Object.keys(require.cache)) if (isMeant(file)) delete require.cache[file];
  module.children = module.children.filter(({ id }) => !isMeant(id));
}

module.exports = Runtime;
