import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');

interface Build {
  /** A script that runs first. */
  before?: string;
  /** Vite's configuration; undefined: only `before` runs. */
  config?: string;
  /** Its sources: files and folders. */
  sources: string[];
  /** A file that every build rewrites. */
  result: string;
}

const BUILDS: Build[] = [
  {
    config: 'web/pages/vite.config.mjs',
    sources: ['web/pages', 'web/compressed.mjs', 'src/server/pages', 'src/base/html.ts'],
    result: 'dist/pages/.vite/manifest.json',
  },
  {
    config: 'examples/arcade/vite.config.mjs',
    sources: ['examples/arcade', 'clients/typescript/src', 'web/compressed.mjs'],
    result: 'dist/arcade/index.html',
  },
  {
    before: 'web/guides/build.mjs',
    sources: ['docs', 'web/guides'],
    result: 'dist/guides/index.json',
  },
  {
    config: 'web/explorer/vite.config.mjs',
    // Most of it consists of packages: other versions make another build.
    sources: ['web/explorer', 'web/compressed.mjs', 'package-lock.json'],
    result: 'dist/explorer/index.html',
  },
  {
    before: 'web/console/codegen.mjs',
    config: 'web/console/vite.config.mjs',
    sources: [
      ...['api', 'charts', 'parts', 'screens', 'shell', 'style'].map((folder) => `web/console/${folder}`),
      ...['codegen.mjs', 'index.html', 'main.tsx', 'texts.ts', 'vite.config.mjs'].map(
        (file) => `web/console/${file}`,
      ),
      ...['web/compressed.mjs', 'package-lock.json', 'schema/schema.graphql'],
    ],
    result: 'dist/console/index.html',
  },
];

function newest(place: string): number {
  const stat = statSync(place);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(...readdirSync(place).map((name) => newest(path.join(place, name))));
}

function isBuilt({ sources, result }: Build): boolean {
  const built = statSync(path.join(ROOT, result), { throwIfNoEntry: false });
  return !!built && sources.every((source) => newest(path.join(ROOT, source)) < built.mtimeMs);
}

/**
 * Builds what browsers load, such as explorer and public pages, if its sources are newer, so that the current
 * sources are tested.
 */
export async function buildWeb(): Promise<void> {
  const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js');
  for (const build of BUILDS.filter((build) => !isBuilt(build))) {
    if (build.before) await promisify(execFile)(process.execPath, [build.before], { cwd: ROOT });
    if (!build.config) continue;
    const args = [vite, 'build', '--config', build.config, '--logLevel', 'warn'];
    // As shipped: jest's own environment would make a development build.
    const env = { ...process.env, NODE_ENV: 'production' };
    await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  }
}
