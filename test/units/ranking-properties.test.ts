import 'reflect-metadata';
import fc from 'fast-check';
import { DomainError } from '../../src/base/errors.js';
import { NIL_UUID, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { type Database } from '../../src/db/pool.js';
import { ownRanking } from '../../src/rankings/address.js';
import { eventNumber } from '../../src/rankings/order.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { scoreReads } from '../../src/scores/loaders.js';
import { listScores } from '../../src/scores/read/list.js';
import type { ScoreListRequest } from '../../src/scores/read/list-request.js';
import type { Submission, SubmissionPath } from '../../src/submissions/facts/submission.js';
import { ingest } from '../../src/submissions/ingest.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { boardRules } from '../support/board-rules.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import { isLost, unlessLost } from '../support/lost-deltas.js';
import { PlainPath } from '../support/plain-path.js';
import { checkReads, expected, listed, unwatched } from '../support/ranked-reads.js';
import { rederiveAll } from '../support/rederive.js';
import {
  type BoardRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  submissionOf,
  type World,
} from '../support/world.js';

const RUNS = runsOf(40, 2);

/** Checks the rankings among every second player and among all players, page by page and around each. */
async function checkAmong(db: Database, boardId: string, isTest: boolean, rules: BoardRules) {
  const truth = await listed(db, boardId, isTest);
  const players = [...new Set(truth.map(({ identity }) => identity))].sort();
  const readers = { ...scoreReads(unwatched(db)), knex: db.knex, now: new Date(0), detail: 'all' as const };
  const board = { id: boardId, accountId: '', gameId: '', ranking: ownRanking(boardId), ...rules };
  for (const ids of [players.filter((_, i) => i % 2 === 0), players]) {
    if (ids.length === 0) continue;
    // For each player, the run that reached the best value first.
    const own = truth.filter(({ identity }) => ids.includes(identity));
    const best = own.filter((one) =>
      own.every(
        ({ identity, rank_key, seq }) =>
          identity !== one.identity ||
          rank_key > one.rank_key ||
          (rank_key === one.rank_key && eventNumber(seq) >= eventNumber(one.seq)),
      ),
    );
    const expected = best.map(({ id, rank, display }, i) => [id, i + 1, rank, display]);
    const read = async (request: Partial<ScoreListRequest>) => {
      const among = { ids: [...ids, `ide_${NIL_UUID}`], name: 'some' };
      const page = await listScores(readers, board, { isTest, among, ...request });
      const { hasNextPage, hasPreviousPage, endCursor } = page.pageInfo;
      const rows = page.nodes.map((s) => [s.id, s.amongRank, s.rank, s.displayRank]);
      return { rows, next: await hasNextPage(), previous: await hasPreviousPage(), end: endCursor() };
    };
    const walked: unknown[] = [];
    for (let after: string | null = null; ; ) {
      const { rows, next, previous, end } = await read({ first: 2, after });
      expect([previous, next]).toEqual([walked.length > 0, walked.length + rows.length < expected.length]);
      walked.push(...rows);
      if (!next) break;
      after = end;
    }
    expect(walked).toEqual(expected);
    const reverse = rules.sortDirection === 'asc' ? 'value:desc' : 'value:asc';
    expect((await read({ first: 100, sort: reverse })).rows).toEqual(expected.toReversed());
    const named = (await read({ first: 100, sort: 'created_at:asc' })).rows;
    expect(named.toSorted((a, b) => (a[1] as number) - (b[1] as number))).toEqual(expected);
    const middle = Math.floor(expected.length / 2);
    const window = await read({ first: 3, aroundScoreId: best[middle]!.id });
    const start = Math.max(0, Math.min(middle - 1, expected.length - 3));
    expect(window.rows).toEqual(expected.slice(start, start + 3));
    expect([window.previous, window.next]).toEqual([start > 0, start + 3 < expected.length]);
    expect((await read({ first: 2, startRank: middle + 1 })).rows).toEqual(
      expected.slice(middle, middle + 2),
    );
  }
}

let testDatabase: TestDatabase;
/** Three processes on one database, each with its own pools: two write by the pipeline, one by the plain path. */
let processes: { db: Database; submissions: SubmissionPath }[];
let world: World;
let players: string[];
let now = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  const options = { batch: 7, queue: 10_000, writers: 3 };
  const parts = [() => now, makeLog('error'), () => undefined] as const;
  processes = [0, 1, 2].map((number) => {
    const db = testDatabase.open();
    const submissions =
      number < 2 ? new SubmissionPipeline(db, ...parts, options) : new PlainPath(db, ...parts);
    return { db, submissions };
  });
  const { knex } = processes[0]!.db;
  // Tiny nodes: a few dozen entries make a tree of three real levels.
  await knex.raw(
    `create or replace function rank_leaf_capacity() returns integer language sql immutable parallel safe as 'select 4'`,
  );
  await knex.raw(
    `create or replace function rank_run_width() returns integer language sql immutable parallel safe as 'select 3'`,
  );
  await knex.raw(
    `create or replace function rank_top_width() returns integer language sql immutable parallel safe as 'select 3'`,
  );
  world = await makeWorld(knex);
  players = await makeIdentities(knex, world, 9);
});

