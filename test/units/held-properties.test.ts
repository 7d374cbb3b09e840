import 'reflect-metadata';
import fc from 'fast-check';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { followHold } from '../../src/boards/board/hold.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { type FairPlay, UNCHECKED } from '../../src/submissions/decide/fair-play.js';
import type { Outcome, SubmissionPath } from '../../src/submissions/facts/submission.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import { PlainPath } from '../support/plain-path.js';
import { checkReads, expected, listed } from '../support/ranked-reads.js';
import { rederiveAll } from '../support/rederive.js';
import {
  type BoardRules,
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  submissionOf,
  type World,
} from '../support/world.js';

const RUNS = runsOf(60, 2);
const HOUR = 3_600_000;

/** Flags every submission whose amount has a fraction, as a check would. */
function fairPlay(db: Database): FairPlay {
  const checker = new ScoreChecker(
    db,
    () => now,
    makeLog('error'),
    {} as never,
    () => undefined,
  );
  const hit = { check: 'velocity', action: 'flag', confidence: 'high', metadata: {}, compared: null };
  return {
    ...UNCHECKED,
    check: (_board, _facts, { amount }) =>
      Number.isInteger(amount)
        ? { disposition: 'accepted', findings: [] }
        : { disposition: 'flagged', findings: [hit] },
    record: (...args) => checker.record(...args),
  };
}

let testDatabase: TestDatabase;
/** Three processes on one database: two write by the pipeline, one by the plain path. */
let processes: { db: Database; submissions: SubmissionPath }[];
let world: World;
let players: string[];
let now = Date.parse('2026-03-01T12:00:00Z');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  processes = [0, 1, 2].map((number) => {
    const db = testDatabase.open();
    const parts = [() => now, makeLog('error'), () => undefined] as const;
    const options = { batch: 9, queue: 10_000, writers: 3 };
    const submissions =
      number < 2
        ? new SubmissionPipeline(db, ...parts, options, undefined, fairPlay(db))
        : new PlainPath(db, ...parts, fairPlay(db));
    return { db, submissions };
  });
  world = await makeWorld(processes[0]!.db.knex);
  players = await makeIdentities(processes[0]!.db.knex, world, 6);
});

afterAll(async () => {
  await testDatabase.drop();
});

const runRules: fc.Arbitrary<BoardRules> = fc
  .record({
    keepStrategy: fc.constantFrom('all' as const, 'best' as const, 'first' as const, 'last' as const),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
    tiePolicy: fc.constantFrom(
      'earliest' as const,
      'latest' as const,
      'competition' as const,
      'dense' as const,
    ),
  })
  .map((rules) => ({ ...rules, boardType: rules.keepStrategy === 'all' ? 'run_runs' : 'run_identity' }));

interface Step {
  player: number;
  isTest: boolean;
  amount: number;
  process: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  player: fc.nat(5),
  isTest: fc.boolean(),
  amount: fc.oneof(
    fc.integer({ min: -4, max: 12 }),
    fc.integer({ min: -4, max: 12 }).map((n) => n + 0.5),
  ),
  process: fc.nat(2),
});

const STATUSES = ['pending', 'confirmed_cheat', 'false_positive', 'dismissed'] as const;

const action = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      at: fc.nat(),
      status: fc.constantFrom(...STATUSES),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('takeBack' as const), at: fc.nat() }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flag' as const), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('top' as const), holdTop: fc.nat(3) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rules' as const),
      rules: runRules,
      small: fc.constantFrom(0, 1_000),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('build' as const) }) },
);

