import { startApp, type TestApp } from '../support/app.js';
import { entriesOf, flag, makePlayer, play, review, reviewRuns, undo } from '../support/flags.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { standings, submit, submitFault } from '../support/play.js';
import { boardText, expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

interface ReviewGround {
  game: Data;
  boards: Data[];
  ratio: Data;
  cheat: string;
  rivals: string[];
}

/** A game with boards of every kind, one of them over, on which a cheater and two rivals have played. */
async function makeReviewGround(app: TestApp, studio: Studio): Promise<ReviewGround> {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const boards = [
    await makeBoard(studio, game.id, { keepStrategy: 'BEST' }),
    await makeBoard(studio, game.id, { keepStrategy: 'ALL' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { keepStrategy: 'FIRST', sortDirection: 'ASC' }),
  ];
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: boards[2]!.id, denominatorBoardId: boards[3]!.id },
  });
  const players = [];
  for (const name of ['cheat', 'ann', 'bob']) {
    players.push(await makePlayer(studio.admin, game.id, `${name} ${unique()}`));
  }
  const [cheat, ...rivals] = players as [string, string, string];
  const fill = async (board: Data) => {
    for (const [i, player] of [cheat, ...rivals].entries()) {
      for (const value of [30 - i, 60 - 2 * i]) await play(studio.admin, board.id, player, value);
    }
  };
  await Promise.all(boards.map(fill));
  await change(studio.admin, 'Board', boards[4]!.id, { isActive: false });
  app.clock.advance(1_000);
  const follows = () =>
    app.database
      .knex('board_rankings as r')
      .where('r.board_id', ratio.id.slice(4))
      .whereRaw(
        `numerator_seq = (select n.seq from board_rankings n where n.board_id = ?)
         and denominator_seq = (select d.seq from board_rankings d where d.board_id = ?)`,
        [boards[2]!.id.slice(4), boards[3]!.id.slice(4)],
      )
      .first();
  await until(async () => (await follows()) !== undefined);
  return { game, boards, ratio, cheat, rivals };
}

/** All that its boards show. */
function textsOf({ database }: TestApp, { boards, ratio }: ReviewGround): Promise<string[][]> {
  return Promise.all([...boards, ratio].map(({ id }) => boardText(database, id)));
}

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

async function settled(ground: ReviewGround): Promise<void> {
  for (const { id } of [...ground.boards, ground.ratio]) await expectSound(app.database, id);
}

