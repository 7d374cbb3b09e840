import type { Log } from '../base/log.js';
import type { Config } from '../config/table.js';
import { withNames } from '../db/names.js';
import type { Database } from '../db/pool.js';
import type { Disposal } from './shutdown.js';

type CellSettings = Pick<Config, 'directoryUrl' | 'cell'>;

/** Registers the database in the directory, if there is one. @throws SetupError */
export async function joinDirectory(
  { directoryUrl, cell }: CellSettings,
  database: Database,
  log: Log,
): Promise<void> {
  if (directoryUrl === undefined || cell === undefined) return;
  const { Directory } = await import('../cells/directory.js');
  const { adoptCell } = await import('../cells/adopt.js');
  const directory = new Directory(directoryUrl);
  try {
    await directory.migrate();
    const names = await adoptCell(directory, cell, database.pool);
    if (names !== undefined) log.info({ cell, names }, 'the names of this cell are in the directory');
  } finally {
    await directory.close();
  }
}

/** The database as the app uses it: with the names of the directory, if there is one. */
export async function openNames(
  { directoryUrl, cell }: CellSettings,
  database: Database,
  log: Log,
  disposal: Disposal,
): Promise<Database> {
  if (directoryUrl === undefined || cell === undefined) return database;
  const { CellNames } = await import('../cells/cell.js');
  const { MoveWatch } = await import('../cells/move/watch.js');
  const { pool, connectionString } = database;
  const names = new CellNames({ cell, directoryUrl, pool, log });
  disposal.add(() => names.close());
  const watch = new MoveWatch({ cell, directory: names.directory, pool, connectionString, log });
  disposal.add(() => watch.close());
  names.start();
  watch.start();
  return withNames(database, names);
}
