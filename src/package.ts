import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** Where package.json lies: above the compiled code and the sources alike. */
function findRoot(): string {
  let dir = __dirname;
  while (!existsSync(path.join(dir, 'package.json')) && path.dirname(dir) !== dir) dir = path.dirname(dir);
  return dir;
}

export const packageRoot = findRoot();

export const packageVersion: string = JSON.parse(
  readFileSync(path.join(packageRoot, 'package.json'), 'utf8'),
).version;

/** The numbered SQL files. */
export const migrationsDir = path.join(packageRoot, 'migrations');
