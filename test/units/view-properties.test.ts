import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { DomainError } from '../../src/base/errors.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { isVisible } from '../../src/base/text.js';
import { isTagValue, platformOf, tagValueOf } from '../../src/boards/views/tag-value.js';
import type { Database } from '../../src/db/pool.js';
import { Builds } from '../../src/rankings/upkeep/builds.js';
import { PlayerTagWorker } from '../../src/rankings/upkeep/player-tags.js';
import { RemovalWorker } from '../../src/rankings/upkeep/removals.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import type { Result } from '../../src/submissions/decide/batch.js';
import type { Submission } from '../../src/submissions/facts/submission.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { isQuick, runsOf } from '../support/lane.js';
import { RememberingWriter } from '../support/remembering-writer.js';
import { expectSound } from '../support/standings.js';
import { declareView, expectExactViews, storedRankings, type ViewRule } from '../support/views.js';
import {
  type BoardRules,
  changeRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  setTag,
  submissionOf,
  type World,
} from '../support/world.js';

/** The ranks to show in all rankings of live views, put in order by Postgres; by number of the ranking, population and slot. */
async function displayedRanks(db: Database, boardId: string): Promise<Map<string, number>> {
  const { rows } = await db.knex.raw<{ rows: { key: string; display: string }[] }>(
    `select concat_ws(' ', r.ranking_no, e.is_test::text, e.slot) as key, case v.tie_policy
         when 'competition' then rank() over (partition by r.ranking_no, e.is_test order by e.rank_key)
         when 'dense' then dense_rank() over (partition by r.ranking_no, e.is_test order by e.rank_key)
         else row_number() over (partition by r.ranking_no, e.is_test order by e.rank_key, e.seq) end as display
     from board_views v join rankings r on r.board_id = v.board_id and r.view_no = v.view_no
     join entries e on e.board_id = r.board_id and e.generation = r.generation and e.ranked
     where v.board_id = ? and v.status = 'live' and r.status = 'live'`,
    [uuidOf(boardId)],
  );
  return new Map(rows.map(({ key, display }) => [key, Number(display)]));
}

const RUNS = runsOf(8, 2);
const PLAYERS = 5;

const VIEWS: ViewRule[] = [
  { name: 'day', period: 'day', by: [], tiePolicy: 'competition' },
  { name: 'week', period: 'week', by: [], tiePolicy: 'latest' },
  { name: 'month', period: 'month', by: [], tiePolicy: 'dense' },
  { name: 'country', period: null, by: ['country'], tiePolicy: 'latest' },
  { name: 'weekly_class', period: 'week', by: ['class', 'country'] },
  { name: 'daily_class', period: 'day', by: ['class'], tiePolicy: 'dense' },
  { name: 'guild', period: null, by: ['guild'], tiePolicy: 'dense' },
  { name: 'weekly_guild', period: 'week', by: ['guild', 'class'], tiePolicy: 'latest' },
];

/** From here on views are by a tag of players. */
const GUILD_VIEWS = VIEWS.findIndex(({ by }) => by.includes('guild'));

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let players: string[];
let processes: {
  pipeline: SubmissionPipeline;
  builds: Builds;
  retirement: Retirement;
  tags: PlayerTagWorker;
}[];
let removals: RemovalWorker;
const START = Date.parse('2026-02-03T12:00:00Z');
let now = START;
const clock = () => now;

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  const log = makeLog(process.env.TEST_LOG ?? 'fatal');
  const nothing = () => undefined;
  // Two processes that both write and both look after everything.
  processes = [1, 2].map(() => {
    const own = testDatabase.open();
    return {
      pipeline: new SubmissionPipeline(own, clock, log, nothing, { batch: 5, queue: 10_000, writers: 3 }),
      builds: new Builds(own, clock, log, nothing),
      retirement: new Retirement(own, clock, log, nothing),
      tags: new PlayerTagWorker(own, clock, log, nothing),
    };
  });
  removals = new RemovalWorker(db, clock, log, nothing);
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
  await Promise.all(
    processes.flatMap(({ builds, retirement, tags }) => [builds.close(), retirement.close(), tags.close()]),
  );
  await testDatabase.drop();
});

