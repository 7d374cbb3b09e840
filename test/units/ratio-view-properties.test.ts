import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Changes } from '../../src/db/changes.js';
import type { Database } from '../../src/db/pool.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { PlayerTagWorker } from '../../src/rankings/upkeep/player-tags.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { RemovalWorker } from '../../src/rankings/upkeep/removals.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { runsOf } from '../support/lane.js';
import { type RatioRules, setRatio } from '../support/ratio.js';
import { expectExactRatioViews } from '../support/ratio-views.js';
import { expectSound } from '../support/standings.js';
import { declareView, type ViewRule } from '../support/views.js';
import {
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  setTag,
  submissionOf,
  type World,
} from '../support/world.js';

const RUNS = runsOf(3, 1);
const PLAYERS = 5;

const VIEWS: ViewRule[] = [
  { name: 'day', period: 'day', by: [], keepPeriods: 3, tiePolicy: 'dense' },
  { name: 'week', period: 'week', by: [], tiePolicy: 'latest' },
  { name: 'country', period: null, by: ['country'], tiePolicy: 'dense' },
  { name: 'daily_class', period: 'day', by: ['class', 'country'] },
  { name: 'weekly_guild', period: 'week', by: ['guild'] },
];

const GUILD_VIEW = 4;

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let players: string[];
let processes: { pipeline: SubmissionPipeline; builds: Builds; retirement: Retirement; ratios: Ratios }[];
let removals: RemovalWorker;
let tags: PlayerTagWorker;
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
      pipeline: new SubmissionPipeline(own, clock, log, nothing, { batch: 5, queue: 10_000, writers: 3 }),
      builds: new Builds(own, clock, log, nothing),
      retirement: new Retirement(own, clock, log, nothing),
      ratios: new Ratios(own, clock, log, new Changes(), nothing),
    };
  });
  removals = new RemovalWorker(db, clock, log, nothing);
  tags = new PlayerTagWorker(db, clock, log, nothing);
  for (const [name, size] of [
    ['leaf_capacity', 4],
    ['run_width', 3],
    ['top_width', 3],
  ]) {
    await db.knex.raw(
      `create or replace function rank_${name}() returns integer language sql immutable parallel safe as 'select ${size}'`,
    );
  }
  // Room for one player between two equals.
  await db.knex.raw(
    `create or replace function equals_apart() returns bigint language sql immutable parallel safe as 'select 2::bigint'`,
  );
  world = await makeWorld(db.knex);
});
afterAll(async () => {
  await Promise.all(
    processes.flatMap(({ builds, retirement, ratios }) => [
      builds.close(),
      retirement.close(),
      ratios.close(),
    ]),
  );
  await testDatabase.drop();
});

interface Run {
  board: number;
  player: number;
  amount: number;
  isTest: boolean;
  country: string | null;
  class: string | null;
}

type Action =
  | { kind: 'submit'; runs: Run[]; hours: number }
  | { kind: 'rule'; board: number; player: number; nth: number; effect: 'exclude' | 'include' | 'review' }
  | { kind: 'remove'; player: number; effect: 'exclude' | 'include' }
  /** The player's guild changes while others submit and rounds are made. */
  | { kind: 'tag'; player: number; guild: string | null; runs: Run[] }
  | { kind: 'source'; sortDirection: 'asc' | 'desc' }
  | { kind: 'ratio'; rules: RatioRules }
  | { kind: 'declare'; view: number }
  | { kind: 'drop'; view: number }
  | { kind: 'steps'; board: number; players: number; count: number }
  | { kind: 'rebuild'; board: number; count: number }
  | { kind: 'pull'; process: number }
  | { kind: 'finish' }
  | { kind: 'retire' };

