import { startApp, type TestApp } from '../support/app.js';
import { entriesOf, flag, makePlayer, play, review, reviewFault } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio, unique } from '../support/make.js';
import { standings } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';

let app: TestApp;
let studio: Studio;
let rest: Caller;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  rest = studio.admin;
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

const player = () => makePlayer(studio.admin, game.id, `player ${unique()}`);
const tierOf = async (id: string) => {
  const { identity } = await studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { trustTier trustTierReason } }',
    { id },
  );
  return identity;
};
/** Audit entries about a record, oldest first. */
const trailOf = async (subjectId: string): Promise<Data[]> => {
  const { auditEntries } = await studio.admin.data(
    `query ($subjectId: ID!) { auditEntries(filter: {subjectId: $subjectId}, orderBy: {field: CREATED_AT}) {
      nodes { action userId before after reason gameId user { id } } } }`,
    { subjectId },
  );
  return auditEntries.nodes;
};

test('a manual flag puts a submission under review; decisions exclude or include it, and undo each other exactly', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const [cheat, rival] = [await player(), await player()];
  await play(studio.admin, board.id, cheat, 5, {
    playerName: 'Slow',
    valueDisplay: 'five',
    metadata: { run: 1 },
  });
  await play(studio.admin, board.id, rival, 7, { playerName: 'Rival' });
  const best = await play(studio.admin, board.id, cheat, 9, { playerName: 'Fast' });
  const before = await boardText(app.database, board.id);
  app.clock.advance(1_000);

  const raised = await flag(studio.admin, best, { metadata: { seen: 'on stream' } });
  expect(raised).toMatchObject({
    scoreEventId: best,
    flagType: 'MANUAL',
    confidence: 'HIGH',
    status: 'PENDING',
    metadata: { seen: 'on stream' },
    identityId: cheat,
    boardId: board.id,
    reviewedAt: null,
    reviewerId: null,
  });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['9 under_review']);
  expect(await standings(studio.admin, board.id)).toEqual(['1 Fast 9', '2 Rival 7']);

  app.clock.advance(1_000);
  const confirmed = await review(studio.admin, raised.id, {
    status: 'CONFIRMED_CHEAT',
    reviewerDecision: 'A speed hack',
  });
  expect(confirmed).toMatchObject({
    status: 'CONFIRMED_CHEAT',
    reviewerDecision: 'A speed hack',
    reviewerId: studio.userId,
    reviewedAt: new Date(app.clock.now()).toISOString(),
  });
  // The run that was kept before, whole; the name is the player's present one.
  expect(await standings(studio.admin, board.id)).toEqual(['1 Rival 7', '2 Fast 5']);
  const { scores } = await studio.admin
    .data(
      `query ($id: ID!, $identity: ID!) { board(by: { id: $id }) { scores(filter: {identityId: $identity}) { nodes {
        valueDisplay metadata status } } } }`,
      { id: board.id, identity: cheat },
    )
    .then(({ board: shown }) => shown);
  expect(scores.nodes).toEqual([{ valueDisplay: 'five', metadata: { run: 1 }, status: 'ACTIVE' }]);
  expect(await tierOf(cheat)).toEqual({
    trustTier: 'C',
    trustTierReason: `Confirmed cheating: flag ${raised.id} (manual) on board ${board.id}`,
  });
  expect(await tierOf(rival)).toEqual({ trustTier: null, trustTierReason: null });

  app.clock.advance(1_000);
  await review(studio.admin, raised.id, { status: 'FALSE_POSITIVE' });
  expect(await boardText(app.database, board.id)).toEqual(before);
  expect(await tierOf(cheat)).toEqual({ trustTier: null, trustTierReason: null });
  await review(studio.admin, raised.id, { status: 'PENDING' });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['9 under_review']);
  await review(studio.admin, raised.id, { status: 'DISMISSED' });
  expect(await boardText(app.database, board.id)).toEqual(before);
  await expectSound(app.database, board.id);

  expect((await trailOf(raised.id)).map(({ action, after }) => [action, after?.status])).toEqual([
    ['FLAG_ADDED', undefined],
    ['FLAG_REVIEWED', 'confirmed_cheat'],
    ['FLAG_REVIEWED', 'false_positive'],
    ['FLAG_REVIEWED', 'pending'],
    ['FLAG_REVIEWED', 'dismissed'],
  ]);
  const [, decided] = await trailOf(raised.id);
  expect(decided).toMatchObject({
    userId: studio.userId,
    user: { id: studio.userId },
    gameId: game.id,
    before: { status: 'pending' },
    reason: 'A speed hack',
  });
  expect((await trailOf(cheat)).map(({ action, before: was, after: is }) => [action, was, is])).toEqual([
    ['TRUST_TIER_CHANGED', { trustTier: null }, { trustTier: 'c' }],
    ['TRUST_TIER_CHANGED', { trustTier: 'c' }, { trustTier: null }],
  ]);
});

test('a score without a valid run is hidden from lists, readable by id, and comes back', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'LAST' });
  const cheat = await player();
  const only = await play(studio.admin, board.id, cheat, 5);
  const { id } = await flag(studio.admin, only);
  await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  expect(await standings(studio.admin, board.id)).toEqual([]);
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 rejected']);
  const { status, body } = await rest.get(`/v1/scores/scr_${only.slice(4)}`);
  expect([status, body.status, body.rank]).toEqual([200, 'rejected', 1]);
  // A new run stands by itself.
  await play(studio.admin, board.id, cheat, 2);
  expect(await standings(studio.admin, board.id)).toEqual(['1 P 2']);
  await review(studio.admin, id, { status: 'DISMISSED' });
  expect(await standings(studio.admin, board.id)).toEqual(['1 P 2']);
  await expectSound(app.database, board.id);
});

