import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';

const NAMES = ['Echo', 'Alpha', 'Delta', 'Bravo', 'Charlie', 'Golf', 'Foxtrot'];

let app: TestApp;
let studio: Studio;
let game: Data;
let admin: Caller;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  for (const [index, name] of NAMES.entries()) {
    await makeBoard(studio, game.id, { name, isPublished: index % 2 === 0 });
    app.clock.advance(1_000);
  }
  admin = studio.admin;
});
afterAll(() => app.close());

const names = (page: Data) => page.data.map(({ name }: Data) => name);
const list = (query: string) => admin.got(admin.get(`/v1/boards?game_id=${game.id}&${query}`));

test('the envelope of a single page and of an empty list has no cursors', async () => {
  const page = await list('');
  expect(names(page)).toEqual(NAMES.toReversed());
  expect(page.pagination).toEqual({
    count: 7,
    has_next: false,
    has_prev: false,
    next_cursor: null,
    prev_cursor: null,
  });
  const empty = await list('ends_before=2030-01-01T00:00:00Z');
  expect(empty).toEqual({
    data: [],
    pagination: { count: 0, has_next: false, has_prev: false, next_cursor: null, prev_cursor: null },
  });
});

test('one cursor parameter walks forward and back over the same pages', async () => {
  const pages: Data[] = [await list('sort=name:asc&limit=3')];
  while (pages.at(-1).pagination.has_next) {
    pages.push(await list(`sort=name:asc&limit=3&cursor=${pages.at(-1).pagination.next_cursor}`));
  }
  expect(pages.map(names)).toEqual([['Alpha', 'Bravo', 'Charlie'], ['Delta', 'Echo', 'Foxtrot'], ['Golf']]);
  expect(pages.map(({ pagination: { has_prev } }) => has_prev)).toEqual([false, true, true]);
  const back: Data[] = [pages.at(-1)];
  while (back.at(-1).pagination.has_prev) {
    back.push(await list(`sort=name:asc&limit=3&cursor=${back.at(-1).pagination.prev_cursor}`));
  }
  expect(back.slice(1).map(names)).toEqual([names(pages[1]), names(pages[0])]);
  const first = back.at(-1).pagination;
  expect(first).toMatchObject({ has_next: true, has_prev: false, prev_cursor: null });
  expect(names(await list(`sort=name:asc&limit=3&cursor=${first.next_cursor}`))).toEqual(names(pages[1]));
  const wider = await list(`sort=name:asc&limit=2&cursor=${pages[2].pagination.prev_cursor}`);
  expect(names(wider)).toEqual(['Echo', 'Foxtrot']);
  expect(names(await list(`sort=name:asc&cursor=${pages[2].pagination.prev_cursor}`))).toHaveLength(6);
});

test('query parameters are read by their types', async () => {
  expect(names(await list('is_published=1&sort=name:asc'))).toEqual(['Charlie', 'Delta', 'Echo', 'Foxtrot']);
  expect(names(await list('is_published=false&sort=name:asc'))).toEqual(['Alpha', 'Bravo', 'Golf']);
  await makeBoard(studio, game.id, { name: 'Late', startsAt: '2029-05-01T00:00:00Z', isActive: false });
  const late = 'is_active=0&starts_after=2029-05-01T00:00:00%2B02:00&starts_before=2029-05-01T00:00:01';
  expect(names(await list(late))).toEqual(['Late']);
});

test('an invalid cursor or sort, or a cursor of another list, is refused', async () => {
  const { next_cursor: cursor } = (await list('limit=2')).pagination;
  const refusals: [string, string][] = [
    ['cursor=abc', 'INVALID_CURSOR'],
    [`cursor=${cursor}&sort=name:asc`, 'CURSOR_MISMATCH'],
    [`cursor=${cursor}&is_active=true`, 'CURSOR_MISMATCH'],
    ['sort=colour:asc', 'INVALID_SORT'],
    ['sort=name', 'INVALID_SORT'],
  ];
  for (const [query, code] of refusals) {
    const { status, body } = await admin.get(`/v1/boards?game_id=${game.id}&${query}`);
    expect({ query, status, code: body.code }).toEqual({ query, status: 400, code });
  }
  const { body } = await admin.get('/v1/games?sort=colour:asc');
  expect(body.error).toBe('Unknown sort field: colour. Valid fields: id, name, slug, created_at, updated_at');
});

test('limit=2 after a cursor that is malformed text is a fault of the request before one of the cursor', async () => {
  const { status, body } = await admin.get('/v1/boards?cursor=%00&limit=0x2');
  expect(status).toBe(422);
  expect(body.details.map(({ loc }: Data) => loc)).toEqual([
    ['query', 'cursor'],
    ['query', 'limit'],
  ]);
});

test('account_id limits a list to that account; regular administrators may only name their own', async () => {
  const other = await makeStudio(app);
  const root = app.superadmin;
  for (const path of ['accounts', 'users', 'api-keys', 'games', 'boards', 'score-events', 'devices']) {
    const all = await root.got(root.get(`/v1/${path}?limit=100`));
    const owners = (page: Data) => [
      ...new Set(page.data.map((row: Data) => (path === 'accounts' ? row.id : row.account_id))),
    ];
    for (const { accountId } of [studio, other]) {
      const named = await root.got(root.get(`/v1/${path}?limit=100&account_id=${accountId}`));
      expect(owners(named)).toEqual(owners(all).filter((owner) => owner === accountId));
    }
    const own = await admin.got(admin.get(`/v1/${path}?limit=100`));
    expect(await admin.got(admin.get(`/v1/${path}?limit=100&account_id=${studio.accountId}`))).toEqual(own);
    expect((await admin.get(`/v1/${path}?account_id=${other.accountId}`)).status).toBe(403);
  }
});