interface Run {
  player: number;
  amount: number;
  isTest: boolean;
  country: string | null;
  class: string | null;
  /** True if the answer has its standings: else views that contain a better one are not looked at. */
  asks: boolean;
}

type Action =
  | { kind: 'batch'; runs: Run[]; seconds: number }
  | { kind: 'crowd'; runs: Run[]; seconds: number }
  | { kind: 'rule'; player: number; nth: number; effect: 'exclude' | 'include' | 'review' }
  | { kind: 'remove'; player: number; effect: 'exclude' | 'include' }
  /** The player's guild, after so many steps of a view by guild that is built anew; others submit meanwhile, and so does the player. */
  | { kind: 'tag'; player: number; guild: string | null; runs: Run[]; process: number; steps: number }
  | { kind: 'change'; rules: BoardRules }
  | { kind: 'declare'; view: number }
  | { kind: 'drop'; view: number }
  /** Steps of the build of some view, if one is under way. */
  | { kind: 'steps'; players: number; count: number }
  /**
   * A view is built up to its last phase, with a ruling and `runs` of meanwhile to be read; then these and `later` are
   * submitted, between its steps, by a process that has cached what it knows of the players.
   */
  | {
      kind: 'follow';
      view: number;
      player: number;
      nth: number;
      effect: 'exclude' | 'include';
      runs: Run[];
      later: Run[];
    }
  | { kind: 'rebuild'; count: number }
  | { kind: 'pass'; hours: number };

const run: fc.Arbitrary<Run> = fc.record({
  player: fc.nat(PLAYERS - 1),
  amount: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: -3, max: 3 }) }, fc.constantFrom(0.1, -0.3, 40)),
  isTest: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.boolean()),
  country: fc.constantFrom('DE', 'FR', null),
  class: fc.constantFrom('mage', 'rogue', null),
  asks: fc.boolean(),
});
const runs = fc.array(run, { minLength: 1, maxLength: 8, size: 'max' });
const seconds = fc.constantFrom(0, 1, 7_000, 40_000);
const rules: fc.Arbitrary<BoardRules> = fc
  .record({
    kind: fc.constantFrom(
      'all' as const,
      'best' as const,
      'best' as const,
      'first' as const,
      'last' as const,
    ),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
  })
  .map(({ kind, sortDirection }) => ({
    ...{ keepStrategy: kind, sortDirection },
    boardType: kind === 'all' ? ('run_runs' as const) : ('run_identity' as const),
  }));
const counter: fc.Arbitrary<BoardRules> = fc.record({
  boardType: fc.constant('counter' as const),
  keepStrategy: fc.constant('all' as const),
  sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
});
const view = fc.nat(VIEWS.length - 1);
const player = fc.nat(PLAYERS - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('batch' as const), runs, seconds }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('crowd' as const), runs, seconds }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('rule' as const), player, nth: fc.nat(3) },
      effect: fc.constantFrom('exclude' as const, 'include' as const, 'review' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      ...{ kind: fc.constant('remove' as const), player },
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('tag' as const), player: fc.nat(1), process: fc.nat(1) },
      ...{ guild: fc.constantFrom('ravens', 'wolves', null), steps: fc.constantFrom(0, 0, 1, 3, 6, 9) },
      runs: fc.array(run, { maxLength: 4, size: 'max' }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), rules }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('declare' as const), view }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('drop' as const), view }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('steps' as const),
      ...{ players: fc.integer({ min: 1, max: 3 }), count: fc.integer({ min: 1, max: 9 }) },
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      ...{ kind: fc.constant('follow' as const), view, player, nth: fc.nat(3), runs, later: runs },
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('rebuild' as const), count: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), hours: fc.constantFrom(5, 30, 400) }),
  },
);
const history = fc.record({
  rules: fc.oneof({ weight: 3, arbitrary: rules }, counter),
  born: fc.uniqueArray(view, { minLength: 1, maxLength: 4 }),
  actions: fc.array(action, {
    ...(isQuick ? { minLength: 8, maxLength: 10 } : { minLength: 15, maxLength: 30 }),
    size: 'max',
  }),
});

