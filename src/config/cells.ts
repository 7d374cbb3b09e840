import { isPostgresUrl } from './types.js';

const DATABASE = /^CELL_([A-Z0-9_]+)_DATABASE_URL$/;

/** Name of the variable with the connection to a cell's database. */
export function cellVariable(cell: string): string {
  return `CELL_${cell.toUpperCase().replaceAll('-', '_')}_DATABASE_URL`;
}

/** Reads the connections of the cells of CELLS, by name of the cell. */
export function readCellDatabases(
  given: ReadonlyMap<string, string>,
  cells: readonly string[],
  problems: string[],
): Record<string, string> {
  const variables = new Map(cells.map((cell) => [cellVariable(cell), cell]));
  if (variables.size < cells.length) problems.push('CELLS lists a cell twice. Cell names must be unique.');
  for (const name of given.keys()) {
    if (DATABASE.test(name) && !variables.has(name)) {
      problems.push(
        `${name} is set, but CELLS does not list that cell. Add it to CELLS, or unset the variable.`,
      );
    }
  }
  const databases: Record<string, string> = {};
  for (const [variable, cell] of variables) {
    const url = given.get(variable);
    if (url === undefined)
      problems.push(`CELLS has ${cell}: set ${variable} to the connection to its database.`);
    else if (!isPostgresUrl(url)) {
      problems.push(
        `${variable} is not valid: it must be a connection string like postgres://user:password@host:5432/database.`,
      );
    } else databases[cell] = url;
  }
  return databases;
}

interface CellSettings {
  cells: string[] | undefined;
  cell: string | undefined;
  directoryUrl: string | undefined;
  databaseUrl: string | undefined;
  databaseDirectUrl: string | undefined;
  jwtSecret: string | undefined;
  keySecret: string | undefined;
  superadminApiKey: string | undefined;
  workers: number;
}

/** Returns what contradicts CELLS, DIRECTORY_URL and CELL. */
export function cellFaults(config: CellSettings): string[] {
  if (config.cells === undefined) {
    return (config.directoryUrl === undefined) === (config.cell === undefined)
      ? []
      : ['Set both DIRECTORY_URL and CELL, or neither.'];
  }
  const { directoryUrl, jwtSecret, keySecret, superadminApiKey, workers } = config;
  const required = { DIRECTORY_URL: directoryUrl, JWT_SECRET: jwtSecret, KEY_SECRET: keySecret };
  const missing = Object.entries({ ...required, SUPERADMIN_API_KEY: superadminApiKey });
  const { cell, databaseUrl, databaseDirectUrl } = config;
  const excluded = { CELL: cell, DATABASE_URL: databaseUrl, DATABASE_DIRECT_URL: databaseDirectUrl };
  return [
    ...missing
      .filter(([, value]) => value === undefined)
      .map(
        ([name]) => `With CELLS, ${name} must be set too, to the same value on all gateways of these cells.`,
      ),
    ...Object.entries(excluded)
      .filter(([, value]) => value !== undefined)
      .map(([name]) => `CELLS and ${name} cannot be combined. Unset one of them.`),
    ...(workers > 1 ? ['With CELLS, WORKERS must be 1. To scale, start more gateways behind a proxy.'] : []),
  ];
}