afterAll(async () => {
  await testDatabase.drop();
});

interface Step {
  player: number;
  board: number;
  isTest: boolean;
  amount: number;
  process: number;
}

/** Many ties, zeros of both signs, numbers that do not add up exactly, and the far ends of the range. */
const amounts = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 4, arbitrary: fc.constantFrom(0.1, 0.2, -0.3, 1e15, -1e15, 5e-324, 1e300) },
  { weight: 4, arbitrary: fc.integer({ min: -1000, max: 1000 }) },
);

const step: fc.Arbitrary<Step> = fc.record<Step>({
  player: fc.nat(8),
  board: fc.nat(2),
  isTest: fc.boolean(),
  amount: amounts.map((x) => x + 0),
  process: fc.nat(2),
});

const history = fc.record({
  boards: fc.array(boardRules, { minLength: 1, maxLength: 2 }),
  /** Steps of one wave are in flight together. */
  waves: fc.array(fc.array(step, { minLength: 1, maxLength: 30 }), { minLength: 1, maxLength: 3 }),
  /** Events that are taken out afterwards, by position; every second of them is then let in again. */
  rulings: fc.array(fc.nat(), { maxLength: 8 }),
  last: fc.array(step, { maxLength: 20 }),
});

function submission(boardId: string, { player, isTest, amount }: Step): Submission {
  return submissionOf(world, boardId, players[player]!, { isTest, amount, wantPreviousRank: true });
}

interface Event {
  slot: string;
  event: string;
  amount: number;
  seq: number;
  is_test: boolean;
}

async function eventsOf(boardId: string): Promise<Event[]> {
  const { rows } = await processes[0]!.db.pool.query<Event>(
    `select identity_id as slot, id as event, amount, seq, is_test from score_events where board_id = $1 order by seq`,
    [uuidOf(boardId)],
  );
  return rows;
}

/** Everything there is to hold against the model and against itself. */
async function checkBoard(boardId: string, rules: BoardRules, events: Event[]): Promise<void> {
  const population = async (isTest: boolean) => {
    const model = expected(
      rules,
      events.filter((event) => event.is_test === isTest),
    );
    const truth = await listed(processes[0]!.db, boardId, isTest);
    expect(truth.map(({ value, seq }) => ({ value, seq }))).toEqual(model);
    await checkReads(processes[1]!.db, boardId, isTest);
    await checkAmong(processes[1]!.db, boardId, isTest, rules);
  };
  await Promise.all([population(false), population(true)]);
  expect(await verifyBoard(processes[0]!.db, boardId)).toEqual([]);
  expect(await rederiveAll(processes[0]!.db, boardId, new Date(now))).toBe(0);
}