function items(boardId: string, of: readonly Run[]): Submission[] {
  return of.map(({ player: n, amount, isTest, country, class: kind, asks }) =>
    submissionOf(world, boardId, players[n]!, {
      ...{ amount: amount + 0, isTest, wantedViews: asks ? 'all' : undefined },
      place: { city: null, country, timezone: null },
      tags: kind === null ? null : { class: kind },
    }),
  );
}

/** A player has one population in a batch, as the queue of a board sees to. */
function inOnePopulation(of: readonly Run[]): Run[] {
  const populations = new Map<number, boolean>();
  return of.filter(({ player: n, isTest }) => {
    if (!populations.has(n)) populations.set(n, isTest);
    return populations.get(n) === isTest;
  });
}

/** The ranks that an answer has are those after its batch. @returns how many were compared */
async function compareAnswers(
  boardId: string,
  sent: readonly Submission[],
  results: readonly Result[],
): Promise<number> {
  const stored = await storedRankings(db, boardId);
  const displayed = await displayedRanks(db, boardId);
  const board = await db.knex('board_rankings').where('board_id', uuidOf(boardId)).first();
  const rankings = new Map(
    (await db.knex('rankings').where('board_id', uuidOf(boardId)).where('view_no', '>', 0)).map((row) => [
      row.ranking_no,
      row,
    ]),
  );
  let compared = 0;
  for (const [i, result] of results.entries()) {
    if (result instanceof DomainError || !result.standings) continue;
    const { identityId, isTest, eventId } = sent[i]!;
    const isLast = !sent
      .slice(i + 1)
      .some((other) => other.identityId === identityId && other.isTest === isTest);
    const slot = board.board_type === 'run_runs' ? uuidOf(eventId) : uuidOf(identityId);
    for (const { ranking, group, rank, displayRank, total, view: name } of result.standings) {
      if (ranking === null) {
        expect(group).toBeNull();
        continue;
      }
      const row = rankings.get(ranking)!;
      const lines = stored.get(`${row.view_no} ${row.period_number} ${row.group_key} ${isTest}`)!;
      const place = lines.findIndex((line) => line.split(' ')[1] === slot) + 1;
      expect([name, 'total', total]).toEqual([name, 'total', lines.length]);
      // An earlier submission of the same batch may have been overtaken by the player's own next one.
      if (isLast || board.board_type === 'run_runs') {
        const display = displayed.get(`${ranking} ${isTest} ${slot}`);
        expect([name, rank, displayRank]).toEqual([name, place, display]);
      }
      compared += 1;
    }
  }
  return compared;
}

async function ruleOnEvent(
  boardId: string,
  act: Omit<Extract<Action, { kind: 'rule' }>, 'kind'>,
): Promise<void> {
  const identityId = uuidOf(players[act.player]!);
  const events = await db
    .knex('score_events')
    .where({ board_id: uuidOf(boardId), identity_id: identityId })
    .orderBy('seq');
  const event = events[act.nth % Math.max(1, events.length)];
  if (event) await ruleOn(db.knex, boardId, { eventId: event.id, identityId }, act.effect, new Date(now));
}

/**
 * The events of a player have its present guild.
 * @param all also those from before the board had the tag
 * @returns how many have one
 */
async function expectPresentTags(
  boardId: string,
  guilds: ReadonlyMap<string, string | null>,
  all: boolean,
): Promise<number> {
  const events = (await db.knex('score_events').where('board_id', uuidOf(boardId))).filter(
    ({ tags }) => all || tags?.guild !== undefined,
  );
  const found = events.map(({ identity_id, tags }) => [identity_id, tags.guild]);
  expect(found).toEqual(
    events.map(({ identity_id }) => [identity_id, guilds.get(`ide_${identity_id}`) ?? null]),
  );
  return found.filter(([, guild]) => guild !== null).length;
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
  await removals.follow(players[index]!);
}

async function dropView(boardId: string, view_no: number): Promise<void> {
  await db.knex.transaction(async (trx) => {
    const board = { board_id: uuidOf(boardId) };
    await trx('board_rankings').where(board).increment('version', 1);
    await trx('board_views')
      .where({ ...board, view_no })
      .update({ status: 'dropping', build: null });
  });
}

