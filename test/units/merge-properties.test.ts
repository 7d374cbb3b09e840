import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { closeRankings } from '../../src/closings/job.js';
import type { Database } from '../../src/db/pool.js';
import { ScoreChecker } from '../../src/fairplay/checks/score-checker.js';
import { BulkReviews } from '../../src/fairplay/reviews/bulk.js';
import { workOf } from '../../src/graphql/author.js';
import { beginMerge, beginUndo } from '../../src/players/merges/begin.js';
import { beginErasure } from '../../src/privacy/erase.js';
import type { ErasedScores } from '../../src/privacy/erasure.js';
import { ErasureWorker } from '../../src/privacy/worker.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { MergeWorker } from '../../src/rankings/upkeep/merges.js';
import { PlayerTagWorker } from '../../src/rankings/upkeep/player-tags.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { RemovalWorker } from '../../src/rankings/upkeep/removals.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { type FairPlay, UNCHECKED } from '../../src/submissions/decide/fair-play.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { FlaggedRuns, HOLD_HOURS, STATUSES } from '../support/flagged-runs.js';
import { isQuick, runsOf } from '../support/lane.js';
import { expected, listed } from '../support/ranked-reads.js';
import { derivedText, type RatioRules, ratioModel, setRatio } from '../support/ratio.js';
import { rederiveAll } from '../support/rederive.js';
import { expectSound } from '../support/standings.js';
import { declareView, expectExactViews, type ViewRule } from '../support/views.js';
import {
  type BoardRules,
  changeRules,
  clientSubmission,
  makeBoard,
  makeSeats,
  makeWorld,
  type Seat,
  setTag,
  submissionOf,
  type World,
} from '../support/world.js';

const RUNS = runsOf(12, 2);
/** `npm run prove:merges`: other histories each time, and a kill at every statement. */
const isLong = process.env.PROPERTY_RUNS !== undefined;
/** A merge of a board has five statements: each is met in turn. */
const KILLED_EVERY = isQuick ? 9 : isLong ? 1 : 3;
const PLAYERS = 6;

const KINDS: BoardRules[] = [
  { boardType: 'run_identity', keepStrategy: 'best', sortDirection: 'desc', tiePolicy: 'dense' },
  { boardType: 'run_identity', keepStrategy: 'first', sortDirection: 'asc', tiePolicy: 'latest' },
  { boardType: 'run_identity', keepStrategy: 'last', sortDirection: 'desc' },
  { boardType: 'run_runs', keepStrategy: 'all', sortDirection: 'asc', tiePolicy: 'competition' },
  { boardType: 'counter', keepStrategy: 'all', sortDirection: 'desc' },
  { boardType: 'counter', keepStrategy: 'all', sortDirection: 'desc', tiePolicy: 'latest' },
];
/** Flagged runs are held here. */
const HOLDING = [0, 3];
/** Divided by the ratio board. */
const [KILLS, DEATHS] = [4, 5];
const RATIO: RatioRules = {
  ...{ swapped: false, zero: 'infinity', minNumerator: -5, minDenominator: 0 },
  ...{ scale: 1, display: 'raw', decimals: 2 },
};
const VIEWS: ViewRule[] = [
  { name: 'week', period: 'week', by: [], tiePolicy: 'dense' },
  { name: 'class', period: null, by: ['class'], tiePolicy: 'latest' },
  { name: 'guild', period: 'month', by: ['guild'] },
];
/** The view whose periods are closed, with a prize for the first. */
const CLOSED = 0;

/** Flags runs with this half, as a check would. */
const isSuspicious = (amount: number) => Math.abs(amount % 1) === 0.5;

