import fc from 'fast-check';
import { ROW_TYPES, rowsOf } from '../../src/submissions/facts/statements.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
});
afterAll(() => testDatabase.drop());

test('rows are sent with the columns of their types, in the same order', async () => {
  const { rows } = await testDatabase.open().pool.query(
    `select t.typname as type, json_agg(a.attname order by a.attnum) as columns
      from pg_type t join pg_attribute a on a.attrelid = t.typrelid where t.typname = any($1) group by t.typname`,
    [Object.keys(ROW_TYPES)],
  );
  expect(Object.fromEntries(rows.map(({ type, columns }) => [type, columns]))).toEqual(ROW_TYPES);
});

/** Any text that an interface accepts, and more: quotes, brackets, backslashes, line ends, the empty text. */
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).map((one) => one.replaceAll('\0', ''));
const special = fc.string({
  unit: fc.constantFrom('"', '\\', ',', '(', ')', '{', '}', ' ', '\n', 'n', "'"),
  maxLength: 6,
});

test('every text and object arrives as it was sent', async () => {
  const row = fc.record({
    player_name: fc.oneof(text, special),
    value_display: fc.option(fc.oneof(text, special)),
    metadata: fc.option(fc.dictionary(fc.oneof(text, special), fc.oneof(text, special, fc.integer()))),
    amount: fc.double({ noNaN: true, noDefaultInfinity: true }).map((one) => one + 0),
    is_test: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 5 }), async (sent) => {
      const { rows } = await testDatabase
        .open()
        .pool.query(
          'select player_name, value_display, metadata, amount, is_test from unnest($1::played_event_write[])',
          [rowsOf('played_event_write', sent)],
        );
      expect(rows).toEqual(sent.map((one) => ({ ...one, metadata: one.metadata && { ...one.metadata } })));
    }),
    { numRuns: 200, endOnFailure: true },
  );
});