const history = fc.record({
  rules: runRules,
  holdTop: fc.integer({ min: 1, max: 3 }),
  rounds: fc.array(
    fc.record({
      wave: fc.array(step, { minLength: 1, maxLength: 24 }),
      actions: fc.array(action, { maxLength: 5 }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
});

interface Flag {
  id: string;
  manual: boolean;
  decisions: { status: string; undone: boolean }[];
}

/** A submission in the model. Bare uuids. */
interface Run {
  event: string;
  slot: string;
  is_test: boolean;
  amount: number;
  seq: number;
  held: boolean;
  /** Epoch milliseconds. */
  at: number;
  ended: boolean;
  flags: Flag[];
}

const statusOf = ({ decisions }: Flag) => decisions.findLast(({ undone }) => !undone)?.status ?? 'pending';

function effectOf({ flags, held, ended }: Run): 'exclude' | 'hold' | 'review' | 'include' {
  const open = flags.filter((one) => statusOf(one) === 'pending');
  if (flags.some((one) => statusOf(one) === 'confirmed_cheat')) return 'exclude';
  if (held && !ended && open.some(({ manual }) => !manual)) return 'hold';
  return open.length > 0 ? 'review' : 'include';
}

const counts = (run: Run) => effectOf(run) === 'review' || effectOf(run) === 'include';

/** One board, and what it should be. */
class Model {
  readonly runs: Run[] = [];

  constructor(
    readonly boardId: string,
    public holdTop: number,
  ) {}

  get #db() {
    return processes[0]!.db;
  }

  async served(): Promise<BoardRules & { build: unknown }> {
    const row = await this.#db.knex('board_rankings').where('board_id', uuidOf(this.boardId)).first();
    return {
      boardType: row.board_type,
      sortDirection: row.sort_direction,
      keepStrategy: row.keep_strategy,
      tiePolicy: row.tie_policy,
      build: row.build,
    };
  }

  /** The ranking of these runs, by the board's served rules. */
  ranking(rules: BoardRules, isTest: boolean, more: Run[] = []) {
    const own = [...this.runs.filter(counts), ...more].filter(({ is_test }) => is_test === isTest);
    return expected(rules, own);
  }

  /** Takes the new events in their order, each of which is held if it would be among the first. */
  async meet(outcomes: Map<string, Outcome>): Promise<void> {
    const rules = await this.served();
    const { rows } = await this.#db.pool.query(
      `select e.id as event, e.identity_id as slot, e.is_test, e.amount, e.seq, e.disposition,
         array(select f.id from score_flags f where f.board_id = e.board_id and f.event_seq = e.seq) as flags
       from score_events e where e.board_id = $1 and e.seq > $2 order by e.seq`,
      [uuidOf(this.boardId), this.runs.at(-1)?.seq ?? 0],
    );
    for (const { disposition, flags, ...row } of rows) {
      const run: Run = {
        ...row,
        held: false,
        ended: false,
        at: now,
        flags: flags.map((id: string) => ({ id, manual: false, decisions: [] })),
      };
      const text = (one: object) => JSON.stringify(one);
      const before = this.ranking(rules, run.is_test).map(text);
      const rank =
        1 + this.ranking(rules, run.is_test, [run]).findIndex((one) => !before.includes(text(one)));
      run.held = flags.length > 0 && rank > 0 && rank <= this.holdTop;
      const wanted = run.held ? 'held' : flags.length > 0 ? 'flagged' : 'accepted';
      expect([row.seq, disposition]).toEqual([row.seq, wanted]);
      const outcome = outcomes.get(run.event)!;
      expect(outcome.held).toEqual(run.held ? { value: run.amount, rank } : undefined);
      if (run.held) {
        const own = this.runs.some(
          (one) => one.slot === run.slot && one.is_test === run.is_test && counts(one),
        );
        const isProvisional = rules.boardType === 'run_runs' || !own;
        expect([outcome.score.status === 'provisional', outcome.isPersonalBest]).toEqual([
          isProvisional,
          false,
        ]);
      }
      this.runs.push(run);
    }
  }

  async #settle(run: Run): Promise<void> {
    const [board, at] = [uuidOf(this.boardId), new Date(now)];
    const { knex } = this.#db;
    const ids = run.flags.map(({ id }) => id);
    await knex.transaction(async (trx) => {
      await trx.raw('select lock_flags(array[?::uuid])', [board]);
      await trx.raw('select update_flags(?, ?::uuid[], ?)', [board, ids, at]);
      await trx.raw('select apply_effects(?, ?::bigint[], null, ?)', [board, [run.seq], at]);
    });
  }

  async decide(run: Run, flag: Flag, status: string): Promise<void> {
    flag.decisions.push({ status, undone: false });
    await this.#db.knex('flag_reviews').insert({
      ...{ board_id: uuidOf(this.boardId), flag_id: flag.id, status, notes: false, undone: false },
      created_at: new Date(now),
    });
    await this.#settle(run);
  }

  async takeBack(run: Run, flag: Flag): Promise<void> {
    const newest = flag.decisions.findLast(({ undone }) => !undone);
    if (!newest) return;
    newest.undone = true;
    await this.#db.knex.raw(
      `update flag_reviews set undone = true where number = (select max(number) from flag_reviews where flag_id = ? and not undone)`,
      [flag.id],
    );
    await this.#settle(run);
  }

  async flag(run: Run): Promise<void> {
    const flag = { id: uuid7(), manual: true, decisions: [] };
    run.flags.push(flag);
    await this.#db.knex.raw(
      `insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, is_test, flag_type, confidence, status,
         metadata, compared_events, created_at, updated_at)
       select board_id, seq, ?, id, account_id, game_id, identity_id, is_test, 'manual', 'high', 'pending', '{}', '{}',
         created_at, created_at
       from score_events where board_id = ? and seq = ?`,
      [flag.id, uuidOf(this.boardId), run.seq],
    );
    await this.#settle(run);
  }

  async endHolds(): Promise<void> {
    for (const run of this.runs) if (run.held && run.at + HOUR <= now) run.ended = true;
    await this.#db.knex.raw('select end_holds(?, ?, 1000)', [uuidOf(this.boardId), new Date(now)]);
  }

  async setTop(holdTop: number): Promise<void> {
    this.holdTop = holdTop;
    if (holdTop === 0) for (const run of this.runs) run.ended ||= run.held;
    await this.#db.knex.transaction(async (trx) => {
      await trx.raw('select lock_flags(array[?::uuid])', [uuidOf(this.boardId)]);
      await trx('board_rankings').where('board_id', uuidOf(this.boardId)).increment('version', 1);
      await trx('boards').where('id', uuidOf(this.boardId)).update({ hold_top: holdTop });
      await followHold(trx, { id: this.boardId, holdTop, holdHours: 1 } as never, new Date(now));
    });
  }

  async build(): Promise<boolean> {
    const { rows } = await this.#db.pool.query('select advance_build($1, $2, 3, false) as done', [
      uuidOf(this.boardId),
      new Date(now),
    ]);
    return rows[0].done !== 'idle';
  }

  async check(withReads = false): Promise<void> {
    const { build, ...rules } = await this.served();
    for (const isTest of [false, true]) {
      const truth = await listed(this.#db, this.boardId, isTest);
      expect(truth.map(({ value, seq }) => ({ value, seq }))).toEqual(this.ranking(rules, isTest));
      if (withReads) await checkReads(this.#db, this.boardId, isTest);
    }
    if (build) return;
    expect(await verifyBoard(this.#db, this.boardId)).toEqual([]);
    expect(await rederiveAll(this.#db, this.boardId, new Date(now))).toBe(0);
  }
}

test('flagged runs at the top are held at their turn, and after any history of reviews they rank as the model says', async () => {
  let held = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ rules, holdTop, rounds }) => {
      const { knex } = processes[0]!.db;
      const boardId = await makeBoard(knex, world, rules);
      await knex('boards').where('id', uuidOf(boardId)).update({ hold_top: holdTop, hold_hours: 1 });
      const model = new Model(boardId, holdTop);
      for (const { wave, actions } of rounds) {
        now += 500;
        const outcomes = await Promise.all(
          wave.map(({ player, isTest, amount, process }) =>
            processes[process]!.submissions.submit(
              submissionOf(world, boardId, players[player]!, { isTest, amount }),
            ),
          ),
        );
        await model.meet(new Map(outcomes.map((one) => [uuidOf(one.eventId), one])));
        await model.check();
        for (const one of actions) {
          const flagged = model.runs.filter(({ flags }) => flags.length > 0);
          const run = 'at' in one && flagged[one.at % flagged.length];
          const flag = run && run.flags[one.at % run.flags.length]!;
          if (one.kind === 'decide' && run) await model.decide(run, flag as Flag, one.status);
          if (one.kind === 'takeBack' && run) await model.takeBack(run, flag as Flag);
          if (one.kind === 'flag') await model.flag(model.runs[one.at % model.runs.length]!);
          if (one.kind === 'wait') now += HOUR;
          if (one.kind === 'wait') await model.endHolds();
          if (one.kind === 'top') await model.setTop(one.holdTop);
          if (one.kind === 'rules') await changeRules(knex, boardId, one.rules, new Date(now), one.small);
          if (one.kind === 'build') await model.build();
          await model.check();
        }
      }
      while (await model.build());
      await model.check(true);
      held += model.runs.filter((run) => run.held).length;
    }),
    { numRuns: RUNS },
  );
  expect(held).toBeGreaterThan(RUNS);
}, 36_000_000);
