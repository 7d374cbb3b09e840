// Lets plain Node run the sources: for child processes of tests (`node -r <this file> some.ts`), and for jest's global
// set-up, which jest compiles but resolves with Node's own rules. Sources import each other as `./name.js`.
const Module = require('node:module');
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');
const { transform } = require('../../jest.config.cjs');

const resolveFilename = Module._resolveFilename;
Module._resolveFilename = function resolve(request, parent, ...rest) {
  const source = parent?.filename?.endsWith('.ts') && /^\.{1,2}\/.*\.js$/.test(request);
  return resolveFilename.call(this, source ? request.replace(/\.js$/, '.ts') : request, parent, ...rest);
};

const [, options] = transform['^.+\\.ts$'];
// Plain Node has `import` of its own, which jest has not.
const imports = { ...options.module, ignoreDynamic: true };
Module._extensions['.ts'] ??= (module, filename) => {
  const { code } = transformSync(readFileSync(filename, 'utf8'), {
    ...options,
    module: imports,
    filename,
    swcrc: false,
  });
  module._compile(code, filename);
};
