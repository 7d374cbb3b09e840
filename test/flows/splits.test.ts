import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { SECOND } from '../support/clock.js';
import { flag, review } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { waiting } from '../support/locks.js';
import { change, makeGame, type Player } from '../support/make.js';
import { post } from '../support/play.js';
import { openPage, textOf } from '../support/public-page.js';

const { on, session, board, events } = checkedGame();

const TICKETS = {
  ...{ mode: 'REQUIRED', seed: 'NONE', hours: 24 },
  clock: { minSeconds: 0, maxPerSecond: null, slackSeconds: 3, pauses: false },
};
const TIMES = { sortDirection: 'ASC', format: { kind: 'TIME', decimals: 1 }, tickets: TICKETS };
const INVALID = [
  [],
  [5, 4],
  [-1],
  [1.5],
  [2 ** 31],
  Array.from({ length: 65 }, (_, n) => n),
  ['1'],
  [null],
  1,
] as unknown[];

const ISSUE = `mutation ($input: IssueTicketsInput!) { issueTickets(input: $input) { tickets { ticket } } }`;

async function ticketOf(player: Player, boardId: string): Promise<string> {
  return (await player.client.data(ISSUE, { input: { boardId } })).issueTickets.tickets[0].ticket;
}

/** Plays a run of that many seconds. */
async function play(player: Player, boardId: string, value: number, splits?: number[]) {
  const nonce = await ticketOf(player, boardId);
  on.app.clock.advance(value * SECOND);
  const body = { board_id: boardId, player_name: 'Ann', value, ...(splits && { splits }) };
  return post(player, body, { 'service-client-nonce': nonce });
}

const withNonce = (player: Player, nonce: string) => player.client.with({ 'service-client-nonce': nonce });

const storedSplits = async (boardId: string) => {
  const sql = 'select splits from runs where board_id = $1 order by event_seq';
  return (await on.app.database.pool.query(sql, [uuidOf(boardId)])).rows.map(({ splits }) => splits);
};

test('every door takes splits, alone and in a batch, and stores them with the run', async () => {
  const { id } = await board({ ...TIMES, views: [{ name: 'weekly', period: 'WEEK' }] });
  const player = await session();
  const splits = [1_000, 1_000, 59_000];
  const rest = { board_id: id, player_name: 'Ann', value: 60, splits };
  const graph = { boardId: id, playerName: 'Ann', value: 60, splits };
  const doors = [
    (nonce: string) => post(player, rest, { 'service-client-nonce': nonce }),
    (nonce: string) => withNonce(player, nonce).post('/v1/client/scores?standings=weekly', rest),
    (nonce: string) => player.client.post('/v1/client/scores/batch', { items: [{ ...rest, nonce }] }),
    (nonce: string) =>
      player.client.post('/v1/client/scores/batch?standings=weekly', { items: [{ ...rest, nonce }] }),
    (nonce: string) =>
      player.client.data(
        `mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { kept } } }`,
        {
          input: { ...graph, nonce },
        },
      ),
    (nonce: string) =>
      player.client.data(
        `mutation ($input: SubmitScoresInput!) { submitScores(input: $input) { results { __typename } } }`,
        { input: { items: [{ ...graph, nonce }] } },
      ),
  ];
  for (const door of doors) {
    const nonce = await ticketOf(player, id);
    on.app.clock.advance(60 * SECOND);
    await door(nonce);
  }
  expect(await storedSplits(id)).toEqual(doors.map(() => splits));
});

