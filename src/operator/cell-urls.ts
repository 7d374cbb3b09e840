import { SetupError } from '../base/errors.js';
import { cellVariable } from '../config/cells.js';
import { isPostgresUrl } from '../config/types.js';

const FORM = 'like postgres://user:password@host:5432/database';

/**
 * Connection string of the directory. Read separately: commands on cells run next to the services of these cells, without
 * their other settings.
 * @throws SetupError
 */
export function urlOfDirectory(): string {
  const { DIRECTORY_URL: url } = process.env;
  if (!url) throw new SetupError('DIRECTORY_URL is not set.');
  if (!isPostgresUrl(url))
    throw new SetupError(`DIRECTORY_URL is not valid: it must be a connection string ${FORM}.`);
  return url;
}

/** Connection string of a cell: CELL_<NAME>_DATABASE_URL, with _ for -. @throws SetupError */
export function urlOfCell(cell: string): string {
  const name = cellVariable(cell);
  const url = process.env[name];
  if (!url || !isPostgresUrl(url))
    throw new SetupError(`Set ${name} to the connection string of the cell ${cell}, ${FORM}.`);
  return url;
}
