import fc from 'fast-check';
import type { Knex } from 'knex';
import { uuid7 } from '../../src/base/ids.js';
import { type Page, type RawRow, readPage } from '../../src/db/keyset.js';
import type { Database } from '../../src/db/pool.js';
import { cursorDirection, type Order, parseSort, type Sortable } from '../../src/db/sort.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

const sortable: Sortable = {
  id: { column: 'things.id', kind: 'id', idKind: 'board' },
  name: { column: 'things.name', kind: 'text' },
  size: { column: 'things.size', kind: 'number', nullable: true },
  at: { column: 'things.at', kind: 'time', nullable: true },
  n: { column: 'things.n', kind: 'integer' },
};

interface Thing {
  id: string;
  name: string;
  size: number | null;
  at: Date | null;
  n: number;
}

let clone: TestDatabase;
let database: Database;
let knex: Knex;
beforeAll(async () => {
  clone = await cloneDatabase();
  database = clone.open();
  knex = database.knex;
  await knex.raw(
    'create table things (id uuid primary key, name text collate "C" not null, size float8, at timestamptz(3), n bigint not null)',
  );
});
afterAll(() => clone.drop());

/** The promised order of the lists, in JavaScript: nulls last, whatever the direction. */
function sorted(things: Thing[], order: Order): string[] {
  const compare = (a: Thing, b: Thing): number => {
    for (const { key, direction } of order.parts) {
      const [left, right] = [a[key as keyof Thing], b[key as keyof Thing]];
      if (left === null && right === null) continue;
      if (left === null) return 1;
      if (right === null) return -1;
      if (left.valueOf() === right.valueOf()) continue;
      return left < right === (direction === 'asc') ? -1 : 1;
    }
    return 0;
  };
  return [...things].sort(compare).map((thing) => thing.id);
}

function read(order: Order, request: object): Promise<Page<RawRow>> {
  const base = knex('things').select('things.*');
  return readPage({ db: knex, base, order, filters: { of: 'things' }, request }, (rows) => rows);
}

/** All ids from one end to the other in pages of `size`. */
async function walked(order: Order, size: number, forward: boolean): Promise<string[]> {
  const pages: string[][] = [];
  let cursor: string | undefined;
  for (;;) {
    const page = await read(order, forward ? { first: size, after: cursor } : { last: size, before: cursor });
    const ids = page.items.map((row) => String(row.id));
    if (forward) pages.push(ids);
    else pages.unshift(ids);
    expect(await (forward ? page.hasPrevious() : page.hasNext())).toBe(cursor !== undefined);
    if (!(await (forward ? page.hasNext() : page.hasPrevious()))) return pages.flat();
    cursor = forward ? page.cursor(ids.length - 1, 'f') : page.cursor(0, 'b');
    expect(cursorDirection(cursor)).toBe(forward ? 'f' : 'b');
  }
}

const thing = fc.record({
  id: fc.constant(null).map(() => uuid7()),
  name: fc.constantFrom('a', 'B', 'é', 'ab', ''),
  size: fc.constantFrom(null, 0, -1.5, 1e300, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY),
  at: fc.constantFrom(null, new Date('2030-01-01T00:00:00.001Z'), new Date('1999-12-31T23:59:59.999Z')),
  n: fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER),
});

const sort = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...Object.keys(sortable)), fc.constantFrom('asc', 'desc')), {
    selector: ([name]) => name,
    minLength: 1,
  })
  .map((parts) => parts.map((part) => part.join(':')).join(','));

test('any order, walked in either direction in pages of any size, is the whole list in that order', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(thing, { maxLength: 24 }),
      sort,
      fc.integer({ min: 1, max: 9 }),
      async (things, text, size) => {
        await knex('things').del();
        if (things.length > 0) await knex('things').insert(things);
        const order = parseSort(sortable, text);
        const expected = sorted(things, order);
        expect(await walked(order, size, true)).toEqual(expected);
        expect(await walked(order, size, false)).toEqual(expected);
      },
    ),
    { numRuns: 60 },
  );
});

