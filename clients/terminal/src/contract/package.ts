import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The nearest file of that name in this folder or one above it. */
function nearest(name: string): string {
  let folder = __dirname;
  while (!existsSync(path.join(folder, name))) {
    if (path.dirname(folder) === folder) throw new Error(`${name} is missing in the package`);
    folder = path.dirname(folder);
  }
  return path.join(folder, name);
}

/** Text of a file of the contract: from this package, or from the service's where the service brings this package along. */
export function schemaText(name: 'openapi.json' | 'leaderboards.schema.json'): string {
  return readFileSync(nearest(path.join('schema', name)), 'utf8');
}

export const packageVersion: string = JSON.parse(readFileSync(nearest('package.json'), 'utf8')).version;
