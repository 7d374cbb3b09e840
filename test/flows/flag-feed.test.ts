import { makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { FLAGS, flagFeed } from '../../src/fairplay/flags/feed.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play, review, reviewRuns } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';
import { type Frame, TestSocket } from '../support/socket.js';
import { patience, until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let player: string;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  player = await makePlayer(studio.admin, game.id, 'one');
});
afterAll(() => app.close());

const WATCH = `subscription ($account: ID, $game: ID, $after: ID) {
  scoreFlagged(accountId: $account, gameId: $game, after: $after) { id status confidence board { id } event { id } identity { id } } }`;

function watch(socket: TestSocket, variables: Data = {}, name = 'watch'): void {
  socket.send({ type: 'subscribe', id: name, payload: { query: WATCH, variables } });
}

/** The next message that tells something. */
async function told(socket: TestSocket): Promise<Frame> {
  const frame = await socket.next();
  return frame.type === 'complete' ? told(socket) : frame;
}

const run = (value = unique()) => play(studio.admin, board.id, player, value);
const idsOf = async (socket: TestSocket, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { type, payload } = await told(socket);
    if (type !== 'next') throw new Error(JSON.stringify(payload));
    ids.push(payload.data.scoreFlagged.id);
  }
  return ids;
};

test('the feed sends every new flag of the account in order, with its event', async () => {
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const root = await TestSocket.connect(app.url, app.superadmin.headers);
  const stranger = await makeStudio(app);
  const other = await TestSocket.connect(app.url, stranger.admin.headers);
  const before = await flag(studio.admin, await run());
  for (const listener of [socket, root]) watch(listener, { after: before.id });
  watch(other, { account: studio.accountId }, 'foreign');
  expect(JSON.stringify((await told(other)).payload)).toContain('FORBIDDEN');
  watch(other, { game: game.id }, 'game');
  expect(JSON.stringify((await told(other)).payload)).toContain('FORBIDDEN');
  const event = await run();
  const first = await flag(studio.admin, event, { confidence: 'LOW' });
  const frame = await told(socket);
  expect(frame.payload.data.scoreFlagged).toEqual({
    id: first.id,
    status: 'PENDING',
    confidence: 'LOW',
    board: { id: board.id },
    event: { id: event },
    identity: { id: player },
  });
  const more = [];
  for (let i = 0; i < 60; i += 1) more.push((await flag(studio.admin, event)).id);
  expect(await idsOf(socket, 60)).toEqual(more);
  expect(await idsOf(root, 61)).toEqual([first.id, ...more]);

  // From a flag on, whoever was away: the newest state of each, deleted ones left out.
  await review(studio.admin, more[1], { status: 'DISMISSED' });
  await review(studio.admin, more[2], { deleted: true });
  watch(socket, { after: before.id }, 'again');
  const again = [];
  for (let i = 0; i < 3; i += 1) again.push((await told(socket)).payload.data.scoreFlagged);
  expect(again.map(({ id, status }) => [id, status])).toEqual([
    [first.id, 'PENDING'],
    [more[0], 'PENDING'],
    [more[1], 'DISMISSED'],
  ]);
  expect(await idsOf(socket, 57)).toEqual(more.slice(3));

  // From now on: what was there before is not told, and only what is the account's own.
  const own = await playOf(stranger);
  // Also where somebody writes elsewhere for long: what was added since that began comes with the next look.
  const elsewhere = await app.database.knex.transaction();
  await elsewhere.raw('select pg_current_xact_id()');
  const old = await flag(stranger.admin, own);
  watch(other);
  const newest = idsOf(other, 1);
  const raised: string[] = [];
  let heard = false;
  void newest.then(() => {
    heard = true;
  });
  for (let i = 0; i < 3; i += 1) raised.push((await flag(stranger.admin, own)).id);
  await elsewhere.rollback();
  const inTime = patience('a flag of the other game to be heard');
  while (!heard) {
    inTime();
    raised.push((await flag(stranger.admin, own)).id);
  }
  const [mine] = await newest;
  expect(raised).toContain(mine);
  expect(mine).not.toBe(old.id);
  await Promise.all([socket, root, other].map((listener) => listener.close()));
});

async function playOf(other: Studio): Promise<string> {
  const own = await makeGame(other);
  const there = await makeBoard(other, own.id);
  return play(other.admin, there.id, await makePlayer(other.admin, own.id, 'one'), 1);
}

