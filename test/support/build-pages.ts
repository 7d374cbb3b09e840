import { execFile } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const ROOT = path.resolve(__dirname, '../..');
const SOURCES = ['web/pages', 'web/compressed.mjs', 'src/server/pages', 'src/html.ts'];
const MANIFEST = 'dist/pages/.vite/manifest.json';

function newest(place: string): number {
  const stat = statSync(place);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return Math.max(...readdirSync(place).map((name) => newest(path.join(place, name))));
}

function isBuilt(): boolean {
  const manifest = statSync(path.join(ROOT, MANIFEST), { throwIfNoEntry: false });
  return !!manifest && SOURCES.every((source) => newest(path.join(ROOT, source)) < manifest.mtimeMs);
}

/** Builds script and style sheet of the public pages where their sources are newer: pages under test are those of the sources. */
export async function buildPages(): Promise<void> {
  if (isBuilt()) return;
  const vite = path.join(ROOT, 'node_modules/vite/bin/vite.js');
  const args = [vite, 'build', '--config', 'web/pages/vite.config.mjs', '--logLevel', 'warn'];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT });
}