test('a list of scores is limited to an identity that the caller may see', async () => {
  const board = await makeBoard(studio, game.id);
  const other = await makeStudio(app);
  const { session: foreign } = await startSession(app, (await makeGame(other)).id);
  const { session: sibling } = await startSession(app, (await makeGame(studio)).id);
  const { session, client } = await startSession(app, game.id);
  const rest = client;
  const asked = async (caller: Caller, path: string, id: string) =>
    (await caller.get(`/v1/${path}?board_id=${board.id}&identity_id=${id}`)).status;
  const unknown = session.identityId.replace(/.$/, (digit: string) => (digit === '0' ? '1' : '0'));
  for (const [id, statuses] of [
    [session.identityId, [200, 200]],
    [sibling.identityId, [200, 403]],
    [foreign.identityId, [403, 403]],
    [unknown, [404, 404]],
  ] as const) {
    expect([id, [await asked(admin, 'scores', id), await asked(rest, 'client/scores', id)]]).toEqual([
      id,
      statuses,
    ]);
  }
  expect(await asked(rest, 'client/scores', 'me')).toBe(200);
});

describe('a board of nine', () => {
  let board: Data;
  let players: Player[];
  const values = (page: Data) => page.data.map(({ value }: Data) => value);
  beforeAll(async () => {
    board = await makeBoard(studio, game.id, { sortDirection: 'DESC', keepStrategy: 'BEST' });
    players = [];
    for (let value = 10; value <= 90; value += 10) {
      const player = await startSession(app, game.id);
      players.push(player);
      await submit(player, board.id, value, { playerName: `P${value}` });
    }
  });
  const client = () => players[0]!.client;
  const page = (query: string) =>
    client().got(client().get(`/v1/client/scores?board_id=${board.id}&${query}`));

  test('is read from the top, walked by cursor both ways, and reversed', async () => {
    const top = await page('limit=4');
    expect(values(top)).toEqual([90, 80, 70, 60]);
    expect(top.data.map(({ rank }: Data) => rank)).toEqual([1, 2, 3, 4]);
    const next = await page(`limit=4&cursor=${top.pagination.next_cursor}`);
    expect(values(next)).toEqual([50, 40, 30, 20]);
    expect(await page(`limit=4&cursor=${next.pagination.prev_cursor}`)).toEqual(top);
    expect(values(await page('sort=value:asc&limit=2'))).toEqual([10, 20]);
    expect(values(await page('sort=player_name:asc&limit=2'))).toEqual([10, 20]);
  });

  test('has windows around a score and around a value', async () => {
    const [mine] = (await page('identity_id=me')).data;
    expect(mine).toMatchObject({ value: 10, rank: 9 });
    const around = await page(`around_score_id=${mine.id}&limit=4`);
    expect(values(around)).toEqual([40, 30, 20, 10]);
    expect(around.pagination).toEqual({
      count: 4,
      has_next: false,
      has_prev: true,
      next_cursor: null,
      prev_cursor: expect.any(String),
    });
    const window = await page('around_score_value=50&limit=5');
    expect(values(window)).toEqual([70, 60, 50, 50, 40]);
    expect(window.data[2]).toMatchObject({
      id: expect.stringMatching(/^scr_(?!0{8})/),
      is_placeholder: true,
      player_name: '',
      rank: 5,
    });
    const both = `board_id=${board.id}&around_score_value=1&around_score_id=${mine.id}`;
    expect((await client().get(`/v1/client/scores?${both}`)).body.code).toBe('INVALID_AROUND');
    const top = await page('limit=2');
    const mixed = `board_id=${board.id}&around_score_value=1&cursor=${top.pagination.next_cursor}`;
    expect((await client().get(`/v1/client/scores?${mixed}`)).body.code).toBe('INVALID_AROUND');
  });

  test('implies the account of an administrator; a superadmin names it', async () => {
    const full = await admin.got(admin.get(`/v1/scores?board_id=${board.id}&limit=1&is_test=0`));
    expect(full.data[0]).toMatchObject({ value: 90, device_id: players[8]!.session.deviceId });
    const root = app.superadmin;
    const unnamed = await root.get(`/v1/scores?board_id=${board.id}`);
    expect(unnamed).toMatchObject({ status: 400, body: { code: 'ACCOUNT_ID_REQUIRED' } });
    const named = `/v1/scores?board_id=${board.id}&account_id=${studio.accountId}&is_test=all`;
    expect((await root.get(named)).body.pagination.count).toBe(9);
  });

  test('is forbidden to clients of another game', async () => {
    const elsewhere = await makeGame(studio);
    const stranger = await startSession(app, elsewhere.id);
    const answer = await app.anyone
      .with(stranger.client.headers)
      .get(`/v1/client/scores?board_id=${board.id}`);
    expect(answer).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } });
  });
});
