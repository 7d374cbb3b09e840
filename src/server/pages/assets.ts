import { readFileSync } from 'node:fs';
import path from 'node:path';
import { packageRoot } from '../../base/package.js';

/** Names of the built files, below `assets/`. */
export interface PageAssets {
  script: string | undefined;
  styles: string[];
  icon: string | undefined;
}

interface Chunk {
  file: string;
  css?: string[];
}

/** Directory of the pages' script, style sheet and icon, made by `npm run build`. */
export const builtPages = path.join(packageRoot, 'dist', 'pages');

/**
 * Returns the names of the built files; none without a build: the pages then work, but without style and script.
 * @param dir see {@link builtPages}
 */
export function pageAssets(dir: string): PageAssets {
  let manifest: Record<string, Chunk>;
  try {
    manifest = JSON.parse(readFileSync(path.join(dir, '.vite', 'manifest.json'), 'utf8'));
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    return { script: undefined, styles: [], icon: undefined };
  }
  const main = manifest['main.ts'];
  return { script: main?.file, styles: main?.css ?? [], icon: manifest['icon.svg']?.file };
}
