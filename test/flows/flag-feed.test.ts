import { makeApp } from '../../src/app.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { FLAGS, flagFeed } from '../../src/fairplay/flags/feed.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play, review, reviewRuns } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';
import { TestSocket } from '../support/socket.js';
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

const WATCH = `subscription ($account: ID, $game: ID, $after: String) {
  scoreFlagged(accountId: $account, gameId: $game, after: $after) {
    cursor scoreFlagId scoreFlag { id status confidence board { id } scoreEvent { id } identity { id } } } }`;

function watch(socket: TestSocket, variables: Data = {}, name = 'watch'): void {
  socket.send({ type: 'subscribe', id: name, payload: { query: WATCH, variables } });
}

const run = (value = unique()) => play(studio.admin, board.id, player, value);
const idsOf = async (socket: TestSocket, count: number): Promise<string[]> => {
  const ids: string[] = [];
  for (let i = 0; i < count; i += 1) {
    const { type, payload } = await socket.nextMessage();
    if (type !== 'next') throw new Error(JSON.stringify(payload));
    ids.push(payload.data.scoreFlagged.scoreFlagId);
  }
  return ids;
};

test('a list that is followed from its own cursor misses neither a flag nor a decision', async () => {
  const event = await run();
  const [early, late] = [await flag(studio.admin, event), await flag(studio.admin, event)];
  // Written but not committed while the list is read.
  const transaction = await app.database.knex.transaction();
  await transaction('score_flags').where('id', uuidOf(early.id)).update({ status: 'dismissed' });
  const { flaggedPlayers } = await studio.admin.data(
    '{ flaggedPlayers { liveCursor nodes { flags { id } } } }',
  );
  const listed = flaggedPlayers.nodes.flatMap(({ flags }: Data) => flags.map(({ id }: Data) => id));
  expect(listed).toEqual(expect.arrayContaining([early.id, late.id]));
  await transaction.commit();
  await review(studio.admin, late.id, { status: 'DISMISSED' });
  const newest = await flag(studio.admin, event);

  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const { liveCursor: after } = flaggedPlayers;
  const query = 'subscription ($after: String) { scoreFlagReviewed(after: $after) { scoreFlagId } }';
  socket.send({ type: 'subscribe', id: 'reviewed', payload: { query, variables: { after } } });
  const reviewed = [await socket.nextMessage(), await socket.nextMessage()];
  expect(reviewed.map(({ payload }) => payload.data.scoreFlagReviewed.scoreFlagId)).toEqual([
    early.id,
    late.id,
  ]);
  socket.send({ type: 'complete', id: 'reviewed' });
  watch(socket, { after });
  // Flags of the list may come again: older transactions of the server were open when it was read.
  let added: string | undefined;
  while (added !== newest.id) [added] = await idsOf(socket, 1);
  await socket.close();
});

test('the feed sends every new flag of the account in order, with its event', async () => {
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const root = await TestSocket.connect(app.url, app.superadmin.headers);
  const stranger = await makeStudio(app);
  const other = await TestSocket.connect(app.url, stranger.admin.headers);
  const before = await flag(studio.admin, await run());
  for (const listener of [socket, root]) watch(listener, { after: before.id });
  watch(other, { account: studio.accountId }, 'foreign');
  expect(JSON.stringify((await other.nextMessage()).payload)).toContain('FORBIDDEN');
  watch(other, { game: game.id }, 'game');
  expect(JSON.stringify((await other.nextMessage()).payload)).toContain('FORBIDDEN');
  const event = await run();
  const first = await flag(studio.admin, event, { confidence: 'LOW' });
  const frame = await socket.nextMessage();
  const { cursor, scoreFlagId, scoreFlag } = frame.payload.data.scoreFlagged;
  expect(scoreFlagId).toBe(first.id);
  expect(scoreFlag).toEqual({
    id: first.id,
    status: 'PENDING',
    confidence: 'LOW',
    board: { id: board.id },
    scoreEvent: { id: event },
    identity: { id: player },
  });
  const more = [];
  for (let i = 0; i < 60; i += 1) more.push((await flag(studio.admin, event)).id);
  expect(await idsOf(socket, 60)).toEqual(more);
  expect(await idsOf(root, 61)).toEqual([first.id, ...more]);
  // After the position of a message as after its flag.
  watch(root, { after: cursor }, 'cursor');
  expect(await idsOf(root, 60)).toEqual(more);

  // After a given flag: the newest state of each later one, deleted ones left out.
  await review(studio.admin, more[1], { status: 'DISMISSED' });
  await review(studio.admin, more[2], { deleted: true });
  watch(socket, { after: before.id }, 'again');
  const again = [];
  for (let i = 0; i < 3; i += 1) again.push((await socket.nextMessage()).payload.data.scoreFlagged.scoreFlag);
  expect(again.map(({ id, status }) => [id, status])).toEqual([
    [first.id, 'PENDING'],
    [more[0], 'PENDING'],
    [more[1], 'DISMISSED'],
  ]);
  expect(await idsOf(socket, 57)).toEqual(more.slice(3));

  // Without a flag to start after: only flags that are raised from now on, and only the account's own.
  const own = await playOf(stranger);
  // Also while another transaction stays open: flags that were added since it began come with the next poll.
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
  // Committed first, though it began later: it is sent once no earlier one can appear any more.
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
  // A studio of its own: polls mark the accounts that have flags of other tests.
  const own = await makeStudio(app);
  const checked = await makeGame(own);
  const there = await makeBoard(own, checked.id);
  const one = await makePlayer(own.admin, checked.id, 'one');
  const marked = new Set<string>();
  const unlisten = app.app.changes.listen((topic) => marked.add(topic));
  const topics = ['flags', `flags:${own.accountId}`];
  await play(own.admin, there.id, one, 1);
  expect(marked).not.toContain(topics[1]);
  for (const raise of [
    () => play(own.admin, there.id, one, 2),
    () => reviewRuns(own.admin, { identityId: one, decision: 'CONFIRMED_CHEAT' }),
  ]) {
    marked.clear();
    await raise();
    for (const topic of topics) expect(marked).toContain(topic);
  }
  unlisten();
});

test('a revoked key ends the feed, though no flag comes; clients may not follow it', async () => {
  const { createApiKey } = await studio.admin.data(
    'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } key } }',
    { input: { accountId: studio.accountId, userId: studio.userId, name: 'short-lived' } },
  );
  const socket = await TestSocket.connect(app.url, { 'service-api-key': createApiKey.key });
  watch(socket, { after: (await flag(studio.admin, await run())).id });
  await flag(studio.admin, await run());
  expect((await socket.nextMessage()).type).toBe('next');
  await change(studio.admin, 'ApiKey', createApiKey.apiKey.id, { status: 'REVOKED' });
  expect((await socket.closed).code).toBe(4401);
  const visitor = await TestSocket.connect(app.url);
  watch(visitor);
  expect(JSON.stringify((await visitor.nextMessage()).payload)).toContain('API_KEY_REQUIRED');
  watch(visitor, { after: 'nonsense' }, 'bad');
  expect(JSON.stringify((await visitor.nextMessage()).payload)).toContain('API_KEY_REQUIRED');
  await visitor.close();
});