function fairPlay(own: Database): FairPlay {
  const log = makeLog(process.env.TEST_LOG ?? 'fatal');
  const checker = new ScoreChecker(own, clock, log, {} as never, () => undefined);
  const hit = { check: 'velocity', action: 'flag', confidence: 'high', metadata: {}, compared: null };
  return {
    ...UNCHECKED,
    check: (_board, _facts, { amount }) =>
      isSuspicious(amount)
        ? { disposition: 'flagged', findings: [hit] }
        : { disposition: 'accepted', findings: [] },
    record: (...args) => checker.record(...args),
  };
}

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let processes: {
  pipeline: SubmissionPipeline;
  builds: Builds;
  merges: MergeWorker;
  tags: PlayerTagWorker;
}[];
let ratios: Ratios;
let removals: RemovalWorker;
let reviews: BulkReviews;
let erasures: ErasureWorker;
const START = Date.parse('2026-02-03T12:00:00Z');
let now = START;
const clock = () => now;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  const log = makeLog(process.env.TEST_LOG ?? 'fatal');
  const nothing = () => undefined;
  processes = [1, 2].map(() => {
    const own = testDatabase.open();
    return {
      pipeline: new SubmissionPipeline(
        ...([own, clock, log, nothing, { batch: 5, queue: 10_000, writers: 3 }] as const),
        ...[undefined, fairPlay(own)],
      ),
      builds: new Builds(own, clock, log, nothing),
      merges: new MergeWorker(own, clock, log, nothing),
      tags: new PlayerTagWorker(own, clock, log, nothing),
    };
  });
  ratios = new Ratios(db, clock, log, { listen: () => nothing } as never, nothing);
  removals = new RemovalWorker(db, clock, log, nothing);
  reviews = new BulkReviews(db, clock, log, ratios, nothing);
  erasures = new ErasureWorker(db, clock, log, nothing, 3);
  for (const [name, size] of [
    ['leaf_capacity', 4],
    ['run_width', 3],
    ['top_width', 3],
  ]) {
    await db.knex.raw(
      `create or replace function rank_${name}() returns integer language sql immutable parallel safe as 'select ${size}'`,
    );
  }
  world = await makeWorld(db.knex);
});
afterAll(async () => {
  await Promise.all([
    ...processes.flatMap(({ builds, merges, tags }) => [builds.close(), merges.close(), tags.close()]),
    ratios.close(),
    removals.close(),
    reviews.close(),
    erasures.close(),
  ]);
  await testDatabase.drop();
});

interface Run {
  /** Whose device submits, or for whom the game server does. */
  player: number;
  board: number;
  amount: number;
  isTest: boolean;
  byServer: boolean;
  class: string | null;
  process: number;
}

type Action =
  | { kind: 'play'; runs: Run[] }
  /** Others play meanwhile; `steps`: the process that begins it does so many boards, then another one continues. */
  | { kind: 'merge'; source: number; target: number; runs: Run[]; steps: number | null; process: number }
  | { kind: 'undo'; nth: number; runs: Run[]; steps: number | null; process: number }
  | { kind: 'flag'; nth: number }
  | { kind: 'decide'; nth: number; status: (typeof STATUSES)[number] }
  | { kind: 'review'; player: number; decision: 'confirmed_cheat' | 'false_positive' | 'dismissed' }
  | { kind: 'undoReview'; nth: number }
  | { kind: 'ban'; player: number }
  | { kind: 'erase'; player: number; scores: ErasedScores }
  | { kind: 'remove'; player: number; effect: 'exclude' | 'include' }
  | { kind: 'tag'; player: number; guild: string | null }
  | { kind: 'change'; board: number; rules: BoardRules }
  | { kind: 'import'; player: number; board: number; amounts: number[]; days: number }
  | { kind: 'build'; board: number; count: number }
  | { kind: 'declare'; board: number; view: number }
  | { kind: 'pass'; hours: number };

const player = fc.nat(PLAYERS - 1);
const board = fc.nat(KINDS.length - 1);
const run: fc.Arbitrary<Run> = fc.record({
  ...{ player, board, isTest: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.boolean()) },
  amount: fc.oneof(
    { weight: 5, arbitrary: fc.integer({ min: -3, max: 3 }) },
    { weight: 2, arbitrary: fc.constantFrom(-0.5, 1.5, 3.5) },
    fc.constantFrom(0.1, -0.3, 40),
  ),
  byServer: fc.boolean(),
  class: fc.constantFrom('mage', 'rogue', null),
  process: fc.nat(1),
});
const some = fc.array(run, { maxLength: 6, size: 'max' });
const steps = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 5 }));
const rules: fc.Arbitrary<BoardRules> = fc
  .record({
    kind: fc.constantFrom('all' as const, 'best' as const, 'first' as const, 'last' as const),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
  })
  .map(({ kind, sortDirection }) => ({
    ...{ keepStrategy: kind, sortDirection },
    boardType: kind === 'all' ? ('run_runs' as const) : ('run_identity' as const),
  }));
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('play' as const),
      runs: fc.array(run, { minLength: 1, maxLength: 16, size: 'max' }),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      ...{ kind: fc.constant('merge' as const), source: player, target: player },
      ...{ runs: some, steps, process: fc.nat(1) },
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      ...{ kind: fc.constant('undo' as const), nth: fc.nat(9) },
      ...{ runs: some, steps, process: fc.nat(1) },
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('flag' as const), nth: fc.nat(99) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('decide' as const), nth: fc.nat(99) },
      status: fc.constantFrom(...STATUSES),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('review' as const), player },
      decision: fc.constantFrom('confirmed_cheat' as const, 'false_positive' as const, 'dismissed' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('undoReview' as const), nth: fc.nat(9) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('ban' as const), player }) },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant('erase' as const), player },
      scores: fc.constantFrom('keep' as const, 'remove' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      ...{ kind: fc.constant('remove' as const), player },
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('tag' as const), player },
      guild: fc.constantFrom('ravens', 'wolves', null),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('change' as const), board: fc.nat(KILLS - 1), rules }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('import' as const), player, board, days: fc.integer({ min: 1, max: 20 }) },
      amounts: fc.array(fc.integer({ min: -3, max: 5 }), { minLength: 1, maxLength: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('build' as const),
      board,
      count: fc.integer({ min: 1, max: 9 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('declare' as const), board, view: fc.nat(VIEWS.length - 1) }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.constantFrom(5, 200) }) },
);
const history = fc.array(action, {
  ...(isQuick ? { minLength: 10, maxLength: 14 } : { minLength: 20, maxLength: 40 }),
  size: 'max',
});

