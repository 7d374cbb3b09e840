import { makeLog } from '../../src/base/log.js';
import { adoptCell } from '../../src/cells/adopt.js';
import { CellNames, type CellOptions } from '../../src/cells/cell.js';
import { Directory } from '../../src/cells/directory.js';
import { compareNames } from '../../src/cells/held-names.js';
import { withNames } from '../../src/db/names.js';
import { startApp, type TestApp } from './app.js';
import { emptyDatabase, type TestDatabase } from './database.js';

export const log = makeLog(process.env.TEST_LOG ?? 'silent');

/** A directory for one test file. */
export class TestDirectory {
  private constructor(
    readonly database: TestDatabase,
    readonly directory: Directory,
  ) {}

  static async make(): Promise<TestDirectory> {
    const database = await emptyDatabase();
    const directory = new Directory(database.connectionString);
    await directory.migrate();
    return new TestDirectory(database, directory);
  }

  async close(): Promise<void> {
    await this.directory.close();
    await this.database.drop();
  }
}

export interface TestCell extends TestApp {
  names: CellNames;
  /** Records without their name, and names without their record. */
  disagreement(): ReturnType<typeof compareNames>;
}

/** The whole service on a cell of a directory. */
export async function startCell(
  { directory, database: { connectionString } }: TestDirectory,
  cell: string,
  options: Partial<CellOptions> = {},
  appOptions: Parameters<typeof startApp>[1] = {},
  settings: Parameters<typeof startApp>[0] = {},
): Promise<TestCell> {
  let names!: CellNames;
  const app = await startApp(settings, appOptions, undefined, async (database) => {
    await adoptCell(directory, cell, database.pool);
    names = new CellNames({ cell, directoryUrl: connectionString, pool: database.pool, log, ...options });
    return withNames(database, names);
  });
  return {
    ...app,
    names,
    disagreement: () => compareNames(directory, cell, app.database.pool),
    close: async () => {
      await names.close();
      await app.close();
    },
  };
}
