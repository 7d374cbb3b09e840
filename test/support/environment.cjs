const { TestEnvironment } = require('jest-environment-node');

/**
 * graphql reads the stack of every error, and jest maps each frame to the sources, which takes longer than
 * everything the service does with the error. So each place in the code is only looked up once.
 */
function remembering(format) {
  const nothing = new Error('');
  const head = format(nothing, []);
  const frames = new Map();
  const frame = (site) => {
    const place = String(site);
    const text = frames.get(place) ?? format(nothing, [site]).slice(head.length);
    frames.set(place, text);
    return text;
  };
  return (error, sites) => format(error, []) + sites.map(frame).join('');
}

/** Node's own globals, in which modules stay loaded from file to file (runtime.cjs), restored after each. */
class Environment extends TestEnvironment {
  #known = new Set(Reflect.ownKeys(globalThis));
  #console = globalThis.console;
  #exit = process.exit;

  constructor(...args) {
    super(...args);
    this.global = globalThis;
  }

  async setup() {
    await super.setup();
    if (Error.prepareStackTrace) Error.prepareStackTrace = remembering(Error.prepareStackTrace);
  }

  async teardown() {
    process.exit = this.#exit;
    globalThis.console = this.#console;
    // jest stores what it knows about a file under symbols; packages use names.
    for (const key of Reflect.ownKeys(globalThis)) {
      if (typeof key === 'symbol' && !this.#known.has(key)) Reflect.deleteProperty(globalThis, key);
    }
    await super.teardown();
  }
}

module.exports = Environment;