interface EventRow {
  id: string;
  seq: number;
  identity_id: string;
  is_test: boolean;
  amount: number;
  source: string;
}

interface Merge {
  id: string;
  source: number;
  target: number;
}

/** What should be: who played each run, and whose runs count for whom. */
class Model {
  readonly makers = new Map<string, number>();
  readonly merges: Merge[] = [];
  readonly removed = new Set<number>();
  readonly erased = new Set<number>();
  /** Devices, by the player that they began as. */
  readonly banned = new Set<number>();

  /** The player that a player's runs count for. */
  holder(of: number): number {
    const merge = this.merges.find(({ source }) => source === of);
    return merge ? this.holder(merge.target) : of;
  }

  isMerged(of: number): boolean {
    return this.holder(of) !== of;
  }
}

class Play {
  readonly model = new Model();
  readonly flags: FlaggedRuns;
  /** Places and rewards of closings, once they are frozen. */
  readonly #frozen = new Map<string, string>();
  readonly views = new Set<string>();
  /** Device by device: the player that its tokens name. */
  readonly tokens: number[];

  constructor(
    readonly boards: string[],
    readonly ratio: string,
    readonly seats: Seat[],
  ) {
    this.tokens = seats.map((_, n) => n);
    this.flags = new FlaggedRuns(db, boards, clock);
  }

  uuid(player: number): string {
    return uuidOf(this.seats[player]!.identityId);
  }

