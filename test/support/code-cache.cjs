// Keeps what V8 compiled of the modules a program loads, for the next process of the same program: tests start more than
// a hundred processes, of which each would compile the same sixteen hundred modules. Preloaded.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');

const PLACE = path.resolve(__dirname, '../../node_modules/.cache/test-code');
/** Writing takes longer than compiling a few modules. */
const WORTH_WRITING = 50;

/** One file for each program: a header's length, the header, the codes on end. */
class CodeFile {
  #codes = new Map();

  constructor(program) {
    const name = createHash('sha256').update(`${process.version} ${process.arch} ${program}`).digest('hex');
    this.file = path.join(PLACE, name);
    try {
      const kept = readFileSync(this.file);
      const start = 4 + kept.readUInt32LE(0);
      for (const [filename, digest, at, length] of JSON.parse(kept.toString('utf8', 4, start))) {
        this.#codes.set(filename, { digest, code: kept.subarray(start + at, start + at + length) });
      }
    } catch {
      this.#codes.clear();
    }
  }

  find(filename, digest) {
    const kept = this.#codes.get(filename);
    return kept?.digest === digest ? kept.code : undefined;
  }

  /** Adds scripts, with the functions that have been called so far. */
  save(scripts) {
    for (const [filename, { digest, script }] of scripts) {
      this.#codes.set(filename, { digest, code: script.createCachedData() });
    }
    let at = 0;
    const header = [...this.#codes].map(([filename, { digest, code }]) => {
      at += code.length;
      return [filename, digest, at - code.length, code.length];
    });
    const head = Buffer.from(JSON.stringify(header));
    const length = Buffer.alloc(4);
    length.writeUInt32LE(head.length);
    mkdirSync(PLACE, { recursive: true });
    // Whole or not at all: others read at the same time.
    const draft = `${this.file}.${process.pid}`;
    writeFileSync(draft, Buffer.concat([length, head, ...[...this.#codes.values()].map(({ code }) => code)]));
    renameSync(draft, this.file);
  }
}

const codes = new CodeFile(process.argv[1]);
const scripts = new Map();
let missed = 0;

function scriptOf(content, filename) {
  const digest = createHash('sha1').update(content).digest('base64');
  const cachedData = codes.find(filename, digest);
  const script = new vm.Script(Module.wrap(content), { filename, cachedData });
  if (!cachedData || script.cachedDataRejected) missed += 1;
  scripts.set(filename, { digest, script });
  return script;
}

/** As Node makes it. */
function requireOf(module) {
  const require = (id) => module.require(id);
  require.resolve = (request, options) => Module._resolveFilename(request, module, false, options);
  require.resolve.paths = (request) => Module._resolveLookupPaths(request, module);
  require.main = process.mainModule;
  require.extensions = Module._extensions;
  require.cache = Module._cache;
  return require;
}

const compile = Module.prototype._compile;
Module.prototype._compile = function compiled(content, filename, ...rest) {
  let script;
  try {
    // A script from the cache has lost its way to Node's loader, which `import()` needs.
    if (!/\bimport\s*\(/.test(content)) script = scriptOf(content.replace(/^#!/, '//'), filename);
  } catch {
    // An ES module, or a fault in it: Node knows which.
  }
  if (!script) return compile.call(this, content, filename, ...rest);
  const run = script.runInThisContext();
  return run.call(this.exports, this.exports, requireOf(this), this, filename, path.dirname(filename));
};

process.on('exit', () => {
  if (missed >= WORTH_WRITING) codes.save(scripts);
});