test('all runs of a player are confirmed on all boards at once, past ones too, and undone exactly', async () => {
  const ground = await makeReviewGround(app, studio);
  const { cheat, rivals, boards, ratio } = ground;
  const [best, runs, counter] = boards as [Data, Data, Data];
  const before = await textsOf(app, ground);

  const asked = { identityId: cheat, decision: 'CONFIRMED_CHEAT', reason: 'A bot' };
  const dry = await reviewRuns(studio.admin, { ...asked, dryRun: true });
  expect(dry.review).toBeNull();
  expect(await textsOf(app, ground)).toEqual(before);
  expect(await app.database.knex('score_flags').where('identity_id', cheat.slice(4))).toEqual([]);
  const previewed = new Map<string, Data>(dry.boards.map((board: Data) => [board.boardId, board]));
  expect([...previewed.keys()].toSorted()).toEqual([...boards, ratio].map(({ id }) => id).toSorted());
  // The cheater leaves rank 1; both others move up.
  expect(previewed.get(best.id)).toMatchObject({ runs: 2, moved: 3, failure: null });
  expect(
    previewed
      .get(best.id)
      .podium.map(({ before: was, after: is, moves }: Data) => [was?.value, is?.value, moves]),
  ).toEqual([
    [60, 58, true],
    [58, 56, true],
    [56, undefined, true],
  ]);
  // Runs 60 58 56 30 29 28: the first and the fourth go, everybody behind the first moves.
  expect(previewed.get(runs.id)).toMatchObject({ runs: 2, moved: 6 });
  expect(previewed.get(ratio.id)).toMatchObject({ runs: 0, moved: 3 });

  const { review: done, boards: changed } = await reviewRuns(studio.admin, asked);
  expect(done.status).toBe('APPLIED');
  const own = (list: Data[]) => list.filter(({ boardId }) => boardId !== ratio.id);
  expect(own(changed)).toEqual(own(dry.boards));
  for (const board of [...boards, ratio])
    expect(await standings(studio.admin, board.id)).toHaveLength(board === runs ? 4 : 2);
  expect(await entriesOf(app, best.id, cheat)).toEqual(['60 rejected']);
  expect(await entriesOf(app, counter.id, cheat)).toEqual(['90 rejected']);
  const { identity } = await studio.admin.data(
    `query ($id: ID!) { identity(id: $id) { trustTier scoreFlags { nodes { flagType status reviewerDecision reviewerId } } } }`,
    { id: cheat },
  );
  expect(identity.trustTier).toBe('C');
  expect(identity.scoreFlags.nodes).toHaveLength(10);
  expect(new Set(identity.scoreFlags.nodes.map((node: Data) => JSON.stringify(node)))).toEqual(
    new Set([
      JSON.stringify({
        flagType: 'MANUAL',
        status: 'CONFIRMED_CHEAT',
        reviewerDecision: 'A bot',
        reviewerId: studio.userId,
      }),
    ]),
  );
  await settled(ground);
  expect(await entriesOf(app, best.id, rivals[0]!)).toEqual(['58 active']);

  const undone = await undo(studio.admin, done.id);
  expect(undone).toMatchObject({ status: 'UNDONE', undoneById: studio.userId });
  expect(undone.boards.every((board: Data) => board.undone)).toBe(true);
  expect(await textsOf(app, ground)).toEqual(before);
  await settled(ground);
  const after = await studio.admin.data(
    `query ($id: ID!) { identity(id: $id) { trustTier scoreFlags { nodes { id } } } }`,
    { id: cheat },
  );
  expect(after.identity).toEqual({ trustTier: null, scoreFlags: { nodes: [] } });
  // Once more: nothing.
  expect(await undo(studio.admin, done.id)).toMatchObject({ status: 'UNDONE' });
  const rest = studio.admin;
  expect((await rest.patch(`/v1/identity-reviews/${done.id}`, { undone: false })).body.code).toBe(
    'INVALID_TRANSITION',
  );
  const { auditEntries } = await studio.admin.data(
    `query ($id: ID!) { auditEntries(filter: {subjectId: $id}, orderBy: {field: CREATED_AT}) { nodes { action userId after reason } } }`,
    { id: done.id },
  );
  expect(auditEntries.nodes).toMatchObject([
    {
      action: 'RUNS_REVIEWED',
      userId: studio.userId,
      reason: 'A bot',
      after: { identityId: cheat, decision: 'confirmed_cheat' },
    },
    { action: 'RUNS_REVIEW_UNDONE', userId: studio.userId },
  ]);
});

test('a decision by hand meanwhile stays; reviews can be undone in any order', async () => {
  const { boards, cheat } = await makeReviewGround(app, studio);
  const [best, runs] = boards as [Data, Data];
  const { scoreEvents } = await studio.admin.data(
    'query ($id: ID!, $who: ID!) { scoreEvents(filter: {boardId: $id, identityId: $who}, orderBy: {field: CREATED_AT}) { nodes { id } } }',
    { id: runs.id, who: cheat },
  );
  const [slow] = scoreEvents.nodes;
  const raised = await flag(studio.admin, slow.id);
  const first = await reviewRuns(studio.admin, { identityId: cheat, decision: 'CONFIRMED_CHEAT' });
  const second = await reviewRuns(studio.admin, {
    identityId: cheat,
    decision: 'DISMISSED',
    reason: 'Mistaken',
  });
  expect(await entriesOf(app, best.id, cheat)).toEqual(['60 active']);
  expect(await entriesOf(app, runs.id, cheat)).toEqual(['30 active', '60 active']);
  // The first one is taken back below the second one.
  await undo(studio.admin, first.review.id);
  expect(await entriesOf(app, runs.id, cheat)).toEqual(['30 active', '60 active']);
  const third = await reviewRuns(studio.admin, { identityId: cheat, decision: 'CONFIRMED_CHEAT' });
  app.clock.advance(1_000);
  await review(studio.admin, raised.id, { status: 'FALSE_POSITIVE' });
  await undo(studio.admin, second.review.id);
  expect(await entriesOf(app, runs.id, cheat)).toEqual(['30 active', '60 rejected']);
  await undo(studio.admin, third.review.id);
  expect(await entriesOf(app, runs.id, cheat)).toEqual(['30 active', '60 active']);
  const { scoreFlag } = await studio.admin.data(
    'query ($id: ID!) { scoreFlag(id: $id) { status reviewerDecision } }',
    {
      id: raised.id,
    },
  );
  expect(scoreFlag).toEqual({ status: 'FALSE_POSITIVE', reviewerDecision: null });
  for (const board of boards) await expectSound(app.database, board.id);
});

