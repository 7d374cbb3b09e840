import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { crowdPlays, makeCrowd } from '../support/crowd.js';
import type { Data } from '../support/http.js';
import { KillableService } from '../support/killable.js';
import { derivedText, ratioModel } from '../support/ratio.js';
import { expectSound } from '../support/standings.js';
import { expectExactViews } from '../support/views.js';
import { until } from '../support/wait.js';
import { submissionOf } from '../support/world.js';

// Each start takes seconds.

/** So many that every phase takes several steps. */
const PLAYERS = 6_500;

const service = new KillableService();
let accountId: string;
let gameId: string;
let crowd: string[];
/** A board that keeps the best of two runs of each. */
let id: string;

beforeAll(async () => {
  ({ accountId, gameId } = await service.game());
  crowd = await makeCrowd(service.database, accountId, gameId, PLAYERS);
  ({ id } = await board({ keep_strategy: 'best' }));
  await crowdPlays(service.database, id, crowd, 2);
});

const board = (more: Data) =>
  service.created('/v1/boards', { account_id: accountId, game_id: gameId, name: 'Board', ...more });
const build = async (id: string): Promise<Data | null> =>
  (await service.database.knex('board_rankings').where('board_id', uuidOf(id)).first('build')).build;

const CHANGE = `mutation ($id: ID!) {
  updateBoard(input: { id: $id, sortDirection: ASC, keepStrategy: LAST }) { board { sortDirection keepStrategy } }
}`;
const CHANGE_VIEWS = `mutation ($id: ID!, $views: [BoardViewInput!]) {
  updateBoard(input: { id: $id, views: $views }) { board { id } } }`;
const NIL = '00000000-0000-0000-0000-000000000000';
/** Within a phase: some players are done, others are not. */
const amid = (id: string, phase: string) => async () => {
  const present = await build(id);
  return present?.phase === phase && present.after !== NIL;
};

/** Kills the service within each of these phases, starts it anew each time, then lets it finish. */
async function killWithin(id: string, phases: string[]): Promise<void> {
  for (const phase of phases) {
    await service.killWhen(amid(id, phase));
    expect((await build(id))?.phase).toBe(phase);
    await service.start();
  }
  await until(async () => (await build(id)) === null);
}

test('a kill during the build of a view hides the view until it is complete', async () => {
  const { database } = service;
  const done = async () =>
    (await database.knex('board_views').where('board_id', uuidOf(id)).first('build'))?.build?.done ?? 0;
  const list = `/v1/scores?account_id=${accountId}&board_id=${id}&view=yearly`;
  const views = [{ name: 'yearly', period: 'YEAR' }];
  await service.admin.data(CHANGE_VIEWS, { id, views });
  let before = 0;
  // The build waits for its row while it is locked here, so it can't be through when the service dies.
  const held = async () => {
    for (;;) {
      const lock = await database.knex.transaction();
      const row = await lock('board_views').where('board_id', uuidOf(id)).forUpdate().first('build');
      if ((row?.build?.done ?? 0) > before) return lock;
      await lock.rollback();
    }
  };
  for (const _ of ['once', 'again']) {
    const lock = await held();
    await service.killWhen(async () => true);
    await lock.rollback();
    before = await done();
    expect(before).toBeLessThan(PLAYERS);
    await service.start();
    expect((await service.admin.get(list)).status).toBe(503);
    // Submissions meanwhile count.
    const event = { board_id: id, identity_id: `ide_${crowd[before]}`, value: 1_000 + before };
    expect((await service.admin.post('/v1/score-events', event)).status).toBe(201);
  }
  await until(async () => (await service.admin.get(list)).status === 200);
  const { data } = (await service.admin.get(`${list}&limit=3`)).body;
  expect(data.map(({ value }: Data) => value)).toEqual([1_000 + before, expect.any(Number), 49]);
  expect(await verifyBoard(database, id)).toEqual([]);
});

test('a kill during a new ranking keeps the old order until the new one is complete', async () => {
  const { database } = service;
  const list = `/v1/scores?account_id=${accountId}&board_id=${id}`;
  const top = async () => (await service.admin.get(`${list}&limit=1`)).body.data[0].value;
  const before = await top();
  const { updateBoard } = await service.admin.data(CHANGE, { id });
  expect(updateBoard.board).toEqual({ sortDirection: 'ASC', keepStrategy: 'LAST' });
  expect(await top()).toBe(before);
  // Explicit orders are those of the values that are shown, before and after.
  const ascending = await service.admin.get(`${list}&limit=1&sort=value:asc`);
  expect(ascending.body.data[0].rank).toBe(PLAYERS);
  // Submissions meanwhile count.
  const event = { board_id: id, identity_id: `ide_${crowd[7]}`, value: -5 };
  expect((await service.admin.post('/v1/score-events', event)).status).toBe(201);
  await killWithin(id, ['entries', 'states']);

  const { rows } = await database.knex.raw(
    `with last as (select distinct on (identity_id) identity_id, amount, seq from score_events where board_id = :id
      order by identity_id, seq desc)
     select count(*) as entries, count(*) filter (where e.value = l.amount and e.rank_key = l.amount) as right
     from last l left join board_rankings b on b.board_id = :id
     left join entries e on e.board_id = :id and e.generation = b.generation and e.slot = l.identity_id and not e.is_test`,
    { id: uuidOf(id) },
  );
  expect(rows[0]).toEqual({ entries: PLAYERS, right: PLAYERS });
  expect(await top()).toBe(-5);
  expect(await verifyBoard(database, id)).toEqual([]);
  await until(async () => (await database.knex('generations_due')).length === 0);
  // Those of the board and of its view.
  const { count } = (await database.knex('entries').where('board_id', uuidOf(id)).count().first()) as Data;
  expect(count).toBe(2 * PLAYERS);
});