/** Some steps of the board's builds, by the two processes by turns. @returns how many views are live by it */
async function advance(
  boardId: string,
  { players: most, count }: Pick<Extract<Action, { kind: 'steps' }>, 'players' | 'count'>,
): Promise<number> {
  const building = () => db.knex('board_views').where({ board_id: uuidOf(boardId), status: 'building' });
  const before = await building();
  for (let n = 0; n < count; n += 1) await processes[n % 2]!.builds.step(boardId, most);
  return before.length - (await building()).length;
}

/** Steps of the newest build until it is in this phase, if it gets there. */
async function advanceTo(boardId: string, phase: 'news' | 'follow'): Promise<void> {
  for (let n = 0; n < 60; n += 1) {
    const building = await db
      .knex('board_views')
      .where({ board_id: uuidOf(boardId), status: 'building' })
      .orderBy('view_no', 'desc')
      .first();
    if (!building || building.build?.phase === phase) return;
    await processes[n % 2]!.builds.step(boardId, 3);
  }
}

/** All builds to their end, by both processes. */
async function finish(): Promise<void> {
  for (let round = 0; ; round += 1) {
    if (round > 50) throw new Error('a build does not come to its end');
    await Promise.all(processes.flatMap(({ builds, retirement }) => [builds.work(), retirement.work()]));
    const views = await db.knex('board_views').where('status', 'building');
    const boards = await db.knex('board_rankings').whereNotNull('build');
    if (views.length + boards.length === 0) return;
  }
}

