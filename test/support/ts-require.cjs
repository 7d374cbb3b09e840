// Lets plain Node run the sources: for child processes of tests (`node -r <this file> some.ts`), and for jest's global
// set-up, which jest compiles but resolves with Node's own rules. Sources import each other as `./name.js`.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { transform } = require('../../jest.config.cjs');

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolve(request, parent, ...rest) {
  const source = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  return resolveFilename.call(this, source ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};

const [, options] = transform['^.+\\.ts$'];
// Plain Node has `import` of its own, which jest has not.
const compilerOptions = { ...options, module: { ...options.module, ignoreDynamic: true }, swcrc: false };

// Tests start more than a hundred processes: each would compile the same three hundred files.
const CACHE = path.resolve(__dirname, '../../node_modules/.cache/test-sources');
const compiler = JSON.stringify([require('@swc/core/package.json').version, compilerOptions]);

function compiled(filename) {
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha256')
    .update(compiler)
    .update(filename)
    .update('\0')
    .update(source)
    .digest('hex');
  const kept = path.join(CACHE, `${key}.js`);
  try {
    return readFileSync(kept, 'utf8');
  } catch {
    const { code } = require('@swc/core').transformSync(source, { ...compilerOptions, filename });
    mkdirSync(CACHE, { recursive: true });
    // Whole or not at all: others read at the same time.
    const draft = `${kept}.${process.pid}`;
    writeFileSync(draft, code);
    renameSync(draft, kept);
    return code;
  }
}

Module._extensions['.ts'] ??= (module, filename) => module._compile(compiled(filename), filename);
