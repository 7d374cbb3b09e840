import { adoptCell } from '../../src/cells/adopt.js';
import { CellNames } from '../../src/cells/cell.js';
import { withNames } from '../../src/db/names.js';
import { startApp, type TestApp } from './app.js';
import { log, type TestCell, TestDirectory } from './cells.js';
import { GATEWAY_KEY, startGateway, startGatewayCell } from './gateway.js';

/**
 * TEST_CELLS=1: a test's app is the first of two cells behind a gateway, which the test's callers use. New accounts
 * are on the first cell, and the superadmin names it.
 */
export async function startThroughGateway(
  settings: Parameters<typeof startApp>[0],
  options: Parameters<typeof startApp>[1],
  open: Parameters<typeof startApp>[2],
): Promise<TestApp> {
  const directory = await TestDirectory.make();
  const { connectionString } = directory.database;
  let names!: CellNames;
  const first = await startApp(
    settings,
    { ...options, superadminKey: GATEWAY_KEY },
    open,
    async (database) => {
      await adoptCell(directory.directory, 'first', database.pool);
      names = new CellNames({ cell: 'first', directoryUrl: connectionString, pool: database.pool, log });
      return withNames(database, names);
    },
  );
  const second = await startGatewayCell(directory, 'second');
  await directory.directory.database.knex('cells').where('id', 'second').update({ state: 'full' });
  const cells = { first: first as TestCell, second };
  const gateway = await startGateway(connectionString, cells, settings);
  const { url, anyone, superadmin } = gateway;
  return {
    ...first,
    url,
    anyone,
    superadmin: superadmin.with({ 'service-cell': 'first' }),
    server: { ...first.server, http: gateway.gateway.http, sockets: gateway.gateway.sockets },
    close: async () => {
      await gateway.close();
      await names.close();
      await Promise.all([first.close(), second.close()]);
      await directory.close();
    },
  };
}