test('after any history every rank, page and window is that of the sorted entries, and re-deriving changes nothing', async () => {
  let submissions = 0;
  const play = async (boardIds: string[], boards: BoardRules[], wave: Step[]) => {
    now += 500;
    const outcomes = await Promise.all(
      wave.map((step) =>
        unlessLost(
          processes[step.process]!.submissions.submit(
            submission(boardIds[step.board % boardIds.length]!, step),
          ),
        ),
      ),
    );
    for (const [n, outcome] of outcomes.entries()) {
      if (outcome) {
        submissions += 1;
        expect(outcome.score.rank).toBeGreaterThanOrEqual(1);
      } else expect(boards[wave[n]!.board % boards.length]!.boardType).toBe('counter');
    }
  };
  await fc.assert(
    fc.asyncProperty(history, async ({ boards, waves, rulings, last }) => {
      const { knex } = processes[0]!.db;
      const boardIds: string[] = [];
      for (const board of boards) boardIds.push(await makeBoard(knex, world, board));
      for (const wave of waves) await play(boardIds, boards, wave);
      const out = new Set<string>();
      for (const [i, boardId] of boardIds.entries()) {
        const events = await eventsOf(boardId);
        expect(events.map((event) => event.seq)).toEqual(events.map((_, n) => n + 1));
        await checkBoard(boardId, boards[i]!, events);
        if (events.length === 0) continue;
        const rule = ({ event: eventId, slot: identityId }: Event, effect: 'exclude' | 'include') =>
          ruleOn(knex, boardId, { eventId, identityId }, effect, new Date(now));
        for (const [n, position] of rulings.entries()) {
          const event = events[position % events.length]!;
          await rule(event, 'exclude');
          out.add(event.event);
          if (n % 2 === 0) continue;
          await rule(event, 'include');
          out.delete(event.event);
        }
        await checkBoard(
          boardId,
          boards[i]!,
          events.filter((event) => !out.has(event.event)),
        );
      }
      // Submissions after rulings are decided on the state that these left.
      await play(boardIds, boards, last);
      for (const [i, boardId] of boardIds.entries()) {
        const events = await eventsOf(boardId);
        await checkBoard(
          boardId,
          boards[i]!,
          events.filter((event) => !out.has(event.event)),
        );
      }
    }),
    { numRuns: RUNS },
  );
  expect(submissions).toBeGreaterThan(RUNS);
}, 36_000_000);

/** Steps of one batch: an identity and population once, as the pipeline makes them. */
const batches = fc.record({
  board: boardRules,
  batches: fc.array(
    fc.uniqueArray(step, {
      selector: ({ player, isTest }) => `${player} ${isTest}`,
      minLength: 1,
      maxLength: 18,
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

test('a batch answers the ranks that its commit makes true, and those before it', async () => {
  const { db } = processes[0]!;
  await fc.assert(
    fc.asyncProperty(batches, async ({ board, batches }) => {
      const boardId = await makeBoard(db.knex, world, board);
      const ranks = async () => {
        const of = async (isTest: boolean) =>
          (await listed(processes[0]!.db, boardId, isTest)).map((entry) => ({ ...entry, isTest }));
        const entries = [...(await of(false)), ...(await of(true))];
        return new Map(
          entries.map(({ id, isTest, rank, display }) => [`${id} ${isTest}`, { rank, display }]),
        );
      };
      for (const steps of batches) {
        now += 500;
        const before = await ranks();
        const played = (await eventsOf(boardId)).length;
        const client = await db.pool.connect();
        const results = await ingest(
          client,
          () => now,
          steps.map((of) => submission(boardId, of)),
        ).finally(() => client.release());
        const after = await ranks();
        expect((await eventsOf(boardId)).length - played).toBe(results.filter((one) => !isLost(one)).length);
        for (const result of results) {
          if (isLost(result)) {
            expect(board.boardType).toBe('counter');
            continue;
          }
          if (result instanceof DomainError) throw result;
          const { id, isTest, rank, displayRank: display } = result.score;
          expect({ rank, display }).toEqual(after.get(`${id} ${isTest}`));
          expect(result.previousRank).toBe(before.get(`${id} ${isTest}`)?.rank ?? null);
        }
      }
    }),
    { numRuns: RUNS },
  );
}, 36_000_000);