test('splits that are no ascending times get 422, leave the ticket unused and write nothing', async () => {
  const { id } = await board(TIMES);
  const player = await session();
  const nonce = await ticketOf(player, id);
  const headers = { 'service-client-nonce': nonce };
  on.app.clock.advance(60 * SECOND);
  const body = { board_id: id, player_name: 'Ann', value: 60 };
  for (const splits of INVALID) {
    const refused = await post(player, { ...body, splits }, headers);
    expect([splits, refused.status, refused.body.code]).toEqual([splits, 422, 'VALIDATION_FAILED']);
  }
  expect(await events(id)).toEqual([]);
  const most = [0, ...Array.from({ length: 62 }, (_, n) => n), 2 ** 31 - 1];
  const keyed = { ...headers, 'idempotency-key': 'a' };
  expect((await post(player, { ...body, splits: most }, keyed)).status).toBe(201);
  // They are part of what the key stands for.
  expect((await post(player, { ...body, splits: most }, keyed)).status).toBe(201);
  expect((await post(player, { ...body, splits: [1] }, keyed)).body.code).toBe('CONFLICT');
  expect(await storedSplits(id)).toEqual([most]);
});

test('without a ticket, splits are not stored, and the run counts as before', async () => {
  const { id } = await board({ ...TIMES, tickets: { ...TICKETS, mode: 'ASKED' } });
  const player = await session();
  const body = { board_id: id, player_name: 'Ann', value: 60, splits: [1] };
  const sent = await post(player, body);
  expect(sent.status).toBe(201);
  expect([await storedSplits(id), (await events(id)).length]).toEqual([[], 1]);
});

const OF_BOARD = `query ($by: BoardKey!, $player: ID!) { board(by: $by) {
  bestSplits(identityId: $player) { number atMs segmentMs }
  ranking { entries(first: 5) { nodes { playerName splits } } entry(identityId: $player) { splits } }
  weekly: ranking(view: "weekly") { entry(identityId: $player) { splits } } } }`;
const PUBLIC = OF_BOARD.replace('board(by', 'publicBoard(by');

test('best splits and those of entries: for the studio and its game, for visitors where the board says so', async () => {
  const made = await board({ ...TIMES, views: [{ name: 'weekly', period: 'WEEK' }] });
  const { id } = made;
  const ann = await session();
  const player = ann.session.identityId;
  await play(ann, id, 60, [10_000, 40_000, 60_000]);
  await play(ann, id, 62, [9_000, 45_000]);
  await play(ann, id, 64);
  await play(await session(), id, 70, [20_000, 30_000, 70_000]);
  const best = [
    { number: 1, atMs: 9_000, segmentMs: 9_000 },
    { number: 2, atMs: 40_000, segmentMs: 30_000 },
    { number: 3, atMs: 60_000, segmentMs: 20_000 },
  ];
  const own = [10_000, 40_000, 60_000];
  const all = {
    bestSplits: best,
    ranking: {
      entries: { nodes: [own, [20_000, 30_000, 70_000]].map((splits) => ({ playerName: 'Ann', splits })) },
      entry: { splits: own },
    },
    weekly: { entry: { splits: own } },
  };
  const by = { id };
  for (const caller of [on.studio.admin, ann.client])
    expect((await caller.data(OF_BOARD, { by, player })).board).toEqual(all);
  for (const who of ['me', player]) {
    const { body } = await ann.client.get(`/v1/client/boards/${id}/best-splits?identity_id=${who}`);
    expect(body.best_splits).toEqual(
      best.map(({ number, atMs, segmentMs }) => ({ number, at_ms: atMs, segment_ms: segmentMs })),
    );
  }
  const code = { shortCode: made.shortCode };
  const seen = async () => (await on.app.anyone.data(PUBLIC, { by: code, player })).publicBoard;
  const hidden = { entry: { splits: null } };
  expect(await seen()).toMatchObject({ bestSplits: null, ranking: hidden, weekly: hidden });
  const page = async () => textOf((await openPage(`${on.app.url}/b/${made.shortCode}/p/${player}`)).html);
  expect(await page()).not.toContain('Splits');
  await change(on.studio.admin, 'Board', id, { publicFields: ['SPLITS'] });
  expect(await seen()).toEqual(all);
  expect(await page()).toMatch(
    /Splits Split 1 best 0:09.00, segment 0:09.00 0:10.00 Split 2 best 0:40.00, segment 0:30.00 0:40.00 Split 3/,
  );
  // Another game's client is a visitor of unpublished boards, and sees none.
  await change(on.studio.admin, 'Board', id, { publicFields: [] });
  const stranger = await session((await makeGame(on.studio)).id);
  expect(await stranger.client.data(PUBLIC, { by: code, player })).toMatchObject({
    publicBoard: { bestSplits: null },
  });
});

