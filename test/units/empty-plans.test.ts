import { randomUUID } from 'node:crypto';
import { MOVES, NEXT_ABOVE } from '../../src/live/standings-sql.js';
import { OF_IDENTITY } from '../../src/rankings/own-score.js';
import { FACTS } from '../../src/submissions/facts/statements.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

const TABLES = ['entries', 'score_events', 'score_flags', 'states'];
const KEYS = ['entries_pkey', 'score_events_pkey', 'states_pkey'];

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
});

afterAll(() => testDatabase.drop());

/** The indexes that a plan reads these tables by, made on the pool of fixed plans while all tables are empty. */
async function indexesOf(text: string, types: string[]): Promise<string[]> {
  const client = await testDatabase.open().pool.connect();
  try {
    await client.query(`prepare made_empty(${types.join()}) as ${text}`);
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(
      `explain execute made_empty(${types.map(() => 'null').join()})`,
    );
    const used = rows.flatMap((row) => {
      const [, index, table] = / using (\S+) on (\S+)/.exec(row['QUERY PLAN']) ?? [];
      return TABLES.includes(table!) ? [index!] : [];
    });
    return [...new Set(used)].sort();
  } finally {
    await client.query('deallocate all');
    client.release();
  }
}

// A fresh service keeps the plans of its first minute until statistics are gathered. Walking a board for each submission,
// as several indexes that begin with the board would have it, costs more with each one.
test('the facts of submissions are read by primary keys, also by a plan made on empty tables', async () => {
  const types = ['facts_board[]', 'facts_key[]', 'timestamptz', 'timestamptz', 'float8[]'];
  expect(await indexesOf(FACTS.text, types)).toEqual(KEYS);
});

test('an own score is found by primary keys, also by a plan made on empty tables', async () => {
  // The order: of the entries of a leaf, for the rank.
  const indexes = ['entries_order', 'entries_pkey', 'score_events_pkey'];
  expect(await indexesOf(OF_IDENTITY.own.text, ['uuid', 'boolean', 'uuid'])).toEqual(indexes);
});

test('ratios are derived by primary keys, also by a plan made on empty tables', async () => {
  const rules = JSON.stringify({ numerator: randomUUID(), denominator: randomUUID() });
  const text = `select * from derive_ratios('${randomUUID()}', '{0}', '${rules}', $1, 0, 0)`;
  expect(await indexesOf(text, ['uuid[]'])).toEqual(KEYS.filter((key) => key !== 'states_pkey'));
});

// Lists have indexes of the flags that are not deleted: walked for each event, they cost as much as there are flags.
test('flags of events are read by the primary key, also by a plan made while the statistics show none', async () => {
  await testDatabase.open().knex.raw('vacuum analyze score_flags');
  const text = `select * from event_effects('${randomUUID()}', $1)`;
  expect(await indexesOf(text, ['bigint[]'])).toEqual(['score_events_pkey', 'score_flags_pkey']);
});

test('places of watched players are read by the keys of the order, also by a plan made on empty tables', async () => {
  expect(await indexesOf(MOVES.text, ['uuid', 'boolean', 'bigint', 'bigint', 'bigint'])).toEqual([
    'score_events_pkey',
  ]);
  expect(await indexesOf(NEXT_ABOVE.text, ['uuid', 'boolean', 'uuid[]', 'float8[]', 'bigint[]'])).toEqual([
    'entries_order',
  ]);
});