const REORDER = `mutation ($id: ID!, $sortDirection: SortDirection!, $keepStrategy: KeepStrategy!) {
  updateBoard(input: { id: $id, sortDirection: $sortDirection, keepStrategy: $keepStrategy }) { board { id } } }`;

test('kills while a played board is built, and while writers follow the build, lose and double nothing', async () => {
  const { database } = service;
  const played = await board({ keep_strategy: 'best', views: [{ name: 'yearly', period: 'year' }] });
  await crowdPlays(database, played.id, crowd, 1);
  // Writers of another process, which no kill ends: thousands of events wait for the build when it is followed.
  const options = { batch: 20, queue: 1_000, writers: 2 };
  const pipeline = new SubmissionPipeline(database, Date.now, makeLog('fatal'), () => undefined, options);
  let isOver = false;
  let accepted = 0;
  const play = async (first: number) => {
    for (let n = first; !isOver; n += 8) {
      const player = `ide_${crowd[(n * 7) % PLAYERS]}`;
      const submission = { amount: (n * 31) % 90, isTest: false };
      await pipeline.submit(submissionOf({ accountId, gameId }, played.id, player, submission));
      accepted += 1;
    }
  };
  const players = Array.from({ length: 8 }, (_, n) => play(n));
  const phase = async () => (await build(played.id))?.phase;
  const caught: string[] = [];
  for (const [round, wish] of ['entries', 'follow', 'states', 'tree', 'follow', 'follow'].entries()) {
    // Rules change every second time: the others go on with the build that a kill has left.
    const rules = [
      { sortDirection: 'ASC', keepStrategy: 'LAST' },
      { sortDirection: 'DESC', keepStrategy: 'BEST' },
    ];
    if (round % 2 === 0) await service.admin.data(REORDER, { id: played.id, ...rules[(round / 2) % 2] });
    // A phase may be over before it is seen: then the kill comes at another moment.
    await service.killWhen(async () => [wish, undefined].includes(await phase()));
    caught.push((await phase()) ?? 'none');
    await service.start();
  }
  expect(caught).toContain('follow');
  await until(async () => (await phase()) === undefined);
  isOver = true;
  await Promise.all(players);
  const events = database.knex('score_events').where('board_id', uuidOf(played.id));
  expect((await events.count().first())!.count).toBe(PLAYERS + accepted);
  expect(accepted).toBeGreaterThan(1_000);
  await expectSound(database, played.id);
  expect(await expectExactViews(database, played.id)).toBeGreaterThan(0);
});

test('a kill during the first ranking of a ratio board leaves it empty until it is complete', async () => {
  const { database } = service;
  const numerator = await board({ board_type: 'counter' });
  const denominator = await board({ board_type: 'counter' });
  await crowdPlays(database, numerator.id, crowd, 1);
  await crowdPlays(database, denominator.id, crowd, 1);
  const ratio = await board({
    board_type: 'ratio',
    ratio_config: {
      numerator_board_id: numerator.id,
      denominator_board_id: denominator.id,
      zero_denominator_policy: 'zero',
    },
  });
  expect(await derivedText(database, ratio.id)).toEqual([]);
  const event = { board_id: numerator.id, identity_id: `ide_${crowd[3]}`, value: 1000 };
  expect((await service.admin.post('/v1/score-events', event)).status).toBe(201);
  await killWithin(ratio.id, ['entries', 'states']);
  const behind = async () =>
    (await database.knex('board_rankings').where('board_id', uuidOf(ratio.id)).first()).numerator_seq;
  await until(async () => (await behind()) === PLAYERS + 1);
  const rules = { swapped: false, zero: 'zero', minNumerator: 0, minDenominator: 0, scale: 1 } as const;
  const model = await ratioModel(database, numerator.id, denominator.id, 'desc', {
    ...rules,
    display: 'raw',
    decimals: 2,
  });
  expect(model).toHaveLength(PLAYERS);
  expect(await derivedText(database, ratio.id)).toEqual(model);
  expect(await verifyBoard(database, ratio.id)).toEqual([]);
  await service.expectToStop();
});