test('a submission with several flags is under review while one is pending and excluded while one is confirmed', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const cheat = await player();
  const run = await play(studio.admin, board.id, cheat, 5);
  const [first, second] = [
    await flag(studio.admin, run),
    await flag(studio.admin, run, { confidence: 'LOW' }),
  ];
  await review(studio.admin, first.id, { status: 'FALSE_POSITIVE' });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 under_review']);
  await review(studio.admin, second.id, { status: 'CONFIRMED_CHEAT' });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 rejected']);
  await review(studio.admin, first.id, { status: 'CONFIRMED_CHEAT' });
  await review(studio.admin, second.id, { status: 'DISMISSED' });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 rejected']);
  expect((await tierOf(cheat)).trustTierReason).toContain(first.id);
  // A deleted flag says nothing any more, a restored one says what it said.
  await review(studio.admin, first.id, { deleted: true });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 active']);
  expect(await tierOf(cheat)).toEqual({ trustTier: null, trustTierReason: null });
  expect(await reviewFault(studio.admin, first.id, { status: 'PENDING' })).toBe('NOT_FOUND');
  expect((await rest.get(`/v1/score-flags/${first.id}`)).status).toBe(404);
  await studio.admin.data('mutation ($id: ID!) { restore(input: { id: $id }) { node { id } } }', {
    id: first.id,
  });
  expect(await entriesOf(app, board.id, cheat)).toEqual(['5 rejected']);
  expect((await tierOf(cheat)).trustTier).toBe('C');
  expect((await trailOf(first.id)).map(({ action }) => action)).toEqual([
    'FLAG_ADDED',
    'FLAG_REVIEWED',
    'FLAG_REVIEWED',
    'FLAG_DELETED',
    'FLAG_RESTORED',
  ]);
  await expectSound(app.database, board.id);
});

test('counters lose and regain single deltas, and ratio boards follow with the answer', async () => {
  const [kills, deaths] = [
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
  ];
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: kills.id, denominatorBoardId: deaths.id },
  });
  const cheat = await player();
  await play(studio.admin, kills.id, cheat, 4);
  const odd = await play(studio.admin, kills.id, cheat, 1_000);
  await play(studio.admin, kills.id, cheat, 2);
  await play(studio.admin, deaths.id, cheat, 2);
  const { id } = await flag(studio.admin, odd);
  // A later delta does not hide that the sum is in question.
  await play(studio.admin, kills.id, cheat, 1);
  expect(await entriesOf(app, kills.id, cheat)).toEqual(['1007 under_review']);
  await expectSound(app.database, kills.id);
  const { board } = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { scores { nodes { flags { id } } } } }',
    { id: kills.id },
  );
  expect(board.scores.nodes).toEqual([{ flags: [{ id }] }]);
  await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  expect(await entriesOf(app, kills.id, cheat)).toEqual(['7 active']);
  expect(await entriesOf(app, ratio.id, cheat)).toEqual(['3.5 active']);
  await review(studio.admin, id, { status: 'FALSE_POSITIVE' });
  expect(await entriesOf(app, ratio.id, cheat)).toEqual(['503.5 active']);
});

test('a review is refused when a sum without the run would leave the range of numbers', async () => {
  const board = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const rich = await player();
  await play(studio.admin, board.id, rich, 1.7e308);
  const minus = await play(studio.admin, board.id, rich, -1.7e308);
  await play(studio.admin, board.id, rich, 1.7e308);
  const { id } = await flag(studio.admin, minus);
  const before = await boardText(app.database, board.id);
  expect(await reviewFault(studio.admin, id, { status: 'CONFIRMED_CHEAT' })).toBe('BAD_REQUEST');
  expect(await boardText(app.database, board.id)).toEqual(before);
  expect((await rest.get(`/v1/score-flags/${id}`)).body.status).toBe('pending');
});

test('an administrator’s tier holds until the next confirmed flag, and comes back with its undoing', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const cheat = await player();
  await change(studio.admin, 'Identity', cheat, { trustTier: 'A' });
  app.clock.advance(1_000);
  const runs = [await play(studio.admin, board.id, cheat, 1), await play(studio.admin, board.id, cheat, 2)];
  const [first, second] = await Promise.all(runs.map((run) => flag(studio.admin, run)));
  await review(studio.admin, first!.id, { status: 'CONFIRMED_CHEAT' });
  expect((await tierOf(cheat)).trustTier).toBe('C');
  app.clock.advance(1_000);
  await change(studio.admin, 'Identity', cheat, { trustTier: 'B' });
  expect(await tierOf(cheat)).toEqual({ trustTier: 'B', trustTierReason: null });
  app.clock.advance(1_000);
  await review(studio.admin, second!.id, { status: 'CONFIRMED_CHEAT' });
  expect((await tierOf(cheat)).trustTierReason).toContain(second!.id);
  await review(studio.admin, second!.id, { status: 'FALSE_POSITIVE' });
  expect(await tierOf(cheat)).toEqual({ trustTier: 'B', trustTierReason: null });
});
