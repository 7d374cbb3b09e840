import { LEFT_TABLES, MOVED_TABLES } from '../../src/cells/move/tables.js';
import { startCell, type TestCell, TestDirectory } from '../support/cells.js';
import { Load, makePlayed, moverOf, type PlayedAccount, Route, wrongAfter } from '../support/moves.js';
import { until } from '../support/wait.js';

// An account moves between two cells while its players submit. Each test ends with everything compared.

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let played: PlayedAccount;
let urls: Record<string, string>;

beforeAll(async () => {
  directory = await TestDirectory.make();
  east = await startCell(directory, 'east');
  west = await startCell(directory, 'west');
  urls = { east: east.database.connectionString, west: west.database.connectionString };
  played = await makePlayed(east, 4, true);
});
afterAll(async () => {
  await east.close();
  await west.close();
  await directory.close();
});

const step = async () =>
  (await directory.directory.database.knex('moves').orderBy('begun_at', 'desc').first()).step;

test('a move under load, taken back once and killed after every step: each acknowledged event once', async () => {
  const load = new Load(new Route(directory, { east, west }, played.account), played);
  const some = (more: number) => {
    const wanted = load.acknowledged.size + more;
    return until(() => load.acknowledged.size >= wanted || load.faults.length > 0);
  };
  await some(20);

  const stopAt = (wanted: string) => ({
    reached: (now: string) => {
      if (now === wanted) throw new Error(`stopped at ${now}`);
    },
  });
  // Frozen, then taken back: play goes on where it was.
  await expect(moverOf(directory, urls, stopAt('frozen')).move(played.account, 'west')).rejects.toThrow(
    'stopped',
  );
  const publicBoard = `query ($id: ID, $shortCode: String) { publicBoard(id: $id, shortCode: $shortCode) { id } }`;
  const { id, shortCode } = played.boards[0];
  expect(await west.anyone.code(publicBoard, { id })).toBe('ACCOUNT_MOVED');
  await moverOf(directory, urls).back(played.account);
  expect(await step()).toBe('cancelled');
  await some(20);
  expect(await west.database.knex('accounts').where({ id: played.account }).first()).toBeUndefined();

  for (const stop of [
    'begun',
    'capturing',
    'copied',
    'compared',
    'freezing',
    'frozen',
    'same',
    'moved',
    'active',
  ]) {
    await expect(moverOf(directory, urls, stopAt(stop)).move(played.account, 'west')).rejects.toThrow(
      'stopped',
    );
  }
  await moverOf(directory, urls).move(played.account, 'west');
  expect(await step()).toBe('done');
  await some(20);
  await load.stop();
  expect(await wrongAfter(load, played, west, [east, west])).toEqual([]);

  // The source answers that it does not have the account, and never that there is none.
  const { studio } = played;
  expect(await east.anyone.code(publicBoard, { id })).toBe('ACCOUNT_MOVED');
  expect(await east.anyone.code(publicBoard, { shortCode })).toBe('ACCOUNT_MOVED');
  for (const [caller, path] of [
    [east.anyone.with(studio.admin.headers), `/v1/boards/${id}`],
    [east.superadmin, `/v1/boards/${id}`],
    [east.superadmin, `/v1/accounts/${studio.accountId}`],
    [east.anyone.with(played.players[0]!.client.headers), '/v1/client/nonce'],
  ] as const) {
    const { status, body } = await caller.get(path);
    expect([path, status, body.code]).toEqual([path, 503, 'ACCOUNT_MOVED']);
  }
  await moverOf(directory, urls).clean(played.account);
  expect(await step()).toBe('cleaned');
  expect((await east.database.pool.query('select from score_events')).rows).toEqual([]);
});

test('every table of a cell moves or stays, with a reason', async () => {
  const { rows } = await east.database.pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`,
  );
  const listed = [...Object.keys(MOVED_TABLES), ...Object.keys(LEFT_TABLES)];
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name));
});
