import 'reflect-metadata';
import { createHash } from 'node:crypto';
import pg from 'pg';
import { serialize } from 'pg-protocol';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { DriverQuery, prepareValue } from '../../src/db/statements/driver.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

const Result = require('pg/lib/result') as new () => object;

// Named statements are described once a connection (src/db/statements/described.ts), with parts of the driver that it does not
// promise to keep.

/** Source of the driver that was read: compare the new one with src/db/statements before you change a line. */
const READ = {
  'Query.prepare': '37a5d2a4f601ba28',
  'Query._getRows': '4c87dea650617da3',
  'Query.hasBeenParsed': 'a892aab7ce076223',
  'Query.handleRowDescription': '67ca41be03404f55',
  'Query.handleDataRow': 'd1b78f4094514814',
  'Client.query': 'e0d6c16a864254c3',
  'Result.addFields': 'b85c0e5db5c85c53',
  'Result.parseRow': '0afa63022d75b52b',
  prepareValue: 'e6e1dab3f7d5c14f',
  'serialize.bind': '71cd100a38172557',
};

test('the inner parts of the driver are those that were read', () => {
  const sources = (of: object) => of as Record<string, (...given: never[]) => unknown>;
  const [query, client, result] = [DriverQuery, pg.Client, Result].map(({ prototype }) =>
    sources(prototype as object),
  );
  const parts = {
    'Query.prepare': query!.prepare,
    'Query._getRows': query!._getRows,
    'Query.hasBeenParsed': query!.hasBeenParsed,
    'Query.handleRowDescription': query!.handleRowDescription,
    'Query.handleDataRow': query!.handleDataRow,
    'Client.query': client!.query,
    'Result.addFields': result!.addFields,
    'Result.parseRow': result!.parseRow,
    prepareValue,
    'serialize.bind': serialize.bind,
  };
  const digest = (part: unknown) => createHash('sha256').update(String(part)).digest('hex').slice(0, 16);
  expect(Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, digest(part)]))).toEqual(READ);
});

describe('on a connection', () => {
  let testDatabase: TestDatabase;
  let db: Database;
  let client: pg.PoolClient;
  let descriptions: number;

  beforeAll(async () => {
    testDatabase = await cloneDatabase();
    db = openDatabase(testDatabase.connectionString);
  });
  afterAll(async () => {
    await db.close();
    await testDatabase.drop();
  });
  beforeEach(async () => {
    client = await db.pool.connect();
    descriptions = 0;
    const { connection } = client as unknown as { connection: NodeJS.EventEmitter };
    connection.on('rowDescription', () => {
      descriptions += 1;
    });
  });
  afterEach(() => client.release(true));

  const TYPES = {
    name: 'types',
    text: `select $1::text as text, $2::bigint as number, $3::timestamptz as at, $4::jsonb as json, $5::bytea as bytes,
      $6::text[] as list, null as nothing`,
  };
  const values = [
    ['a', 2 ** 40, new Date(0), { b: [1] }, Buffer.from([0, 255]), ['x', null]],
    [null, null, null, null, null, null],
    ['ü€', -1, new Date(1e12), 'text', Buffer.alloc(0), []],
  ];

  test('a statement is described once, and its rows are those of the driver', async () => {
    const plain = new pg.Client({ connectionString: testDatabase.connectionString });
    await plain.connect();
    for (const given of [...values, ...values]) {
      const wanted = [given[0], given[1], given[2], JSON.stringify(given[3]), given[4], given[5]];
      const expected = await plain.query({ ...TYPES, values: wanted });
      const { rows, fields, rowCount, command } = await client.query({ ...TYPES, values: wanted });
      expect({ rows, fields, rowCount, command }).toEqual({
        ...{ rows: expected.rows, fields: expected.fields },
        ...{ rowCount: expected.rowCount, command: expected.command },
      });
    }
    await plain.end();
    expect(descriptions).toBe(1);
    const others = await Promise.all(
      values.map(() => client.query({ name: 'one', text: 'select 1 as one' })),
    );
    expect(others.map(({ rows }) => rows)).toEqual(values.map(() => [{ one: 1 }]));
    await client.query({ name: 'one', text: 'select 1 as one' }).then(() => {
      descriptions = 0;
    });
    await client.query({ name: 'one', text: 'select 1 as one' });
    expect(descriptions).toBe(0);
  });

  test('rows are not kept from one run to the next, nor mixed', async () => {
    const series = { name: 'series', text: 'select i from generate_series(1, $1::integer) i' };
    const counts = [3, 0, 2, 5];
    await client.query({ ...series, values: [1] });
    const results = await Promise.all(counts.map((n) => client.query({ ...series, values: [n] })));
    expect(results.map(({ rows }) => rows.length)).toEqual(counts);
  });

  test('an error of one run is its own, and leaves the connection usable', async () => {
    const divided = { name: 'divided', text: 'select 6 / $1::integer as part' };
    for (const at of [2, 3]) {
      const results = await Promise.allSettled(
        [at, 0, 6].map((by) => client.query({ ...divided, values: [by] })),
      );
      expect(
        results.map((one) => (one.status === 'fulfilled' ? one.value.rows : one.reason.message)),
      ).toEqual([[{ part: 6 / at }], 'division by zero', [{ part: 1 }]]);
    }
    const unsendable = { toPostgres: () => refuse() };
    await expect(client.query({ ...divided, values: [unsendable] })).rejects.toThrow('cannot be sent');
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    const failed = await client
      .query({ name: 'failing', text: 'select 1 / 0' })
      .catch((error: Error) => error);
    expect((failed as Error).stack).toContain('driver.test');
  });

  test('columns that a migration has changed are an error on connections that prepared the statement, never other rows', async () => {
    await client.query('create temporary table changing (a integer); insert into changing values (1)');
    const all = { name: 'all', text: 'select * from changing' };
    for (let i = 0; i < 3; i += 1) expect((await client.query(all)).rows).toEqual([{ a: 1 }]);
    await client.query('alter table changing add b text');
    await expect(client.query(all)).rejects.toMatchObject({ code: '0A000' });
  });

  test('statements without a name, without columns, and with a callback are sent as ever', async () => {
    await client.query('create temporary table noted (a integer)');
    const note = { name: 'note', text: 'insert into noted values ($1)' };
    for (const a of [1, 2]) expect((await client.query({ ...note, values: [a] })).rowCount).toBe(1);
    expect((await client.query('select sum(a)::integer as sum from noted')).rows).toEqual([{ sum: 3 }]);
    const one = { name: 'one', text: 'select 1 as one' };
    for (let i = 0; i < 2; i += 1) {
      const rows = await new Promise((resolve, reject) => {
        client.query(one, (error, result) => (error ? reject(error) : resolve(result.rows)));
      });
      expect(rows).toEqual([{ one: 1 }]);
    }
    await expect(client.query({ name: 'one', text: 'select 2 as two' })).rejects.toThrow('must be unique');
  });
});

function refuse(): never {
  throw new Error('cannot be sent');
}
