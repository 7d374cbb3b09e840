import { GatewayGround } from '../cells/gateway-ground.js';
import { cloneDatabase, emptyDatabase, type TestDatabase } from '../support/database.js';
import { DataDir } from '../support/process.js';
import { until } from '../support/wait.js';

// A gateway of two cells, as a process. Its databases go away one by one.

test('a cell or the directory that is away is missed by those alone who need it, and comes back by itself', async () => {
  const directory = await emptyDatabase();
  const [east, west] = [await cloneDatabase(), await cloneDatabase()];
  const dir = new DataDir();
  const ground = await GatewayGround.before(directory.connectionString, {
    east: east.connectionString,
    west: west.connectionString,
  });

  // At the start.
  await ground.cells.west!.refuse();
  await ground.start(dir, { LOG_LEVEL: 'warn' });
  expect(await ground.ready()).toEqual([200, 'degraded', { east: 'ok', west: 'unavailable' }]);
  await ground.cells.west!.accept();
  await ground.whole();
  const [inEast, inWest] = [await ground.settle('east'), await ground.settle('west')];
  expect([await ground.play(inEast), await ground.play(inWest)]).toEqual([201, 201]);

  // A cell.
  await ground.cells.east!.refuse();
  expect([await ground.play(inEast), await ground.play(inWest)]).toEqual([503, 201]);
  await until(async () => (await ground.ready())[1] === 'degraded');
  expect((await ground.ready())[2]).toEqual({ east: 'unavailable', west: 'ok' });
  expect(await ground.play(inWest)).toBe(201);
  // A list of all cells is whole or refused.
  const { status, body } = await ground.superadmin.get('/v1/accounts');
  expect([status, body.code, body.error]).toEqual([
    503,
    'UNAVAILABLE',
    expect.stringContaining('all cells, but east cannot be reached'),
  ]);
  await ground.cells.east!.accept();
  await ground.whole();
  expect(await ground.play(inEast)).toBe(201);

  // The directory.
  await ground.directory.refuse();
  expect([await ground.play(inEast), await ground.play(inWest)]).toEqual([201, 201]);
  const create = () =>
    inEast.studio.admin.post('/v1/games', { account_id: inEast.studio.accountId, name: 'New' });
  expect((await create()).status).toBe(503);
  const stranger = { game_id: 'gam_01900000-0000-7000-8000-000000000001', client_fingerprint: 'unknown' };
  expect((await ground.anyone.post('/v1/client/sessions', stranger)).status).toBe(503);
  await ground.directory.accept();
  await until(async () => (await create()).status === 201);

  // All of them.
  for (const cell of Object.values(ground.cells)) await cell.refuse();
  await until(async () => (await ground.ready())[0] === 503);
  for (const cell of Object.values(ground.cells)) await cell.accept();
  await ground.whole();

  // Migrated by a later release that excludes this one: a cell, then the directory.
  const exclude = (database: TestDatabase) =>
    database
      .open()
      .knex('migration_checksums')
      .insert({ name: 'oldest-known', checksum: '999_later.sql' })
      .onConflict('name')
      .merge();
  await exclude(east);
  await until(async () => (await ground.ready())[1] === 'degraded');
  expect((await ground.ready())[2]).toEqual({ east: 'unavailable', west: 'ok' });
  await exclude(directory);
  await until(async () => (await ground.ready())[0] === 503);

  await ground.close();
  for (const database of [directory, east, west]) await database.drop();
  await dir.remove();
});