test('a rejected run has no part in the best splits, and the studio reads its splits in the event', async () => {
  const { id } = await board(TIMES);
  const ann = await session();
  const player = ann.session.identityId;
  await play(ann, id, 60, [30_000]);
  await play(ann, id, 61, [1_000]);
  const { data } = await on.studio.admin.got(on.studio.admin.get(`/v1/score-events?board_id=${id}`));
  expect(data.map(({ run }: Data) => run.splits)).toEqual(expect.arrayContaining([[30_000], [1_000]]));
  const best = async () =>
    (
      await on.studio.admin.data(
        `query ($id: ID!, $player: ID!) { board(by: {id: $id}) {
      bestSplits(identityId: $player) { atMs } } }`,
        { id, player },
      )
    ).board.bestSplits;
  expect(await best()).toEqual([{ atMs: 1_000 }]);
  const rejected = data.find(({ run }: Data) => run.splits[0] === 1_000);
  const { id: flagId } = await flag(on.studio.admin, rejected.id);
  await review(on.studio.admin, flagId, { status: 'CONFIRMED_CHEAT' });
  expect(await best()).toEqual([{ atMs: 30_000 }]);
});

test('a process of the previous release writes runs, which have no splits', async () => {
  const { id } = await board(TIMES);
  const of = `'${uuidOf(id)}'`;
  const { rows } = await on.app.database.pool.query(
    `select write_runs('{}'::board_write[], null, null, null, null, null, null, null, null, null, null, null,
       array[(${of}, 1, gen_random_uuid(), now(), 60000, 0, null, false, 2, 7, '1.4.2', 'slow')::run_write])`,
  );
  expect(rows).toHaveLength(1);
  const stored = await on.app.database.pool.query(`select * from runs where board_id = ${of}`);
  expect(stored.rows).toMatchObject([
    {
      event_seq: 1,
      elapsed_ms: 60_000,
      attempt: 2,
      seed: 7,
      game_version: '1.4.2',
      fault: 'slow',
      splits: null,
    },
  ]);
});

test('best splits cost a read of all runs: once an operation, and visitors of an account one at a time', async () => {
  const made = await board({ ...TIMES, publicFields: ['SPLITS'] });
  const ann = await session();
  const player = ann.session.identityId;
  await play(ann, made.id, 60, [30_000]);
  const by = { shortCode: made.shortCode };
  for (const root of ['board', 'publicBoard']) {
    const twice = `query ($by: BoardKey!, $player: ID!) { ${root}(by: $by) {
      one: bestSplits(identityId: $player) { atMs } two: bestSplits(identityId: $player) { atMs } } }`;
    const key = root === 'board' ? { id: made.id } : by;
    expect(await ann.client.code(twice, { by: key, player })).toBe('BAD_REQUEST');
  }
  const SPLITS =
    'query ($by: BoardKey!, $player: ID!) { publicBoard(by: $by) { bestSplits(identityId: $player) { atMs } } }';
  const visit = () =>
    on.app.anyone.data(SPLITS, { by, player }).then(
      () => 'read',
      (error) => String(error),
    );
  const holder = await on.app.database.pool.connect();
  await holder.query('begin; lock table runs in access exclusive mode');
  const first = visit();
  try {
    await waiting(on.app, 1);
    expect(await visit()).toContain('UNAVAILABLE');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  expect(await first).toBe('read');
  expect(await visit()).toBe('read');
});
