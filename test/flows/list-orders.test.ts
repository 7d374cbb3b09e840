import { uuidOf } from '../../src/base/ids.js';
import { RewardStatus } from '../../src/closings/rewards/reward.js';
import { contractSchema } from '../../src/contract.js';
import { restApi } from '../../src/rest/middleware.js';
import { startApp, type TestApp } from '../support/app.js';
import { filledUuid, fillTables } from '../support/full-tables.js';
import type { Caller, Data } from '../support/http.js';
import { addressOf, makeReaders, SORTABLE } from '../support/lists.js';

const ROWS = 24;

let app: TestApp;
let readers: Awaited<ReturnType<typeof makeReaders>>;
beforeAll(async () => {
  app = await startApp();
  await fillTables(app.database.connectionString, ROWS);
  readers = await makeReaders(app);
  await app.database.knex('rewards').update({ identity_id: uuidOf(readers.player) });
});
afterAll(() => app.close());

const callerOf = (path: string): Caller =>
  path.startsWith('/v1/client/') ? readers.client : readers.superadmin;

async function page(path: string, ...parts: string[]): Promise<Data> {
  const { status, body } = await callerOf(path).get(addressOf(path, parts));
  if (status !== 200) throw new Error(`${path} ${parts}: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** All ids in pages of `limit`: forward to the end, then back to the beginning. */
async function walked(path: string, sort: string, limit: number): Promise<{ on: string[]; back: string[] }> {
  const parts = [`sort=${sort}`, `limit=${limit}`];
  const ids = ({ data }: Data) => data.map(({ id }: Data) => id);
  let current = await page(path, ...parts);
  expect(current.pagination.has_prev).toBe(false);
  const on: string[] = ids(current);
  while (current.pagination.has_next) {
    expect(current.pagination.count).toBe(limit);
    current = await page(path, ...parts, `cursor=${current.pagination.next_cursor}`);
    expect(current.pagination.has_prev).toBe(true);
    on.push(...ids(current));
  }
  const back: string[] = ids(current);
  while (current.pagination.has_prev) {
    current = await page(path, ...parts, `cursor=${current.pagination.prev_cursor}`);
    expect(current.pagination.has_next).toBe(true);
    back.unshift(...ids(current));
  }
  return { on, back };
}

type Value = string | number | boolean | null;

/** Text by its bytes, whatever the database's locale; nulls last, whatever the direction. */
function compared(a: Value, b: Value, direction: string): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  const order =
    typeof a === 'number' ? a - Number(b) : Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
  return direction === 'asc' ? order : -order;
}

const REWARDS: string[] = Object.values(RewardStatus);

function sorted(records: Data[], path: string, sort: string): string[] {
  const parts = sort.split(',').map((part) => part.split(':') as [string, string]);
  // By value alone a list of scores is the board's own order, in which ties are decided by arrival.
  const ranked = path.endsWith('/scores') ? /^value:(asc|desc)(,id:asc)?$/.exec(sort)?.[1] : undefined;
  const order: [string, string][] = ranked
    ? [['rank', ranked === 'desc' ? 'asc' : 'desc']]
    : [...parts, ['id', 'asc']];
  // Open ones first, and so on.
  const placeOf = (record: Data, field: string) =>
    field === 'status' && path.endsWith('/rewards') ? REWARDS.indexOf(record.status) : record[field];
  const compare = (a: Data, b: Data) =>
    order.reduce(
      (found, [field, direction]) => found || compared(placeOf(a, field), placeOf(b, field), direction),
      0,
    );
  return records.toSorted(compare).map(({ id }) => id);
}

/**
 * Each field in both directions, and each with the next one, in opposite directions and in the same. A second field decides
 * among equals; how two orders meet is the same for all (units/keyset).
 */
function sortsOf(fields: string[]): string[] {
  const directions = [
    ['asc', 'desc'],
    ['desc', 'asc'],
    ['desc', 'desc'],
    ['asc', 'asc'],
  ] as const;
  const pairs = fields.slice(1).map((second, i) => {
    const [a, b] = directions[i % directions.length]!;
    return `${fields[i]}:${a},${second}:${b}`;
  });
  return [...fields.flatMap((field) => [`${field}:asc`, `${field}:desc`]), ...pairs];
}

/** Orders of lists that name none. */
const UNASKED: Record<string, string> = {
  scores: 'value:desc',
  rewards: 'status:asc,created_at:desc,id:asc',
};

/** Periods and groups of a view, rankings among players, lists of friends: their own tests walk them. */
const WALKED_ELSEWHERE = /\/(periods|groups|among|friends)$/;

test('the table of lists is that of the routes', async () => {
  const lists = restApi((await contractSchema()).whole).routes.filter(
    ({ paged, route }) => paged && !WALKED_ELSEWHERE.test(route.path),
  );
  expect(lists.map(({ route }) => route.path).toSorted()).toEqual(Object.keys(SORTABLE).toSorted());
});

describe.each(Object.keys(SORTABLE))('%s', (path) => {
  const fields = SORTABLE[path]!.split(' ');

  test('names its fields', async () => {
    const { status, body } = await callerOf(path).get(addressOf(path, ['sort=nothing:asc']));
    expect({ status, code: body.code, error: body.error }).toEqual({
      status: 400,
      code: 'INVALID_SORT',
      error: `Unknown sort field: nothing. Valid fields: ${fields.join(', ')}`,
    });
  });

  test('walks every order forward and back', async () => {
    const { data: records, pagination } = await page(path, 'limit=100');
    expect(pagination).toMatchObject({ count: records.length, has_next: false, has_prev: false });
    expect(records.length).toBeGreaterThanOrEqual(path === '/v1/client/boards' ? ROWS / 4 : ROWS / 2);
    const unasked = UNASKED[path.split('/').at(-1)!] ?? 'created_at:desc,id:asc';
    expect(records.map(({ id }: Data) => id)).toEqual(sorted(records, path, unasked));
    expect(new Set(records.map((record: Data) => record.created_at)).size).toBeLessThan(records.length);
    for (const sort of sortsOf(fields)) {
      const expected = sorted(records, path, sort);
      const { on, back } = await walked(path, sort, Math.ceil(records.length / 3));
      expect({ sort, ids: on }).toEqual({ sort, ids: expected });
      expect({ sort, ids: back }).toEqual({ sort, ids: expected });
    }
  });

  test('accepts a cursor for its own sort only', async () => {
    const { pagination } = await page(path, 'limit=2');
    const cursor = `cursor=${pagination.next_cursor}`;
    const refused = async (...parts: string[]) => {
      const { status, body } = await callerOf(path).get(addressOf(path, parts));
      return [status, body.code, body.error];
    };
    const mismatch = "Query parameters don't match cursor state. Start a new pagination sequence.";
    expect(await refused(cursor, 'sort=id:asc')).toEqual([400, 'CURSOR_MISMATCH', mismatch]);
    const [invalid, code] = await refused(cursor.slice(0, -6));
    expect([invalid, code]).toEqual([400, 'INVALID_CURSOR']);
    expect((await page(path, cursor, 'limit=1')).pagination.count).toBe(1);
  });
});

/** Lists of one board's events find their pages by the events' numbers. */
test.each(['', '&is_test=true', '&is_test=0', '&identity_id=I', '&identity_id=I&is_test=false'])(
  'events of a board%s are those of the whole list',
  async (more) => {
    const { data } = await page('/v1/score-events', 'limit=100');
    const board = `brd_${filledUuid(1)}`;
    // Plays in both populations.
    const player = `ide_${filledUuid(5)}`;
    const filter = `board_id=${board}${more.replace('=I', `=${player}`)}`;
    const records = data.filter(
      (event: Data) =>
        event.board_id === board &&
        (!more.includes('identity') || event.identity_id === player) &&
        (!more.includes('is_test') || event.is_test === more.includes('true')),
    );
    expect(records.length).toBeGreaterThan(0);
    for (const sort of ['created_at:desc', 'created_at:asc', 'created_at:desc,id:desc', 'id:desc']) {
      for (const limit of [2, 5]) {
        const { on, back } = await walked('/v1/score-events', `${sort}&${filter}`, limit);
        const expected = sorted(records, '/v1/score-events', sort);
        expect({ sort, limit, on, back }).toEqual({ sort, limit, on: expected, back: expected });
      }
    }
  },
);
