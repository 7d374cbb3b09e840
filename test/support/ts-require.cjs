// Lets plain Node run the sources: in jest's processes, and in child processes of tests (`node -r <this file> some.ts`).
// Sources import each other as `./name.js`. swc emits the decorator metadata that type-graphql reads; tsc checks the
// types (npm run typecheck).
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');

const compilerOptions = {
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    target: 'es2022',
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
  },
  // Plain Node's `import` can't load the sources.
  module: { type: 'commonjs', ignoreDynamic: true },
  sourceMaps: true,
  swcrc: false,
};
const SOURCE_IMPORT = /\bimport\((['"]\.{1,2}\/[^'"]+\.js['"])\)/g;

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolve(request, parent, ...rest) {
  const source = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  return resolveFilename.call(this, source ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};

// Tests start more than a hundred processes, and each would compile the same three hundred files.
const CACHE = path.resolve(__dirname, '../../node_modules/.cache/test-sources');
const compiler = JSON.stringify([
  require('@swc/core/package.json').version,
  compilerOptions,
  `${SOURCE_IMPORT}`,
]);
/** Where the source map of each loaded file is. */
const sourceMaps = new Map();

/** Written atomically, because others read at the same time. */
function write(file, text) {
  const part = `${file}.${process.pid}`;
  writeFileSync(part, text);
  renameSync(part, file);
}

/** A part of the sources that is left out for a while: test/mutants/own-checks.ts. */
const cut = process.env.SOURCE_CUT && JSON.parse(process.env.SOURCE_CUT);

function sourceOf(filename) {
  const source = readFileSync(filename, 'utf8');
  return cut && filename.endsWith(`/${cut.file}`) ? source.replace(cut.from, () => cut.to) : source;
}

function compiled(filename) {
  const source = sourceOf(filename);
  const key = createHash('sha256')
    .update(compiler)
    .update(filename)
    .update('\0')
    .update(source)
    .digest('hex');
  const kept = path.join(CACHE, `${key}.js`);
  sourceMaps.set(filename, `${kept}.map`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code: draft, map } = require('@swc/core').transformSync(source, { ...compilerOptions, filename });
    const code = draft.replace(SOURCE_IMPORT, 'Promise.resolve().then(() => require($1))');
    mkdirSync(CACHE, { recursive: true });
    write(`${kept}.map`, map);
    write(kept, code);
    return code;
  }
}

// Worker threads load the sources the same way.
const threads = require('node:worker_threads');
threads.Worker = class Worker extends threads.Worker {
  constructor(file, options) {
    super(file, String(file).endsWith('.ts') ? { ...options, execArgv: ['-r', __filename] } : options);
  }
};

Module._extensions['.ts'] = (module, filename) => module._compile(compiled(filename), filename);

module.exports = { compilerOptions, sourceMaps };
