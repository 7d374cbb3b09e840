import fc from 'fast-check';
import { uuid7, uuidFrom } from '../../src/base/ids.js';
import { storedTies, TiePolicy } from '../../src/boards/board/tie-policy.js';
import type { Database } from '../../src/db/pool.js';
import { rankKeyOf } from '../../src/rankings/kept-entry.js';
import { eventNumber, placedSeq, valuesGeneration } from '../../src/rankings/order.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

/** Rules that exist in TypeScript and in SQL, as ARCHITECTURE.md lists them: those that are one function on either side. */
let testDatabase: TestDatabase;
let db: Database;
beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
});
afterAll(() => testDatabase.drop());

/** The values of an expression on `x`, for each of these. */
async function inSql<T>(expression: string, type: string, values: readonly unknown[]): Promise<T[]> {
  const sql = `select ${expression} as value from unnest($1::${type}[]) with ordinality u(x, n) order by n`;
  const { rows } = await db.pool.query<{ value: T }>(sql, [values]);
  return rows.map(({ value }) => value);
}

/** Values of runs: finite, never -0. */
const doubles = fc
  .sample(fc.double({ noNaN: true, noDefaultInfinity: true }), 1_000)
  .concat([0, 5e-324, -5e-324, Number.MAX_VALUE])
  .map((value) => value + 0);
const eventNumbers = fc.sample(fc.integer({ min: 1, max: 2 ** 40 }), 500);

test.each(['asc', 'desc'] as const)('rank keys of values that rank %s', async (direction) => {
  const keys = await inSql<number>(`rank_key_of(x, '${direction}')`, 'float8', doubles);
  expect(keys).toEqual(doubles.map((value) => rankKeyOf(value, direction)));
});

test.each(Object.values(TiePolicy))('places among equal values: %s', async (policy) => {
  const placed = await inSql<number>(`placed_seq(x, '${policy}')`, 'bigint', eventNumbers);
  expect(placed).toEqual(eventNumbers.map((seq) => placedSeq(seq, policy)));
  expect(await inSql<number>('event_number(x)', 'bigint', placed)).toEqual(placed.map(eventNumber));
  expect(placed.map(eventNumber)).toEqual(eventNumbers);
  const [ties] = await inSql<string>(
    `(served_rules((jsonb_populate_record(null::board_rankings, jsonb_build_object('tie_policy', x)))) ->> 'ties')`,
    'text',
    [policy],
  );
  expect(ties).toBe(storedTies(policy));
});

test('rankings of values', async () => {
  const generations = [1, 2, 99_999_999, -1, -2, -999_999_999];
  const values = await inSql<number>('values_generation(x)', 'integer', generations);
  expect(values).toEqual(generations.map(valuesGeneration));
});

test('ids that are made of names, and of moments', async () => {
  const names = fc.sample(fc.array(fc.string().filter((text) => !text.includes('\0'))), 200);
  const ids = await inSql<string>(
    'named_uuid(x)',
    'text',
    names.map((parts) => parts.join('\n')),
  );
  expect(ids).toEqual(names.map((parts) => uuidFrom(...parts)));
  const at = Date.UTC(2_100, 0, 1, 1, 2, 3, 456);
  const [made] = await inSql<string>('uuid7_at(x)', 'timestamptz', [new Date(at)]);
  const digits = (id: string) => [id.slice(0, 15), /[89ab]/.test(id[19]!)];
  expect(digits(made!)).toEqual(digits(uuid7(at)));
});