const run: fc.Arbitrary<Run> = fc.record({
  board: fc.nat(1),
  player: fc.nat(PLAYERS - 1),
  amount: fc.oneof(
    { weight: 6, arbitrary: fc.integer({ min: 1, max: 3 }) },
    fc.constantFrom(0.1, -0.3, -2, 40),
  ),
  isTest: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
  country: fc.constantFrom('DE', 'DE', 'FR', null),
  class: fc.constantFrom('mage', 'mage', 'rogue', null),
});
const ratioRules: fc.Arbitrary<RatioRules> = fc.record({
  swapped: fc.boolean(),
  zero: fc.constantFrom('null' as const, 'zero' as const, 'infinity' as const),
  minNumerator: fc.constantFrom(0, 0, 1, -10),
  minDenominator: fc.constantFrom(0, 0, 2, -10),
  scale: fc.constantFrom(1, 100),
  display: fc.constantFrom('raw' as const, 'percent' as const),
  decimals: fc.nat(2),
});
const view = fc.nat(VIEWS.length - 1);
const player = fc.nat(PLAYERS - 1);
const board = fc.nat(1);
const of = <K extends Action['kind']>(kind: K) => ({ kind: fc.constant(kind) });
const inOrOut = fc.constantFrom('exclude' as const, 'include' as const);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      ...of('submit'),
      runs: fc.array(run, { minLength: 3, maxLength: 12, size: 'max' }),
      hours: fc.constantFrom(0, 0, 0, 0, 7, 30),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...of('rule'),
      ...{ board, player, nth: fc.nat(3) },
      effect: fc.constantFrom('exclude' as const, 'include' as const, 'review' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...of('remove'), player, effect: inOrOut }) },
  {
    weight: 6,
    // Of few players, so that they change from one guild to another.
    arbitrary: fc.record({
      ...{
        ...of('tag'),
        player: fc.nat(1),
        guild: fc.constantFrom('ravens', 'ravens', 'wolves', 'wolves', null),
      },
      runs: fc.array(run, { maxLength: 4, size: 'max' }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...of('source'),
      sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...of('ratio'), rules: ratioRules }) },
  { weight: 2, arbitrary: fc.record({ ...of('declare'), view }) },
  { weight: 1, arbitrary: fc.record({ ...of('drop'), view }) },
  {
    weight: 6,
    arbitrary: fc.record({
      ...of('steps'),
      ...{ board: fc.nat(2), players: fc.integer({ min: 1, max: 3 }), count: fc.integer({ min: 1, max: 9 }) },
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ ...of('rebuild'), board: fc.nat(2), count: fc.integer({ min: 1, max: 9 }) }),
  },
  { weight: 6, arbitrary: fc.record({ ...of('pull'), process: fc.nat(1) }) },
  { weight: 2, arbitrary: fc.record({ ...of('finish') }) },
  { weight: 1, arbitrary: fc.record({ ...of('retire') }) },
);
const history = fc.record({
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  first: ratioRules,
  born: fc.uniqueArray(view, { minLength: 1, maxLength: 3 }),
  actions: fc.array(action, { minLength: 15, maxLength: 30, size: 'max' }),
});

async function submit(boards: readonly string[], runs: readonly Run[]): Promise<void> {
  await Promise.all(
    runs.map(({ board: at, player: n, amount, isTest, country, class: kind }, i) =>
      processes[i % 2]!.pipeline.submit(
        submissionOf(world, boards[at]!, players[n]!, {
          ...{ amount: amount + 0, isTest, place: { city: null, country, timezone: null } },
          tags: kind === null ? null : { class: kind },
        }),
      ).catch(({ code }) => expect(code).toBe('NOT_FOUND')),
    ),
  );
}

async function rule(boardId: string, act: Extract<Action, { kind: 'rule' }>): Promise<void> {
  const identityId = uuidOf(players[act.player]!);
  const events = await db
    .knex('score_events')
    .where({ board_id: uuidOf(boardId), identity_id: identityId })
    .orderBy('seq');
  const event = events[act.nth % Math.max(1, events.length)];
  if (event) await ruleOn(db.knex, boardId, { eventId: event.id, identityId }, act.effect, new Date(now));
}

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
  await removals.follow(players[index]!);
}

async function drop(boardId: string, name: string): Promise<void> {
  await db.knex.transaction(async (trx) => {
    const at = { board_id: uuidOf(boardId) };
    await trx('board_rankings').where(at).increment('version', 1);
    await trx('board_views')
      .where({ ...at, name })
      .whereNot('status', 'dropping')
      .update({ status: 'dropping', build: null });
  });
}

async function finish(): Promise<void> {
  for (let round = 0; ; round += 1) {
    if (round > 50) throw new Error('a build does not come to its end');
    await Promise.all(processes.flatMap(({ builds, retirement }) => [builds.work(), retirement.work()]));
    const behind = await processes[0]!.ratios.followAll();
    const views = await db.knex('board_views').where('status', 'building');
    const boards = await db.knex('board_rankings').whereNotNull('build');
    if (views.length + boards.length + behind === 0) return;
  }
}