test('the feed of a game sends flags of other processes, whichever transaction ends first', async () => {
  const second = await makeApp({
    settings: SETTINGS,
    database: app.database,
    clock: app.clock.now,
    log: makeLog('fatal'),
    wakeJobs: false,
  });
  const url = `http://127.0.0.1:${await second.listen(0, '127.0.0.1')}`;
  const socket = await TestSocket.connect(url, studio.admin.headers);
  const event = await run();
  const before = await flag(studio.admin, event);
  watch(socket, { game: game.id, after: before.id });
  const { knex } = app.database;
  const [row] = await knex('score_events').where('id', event.slice(4));
  const insert = (on: typeof knex, id: string) =>
    on('score_flags').insert({
      board_id: row.board_id,
      event_seq: row.seq,
      id,
      event_id: row.id,
      account_id: row.account_id,
      game_id: row.game_id,
      identity_id: row.identity_id,
      is_test: false,
      flag_type: 'manual',
      confidence: 'low',
      status: 'pending',
      metadata: '{}',
      compared_events: [],
      created_at: new Date(app.clock.now()),
      updated_at: new Date(app.clock.now()),
    });
  const [early, late] = ['00000000-0000-7000-8000-00000000e001', '00000000-0000-7000-8000-00000000e002'];
  const slow = await knex.transaction();
  await insert(slow as never, early);
  // Committed first, though it began later: it is told when nothing before it can come any more.
  await insert(knex, late);
  await slow.commit();
  expect(await idsOf(socket, 2)).toEqual([`flg_${early}`, `flg_${late}`]);
  await socket.close();
  await second.close();
});

test('the flag to resume from is not repeated, though an older transaction is still open', async () => {
  const { pool, knex } = app.database;
  const elsewhere = await knex.transaction();
  await elsewhere.raw('select pg_current_xact_id()');
  const event = await run();
  const [before, first] = [await flag(studio.admin, event), await flag(studio.admin, event)];
  let looks = 0;
  const counted = {
    query: (...args: Parameters<typeof pool.query>) => {
      looks += 1;
      return pool.query(...args);
    },
  } as typeof pool;
  const scope = { accountId: studio.accountId };
  const changes = app.app.changes;
  const feed = flagFeed(
    { pool: counted, changes, stream: 'added' },
    FLAGS,
    scope,
    Promise.resolve(before.id),
    async (id) => id,
  );
  const next = feed.next();
  // Where it begins, up to where there may be new ones, which there are: nothing that is settled.
  await until(() => looks >= 3, 5);
  await elsewhere.rollback();
  changes.mark(FLAGS);
  expect((await next).value).toBe(first.id);
  await feed.return?.();
});

test('a flagged submission and a review that raises flags wake the feed at once', async () => {
  const checked = await makeGame(studio);
  const there = await makeBoard(studio, checked.id);
  const one = await makePlayer(studio.admin, checked.id, 'one');
  const marked: string[] = [];
  const unlisten = app.app.changes.listen((topic) => {
    if (topic.startsWith('flags')) marked.push(topic);
  });
  await play(studio.admin, there.id, one, 1);
  expect(marked).toEqual([]);
  await play(studio.admin, there.id, one, 2);
  expect(marked).toEqual(['flags', `flags:${studio.accountId}`]);
  await reviewRuns(studio.admin, { identityId: one, decision: 'CONFIRMED_CHEAT' });
  expect(marked.slice(2)).toEqual(['flags', `flags:${studio.accountId}`]);
  unlisten();
});

test('a revoked key ends the feed, though no flag comes; clients may not follow it', async () => {
  const { createApiKey } = await studio.admin.data(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id key } } }',
    { input: { accountId: studio.accountId, userId: studio.userId, name: 'short-lived' } },
  );
  const socket = await TestSocket.connect(app.url, { 'service-api-key': createApiKey.apiKey.key });
  watch(socket, { after: (await flag(studio.admin, await run())).id });
  await flag(studio.admin, await run());
  expect((await told(socket)).type).toBe('next');
  await change(studio.admin, 'ApiKey', createApiKey.apiKey.id, { status: 'REVOKED' });
  expect((await socket.closed).code).toBe(4401);
  const visitor = await TestSocket.connect(app.url);
  watch(visitor);
  expect(JSON.stringify((await told(visitor)).payload)).toContain('API_KEY_REQUIRED');
  watch(visitor, { after: 'nonsense' }, 'bad');
  expect(JSON.stringify((await told(visitor)).payload)).toContain('API_KEY_REQUIRED');
  await visitor.close();
});

