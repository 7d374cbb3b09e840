import fc from 'fast-check';
import { tiePolicy } from '../support/board-rules.js';
import { derivedText, type RatioRules, ratioModel, setRatio } from '../support/ratio.js';
import {
  type BoardRules,
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  submissionOf,
  type World,
} from '../support/world.js';
import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { RemovalWorker } from '../../src/rankings/upkeep/removals.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { byHand } from '../support/follow-guard.js';
import { runsOf } from '../support/lane.js';
import { boardText, expectSound } from '../support/standings.js';
import { Follower } from './follower.js';

const PLAYERS = 6;

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(0.1, 0.2, -0.3, 1e15, 1e-300, 1e300, -1e300, 5e-324) },
);
const ratio: fc.Arbitrary<RatioRules> = fc.record({
  swapped: fc.boolean(),
  zero: fc.constantFrom('null' as const, 'zero' as const, 'infinity' as const),
  minNumerator: fc.constantFrom(0, -1e308, 1, 2.5),
  minDenominator: fc.constantFrom(0, -1e308, 1, 3),
  scale: fc.constantFrom(1, 100, 0.001, 1e300),
  display: fc.constantFrom('raw' as const, 'percent' as const),
  decimals: fc.integer({ min: 0, max: 6 }),
});
const runRules: fc.Arbitrary<BoardRules> = fc
  .record({
    keepStrategy: fc.constantFrom('all' as const, 'best' as const, 'first' as const, 'last' as const),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
    tiePolicy,
  })
  .map((rules) => ({ ...rules, boardType: rules.keepStrategy === 'all' ? 'run_runs' : 'run_identity' }));

type Action =
  | { kind: 'submit'; player: number; board: number; amount: number; isTest: boolean }
  | { kind: 'rule'; player: number; board: number; effect: 'exclude' | 'include' }
  | { kind: 'remove'; player: number; effect: 'exclude' | 'include' }
  | { kind: 'change'; rules: BoardRules }
  | { kind: 'ratio'; rules: RatioRules }
  | { kind: 'work'; process: number };

const player = fc.nat(PLAYERS - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      player,
      board: fc.nat(2),
      amount: amount.map((x) => x + 0),
      isTest: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rule' as const),
      player,
      board: fc.nat(2),
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      player,
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), rules: runRules }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ratio' as const), rules: ratio }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('work' as const), process: fc.nat(1) }) },
);
/** Sums that every ratio's minimums let pass, of at least two players: no history is without ratios. */
const openers = fc.uniqueArray(
  fc.record({
    player,
    isTest: fc.boolean(),
    left: fc.integer({ min: 3, max: 6 }),
    right: fc.integer({ min: 3, max: 6 }),
  }),
  { selector: (opener) => `${opener.player} ${opener.isTest}`, minLength: 2, maxLength: 8 },
);
const history = fc.record({
  first: ratio,
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  ties: tiePolicy,
  rules: runRules,
  openers,
  lastRules: runRules,
  steps: fc.array(fc.array(action, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 4 }),
});

const asWritten = { zero: 'null', minNumerator: 0, minDenominator: 0, display: 'raw', decimals: 0 } as const;
const everyRun = {
  boardType: 'run_runs',
  keepStrategy: 'all',
  sortDirection: 'asc',
  tiePolicy: 'earliest',
} as const;
const submitted = (player: number, board: number, amount: number) =>
  ({ kind: 'submit', player, board, amount, isTest: false }) as const;

type History = typeof history extends fc.Arbitrary<infer H> ? H : never;

/**
 * A ratio beyond the largest value changes what is displayed, but neither value nor place, by an event of another board
 * with the same number.
 */
const SAME_VALUE = {
  ...{ first: { ...asWritten, swapped: false, scale: 1 }, direction: 'asc', ties: 'earliest' },
  ...{ rules: everyRun, lastRules: everyRun },
  openers: [0, 1].map((player) => ({ player, isTest: false, left: 3, right: 3 })),
  steps: [
    [
      { kind: 'ratio', rules: { ...asWritten, swapped: true, scale: 1e300 } },
      submitted(5, 1, 1e15),
      submitted(0, 0, 1),
    ],
    [submitted(5, 0, 3)],
    [submitted(5, 1, 1)],
    [{ kind: 'work', process: 0 }],
  ],
} satisfies History;