test('rows that come and go meanwhile repeat or hide no other row', async () => {
  await knex('things').del();
  const rows = Array.from({ length: 6 }, (_, n) => ({ id: uuid7(), name: 'same', n }));
  await knex('things').insert(rows);
  const order = parseSort(sortable, 'name:asc,n:desc');
  const first = await read(order, { first: 3 });
  await knex('things').insert({ id: uuid7(), name: 'same', n: 100 });
  await knex('things').where('id', String(first.items[2]!.id)).del();
  const second = await read(order, { first: 3, after: first.cursor(2, 'f') });
  expect(second.items.map((row) => row.n)).toEqual([2, 1, 0]);
  expect(await second.hasPrevious()).toBe(true);
});

test('a page beyond the last row still knows what stands before it', async () => {
  await knex('things').del();
  const ids = [uuid7(), uuid7()];
  await knex('things').insert(ids.map((id, n) => ({ id, name: 'x', n })));
  const order = parseSort(sortable, 'n:asc');
  const page = await read(order, { first: 2 });
  const after = page.cursor(1, 'f');
  await knex('things').where('n', 1).del();
  const empty = await read(order, { first: 2, after });
  expect([empty.items, await empty.hasNext(), await empty.hasPrevious()]).toEqual([[], false, true]);
});

test('a page deep in a tie reads the index, not the tie', async () => {
  await knex.raw('create index things_tie on things (at desc, id)');
  await knex('things').del();
  await knex.raw(
    `insert into things (id, name, at, n)
     select ('00000000-0000-7000-8000-' || lpad(to_hex(g), 12, '0'))::uuid, 'x', '2030-01-01', g from generate_series(1, 20000) g`,
  );
  await knex.raw('analyze things');
  const notNull: Sortable = { ...sortable, at: { column: 'things.at', kind: 'time' } };
  const order = parseSort(notNull, 'at:desc,id:asc');
  const last = await read(order, { last: 1 });
  const before = last.cursor(0, 'b');
  const queries: { sql: string; bindings: readonly unknown[] }[] = [];
  const listen = (query: { sql: string; bindings: readonly unknown[] }) => queries.push(query);
  knex.on('query', listen);
  const page = await read(order, { last: 5, before });
  knex.off('query', listen);
  expect(page.items.map((row) => row.n)).toEqual([19995, 19996, 19997, 19998, 19999]);
  const { sql, bindings } = queries[0]!;
  const { rows } = await database.pool.query(`explain (analyze, format json) ${sql}`, [...bindings]);
  expect(JSON.stringify(rows[0])).not.toMatch(/Rows Removed by Filter":[1-9]/);
});

test('arguments of pages that make no sense are refused', async () => {
  const order = parseSort(sortable, 'id:asc');
  for (const request of [
    { first: 0 },
    { first: 101 },
    { first: 1.5 },
    { last: 0 },
    { first: 1, last: 1 },
    { after: 'x', before: 'y' },
    { first: 1, before: 'x' },
    { last: 1, after: 'x' },
  ]) {
    await expect(read(order, request)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' });
  }
});

test('cursors that were tampered with are refused', async () => {
  await knex('things').del();
  await knex('things').insert({ id: uuid7(), name: 'x', n: 1, at: new Date() });
  const order = parseSort(sortable, 'name:asc,at:asc,n:asc,size:asc');
  const page = await read(order, { first: 1 });
  const cursor = page.cursor(0, 'f');
  const honest = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  await read(order, { after: cursor });
  const [name, at, n, size] = honest.p;
  for (const change of [
    { p: [1, at, n, size] },
    { p: ['nul\u0000', at, n, size] },
    { p: [name, 'yesterday', n, size] },
    { p: [name, '2030-02-31T00:00:00.00Z', n, size] },
    { p: [name, at, 1e300, size] },
    { p: [name, at, n, 'big'] },
    { p: [null, at, n, size] },
    { p: [name, at, n] },
    { p: 'x' },
    { id: 'gam_00000000-0000-7000-8000-000000000000' },
    { id: undefined },
    { d: 'x' },
    { f: null },
  ]) {
    const after = Buffer.from(JSON.stringify({ ...honest, ...change })).toString('base64url');
    await expect(read(order, { after })).rejects.toMatchObject({ code: 'INVALID_CURSOR' });
  }
  for (const change of [{ f: { of: 'others' } }, { f: {} }, { s: 'name:desc,id:asc' }]) {
    const after = Buffer.from(JSON.stringify({ ...honest, ...change })).toString('base64url');
    await expect(read(order, { after })).rejects.toMatchObject({ code: 'CURSOR_MISMATCH' });
  }
});