const REVIEWS = `subscription ($account: ID, $game: ID, $after: String) {
  scoreFlagReviewed(accountId: $account, gameId: $game, after: $after) {
    id cursor scoreFlag { status reviewerDecision reviewer { id } } } }`;

test('two reviewers see the decisions of each other, also after they were away', async () => {
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const follow = (variables: Data, name: string) =>
    socket.send({ type: 'subscribe', id: name, payload: { query: REVIEWS, variables } });
  const change = async () => (await told(socket)).payload.data.scoreFlagReviewed;
  const own = await makeGame(studio, { antiCheatEnabled: false });
  const there = await makeBoard(studio, own.id, { keepStrategy: 'ALL' });
  const cheater = await makePlayer(studio.admin, own.id, 'cheater');
  const event = await play(studio.admin, there.id, cheater, 5);
  const flags = [
    await flag(studio.admin, event),
    await flag(studio.admin, event),
    await flag(studio.admin, event),
  ];
  // Raising a flag is no change of it.
  const start = Buffer.from('0:00000000-0000-0000-0000-000000000000').toString('base64url');
  follow({ game: own.id, after: start }, 'live');
  await review(studio.admin, flags[0]!.id, { status: 'CONFIRMED_CHEAT', reviewerDecision: 'Aimbot' });
  const first = await change();
  expect(first).toEqual({
    id: flags[0]!.id,
    cursor: expect.any(String),
    scoreFlag: { status: 'CONFIRMED_CHEAT', reviewerDecision: 'Aimbot', reviewer: { id: studio.userId } },
  });
  await review(studio.admin, flags[0]!.id, { status: 'PENDING' });
  expect(await change()).toMatchObject({ id: flags[0]!.id, scoreFlag: { status: 'PENDING' } });
  await review(studio.admin, flags[1]!.id, { deleted: true });
  expect(await change()).toMatchObject({ id: flags[1]!.id, scoreFlag: null });
  socket.send({ type: 'complete', id: 'live' });
  await reviewRuns(studio.admin, { identityId: cheater, decision: 'FALSE_POSITIVE' });
  follow({ account: studio.accountId, after: first.cursor }, 'again');
  const missed = new Map<string, string>();
  while (missed.size < 3) {
    const { id, scoreFlag } = await change();
    missed.set(id, scoreFlag?.status ?? 'deleted');
  }
  expect(Object.fromEntries(missed)).toEqual({
    [flags[0]!.id]: 'FALSE_POSITIVE',
    [flags[1]!.id]: 'deleted',
    [flags[2]!.id]: 'FALSE_POSITIVE',
  });
  follow({ after: 'nonsense' }, 'faulty');
  expect(JSON.stringify((await told(socket)).payload)).toContain('INVALID_CURSOR');
  await socket.close();
});

test('waiting flags are counted exactly up to a thousand', async () => {
  const own = await makeGame(studio, { antiCheatEnabled: false });
  const there = await makeBoard(studio, own.id, { keepStrategy: 'ALL' });
  const event = await play(studio.admin, there.id, await makePlayer(studio.admin, own.id, 'one'), 5);
  const made = await flag(studio.admin, event, { confidence: 'LOW' });
  const count = async () => {
    const query = 'query ($id: ID!) { pendingFlags(gameId: $id) { count hasMore } }';
    return (await studio.admin.data(query, { id: own.id })).pendingFlags;
  };
  expect(await count()).toEqual({ count: 1, hasMore: false });
  const more = (n: number) =>
    app.database.knex.raw(
      `insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, device_id, is_test, flag_type,
         confidence, status, metadata, compared_events, created_at, updated_at)
       select f.board_id, f.event_seq, gen_random_uuid(), f.event_id, f.account_id, f.game_id, f.identity_id, f.device_id, f.is_test,
         f.flag_type, 'high', 'pending', f.metadata, f.compared_events, f.created_at, f.updated_at
       from score_flags f cross join generate_series(1, ?) where f.id = ?`,
      [n, made.id.slice(4)],
    );
  await more(999);
  expect(await count()).toEqual({ count: 1_000, hasMore: false });
  await more(1);
  expect(await count()).toEqual({ count: 1_000, hasMore: true });
  await review(studio.admin, made.id, { status: 'DISMISSED' });
  expect(await count()).toEqual({ count: 1_000, hasMore: false });
  const low = await studio.admin.data(
    'query ($id: ID!) { scoreFlags(gameId: $id, confidence: LOW) { nodes { id } } }',
    { id: own.id },
  );
  expect(low.scoreFlags.nodes).toEqual([{ id: made.id }]);
});