function opening(of: { player: number; isTest: boolean; left: number; right: number }[]): Action[] {
  const sums: Action[] = of.flatMap(({ player, isTest, left, right }) => [
    { kind: 'submit', player, board: 0, amount: left, isTest },
    { kind: 'submit', player, board: 1, amount: right, isTest },
  ]);
  return [...sums, { kind: 'work', process: 0 }, { kind: 'work', process: 1 }];
}

const RUNS = runsOf(25, 1);

let testDatabase: TestDatabase;
let db: Database;
let pipeline: SubmissionPipeline;
let ratios: Ratios[];
let builds: Builds[];
let retirements: Retirement[];
let standing: RemovalWorker;
let world: World;
let players: string[];
let now = Date.parse('2026-03-01T12:00:00Z');
const clock = () => now;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  const log = makeLog(process.env.TEST_LOG ?? 'fatal');
  pipeline = new SubmissionPipeline(db, clock, log, () => undefined, { batch: 5, queue: 10_000, writers: 3 });
  // Two processes that both look after everything.
  ratios = [1, 2].map(() => new Ratios(testDatabase.open(), clock, log, new Changes(), () => undefined));
  standing = new RemovalWorker(db, clock, log, () => undefined);
  builds = [1, 2].map(() => new Builds(testDatabase.open(), clock, log, () => undefined));
  retirements = [1, 2].map(() => new Retirement(testDatabase.open(), clock, log, () => undefined));
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
  players = await makeIdentities(db.knex, world, PLAYERS);
});
afterAll(async () => {
  await Promise.all([...ratios, ...builds, ...retirements].map((worker) => worker.close()));
  await testDatabase.drop();
});

async function submit(boardId: string, act: Extract<Action, { kind: 'submit' }>): Promise<void> {
  const refusal = await pipeline
    .submit(submissionOf(world, boardId, players[act.player]!, { amount: act.amount, isTest: act.isTest }))
    .then(
      () => undefined,
      (error) => error.code,
    );
  // The far ends of the range do not always add up, and players are deleted.
  expect([undefined, 'BAD_REQUEST', 'NOT_FOUND']).toContain(refusal);
}

/** Of the first event of a player. */
async function rule(boardId: string, act: Extract<Action, { kind: 'rule' }>): Promise<void> {
  const identityId = uuidOf(players[act.player]!);
  const event = await db
    .knex('score_events')
    .where({ board_id: uuidOf(boardId), identity_id: identityId })
    .orderBy('seq')
    .first();
  if (event) await ruleOn(db.knex, boardId, { eventId: event.id, identityId }, act.effect, new Date(now));
}

/** A player is deleted or restored: off all boards, or back on all of them, when this resolves. */
async function remove(index: number, effect: 'exclude' | 'include'): Promise<void> {
  const identity_id = uuidOf(players[index]!);
  await db.knex.transaction(async (trx) => {
    const identity = await trx('identities').where('id', identity_id).forUpdate().first();
    if ((identity.deleted_at === null) === (effect === 'include')) return;
    if (effect === 'exclude')
      await trx('identities')
        .where('id', identity_id)
        .update({ deleted_at: new Date(now) });
    const due = { identity_id, effect, ticket: randomUUID(), leased_until: new Date(now) };
    await trx('identities_due').insert(due).onConflict('identity_id').merge();
  });
  await standing.follow(players[index]!);
}

async function reconcile(): Promise<void> {
  for (let round = 0; (await db.knex('board_rankings').whereNotNull('build')).length > 0; round += 1) {
    if (round > 100) throw new Error('a build does not come to its end');
    await Promise.all(builds.map((worker) => worker.work()));
  }
  for (let round = 0; (await ratios[0]!.followAll()) > 0; round += 1) {
    if (round > 100) throw new Error('a ratio board stays behind');
  }
}

