import { SetupError } from '../../src/base/errors.js';
import { sharedPoolSizes } from '../../src/db/pools.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
let allowed: number;
beforeAll(async () => {
  database = await cloneDatabase();
  const { rows } = await database
    .open()
    .pool.query<{ name: string; setting: string }>(
      `select name, setting from pg_settings where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`,
    );
  const of = new Map(rows.map(({ name, setting }) => [name, Number(setting)]));
  allowed = of.get('max_connections')! - of.get('superuser_reserved_connections')!;
  allowed -= of.get('reserved_connections') ?? 0;
});
afterAll(() => database.drop());

test('few workers have full pools, many share, and all of them leave room', async () => {
  expect(await sharedPoolSizes(database.connectionString, 2)).toEqual({ records: 8, scores: 8 });
  for (const workers of [8, 12, 16]) {
    const { records, scores } = await sharedPoolSizes(database.connectionString, workers);
    expect(Math.min(records, scores)).toBeGreaterThanOrEqual(2);
    expect(workers * (records + scores + 2)).toBeLessThanOrEqual(allowed - 14);
    const hooked = await sharedPoolSizes(database.connectionString, workers, 4);
    expect(workers * (hooked.records + hooked.scores + 6)).toBeLessThanOrEqual(allowed - 14);
  }
});

test('too many are refused with the number that is possible', async () => {
  const refused = await sharedPoolSizes(database.connectionString, 500).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(SetupError);
  const [, most] = /set it to (\d+) at most/.exec((refused as Error).message) ?? [];
  expect(await sharedPoolSizes(database.connectionString, Number(most))).toEqual({ records: 2, scores: 2 });
  await expect(sharedPoolSizes(database.connectionString, Number(most) + 1)).rejects.toThrow(SetupError);
});
