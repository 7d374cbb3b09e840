import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');

/** What browsers load: the scripts that build it, its sources (files and folders), and a file that every build rewrites. */
const BUILDS: { scripts: string[]; sources: string[]; result: string }[] = [
  {
    scripts: [viteOf('web/pages')],
    sources: ['web/pages', 'web/compressed.mjs', 'src/server/pages', 'src/base/html.ts'],
    result: 'dist/pages/.vite/manifest.json',
  },
  {
    scripts: [viteOf('examples/arcade')],
    sources: ['examples/arcade', 'clients/typescript/src', 'web/compressed.mjs'],
    result: 'dist/arcade/index.html',
  },
  {
    scripts: ['web/guides/build.mjs'],
    sources: ['docs', 'web/guides'],
    result: 'dist/guides/index.json',
  },
  {
    scripts: [viteOf('web/explorer')],
    // Most of it consists of packages: other versions make another build.
    sources: ['web/explorer', 'web/compressed.mjs', 'package-lock.json'],
    result: 'dist/explorer/index.html',
  },
  {
    scripts: ['web/console/codegen.mjs', viteOf('web/console')],
    sources: ['web/console', 'web/compressed.mjs', 'package-lock.json', 'schema/schema.graphql'],
    result: 'dist/console/index.html',
  },
];

function viteOf(folder: string): string {
  return `node_modules/vite/bin/vite.js build --config ${folder}/vite.config.mjs --logLevel warn`;
}

function newest(place: string): number {
  if (path.basename(place) === 'generated') return 0; // Made by a build.
  const stat = statSync(place);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(...readdirSync(place).map((name) => newest(path.join(place, name))));
}

/** Runs the builds whose sources are newer than their result, so that the current sources are tested. */
export async function buildWeb(): Promise<void> {
  // As shipped: jest's own environment would make a development build.
  const options = { cwd: ROOT, env: { ...process.env, NODE_ENV: 'production' } };
  for (const { scripts, sources, result } of BUILDS) {
    const built = statSync(path.join(ROOT, result), { throwIfNoEntry: false });
    if (built && sources.every((source) => newest(path.join(ROOT, source)) < built.mtimeMs)) continue;
    for (const script of scripts) await promisify(execFile)(process.execPath, script.split(' '), options);
  }
}