test('live boards whose rules change among submissions end with the ranking of the last rules, ratios with ' +
  'that of their sources', async () => {
  let turned = 0;
  let divided = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ first, direction, ties, rules, openers, lastRules, steps }) => {
      await db.knex('identities').update({ deleted_at: null });
      const counter = {
        boardType: 'counter',
        keepStrategy: 'all',
        sortDirection: 'desc',
        tiePolicy: ties,
      } as const;
      const boards = [
        await makeBoard(db.knex, world, counter),
        await makeBoard(db.knex, world, { ...counter, sortDirection: 'asc' }),
        await makeBoard(db.knex, world, rules),
      ];
      const [left, right, run] = boards as [string, string, string];
      const derived = await makeBoard(db.knex, world, {
        boardType: 'ratio',
        keepStrategy: 'all',
        sortDirection: direction,
        tiePolicy: ties,
      });
      let present = first;
      const followers = [...boards, derived].flatMap((board) =>
        [false, true].map((isTest) => new Follower(db, board, isTest)),
      );
      await setRatio(db, derived, left, right, present, new Date(now));
      let wanted = rules;
      const play = async (act: Action) => {
        if (act.kind === 'submit') return submit(boards[act.board]!, act);
        if (act.kind === 'rule') return rule(boards[act.board]!, act);
        if (act.kind === 'remove') return remove(act.player, act.effect);
        if (act.kind === 'work') {
          await builds[act.process]!.work();
          await ratios[act.process]!.followAll();
        }
      };
      const ending: Action[] = [...steps.at(-1)!, { kind: 'change', rules: lastRules }];
      for (const step of [opening(openers), ...steps.slice(0, -1), ending]) {
        now += 500;
        for (const act of step) {
          if (act.kind === 'change') {
            wanted = act.rules;
            // As if it were large: nothing is done at once.
            await changeRules(db.knex, run, wanted, new Date(now), 0);
            turned += 1;
          } else if (act.kind === 'ratio') {
            present = act.rules;
            await setRatio(db, derived, left, right, present, new Date(now));
          }
        }
        await Promise.all(step.map(play));
        await reconcile();

        for (const board of [...boards, derived]) await expectSound(db, board);
        const served = await db.knex('board_rankings').where('board_id', uuidOf(run)).first();
        expect(served).toMatchObject({
          board_type: wanted.boardType,
          sort_direction: wanted.sortDirection,
          keep_strategy: wanted.keepStrategy,
          tie_policy: wanted.tiePolicy,
        });
        for (const follower of followers) await follower.look(players);
        const text = await derivedText(db, derived);
        expect(text).toEqual(await ratioModel(db, left, right, direction, present));
        divided += text.length;

        // The same as a board that had these rules from the first event on.
        const before = await boardText(db, run);
        await byHand(db.knex, (trx) =>
          trx('entries')
            .where({ board_id: uuidOf(run), generation: served.generation })
            .delete(),
        );
        for (const table of ['rank_runs', 'rank_tops'])
          await db
            .knex(table)
            .where({ board_id: uuidOf(run), generation: served.generation })
            .delete();
        await db.knex.raw('select rederive(?, ?::uuid[], ?)', [
          uuidOf(run),
          players.map(uuidOf),
          new Date(now),
        ]);
        expect(await boardText(db, run)).toEqual(before);
      }
    }),
    { numRuns: RUNS + 1, examples: [[SAME_VALUE]] },
  );
  expect(turned).toBeGreaterThanOrEqual(RUNS);
  expect(divided).toBeGreaterThanOrEqual(2 * RUNS);

  now += 60_000;
  // Each takes some at a time.
  for (let left = Number.POSITIVE_INFINITY; ; ) {
    await Promise.all(retirements.map((worker) => worker.work()));
    const due = (await db.knex('generations_due')).length;
    if (due === 0 || due >= left) break;
    left = due;
  }
  expect(await db.knex('generations_due')).toEqual([]);
  const left = await db
    .knex('entries as e')
    .join('board_rankings as b', 'b.board_id', 'e.board_id')
    .whereRaw(
      "e.generation <> b.generation and not (b.tie_policy = 'dense' and e.generation = values_generation(b.generation))",
    );
  expect(left).toEqual([]);
}, 3_600_000);