  /** Submits runs; those with tokens of another player than the session's are refused, and the client gets new ones. */
  async play(runs: readonly Run[]): Promise<void> {
    await Promise.all(runs.map((one) => this.#submit(one)));
  }

  async #submit({ player, board, amount, isTest, byServer, class: kind, process }: Run): Promise<void> {
    const boardId = this.boards[board]!;
    const own = this.seats[player]!;
    const as = this.seats[byServer ? player : this.tokens[player]!]!;
    const tags = kind === null ? null : { class: kind };
    const item = byServer
      ? submissionOf(world, boardId, own.identityId, { amount: amount + 0, isTest, tags })
      : clientSubmission(world, boardId, { ...own, identityId: as.identityId }, now, {
          ...{ amount: amount + 0, isTest, tags },
        });
    try {
      await processes[process]!.pipeline.submit(item);
      this.model.makers.set(uuidOf(item.eventId), player);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      expect(['INVALID_TOKEN', 'NOT_FOUND', 'DEVICE_BLOCKED']).toContain(error.code);
      if (error.code === 'DEVICE_BLOCKED') expect(this.model.banned).toContain(player);
      if (byServer || error.code === 'DEVICE_BLOCKED' || this.model.erased.has(player)) return;
      const session = await db.knex('device_sessions').where('id', uuidOf(own.origin.sessionId)).first();
      this.tokens[player] = this.seats.findIndex((one) => uuidOf(one.identityId) === session.identity_id);
    }
  }

  async merge(act: Extract<Action, { kind: 'merge' }>): Promise<boolean> {
    const { model } = this;
    const whole = this.seats.map((_, n) => n).filter((n) => !model.isMerged(n) && !this.isGone(n));
    // Mostly two that can be merged.
    const isAny = act.source === act.target || whole.length < 2;
    const source = isAny ? act.source : whole[act.source % whole.length]!;
    const others = whole.filter((n) => n !== source);
    const target = isAny ? act.target : others[act.target % others.length]!;
    const ids = [this.seats[source]!.identityId, this.seats[target]!.identityId] as const;
    const by = { by: null, reason: null, now: new Date(now) };
    const begin = () => db.knex.transaction((trx) => beginMerge(trx, ...ids, by));
    if (source === target || !whole.includes(source) || !whole.includes(target)) {
      await expect(begin()).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
      return false;
    }
    const id = await begin();
    model.merges.push({ id, source, target });
    await this.#work(id, this.uuid(source), act);
    return true;
  }

  async undo(act: Extract<Action, { kind: 'undo' }>): Promise<boolean> {
    const { merges } = this.model;
    const merge = merges[act.nth % Math.max(1, merges.length)];
    if (!merge) return false;
    const holder = this.uuid(this.model.holder(merge.source));
    const begin = () =>
      db.knex.transaction((trx) => beginUndo(trx, merge.id, { by: null, now: new Date(now) }));
    if (!this.canUndo(merge)) {
      await expect(begin()).rejects.toMatchObject({ code: 'INVALID_TRANSITION' });
      return false;
    }
    await begin();
    merges.splice(merges.indexOf(merge), 1);
    await this.#work(merge.id, holder, act);
    return true;
  }

  isGone(player: number): boolean {
    return this.model.removed.has(player) || this.model.erased.has(player);
  }

  canUndo({ source, target }: Merge): boolean {
    return ![source, target, this.model.holder(target)].some((one) => this.model.erased.has(one));
  }

  /** Of all runs of a player, those of merged ones too. */
  async review({ player, decision }: Extract<Action, { kind: 'review' }>): Promise<void> {
    if (this.model.isMerged(player) || this.isGone(player)) return;
    await this.flags.meet();
    await this.flags.review(reviews, this.uuid(player), decision, false);
  }

  /** Bans the device that a player began on, or allows it again; whom it acts for does not matter. */
  async ban(player: number): Promise<void> {
    const { banned } = this.model;
    const status = banned.has(player) ? 'active' : 'banned';
    await db
      .knex('devices')
      .where('id', uuidOf(this.seats[player]!.origin.deviceId))
      .update({ status, updated_at: new Date(now) });
    if (!banned.delete(player)) banned.add(player);
  }

  /** With all players that are merged into it, as a request does. */
  async erase({ player, scores }: Extract<Action, { kind: 'erase' }>): Promise<void> {
    const { model } = this;
    if (model.isMerged(player) || model.erased.has(player)) return;
    const group = this.seats.map((_, n) => n).filter((n) => model.holder(n) === player);
    const by = workOf('operator', 'test', new Date(now));
    const first = [player, ...group.filter((n) => n !== player)];
    await db.knex.transaction(async (trx) => {
      for (const n of first) await beginErasure(trx, by, this.seats[n]!.identityId, scores);
    });
    for (const n of first) await erasures.erase(this.seats[n]!.identityId);
    for (const n of group) model.erased.add(n);
    if (scores === 'remove') model.removed.add(player);
  }

  /** Closes what has ended: from then on places and rewards of a closing stay, whoever is merged. */
  async close(): Promise<void> {
    const { signal } = new AbortController();
    const log = makeLog(process.env.TEST_LOG ?? 'fatal');
    const call = { db: db.knex, now: new Date(now), payload: {}, signal, log };
    await closeRankings(call, () => undefined, { grantsPerClosing: 1_000 });
    for (const [closing, text] of await this.#closings())
      if (!this.#frozen.has(closing)) this.#frozen.set(closing, text);
  }

  get closings(): number {
    return this.#frozen.size;
  }

  async #closings(): Promise<Map<string, string>> {
    const { rows } = await db.knex.raw(
      `select c.id, (select jsonb_agg(jsonb_build_array(p.rank, p.identity_id, p.value) order by p.rank) from closing_places p
           where p.board_id = c.board_id and p.closing_id = c.id)::text
         || (select coalesce(jsonb_agg(jsonb_build_array(w.id, w.identity_id, w.line, w.status) order by w.id), '[]') from rewards w
           where w.board_id = c.board_id and w.closing_id = c.id) as text
       from closings c where c.board_id = any(?::uuid[]) and c.status = 'frozen' order by 1`,
      [this.boards.map(uuidOf)],
    );
    return new Map(rows.map(({ id, text }: { id: string; text: string }) => [id, text]));
  }

  async #work(
    id: string,
    giver: string,
    { runs, steps, process }: Pick<Extract<Action, { kind: 'undo' }>, 'runs' | 'steps' | 'process'>,
  ) {
    const { rows: units } = await db.knex.raw('select unit from boards_to_merge(?)', [giver]);
    // A process that ends in the middle.
    for (const { unit } of units.slice(0, steps ?? 0)) {
      await db.knex.raw('select apply_merge(?::uuid[], ?, ?)', [unit, uuidOf(id), new Date(now)]);
    }
    await Promise.all([
      this.play(runs),
      processes[process]!.merges.follow(id),
      steps === null && processes[1 - process]!.merges.follow(id),
    ]);
  }

  async remove(player: number, effect: 'exclude' | 'include'): Promise<void> {
    const { removed } = this.model;
    if (this.model.erased.has(player)) return;
    if (this.model.isMerged(player) || removed.has(player) === (effect === 'exclude')) return;
    const identity_id = this.uuid(player);
    await db.knex.transaction(async (trx) => {
      if (effect === 'exclude')
        await trx('identities')
          .where('id', identity_id)
          .update({ deleted_at: new Date(now) });
      const due = { identity_id, effect, ticket: randomUUID(), leased_until: new Date(now) };
      await trx('identities_due').insert(due).onConflict('identity_id').merge();
    });
    await removals.follow(this.seats[player]!.identityId);
    if (effect === 'exclude') removed.add(player);
    else removed.delete(player);
  }

  /** As the rows of an import become events, by the same function. */
  async import({ player, board, amounts, days }: Extract<Action, { kind: 'import' }>): Promise<void> {
    if (this.isGone(player) || this.isGone(this.model.holder(player))) return;
    const { knex } = db;
    const { external_key } = await knex('identities').where('id', this.uuid(player)).first();
    const id = randomUUID();
    const board_id = uuidOf(this.boards[board]!);
    const at = new Date(now);
    const [account_id, game_id] = [uuidOf(world.accountId), uuidOf(world.gameId)];
    await knex('score_imports').insert({
      ...{
        id,
        account_id,
        game_id,
        board_id,
        status: 'writing',
        checked: false,
        rename: false,
        by_seq: false,
      },
      ...{ chunks: 1, rows: amounts.length, has_rows: true, closed_at: at, created_at: at, updated_at: at },
    });
    await knex('import_rows').insert(
      amounts.map((amount, line) => ({
        ...{ import_id: id, at: new Date(now - days * 86_400_000 + line), hint: line, chunk: 1, line },
        ...{ kind: 'custom', external_key, player_name: `P${player}`, amount, is_test: false },
      })),
    );
    for (let n = 0; ; n += 1) {
      if (n > 200) throw new Error('an import does not come to its end');
      const { rows } = await knex.raw('select advance_import(?, ?, 2) as step', [id, at]);
      if (rows[0].step === 'done') break;
      if (rows[0].step === 'build') await knex.raw('select advance_build(?, ?, 5, false)', [board_id, at]);
    }
    const { rows } = await knex.raw(
      `select e.id from score_events e, score_imports i where i.id = ? and e.board_id = i.board_id and e.source = 'import'
        and e.seq between i.first_seq and i.last_seq`,
      [id],
    );
    for (const { id: event } of rows) this.model.makers.set(event, player);
  }

  async declare(board: number, view: number): Promise<void> {
    const key = `${board} ${view}`;
    if (this.views.has(key)) return;
    this.views.add(key);
    const boardId = this.boards[board]!;
    if (VIEWS[view]!.by.includes('guild')) {
      await db.knex.raw(
        `update board_rankings set player_tags = '{guild}', version = version + 1 where board_id = ?`,
        [uuidOf(boardId)],
      );
    }
    await declareView(db.knex, boardId, VIEWS[view]!, new Date(now));
    if (view === CLOSED) await this.#closePeriods(uuidOf(boardId), VIEWS[view]!.name);
  }

  async #closePeriods(board_id: string, view_name: string): Promise<void> {
    const since = new Date(now);
    const rule = { review_top: null, review_seconds: 0, places: 3, settle_seconds: 0 };
    await db.knex('closing_rules').insert({ ...rule, board_id, view_name, since });
    const line = { name: 'first', firstRank: 1, lastRank: 1, percent: null, reached: null };
    const asks = { minimumRuns: null, minimumAgeHours: null, provenOnly: null };
    const prizes = {
      ...{ minimumEntries: 1, ties: 'all', tieLimit: 100, expiresDays: null },
      lines: [{ ...line, ...asks, title: 'First', pictureUrl: null, grant: { name: 'first' } }],
    };
    await db.knex('prize_tables').insert({
      ...{ board_id, view_name, number: 1, prizes: JSON.stringify(prizes) },
      ...{ effective_at: since, created_at: since },
    });
  }

