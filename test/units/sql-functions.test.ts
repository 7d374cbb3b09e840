import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { migrate } from '../../src/db/schema/migrate.js';
import { cloneDatabase, MIGRATIONS, type TestDatabase } from '../support/database.js';
import { SCRATCH } from '../support/scratch.js';

let testDatabase: TestDatabase;
let next: string;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  next = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  cpSync(MIGRATIONS, next, { recursive: true });
});
afterAll(async () => {
  rmSync(next, { recursive: true, force: true });
  await testDatabase.drop();
});

const apply = (dir = MIGRATIONS, again = false) =>
  migrate(testDatabase.open().knex, testDatabase.connectionString, dir, again);
const width = async () =>
  (await testDatabase.open().knex.raw('select rank_run_width() as width')).rows[0].width;

test('the SQL functions are applied anew when their files have changed, and only then', async () => {
  const { knex } = testDatabase.open();
  const before = await width();
  await knex.raw(
    `create or replace function rank_run_width() returns integer language sql immutable parallel safe as 'select 1'`,
  );
  expect([await apply(), await width()]).toEqual([{ applied: [], newer: [] }, 1]);
  await knex('migration_checksums').where('name', 'functions').update({ checksum: 'of older files' });
  expect([await apply(), await width()]).toEqual([{ applied: ['functions'], newer: [] }, before]);
  expect(await apply()).toEqual({ applied: [], newer: [] });
});

test('a release that starts anew on the schema of the next one leaves it as it is, until a migration excludes it', async () => {
  const before = await width();
  const file = path.join(next, 'functions/1_tree.sql');
  const text = readFileSync(file, 'utf8');
  writeFileSync(
    file,
    `${text}\ncreate or replace function rank_run_width() returns integer language sql immutable parallel safe as 'select 2';`,
  );
  expect([await apply(next), await width()]).toEqual([{ applied: ['functions'], newer: [] }, 2]);

  // Functions alone have changed: a start keeps the later ones, `npm run migrate` goes back to its own.
  expect([await apply(), await width()]).toEqual([{ applied: [], newer: ['functions'] }, 2]);
  expect([await apply(MIGRATIONS, true), await width()]).toEqual([
    { applied: ['functions'], newer: [] },
    before,
  ]);
  expect([await apply(next, true), await width()]).toEqual([{ applied: ['functions'], newer: [] }, 2]);

  writeFileSync(path.join(next, '998_expand.sql'), 'create table expanded ()');
  expect(await apply(next)).toEqual({ applied: ['998_expand.sql'], newer: [] });
  for (const again of [false, true]) {
    expect([await apply(MIGRATIONS, again), await width()]).toEqual([
      { applied: [], newer: ['998_expand.sql'] },
      2,
    ]);
  }

  const contraction = '-- contracts: 998_expand.sql\ndrop table expanded';
  writeFileSync(path.join(next, '999_contract.sql'), contraction);
  expect(await apply(next)).toEqual({ applied: ['999_contract.sql'], newer: [] });
  await expect(apply()).rejects.toThrow(/later release.*lacks 998_expand.sql/);
  expect(await apply(next)).toEqual({ applied: [], newer: [] });
});