test('after any history, each ranking of each view is what a brute-force model says, and answers had the ' +
  'ranks after their batch', async () => {
  let ranks = 0;
  let answers = 0;
  let built = 0;
  let retagged = 0;
  await fc.assert(
    fc.asyncProperty(history, async ({ rules: first, born, actions }) => {
      // Within the periods that are written.
      now = START;
      players = await makeIdentities(db.knex, world, PLAYERS);
      const boardId = await makeBoard(db.knex, world, first);
      const writer = new RememberingWriter(db, clock);
      const numbers = new Map<number, number>();
      const guilds = new Map<string, string | null>();
      let tagged = false;
      const crowd = (sent: Run[], alone?: number) =>
        items(boardId, sent).map((item, i) =>
          processes[alone ?? i % 2]!.pipeline.submit(item).catch(({ code }) =>
            expect(code).toBe('NOT_FOUND'),
          ),
        );
      const declare = async (n: number) => {
        if (VIEWS[n]!.by.includes('guild') && !tagged) {
          tagged = true;
          await db.knex.raw(
            `update board_rankings set player_tags = '{guild}', version = version + 1 where board_id = ?`,
            [uuidOf(boardId)],
          );
        }
        if (!numbers.has(n)) numbers.set(n, await declareView(db.knex, boardId, VIEWS[n]!, new Date(now)));
      };
      for (const n of born) await declare(n);
      for (const act of actions) {
        now += 1_000;
        if (act.kind === 'batch') {
          now += act.seconds * 1_000;
          const sent = items(boardId, inOnePopulation(act.runs));
          const results = await writer.write(sent).catch((error: { code: string }) => {
            expect(error.code).toMatch(/^40LB/);
            return writer.write(sent, { mode: 'reading', reader: db.pool });
          });
          answers += await compareAnswers(boardId, sent, results);
        } else if (act.kind === 'crowd') {
          now += act.seconds * 1_000;
          await Promise.all(crowd(act.runs));
        } else if (act.kind === 'tag') {
          guilds.set(players[act.player]!, act.guild);
          if (act.steps > 0) {
            if (numbers.has(GUILD_VIEWS)) await dropView(boardId, numbers.get(GUILD_VIEWS)!);
            numbers.delete(GUILD_VIEWS);
            await declare(GUILD_VIEWS);
            await advance(boardId, { players: 2, count: act.steps });
          }
          await Promise.all([
            setTag(db.knex, players[act.player]!, 'guild', act.guild, new Date(now)).then(() =>
              processes[act.process]!.tags.follow(players[act.player]!),
            ),
            advance(boardId, { players: 2, count: 2 }),
            ...crowd(inOnePopulation(act.runs)),
          ]);
        } else if (act.kind === 'rule') await ruleOnEvent(boardId, act);
        else if (act.kind === 'remove') await remove(act.player, act.effect);
        else if (act.kind === 'change') {
          // As if it were large: nothing is done at once.
          if (first.boardType !== 'counter') await changeRules(db.knex, boardId, act.rules, new Date(now), 0);
        } else if (act.kind === 'declare') await declare(act.view);
        else if (act.kind === 'drop') {
          const view_no = numbers.get(act.view);
          if (view_no !== undefined) {
            numbers.delete(act.view);
            await dropView(boardId, view_no);
          }
        } else if (act.kind === 'steps') built += await advance(boardId, act);
        else if (act.kind === 'follow') {
          const submit = async (sent: Run[]) => {
            await Promise.all(crowd(sent, 0));
          };
          await declare(act.view);
          await advanceTo(boardId, 'news');
          await ruleOnEvent(boardId, act);
          await submit(act.runs);
          await advanceTo(boardId, 'follow');
          await submit(act.later);
          await advance(boardId, { players: 3, count: 8 });
          await submit(act.runs);
        } else if (act.kind === 'rebuild') {
          for (let n = 0; n < act.count; n += 1) {
            await db.knex.raw('select advance_build(?, ?, 2, false)', [uuidOf(boardId), new Date(now)]);
          }
        } else if (act.kind === 'pass') now += act.hours * 3_600_000;
        if (act.kind !== 'pass') {
          ranks += await expectExactViews(db, boardId);
          retagged += await expectPresentTags(boardId, guilds, false);
        }
      }
      for (const n of numbers.keys()) await declare(n);
      built += (await db.knex('board_views').where({ board_id: uuidOf(boardId), status: 'building' })).length;
      await finish();
      ranks += await expectExactViews(db, boardId);
      retagged += await expectPresentTags(
        boardId,
        guilds,
        [...numbers.keys()].some((n) => n >= GUILD_VIEWS),
      );
      await expectSound(db, boardId);
    }),
    { numRuns: RUNS },
  );
  if (process.env.TEST_LOG)
    process.stderr.write(`${ranks} ranks, ${answers} answers, ${built} views built, ${retagged} tags\n`);
  expect(ranks).toBeGreaterThan(10 * RUNS);
  expect(answers).toBeGreaterThan(RUNS);
  expect(built).toBeGreaterThan(0);

  // Nothing is left of dropped views and of old numbers.
  now = START + 400 * 86_400_000;
  for (let round = 0; round < 3; round += 1) {
    for (const { retirement } of processes) await retirement.work();
    // What went in this round is kept for ten seconds.
    now += 60_000;
  }
  expect(await db.knex('generations_due')).toEqual([]);
  const left = await db.knex.raw(
    `select e.board_id, e.generation from entries e
     where e.generation < 0 and not exists (select from rankings r where r.board_id = e.board_id
       and (r.generation = e.generation or values_generation(r.generation) = e.generation) and r.status = 'live')`,
  );
  expect(left.rows).toEqual([]);
}, 3_600_000);

test('values of tags are the same in SQL and here, valid ones stay', async () => {
  const character = fc.oneof(
    fc.constantFrom(...'ab ,:\t\u007f\u0085\u00a0\u1680\u2003\u200b\u2028\u2029\u202f\u205f\u3000\ufeff'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }).filter((one) => one !== '\0'),
  );
  const texts = fc.sample(fc.array(character, { maxLength: 8 }), 5_000).map((parts) => parts.join(''));
  const { rows } = await db.knex.raw(
    `select tag_value('platform', jsonb_build_object('platform', t), null) as value
      from unnest(?::text[]) with ordinality u(t, n) order by n`,
    [texts],
  );
  const values = rows.map(({ value }: { value: string | null }) => value);
  expect(texts.map(tagValueOf)).toEqual(values);
  for (const [n, text] of texts.entries()) {
    if (platformOf(text) === '') expect(values[n] === null || !isVisible(values[n])).toBe(true);
    if (isTagValue(text)) expect(values[n]).toBe(text);
    // Postgres does not know what fonts draw: devices keep no platform that cannot be seen, and inputs refuse such tags.
    else if (values[n] !== null) expect([text, isTagValue(values[n])]).toEqual([text, isVisible(values[n])]);
  }
});