test('a review can be limited to the runs of a device since a moment; its ban ends with the review', async () => {
  const game = await makeGame(studio, { antiCheatEnabled: false });
  const board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const device = await startSession(app, game.id);
  const { identityId } = device.session;
  await submit(device, board.id, 1);
  app.clock.advance(10_000);
  const since = new Date(app.clock.now()).toISOString();
  await submit(device, board.id, 2);
  await play(studio.admin, board.id, identityId, 3);
  app.clock.advance(10_000);
  const input = { deviceId: device.session.deviceId, since, decision: 'CONFIRMED_CHEAT', banDevices: true };
  const dry = await reviewRuns(studio.admin, { ...input, dryRun: true });
  expect(dry.bannedDevices).toEqual([{ id: device.session.deviceId }]);
  expect(dry.boards).toMatchObject([{ runs: 1, moved: 2 }]);
  expect(await submitFault(device, board.id, 4, { nonce: null })).toBe('NONCE_REQUIRED');
  const { review: done } = await reviewRuns(studio.admin, input);
  // The run of before, and the one that the game server brought, are not the device's since then.
  expect(await entriesOf(app, board.id, identityId)).toEqual(['1 active', '2 rejected', '3 active']);
  const banned = async () =>
    (await submitFault(device, board.id, 4).catch(() => 'fine')) === 'DEVICE_BLOCKED';
  const status = async () =>
    (
      await studio.admin.data('query ($id: ID!) { device(id: $id) { status } }', {
        id: device.session.deviceId,
      })
    ).device.status;
  expect(await status()).toBe('BANNED');
  // A second review keeps it banned until both are undone.
  const again = await reviewRuns(studio.admin, { identityId, decision: 'CONFIRMED_CHEAT', banDevices: true });
  expect(again.bannedDevices).toEqual([]);
  await undo(studio.admin, done.id);
  expect(await status()).toBe('BANNED');
  await undo(studio.admin, again.review.id);
  expect(await status()).toBe('ACTIVE');
  expect(await banned()).toBe(false);
  // A player banned by an administrator stays banned.
  const third = await reviewRuns(studio.admin, { identityId, decision: 'CONFIRMED_CHEAT', banDevices: true });
  await change(studio.admin, 'Device', device.session.deviceId, { status: 'SUSPENDED' });
  await undo(studio.admin, third.review.id);
  expect(await status()).toBe('SUSPENDED');
  const { auditEntries } = await studio.admin.data(
    `query ($id: ID!) { auditEntries(filter: {subjectId: $id, action: DEVICE_STATUS_CHANGED},
      orderBy: {field: CREATED_AT}) { nodes { before after } } }`,
    { id: device.session.deviceId },
  );
  expect(auditEntries.nodes.map(({ before, after }: Data) => `${before.status} ${after.status}`)).toEqual([
    'active banned',
    'banned active',
    'active banned',
    'banned suspended',
  ]);
});

test('a review that a process left behind is finished by another, each board once', async () => {
  const ground = await makeReviewGround(app, studio);
  const { knex } = app.database;
  const { review: done } = await reviewRuns(studio.admin, {
    identityId: ground.cheat,
    decision: 'CONFIRMED_CHEAT',
  });
  const after = await textsOf(app, ground);
  await undo(studio.admin, done.id);
  // As a process leaves it that was killed after the second board.
  const { review: cut } = await reviewRuns(studio.admin, {
    identityId: ground.cheat,
    decision: 'CONFIRMED_CHEAT',
  });
  const id = cut.id.slice(4);
  const rows: Data[] = await knex('identity_review_boards').where('review_id', id).orderBy('board_id');
  await undo(studio.admin, cut.id);
  await knex('identity_review_boards').where('review_id', id).delete();
  await knex('identity_reviews')
    .where('id', id)
    .update({ status: 'applying', leased_until: new Date(app.clock.now() + 1) });
  expect(await app.app.reviews.reconcileDue()).toBe(0);
  app.clock.advance(60_000);
  expect(await app.app.reviews.reconcileDue()).toBe(1);
  expect(await textsOf(app, ground)).toEqual(after);
  const again: Data[] = await knex('identity_review_boards').where('review_id', id).orderBy('board_id');
  expect(again.map(({ runs, moved }) => [runs, moved])).toEqual(rows.map(({ runs, moved }) => [runs, moved]));
  // Two at once: nothing is done twice.
  await knex('identity_reviews').where('id', id).update({ status: 'applying' });
  const flags = async () =>
    (await knex('flag_reviews').where({ identity_review_id: id, undone: false })).length;
  const decided = await flags();
  await Promise.all([app.app.reviews.reconcile(cut.id), app.app.reviews.reconcile(cut.id)]);
  expect(await flags()).toBe(decided);
  await undo(studio.admin, cut.id);
  await settled(ground);
});