test('after any history of its sources, each ranking of a ratio board is what brute force makes of their events', async () => {
  let ranks = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ direction, first, born, actions }) => {
      now = START;
      players = await makeIdentities(db.knex, world, PLAYERS);
      const counter = { boardType: 'counter', keepStrategy: 'all', sortDirection: 'desc' } as const;
      const [left, right] = [
        await makeBoard(db.knex, world, counter),
        await makeBoard(db.knex, world, counter),
      ];
      const ratio = await makeBoard(db.knex, world, {
        ...{ boardType: 'ratio', keepStrategy: 'all', sortDirection: direction },
      });
      const all = [left, right, ratio];
      await db
        .knex('board_rankings')
        .whereIn('board_id', [left, right].map(uuidOf))
        .update({ player_tags: ['guild'] });
      let present = first;
      const declared = new Set<number>();
      const declare = async (n: number) => {
        if (declared.has(n)) return;
        declared.add(n);
        for (const id of all) await declareView(db.knex, id, VIEWS[n]!, new Date(now));
        // Its own sequence says nothing of the sources' history.
        const played = await db.knex('score_events').whereIn('board_id', [left, right].map(uuidOf)).first();
        await db
          .knex('board_views')
          .where({ board_id: uuidOf(ratio), name: VIEWS[n]!.name })
          .whereNot('status', 'dropping')
          .update({ status: played ? 'building' : 'live' });
      };
      await setRatio(db, ratio, left, right, present, new Date(now));
      for (const n of new Set([...born, GUILD_VIEW])) await declare(n);
      // From here on rounds follow the sources; builds come with changes.
      await finish();
      const compare = async () => {
        ranks += await expectExactRatioViews(db, ratio, left, right, direction, present);
      };
      const follow = async () => {
        await Promise.all(processes.map(({ ratios }) => ratios.followAll()));
        const build = await db.knex('board_rankings').where('board_id', uuidOf(ratio)).first();
        if (build.build === null) await compare();
      };
      for (const act of actions) {
        now += 1_000;
        if (act.kind === 'submit') {
          now += act.hours * 3_600_000;
          await submit(all, act.runs);
        } else if (act.kind === 'rule') await rule(all[act.board]!, act);
        else if (act.kind === 'remove') await remove(act.player, act.effect);
        else if (act.kind === 'tag') {
          await setTag(db.knex, players[act.player]!, 'guild', act.guild, new Date(now));
          await Promise.all([
            tags.follow(players[act.player]!),
            submit(all, act.runs),
            processes[0]!.ratios.followAll(),
          ]);
          await follow();
        } else if (act.kind === 'source') {
          await changeRules(
            db.knex,
            left,
            { ...counter, sortDirection: act.sortDirection },
            new Date(now),
            0,
          );
        } else if (act.kind === 'ratio') {
          present = act.rules;
          await setRatio(db, ratio, left, right, present, new Date(now));
        } else if (act.kind === 'declare') await declare(act.view);
        else if (act.kind === 'drop' && declared.delete(act.view)) {
          for (const id of [ratio, left, right]) await drop(id, VIEWS[act.view]!.name);
        } else if (act.kind === 'steps') {
          for (let n = 0; n < act.count; n += 1) {
            await processes[n % 2]!.builds.step(all[act.board]!, act.players);
          }
        } else if (act.kind === 'rebuild') {
          for (let n = 0; n < act.count; n += 1)
            await db.knex.raw('select advance_build(?, ?, 2, false)', [
              uuidOf(all[act.board]!),
              new Date(now),
            ]);
        } else if (act.kind === 'pull') {
          await follow();
        } else if (act.kind === 'finish') {
          await finish();
          await compare();
        } else if (act.kind === 'retire') await processes[0]!.retirement.retire();
      }
      await finish();
      await compare();
      for (const id of all) await expectSound(db, id);
      // The ratio board drops a ranking before its sources do.
      const early = await db.knex.raw(
        `select x.* from rankings x join board_views v on v.board_id = x.board_id and v.view_no = x.view_no
         join board_views w on w.name = v.name and w.board_id = any(?::uuid[])
         join rankings s on s.board_id = w.board_id and s.view_no = w.view_no and s.period_number = x.period_number
           and s.group_key = x.group_key
         where x.board_id = ? and x.status = 'live' and s.status = 'dropped'`,
        [[left, right].map(uuidOf), uuidOf(ratio)],
      );
      expect(early.rows).toEqual([]);
    }),
    { numRuns: RUNS },
  );
  if (process.env.TEST_LOG) process.stderr.write(`${ranks} ranks\n`);
  expect(ranks).toBeGreaterThan(2 * RUNS);
}, 3_600_000);