  /** Steps until nothing is being built. */
  async finish(): Promise<void> {
    for (let n = 0; ; n += 1) {
      if (n > 300) throw new Error('a build does not come to its end');
      const steps = await Promise.all([...this.boards, this.ratio].map((id) => this.#step(id)));
      if (steps.every((step) => step === 'idle')) break;
    }
  }

  /** Every run counts for whom the model says, and every ranking is what follows from that. */
  async check(): Promise<void> {
    await this.flags.meet();
    const closings = await this.#closings();
    for (const [closing, text] of this.#frozen) expect(closings.get(closing)).toBe(text);
    const holders = new Map<string, string>();
    for (const [event, maker] of this.model.makers) holders.set(event, this.uuid(this.model.holder(maker)));
    for (const boardId of this.boards) {
      const board_id = uuidOf(boardId);
      const events = await db.knex('score_events').where({ board_id }).orderBy('seq');
      expect(events.map(({ id, identity_id }) => [id, identity_id])).toEqual(
        events.map(({ id }) => [id, holders.get(id)]),
      );
      await this.#states(board_id, events);
      await expectExactViews(db, boardId);
      await this.#own(boardId, events);
      expect(await verifyBoard(db, boardId)).toEqual([]);
    }
    for (let n = 0; n < 3; n += 1) await ratios.follow(this.ratio);
    const [kills, deaths] = [this.boards[KILLS]!, this.boards[DEATHS]!];
    // While its sources are being built, it shows what they served.
    while ((await this.#step(this.ratio)) !== 'idle');
    const building = await db
      .knex('board_rankings')
      .whereIn('board_id', [kills, deaths].map(uuidOf))
      .whereNotNull('build');
    if (building.length > 0) return;
    expect(await derivedText(db, this.ratio)).toEqual(await ratioModel(db, kills, deaths, 'desc', RATIO));
    expect(await verifyBoard(db, this.ratio)).toEqual([]);
  }

  async #step(boardId: string): Promise<string> {
    const { rows } = await db.knex.raw('select advance_build(?, ?, 5, false) as step', [
      ...[uuidOf(boardId), new Date(now)],
    ]);
    return rows[0].step;
  }

  /** One for each player that holds a run, with as many submissions as there are runs. */
  async #states(board_id: string, events: EventRow[]): Promise<void> {
    const counts: Record<string, number> = {};
    for (const { identity_id, is_test } of events) {
      const key = `${identity_id} ${is_test}`;
      counts[key] = (counts[key] ?? 0) + 1;
    }
    const states = await db.knex('states').where({ board_id });
    const stored = states.map((row) => [`${row.identity_id} ${row.is_test}`, Number(row.submission_count)]);
    expect(Object.fromEntries(stored)).toEqual(counts);
  }

  /** The board's own ranking, unless imports have put runs before others. */
  async #own(boardId: string, events: EventRow[]): Promise<void> {
    if (events.some(({ source }) => source === 'import')) return;
    const row = await db.knex('board_rankings').where('board_id', uuidOf(boardId)).first();
    const rules: BoardRules = {
      ...{ boardType: row.board_type, sortDirection: row.sort_direction },
      ...{ keepStrategy: row.keep_strategy, tiePolicy: row.tie_policy },
    };
    const removed = new Set([...this.model.removed].map((n) => this.uuid(n)));
    for (const isTest of [false, true]) {
      const counting = events
        .filter((one) => one.is_test === isTest)
        .filter(({ id, identity_id }) => this.flags.counts(id) && !removed.has(identity_id))
        .map(({ identity_id, id, amount, seq }) => ({ slot: identity_id, event: id, amount, seq }));
      const truth = await listed(db, boardId, isTest);
      expect(truth.map(({ value, seq }) => ({ value, seq }))).toEqual(expected(rules, counting));
    }
  }

  /** Everything that is derived, but when it was written. */
  async derived(): Promise<unknown[]> {
    const boards = [...this.boards, this.ratio].map(uuidOf);
    const texts: unknown[] = [];
    // Rankings of groups that nobody is in any more go within hours, as after any change of tags.
    const isLeft = (table: string) =>
      table === 'rankings' &&
      `and not (t.ranking_no < 0 and t.empty_since is not null and not exists (
        select from entries e where e.board_id = t.board_id and e.generation = t.generation))`;
    for (const [table, columns] of Object.entries({
      // A state of a ratio board keeps the time when it was first derived.
      states: "to_jsonb(t) - 'updated_at' - case when submission_count = 0 then 'created_at' else '' end",
      // The room between the numbers of equal ratios depends on who came when.
      entries: "case when event_board_id is null then to_jsonb(t) else to_jsonb(t) - 'seq' end",
      rankings: "to_jsonb(t) - 'empty_since'",
      left_out_runs: 'to_jsonb(t)',
    })) {
      const { rows } = await db.knex.raw(
        `select ${columns} as row from ${table} t where board_id = any(?::uuid[]) ${isLeft(table) || ''} order by 1`,
        [boards],
      );
      texts.push(rows.map(({ row }: { row: unknown }) => row));
    }
    const { rows } = await db.knex.raw(
      `select to_jsonb(e) - 'tags' - 'played_by' as row from score_events e where board_id = any(?::uuid[]) order by board_id, seq`,
      [boards],
    );
    return [...texts, rows];
  }
}

async function makePlay(): Promise<Play> {
  const seats = await makeSeats(db.knex, world, PLAYERS);
  const boards: string[] = [];
  for (const kind of KINDS) boards.push(await makeBoard(db.knex, world, kind));
  await db
    .knex('boards')
    .whereIn(
      'id',
      HOLDING.map((n) => uuidOf(boards[n]!)),
    )
    .update({ hold_top: 2, hold_hours: HOLD_HOURS });
  const ratio = await makeBoard(db.knex, world, {
    ...{ boardType: 'ratio', keepStrategy: 'all', sortDirection: 'desc' },
  });
  await setRatio(db, ratio, boards[KILLS]!, boards[DEATHS]!, RATIO, new Date(now));
  const play = new Play(boards, ratio, seats);
  await play.declare(0, CLOSED);
  await play.finish();
  return play;
}

test('after any history of merges and undos every ranking is what the runs of all players say', async () => {
  let merged = 0;
  let undone = 0;
  const seen = { held: 0, closings: 0, erased: 0 };
  await fc.assert(
    fc.asyncProperty(history, async (actions) => {
      now = START;
      const play = await makePlay();
      for (const act of actions) {
        now += 1_000;
        if (act.kind === 'play') await play.play(act.runs);
        if (act.kind === 'merge') merged += Number(await play.merge(act));
        if (act.kind === 'undo') undone += Number(await play.undo(act));
        if (act.kind === 'remove') await play.remove(act.player, act.effect);
        if (act.kind === 'import') await play.import(act);
        if (act.kind === 'declare') await play.declare(act.board, act.view);
        if (act.kind === 'pass') now += act.hours * 3_600_000;
        if (act.kind === 'pass') {
          await play.flags.endHolds();
          await play.close();
        }
        if (act.kind === 'flag') await play.flags.flag(act.nth);
        if (act.kind === 'decide') await play.flags.decide(act.nth, act.status);
        if (act.kind === 'review') await play.review(act);
        if (act.kind === 'undoReview') await play.flags.undoReview(reviews, act.nth);
        if (act.kind === 'ban') await play.ban(act.player);
        if (act.kind === 'erase') await play.erase(act);
        if (act.kind === 'tag' && !play.model.erased.has(act.player)) {
          const { identityId } = play.seats[act.player]!;
          await setTag(db.knex, identityId, 'guild', act.guild, new Date(now));
          await processes[0]!.tags.follow(identityId);
        }
        if (act.kind === 'change')
          await changeRules(db.knex, play.boards[act.board]!, act.rules, new Date(now), 0);
        if (act.kind === 'build') {
          for (let n = 0; n < act.count; n += 1)
            await processes[n % 2]!.builds.step(play.boards[act.board]!, 2);
        }
        await play.check();
      }
      await play.finish();
      await play.check();
      for (const boardId of [...play.boards, play.ratio]) {
        await expectSound(db, boardId);
        expect(await rederiveAll(db, boardId, new Date(now))).toBe(0);
      }
      // Everything is derived as before after one more merge and its undo.
      const [source, target] = play.seats
        .map((_, n) => n)
        .filter((n) => !play.model.isMerged(n) && !play.isGone(n));
      if (target !== undefined) {
        const before = await play.derived();
        await play.merge({ kind: 'merge', source: source!, target, runs: [], steps: null, process: 0 });
        await play.check();
        const nth = play.model.merges.length - 1;
        undone += Number(await play.undo({ kind: 'undo', nth, runs: [], steps: null, process: 1 }));
        expect(await play.derived()).toEqual(before);
      }
      // And with all merges undone, in any order, everybody has their own; erasures keep theirs.
      for (;;) {
        const open = play.model.merges.filter((merge) => play.canUndo(merge));
        if (open.length === 0) break;
        const nth = play.model.merges.indexOf(open[actions.length % open.length]!);
        undone += Number(await play.undo({ kind: 'undo', nth, runs: [], steps: null, process: 0 }));
        await play.check();
      }
      if (play.model.merges.length === 0)
        expect(await db.knex('merged_states').whereIn('board_id', play.boards.map(uuidOf))).toEqual([]);
      seen.held += play.flags.held;
      seen.closings += play.closings;
      seen.erased += play.model.erased.size;
    }),
    { numRuns: RUNS, ...(!isLong && { seed: 20_261_130 }) },
  );
  if (process.env.TEST_LOG)
    process.stderr.write(`${merged} merges, ${undone} undone, ${JSON.stringify(seen)}\n`);
  expect(merged).toBeGreaterThan(RUNS / 2);
  expect(undone).toBeGreaterThan(0);
  expect(seen.held).toBeGreaterThan(RUNS / 2);
  if (!isQuick && RUNS > 5) expect(Math.min(seen.closings, seen.erased)).toBeGreaterThan(0);
}, 36_000_000);

/** Statements until the process that sends them is killed: its connection ends, and what it had not committed is lost. */
function dying(of: Database, afterwards: number): { database: Database; isDead: () => boolean } {
  let left = afterwards;
  const kill = () => new Error('killed');
  const connect = async () => {
    if (left <= 0) throw kill();
    const client = await of.pool.connect();
    const { rows } = await client.query('select pg_backend_pid() as pid');
    const query = async (...given: never[]) => {
      if (left > 0) {
        left -= 1;
        return client.query(...(given as [never]));
      }
      await db.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
      throw kill();
    };
    const ignore = () => undefined;
    client.on('error', ignore);
    const release = (broken: boolean) => {
      client.release(broken || left <= 0);
      if (left > 0) client.off('error', ignore);
    };
    return { query, release };
  };
  const raw = async (...given: never[]) => {
    if (left <= 0) throw kill();
    left -= 1;
    return of.knex.raw(...(given as [never]));
  };
  const knex = new Proxy(of.knex, {
    get: (target, name) => (name === 'raw' ? raw : Reflect.get(target, name)),
  });
  const pool = new Proxy(of.pool, {
    get: (target, name) => (name === 'connect' ? connect : Reflect.get(target, name)),
  });
  return { database: { ...of, knex, pool }, isDead: () => left <= 0 };
}

test('a process that is killed at any statement of a merge or its undo leaves a merge that another one ends', async () => {
  now = START;
  const play = await makePlay();
  for (const view of VIEWS.keys()) for (const board of [0, 4]) await play.declare(board, view);
  const runs = [0, 1, 2].flatMap((player) =>
    KINDS.flatMap((_, board) =>
      [2, 0.1, 1.5].map((amount): Run => {
        const of = { amount: amount + player, isTest: amount === 2 && player === 1, process: board % 2 };
        return { player, board, ...of, byServer: false, class: 'mage' };
      }),
    ),
  );
  await play.play(runs);
  await play.finish();
  // A chain: what moves has come from another player already.
  await play.merge({ kind: 'merge', source: 0, target: 1, runs: [], steps: null, process: 0 });
  await play.check();
  const [source, target] = [1, 2];
  const before = await play.derived();
  const log = makeLog('silent');
  let joined: unknown[] | undefined;
  let kills = 0;
  /** @returns whether the process died */
  const follow = async (id: string, statements: number): Promise<boolean> => {
    const own = testDatabase.open();
    const { database, isDead } = dying(own, statements);
    const worker = new MergeWorker(database, clock, log, () => undefined);
    const failed = await worker.follow(id).then(
      () => false,
      (error: Error) => {
        expect(error.message).toMatch(/killed|terminat/);
        return true;
      },
    );
    await worker.close();
    expect(failed).toBe(failed && isDead());
    if (failed) await processes[statements % 2]!.merges.follow(id);
    return failed;
  };
  for (let statements = 0, died = true; died; statements += KILLED_EVERY) {
    now += 1_000;
    const by = { by: null, reason: null, now: new Date(now) };
    const ids = [play.seats[source]!.identityId, play.seats[target]!.identityId] as const;
    const id = await db.knex.transaction((trx) => beginMerge(trx, ...ids, by));
    died = await follow(id, statements);
    play.model.merges.push({ id, source, target });
    joined ??= await play.derived();
    expect(await play.derived()).toEqual(joined);
    await db.knex.transaction((trx) => beginUndo(trx, id, by));
    const diedAgain = await follow(id, statements);
    died ||= diedAgain;
    play.model.merges.pop();
    expect(await play.derived()).toEqual(before);
    kills += Number(died);
  }
  await play.check();
  expect(kills).toBeGreaterThan(30 / KILLED_EVERY);
  if (process.env.TEST_LOG) process.stderr.write(`${kills} kills\n`);
}, 600_000);
