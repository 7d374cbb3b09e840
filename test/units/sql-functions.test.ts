import { migrate } from '../../src/db/migrate.js';
import { cloneDatabase, MIGRATIONS, type TestDatabase } from '../support/database.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
});
afterAll(() => testDatabase.drop());

test('the SQL functions are applied anew when their files have changed, and only then', async () => {
  const { knex } = testDatabase.open();
  const apply = () => migrate(knex, testDatabase.connectionString, MIGRATIONS);
  const width = async () => (await knex.raw('select rank_run_width() as width')).rows[0].width;
  const before = await width();
  await knex.raw(
    `create or replace function rank_run_width() returns integer language sql immutable parallel safe as 'select 1'`,
  );
  expect([await apply(), await width()]).toEqual([[], 1]);
  await knex('migration_checksums').where('name', 'functions').update({ checksum: 'of older files' });
  expect([await apply(), await width()]).toEqual([['functions'], before]);
  expect(await apply()).toEqual([]);
});
