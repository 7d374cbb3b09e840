import { startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play, review, reviewRuns } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

const REVIEWS = `subscription ($account: ID, $game: ID, $after: String) {
  scoreFlagReviewed(accountId: $account, gameId: $game, after: $after) {
    scoreFlagId cursor scoreFlag { status reviewerDecision reviewer { id } } } }`;

test('two reviewers see the decisions of each other, also after they were away', async () => {
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const follow = (variables: Data, name: string) =>
    socket.send({ type: 'subscribe', id: name, payload: { query: REVIEWS, variables } });
  const change = async () => (await socket.nextMessage()).payload.data.scoreFlagReviewed;
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
    scoreFlagId: flags[0]!.id,
    cursor: expect.any(String),
    scoreFlag: { status: 'CONFIRMED_CHEAT', reviewerDecision: 'Aimbot', reviewer: { id: studio.userId } },
  });
  await review(studio.admin, flags[0]!.id, { status: 'PENDING' });
  expect(await change()).toMatchObject({ scoreFlagId: flags[0]!.id, scoreFlag: { status: 'PENDING' } });
  await review(studio.admin, flags[1]!.id, { deleted: true });
  expect(await change()).toMatchObject({ scoreFlagId: flags[1]!.id, scoreFlag: null });
  socket.send({ type: 'complete', id: 'live' });
  await reviewRuns(studio.admin, { identityId: cheater, decision: 'FALSE_POSITIVE' });
  follow({ account: studio.accountId, after: first.cursor }, 'again');
  const missed = new Map<string, string>();
  while (missed.size < 3) {
    const { scoreFlagId, scoreFlag } = await change();
    missed.set(scoreFlagId, scoreFlag?.status ?? 'deleted');
  }
  expect(Object.fromEntries(missed)).toEqual({
    [flags[0]!.id]: 'FALSE_POSITIVE',
    [flags[1]!.id]: 'deleted',
    [flags[2]!.id]: 'FALSE_POSITIVE',
  });
  socket.send({ type: 'complete', id: 'again' });
  // Of another database, which the account has left: its numbers may be greater.
  const id = Buffer.from(first.cursor, 'base64url').toString().split(':')[1];
  const former = Buffer.from(`${2n ** 40n}:${id}`).toString('base64url');
  follow({ game: own.id, after: former }, 'moved');
  const all = new Set<string>();
  while (all.size < 3) all.add((await change()).scoreFlagId);
  follow({ after: 'nonsense' }, 'faulty');
  expect(JSON.stringify((await socket.nextMessage()).payload)).toContain('INVALID_CURSOR');
  await socket.close();
});

test('waiting flags are counted exactly up to a thousand', async () => {
  const own = await makeGame(studio, { antiCheatEnabled: false });
  const there = await makeBoard(studio, own.id, { keepStrategy: 'ALL' });
  const event = await play(studio.admin, there.id, await makePlayer(studio.admin, own.id, 'one'), 5);
  const made = await flag(studio.admin, event, { confidence: 'LOW' });
  const count = async () => {
    const query =
      'query ($id: ID!) { scoreFlags(filter: {gameId: $id, status: PENDING}) { totalCount { value isExact } } }';
    return (await studio.admin.data(query, { id: own.id })).scoreFlags.totalCount;
  };
  expect(await count()).toEqual({ value: 1, isExact: true });
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
  expect(await count()).toEqual({ value: 1_000, isExact: true });
  await more(1);
  expect(await count()).toEqual({ value: 1_000, isExact: false });
  await review(studio.admin, made.id, { status: 'DISMISSED' });
  expect(await count()).toEqual({ value: 1_000, isExact: true });
  const low = await studio.admin.data(
    'query ($id: ID!) { scoreFlags(filter: {gameId: $id, confidence: LOW}) { nodes { id } } }',
    { id: own.id },
  );
  expect(low.scoreFlags.nodes).toEqual([{ id: made.id }]);
});
