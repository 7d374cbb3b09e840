import 'reflect-metadata';
import fc from 'fast-check';
import { uuidFrom, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import type { PrizeLine, PrizeTable, PrizeTies } from '../../src/boards/prizes/prize-table.js';
import { closeRankings } from '../../src/closings/job.js';
import type { Database } from '../../src/db/pool.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import type { Data } from '../support/http.js';
import { isQuick, runsOf } from '../support/lane.js';
import { declareView, type ViewRule } from '../support/views.js';
import {
  type BoardRules,
  makeBoard,
  makeIdentities,
  makeWorld,
  ruleOn,
  submissionOf,
  type World,
} from '../support/world.js';

// Random play, rulings, closings at random moments by two processes, and transactions that are lost before their commit. The model
// is the history up to the number that a closing has: its places must be those of that moment, no later run may be before its end,
// and each grant that these places give must be made once. Later rulings change neither; reissuing
// then grants exactly what the ranking would give and was never granted.

const PLAYERS = 6;
const HOUR = 3_600_000;
const START = Date.parse('2026-02-03T12:00:00Z');
const PLACES = 4;
const SETTLE_SECONDS = 1_800;
/** The clock of the second process is late by that much, less than the service allows for. */
const LATE_MS = 500;

const VIEWS: (ViewRule & { tiePolicy: string })[] = [
  { name: 'day', period: 'day', by: [], tiePolicy: 'competition', keepPeriods: 0 },
  { name: 'week', period: 'week', by: [], tiePolicy: 'dense' },
  { name: 'country', period: 'day', by: ['country'], tiePolicy: 'latest', keepPeriods: 1 },
];

/** Of the board's ranking, and of its views `day` and `country`; `week` has none. */
const PRIZES: Record<string, PrizeTable> = {
  '': prizes('rank', 2, [
    ...[line('one', 1, 1), line('two', 2, 4), line('half', null, null, 50), line('all')],
    ...[asks(line('old', 1, 2), null, 30), asks(line('both', null, null, 60), 2, 10), asks(line('third'), 3)],
  ]),
  day: prizes(
    'all',
    1,
    [
      ...[line('top', 1, 2), line('rest', 3, 9), line('good', null, null, null, 0)],
      ...[
        asks(line('twice', 1, 1), 2),
        asks(line('share', null, null, 30), 2),
        asks(line('fine', null, null, null, 0), null, 15),
      ],
    ],
    1,
  ),
  country: prizes('share', 1, [
    ...[line('one', 1, 1), line('two', 2, 3), line('part', null, null, 34)],
    ...[asks(line('often', 1, 2), 2), asks(line('known', null, null, 50), null, 20)],
    ...[
      { ...line('proven', 1, 2), provenOnly: true },
      { ...asks(line('both', null, null, 60), 2), provenOnly: true },
    ],
  ]),
};

/** The line for players with so many runs, who are known for so many hours. */
function asks(of: PrizeLine, minimumRuns: number | null, minimumAgeHours: number | null = null): PrizeLine {
  return { ...of, ...(minimumRuns && { minimumRuns }), ...(minimumAgeHours && { minimumAgeHours }) };
}

function line(
  name: string,
  firstRank: number | null = null,
  lastRank: number | null = null,
  percent: number | null = null,
  reached: number | null = null,
): PrizeLine {
  const of = { name, firstRank, lastRank, percent, reached };
  return {
    ...of,
    minimumRuns: null,
    minimumAgeHours: null,
    provenOnly: null,
    title: name,
    pictureUrl: null,
    grant: { name },
  };
}

function prizes(ties: PrizeTies, minimumEntries: number, lines: PrizeLine[], tieLimit = 100): PrizeTable {
  return { minimumEntries, ties, tieLimit, expiresDays: null, lines };
}

type Run = { player: number; amount: number; isTest: boolean; country: string };
type Action =
  | { kind: 'play'; runs: Run[]; process: number }
  | { kind: 'rule'; nth: number; effect: 'exclude' | 'include' | 'review' }
  | { kind: 'pass'; minutes: number }
  | { kind: 'edge' }
  | { kind: 'work'; runs: Run[]; lost: boolean }
  | { kind: 'decide'; nth: number; claimed: boolean }
  | { kind: 'reissue'; nth: number; lost: boolean; judged: number[]; effect: 'exclude' | 'include' }
  | { kind: 'end' }
  | { kind: 'open' };

type Late = Extract<Action, { kind: 'decide' | 'reissue' }>;

const run: fc.Arbitrary<Run> = fc.record({
  ...{ player: fc.nat(PLAYERS - 1), amount: fc.integer({ min: -2, max: 2 }) },
  isTest: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
  country: fc.constantFrom('DE', 'FR'),
});
const runs = fc.array(run, { minLength: 1, maxLength: 6, size: 'max' });
const decision = fc.record({
  ...{ kind: fc.constant('decide' as const), nth: fc.nat(400), claimed: fc.boolean() },
});
const late = fc.record({
  ...{ kind: fc.constant('reissue' as const), nth: fc.nat(400), lost: fc.boolean() },
  judged: fc.array(fc.nat(PLAYERS), { maxLength: 2 }),
  effect: fc.constantFrom('exclude' as const, 'exclude' as const, 'include' as const),
});
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('play' as const), runs, process: fc.nat(1) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      ...{ kind: fc.constant('rule' as const), nth: fc.nat(40) },
      effect: fc.constantFrom('exclude' as const, 'exclude' as const, 'include' as const, 'review' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(1, 20, 600, 1_500) }),
  },
  { weight: 4, arbitrary: fc.constant({ kind: 'edge' as const }) },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('work' as const), runs, lost: fc.boolean() }) },
  { weight: 2, arbitrary: decision },
  { weight: 4, arbitrary: late },
  { weight: 1, arbitrary: fc.constantFrom({ kind: 'end' as const }, { kind: 'open' as const }) },
);
const rules: fc.Arbitrary<BoardRules> = fc
  .record({
    keepStrategy: fc.constantFrom(
      'best' as const,
      'best' as const,
      'first' as const,
      'last' as const,
      'all' as const,
    ),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
  })
  .map((of) => ({
    ...of,
    boardType: of.keepStrategy === 'all' ? ('run_runs' as const) : ('run_identity' as const),
  }));

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let players: string[];
let now = START;
let processes: { db: Database; pipeline: SubmissionPipeline; retirement: Retirement; now: () => number }[];
const log = makeLog(process.env.TEST_LOG ?? 'fatal');

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  processes = [0, LATE_MS].map((late) => {
    const own = testDatabase.open();
    const clock = () => now - late;
    const nothing = () => undefined;
    const pipeline = new SubmissionPipeline(own, clock, log, nothing, {
      batch: 5,
      queue: 10_000,
      writers: 3,
    });
    return { db: own, pipeline, retirement: new Retirement(own, clock, log, nothing), now: clock };
  });
  world = await makeWorld(db.knex);
});
afterAll(async () => {
  await Promise.all(processes.map(({ retirement }) => retirement.close()));
  await testDatabase.drop();
});

async function play(boardId: string, of: readonly Run[], first: number): Promise<void> {
  const sent = of.map(({ player, amount, isTest, country }, i) =>
    processes[(first + i) % 2]!.pipeline.submit(
      submissionOf(world, boardId, players[player]!, {
        ...{ amount: amount + 0, isTest, place: { city: null, country, timezone: null } },
      }),
    ).then(
      () => undefined,
      ({ code }) => expect(code).toBe('BOARD_CLOSED'),
    ),
  );
  await Promise.all(sent);
}

const work = (index: number) => {
  const { db: own, now: clock } = processes[index]!;
  const call = {
    db: own.knex,
    now: new Date(clock()),
    payload: {},
    signal: new AbortController().signal,
    log,
  };
  return closeRankings(call, () => undefined, { grantsPerClosing: 1_000 });
};

/** What a process does that is killed before its commit. */
async function lose(): Promise<void> {
  const trx = await db.knex.transaction();
  const at = new Date(now);
  const { rows: begun } = await trx.raw('select * from closings_to_begin(?) limit 1', [at]);
  for (const { board_id, view_name, ended_at } of begun)
    await trx.raw('select begin_due_closings(?, ?, ?, ?)', [board_id, view_name, ended_at, at]);
  const { rows: due } = await trx.raw(
    `select board_id, id from closings where status = 'settling' and settles_at <= ? limit 2`,
    [at],
  );
  for (const { board_id, id } of due) await trx.raw('select freeze_closing(?, ?, ?)', [board_id, id, at]);
  const { rows: granting } = await trx.raw(
    `select board_id, id from closings where prizes_status = 'granting' limit 2`,
  );
  for (const { board_id, id } of granting)
    await trx.raw('select grant_prizes(?, ?, 2, 1000, ?)', [board_id, id, at]);
  await trx.rollback();
}

interface Fact {
  seq: number;
  identity: string;
  amount: number;
  isTest: boolean;
  country: string;
  at: number;
}

interface Place {
  rank: number;
  display: number;
  identity: string;
  value: number;
}

/** The ranking of players by brute force, from what counts. */
function ranked(facts: readonly Fact[], { keepStrategy, sortDirection }: BoardRules, ties: string) {
  const better = (a: Fact, b: Fact) => (sortDirection === 'asc' ? a.amount - b.amount : b.amount - a.amount);
  const order = (a: Fact, b: Fact) => better(a, b) || (ties === 'latest' ? b.seq - a.seq : a.seq - b.seq);
  const kept = new Map<string, Fact>();
  for (const fact of [...facts].sort((a, b) => a.seq - b.seq)) {
    const old = kept.get(fact.identity);
    const wins = keepStrategy === 'all' ? old && order(fact, old) < 0 : old && better(fact, old) < 0;
    // A value that is reached already keeps its turn among equal ones.
    const moves = keepStrategy === 'last' && fact.amount !== old?.amount;
    if (!old || moves || ((keepStrategy === 'best' || keepStrategy === 'all') && wins))
      kept.set(fact.identity, fact);
  }
  const sorted = [...kept.values()].sort(order);
  const places: Place[] = [];
  for (const [i, fact] of sorted.entries()) {
    const before = places.at(-1);
    const equal = before !== undefined && before.value === fact.amount;
    const display =
      ties === 'competition' && equal
        ? before.display
        : ties === 'dense'
          ? (before?.display ?? 0) + (equal ? 0 : 1)
          : i + 1;
    places.push({ rank: i + 1, display, identity: fact.identity, value: fact.amount });
  }
  return { places, entries: keepStrategy === 'all' ? facts.length : kept.size };
}

/** What is known of the players of a closing: their runs in its time, their age at its end in hours, and a proof by then. */
type Known = (identity: string) => { runs: number; hours: number; isProven: boolean };

/** What a table gives by these places, which are all; by brute force, from values. */
function givenBy(
  table: PrizeTable,
  all: readonly Place[],
  ties: string,
  { sortDirection }: BoardRules,
  known: Known,
) {
  const better = (a: number, b: number) => (sortDirection === 'asc' ? a < b : a > b);
  const given: { line: string; identity: string; shared: number | null }[] = [];
  let tooMany = false;
  for (const { name, firstRank, lastRank, percent, reached, ...asked } of table.lines) {
    const { minimumRuns, minimumAgeHours, provenOnly } = asked;
    const places = all
      .filter(({ identity }) => {
        const { runs, hours, isProven } = known(identity);
        return (
          (isProven || !provenOnly) &&
          runs >= (minimumRuns ?? 0) &&
          hours >= (minimumAgeHours ?? Number.NEGATIVE_INFINITY)
        );
      })
      .map((place, i, field) => ({
        ...place,
        rank: i + 1,
        display: new Set(field.slice(0, i + 1).map(({ value }) => value)).size,
      }));
    if (places.length < all.length) figures.leftOut += 1;
    const last = percent === null ? lastRank : Math.max(1, Math.ceil((places.length * percent) / 100));
    const first = percent === null ? firstRank : 1;
    const winners = places.filter(({ rank, display, value }) => {
      if (reached !== null) return !better(reached, value);
      if (last === null) return true;
      const tie = places.filter((other) => better(other.value, value)).length + 1;
      const dense = table.ties === 'all' && ties === 'dense' && percent === null;
      const at = table.ties === 'rank' ? rank : dense ? display : tie;
      return at >= first! && at <= last;
    });
    if (table.ties === 'all' && last !== null && winners.length > last - first! + 1 + table.tieLimit)
      tooMany = true;
    for (const { identity, value } of winners) {
      const tie = places.filter((other) => better(other.value, value)).length + 1;
      const equal = places.filter((other) => other.value === value).length;
      const shared = table.ties === 'share' && last !== null && equal > 1 && tie + equal - 1 > last;
      given.push({ line: name, identity, shared: shared ? equal : null });
    }
  }
  return { given, tooMany };
}

/** Each grant of a closing's places is there once, and no other. */
async function expectGranted(closing: Data, first: BoardRules, places: Place[], ties: string): Promise<void> {
  const { board_id, id, view_name, period_key, group_key, is_test } = closing;
  const rows = await db.knex('rewards').where({ board_id, closing_id: id });
  const table = PRIZES[view_name];
  const found = rows.map(({ line, identity_id, shared_by }) => `${line} ${identity_id} ${shared_by}`).sort();
  expect(Number(closing.granted_count)).toBe(rows.length);
  if (!table || places.length < table.minimumEntries) {
    expect([closing.prizes_status, found]).toEqual(['none', []]);
    return;
  }
  const known = await knownOf(closing, Number(closing.seq));
  const { given, tooMany } = givenBy(table, places, ties, first, known);
  if (closing.prizes_status === 'waiting_for_limit') {
    expect([tooMany, found]).toEqual([true, []]);
    figures.waiting += 1;
    return;
  }
  expect([closing.prizes_status, tooMany]).toEqual(['granted', false]);
  expect(found).toEqual(given.map(({ line, identity, shared }) => `${line} ${identity} ${shared}`).sort());
  for (const { id: reward, line, identity_id } of rows) {
    const names = [board_id, view_name, period_key, group_key, String(is_test), line, identity_id];
    expect(reward).toBe(uuidFrom('reward', ...names));
  }
  figures.granted += rows.length;
  figures.shared += rows.filter(({ shared_by }) => shared_by !== null).length;
}

const rewardText = ({ line, identity_id, shared_by }: Data) => `${line} ${identity_id} ${shared_by}`;
const ofPlayer = (text: string) => text.slice(0, text.lastIndexOf(' '));

/** The same in each run, as ids are not. */
const BY_NAME = ['view_name', 'period_key', 'group_key', 'is_test'].map((name) => `c.${name}`);

/** A player claims an open reward, or the studio revokes it. */
async function decide(board_id: string, nth: number, claimed: boolean): Promise<void> {
  const open = await db
    .knex('rewards as r')
    .join('closings as c', { 'c.board_id': 'r.board_id', 'c.id': 'r.closing_id' })
    .where({ 'r.board_id': board_id, 'r.status': 'open' })
    .orderBy([...BY_NAME, 'r.line', 'r.rank'])
    .select('r.id');
  const reward = open[nth % Math.max(1, open.length)];
  if (!reward) return;
  const at = new Date(now);
  await db
    .knex('rewards')
    .where({ board_id, id: reward.id })
    .update(
      claimed
        ? { status: 'claimed', status_order: 1, claimed_at: at }
        : { status: 'revoked', status_order: 4, revoked_at: at },
    );
  if (!claimed) figures.revoked += 1;
}

/** All runs of the players on these places are banned, or count again. */
async function judge(
  boardId: string,
  { board_id, id }: Data,
  nths: number[],
  effect: 'exclude' | 'include',
): Promise<void> {
  const places = await db.knex('closing_places').where({ board_id, closing_id: id }).orderBy('rank');
  const judged = new Set(places.length > 0 ? nths.map((nth) => places[nth % places.length].identity_id) : []);
  const events = await db
    .knex('score_events')
    .where({ board_id })
    .whereIn('identity_id', [...judged])
    .orderBy('seq');
  for (const { id: eventId, identity_id: identityId } of events)
    await ruleOn(db.knex, boardId, { eventId, identityId }, effect, new Date(now));
}

/**
 * Two processes grant what is missing by the ranking as it is, in portions, one of which is lost: all of it is granted
 * once, and nothing else.
 */
async function reissue(boardId: string, c: Data, first: BoardRules, lost: boolean): Promise<void> {
  const { board_id, id } = c;
  const table = PRIZES[c.view_name]!;
  const rewards = () => db.knex('rewards').where({ board_id, closing_id: id });
  const { rows: state } = await db.knex.raw(
    'select ranking_since(c) as state from closings c where c.board_id = ? and c.id = ?',
    [board_id, id],
  );
  const { inside, ties } = await sightOf(c);
  const facts = await countingAt(boardId, Number.MAX_SAFE_INTEGER);
  if (state[0].state !== 'live') {
    figures.unlike += 1;
    return;
  }
  const { places } = ranked(facts.filter(inside), first, ties);
  const isDue = places.length >= table.minimumEntries;
  const known = await knownOf(c, Number.MAX_SAFE_INTEGER);
  const due = isDue ? givenBy(table, places, ties, first, known).given : [];
  const wanted = due.map(({ line, identity, shared }) => `${line} ${identity} ${shared}`);
  const before = await rewards();
  const had = new Set(before.map((one) => ofPlayer(rewardText(one))));
  const missing = wanted.filter((text) => !had.has(ofPlayer(text)));
  const wrong = before.filter(
    (one) => one.status !== 'revoked' && !wanted.some((text) => ofPlayer(text) === ofPlayer(rewardText(one))),
  );
  const { rows: listed } = await db.knex.raw(
    'select d.* from closings c cross join lateral prize_differences(c) d where c.board_id = ? and c.id = ?',
    [board_id, id],
  );
  const of = (kind: string) => listed.filter((one: Data) => one.kind === kind);
  expect(of('missing').map(rewardText).sort()).toEqual(missing.toSorted());
  expect(
    of('wrong')
      .map((one: Data) => one.reward_id)
      .sort(),
  ).toEqual(wrong.map((one) => one.id).sort());
  const grant = async (knex: Database['knex']) => {
    for (let made = 3; made === 3; ) {
      const { rows } = await knex.raw('select reissue_prizes(?, ?, 3, 1000, ?) as made', [
        ...[board_id, id, new Date(now)],
      ]);
      made = rows[0].made;
    }
  };
  if (lost) {
    const trx = await db.knex.transaction();
    await trx.raw('select reissue_prizes(?, ?, 3, 1000, ?)', [board_id, id, new Date(now)]);
    await trx.rollback();
  }
  await Promise.all(processes.map((one) => grant(one.db.knex)));
  const after = await rewards();
  expect(after.map(rewardText).sort()).toEqual([...before.map(rewardText), ...missing].sort());
  expect(after.filter(({ reissued_at }) => reissued_at).length).toBe(
    before.filter(({ reissued_at }) => reissued_at).length + missing.length,
  );
  const closing = await db.knex('closings').where({ board_id, id }).first();
  expect(Number(closing.granted_count)).toBe(after.length);
  figures.reissued += missing.length;
  figures.wrong += wrong.length;
}

/** Which runs the ranking of a closing has, and its ties. */
async function sightOf(c: Data) {
  const view = VIEWS.find(({ name }) => name === c.view_name);
  const period =
    view &&
    (await db
      .knex('view_periods')
      .where({ board_id: c.board_id, key: c.period_key, ends_at: c.ended_at })
      .first());
  const timely = (fact: Fact) =>
    fact.isTest === c.is_test &&
    (!period || (fact.at >= period.starts_at.getTime() && fact.at < period.ends_at.getTime()));
  const inside = (fact: Fact) => timely(fact) && (!view?.by.length || fact.country === c.group_key);
  return { timely, inside, ties: view?.tiePolicy ?? 'earliest' };
}

/** @param seq of the board, up to which runs count */
async function knownOf(c: Data, seq: number): Promise<Known> {
  const { timely } = await sightOf(c);
  const facts = (await countingAt(`brd_${c.board_id}`, seq)).filter(timely);
  const rows: { id: string; created_at: Date; proven_at: Date | null }[] = await db
    .knex('identities')
    .select('id', 'created_at', 'proven_at');
  const since = new Map(rows.map(({ id, created_at }) => [id, created_at]));
  const proven = new Map(rows.map(({ id, proven_at }) => [id, proven_at]));
  return (identity) => ({
    runs: facts.filter((fact) => fact.identity === identity).length,
    hours: (c.ended_at.getTime() - since.get(identity)!.getTime()) / HOUR,
    isProven: (proven.get(identity)?.getTime() ?? Number.POSITIVE_INFINITY) <= c.ended_at.getTime(),
  });
}

/** What counted on a board when it had this number. */
async function countingAt(boardId: string, seq: number): Promise<Fact[]> {
  const board_id = uuidOf(boardId);
  const events = await db.knex('score_events').where({ board_id }).where('seq', '<=', seq).orderBy('seq');
  const ruled = await db.knex('rulings').where({ board_id }).where('seq', '<=', seq).orderBy('seq');
  const effects = new Map<string, string>(ruled.map(({ event_id, effect }) => [event_id, effect]));
  return events
    .filter(({ id }) => effects.get(id) !== 'exclude')
    .map((row) => ({
      ...{ seq: Number(row.seq), identity: row.identity_id, amount: row.amount, isTest: row.is_test },
      ...{ country: row.country, at: row.created_at.getTime() },
    }));
}

const figures = {
  granted: 0,
  leftOut: 0,
  shared: 0,
  waiting: 0,
  frozen: 0,
  places: 0,
  withdrawn: 0,
  groups: 0,
  after: 0,
  revoked: 0,
  reissued: 0,
  wrong: 0,
  unlike: 0,
};

/** Each closing has the places of its moment, its name's id, and no run after it is before its end. */
async function expectExact(boardId: string, first: BoardRules, seen: Map<string, string>): Promise<void> {
  const board_id = uuidOf(boardId);
  for (const c of await db.knex('closings').where({ board_id })) {
    const names = [board_id, c.view_name, c.period_key, c.group_key, String(c.is_test)];
    expect(c.id).toBe(uuidFrom('closing', ...names));
    if (c.status === 'withdrawn') figures.withdrawn += 1;
    if (c.status !== 'frozen') continue;
    const places = await db.knex('closing_places').where({ board_id, closing_id: c.id }).orderBy('rank');
    const { granted_count, prizes_status, updated_at, ...fixed } = c;
    const now = JSON.stringify([fixed, places]);
    expect(seen.get(c.id) ?? now).toBe(now);
    if (seen.has(c.id)) continue;
    seen.set(c.id, now);
    const { inside, ties } = await sightOf(c);
    const expected = ranked((await countingAt(boardId, Number(c.seq))).filter(inside), first, ties);
    const found = places.map(({ rank, display_rank, identity_id, value }) => ({
      ...{ rank, display: display_rank, identity: identity_id, value },
    }));
    const prized = PRIZES[c.view_name] && expected.places.length >= PRIZES[c.view_name]!.minimumEntries;
    const wanted = prized ? found : expected.places.slice(0, PLACES);
    expect([names, found, Number(c.entry_count)]).toEqual([names, wanted, expected.entries]);
    expect(found).toEqual(expected.places.slice(0, found.length));
    expect(found.length).toBeGreaterThanOrEqual(Math.min(PLACES, expected.places.length));
    await expectGranted(c, first, expected.places, ties);
    figures.frozen += 1;
    figures.places += found.length;
    if (c.group_key) figures.groups += 1;
  }
}

/** Runs that were committed after a period was frozen are not in it. */
async function expectEnded(boardId: string): Promise<void> {
  const board_id = uuidOf(boardId);
  const { rows } = await db.knex.raw(
    `select c.view_name, e.seq, e.created_at, c.ended_at from closings c join score_events e on e.board_id = c.board_id and e.seq > c.seq
     where c.board_id = ? and c.status = 'frozen' and c.view_name <> '' and e.created_at < c.ended_at`,
    [board_id],
  );
  expect(rows).toEqual([]);
}

/** A claim, a revocation, or a judgement after the close and what follows from it. */
async function decideLate(boardId: string, act: Late, first: BoardRules): Promise<void> {
  const board_id = uuidOf(boardId);
  if (act.kind === 'decide') return decide(board_id, act.nth, act.claimed);
  const granted = await db
    .knex('closings as c')
    .where({ board_id, status: 'frozen' })
    .whereNotNull('prize_number')
    .whereIn('prizes_status', ['granted', 'none'])
    .orderBy(BY_NAME);
  const closing = granted[act.nth % Math.max(1, granted.length)];
  if (!closing) return;
  await judge(boardId, closing, act.judged, act.effect);
  await reissue(boardId, closing, first, act.lost);
}

/** The first of some closings are banned, whatever came before: those behind them win something. */
const BANS = [0, 1, 2].map(
  (nth): Late => ({ kind: 'reissue', nth, judged: [0], effect: 'exclude', lost: nth === 1 }),
);

const history = fc.record({
  rules,
  afterwards: fc.array(fc.oneof(decision, late, late), { minLength: 5, maxLength: 9 }),
  actions: fc.array(action, {
    ...(isQuick ? { minLength: 12, maxLength: 20 } : { minLength: 20, maxLength: 45 }),
    size: 'max',
  }),
});

test('after any history, each ranking is closed once, with the places that it had at its moment', async () => {
  await fc.assert(
    fc.asyncProperty(history, async ({ rules: first, actions, afterwards }) => {
      now = START;
      players = await makeIdentities(db.knex, world, PLAYERS);
      for (const [nth, id] of players.entries()) {
        const since = new Date(START - (30 - 9 * nth) * HOUR);
        await db
          .knex('identities')
          .where('id', uuidOf(id))
          .update({ created_at: since, proven_at: [null, since, new Date(START + 5 * HOUR)][nth % 3] });
      }
      const boardId = await makeBoard(db.knex, world, first);
      const board_id = uuidOf(boardId);
      for (const view of VIEWS) await declareView(db.knex, boardId, view as ViewRule, new Date(now));
      const rule = {
        board_id,
        review_top: null,
        review_seconds: 0,
        places: PLACES,
      };
      const since = new Date(START);
      await db.knex('closing_rules').insert(
        ['', ...VIEWS.map(({ name }) => name)].map((view_name) => ({
          ...rule,
          view_name,
          since,
          settle_seconds: view_name === 'country' ? SETTLE_SECONDS : 0,
        })),
      );
      await db.knex('prize_tables').insert(
        Object.entries(PRIZES).map(([view_name, table]) => ({
          ...{ board_id, view_name, number: 1, prizes: JSON.stringify(table) },
          ...{ effective_at: since, created_at: since },
        })),
      );
      const seen = new Map<string, string>();
      for (const act of actions) {
        if (act.kind === 'play') await play(boardId, act.runs, act.process);
        else if (act.kind === 'pass') now += act.minutes * 60_000;
        // To the moment at which one process has the end of a day behind it, and the other before it.
        else if (act.kind === 'edge') now = (Math.floor(now / (24 * HOUR)) + 1) * 24 * HOUR + LATE_MS / 2;
        else if (act.kind === 'rule') {
          const events = await db.knex('score_events').where({ board_id }).orderBy('seq');
          const event = events[act.nth % Math.max(1, events.length)];
          if (event)
            await ruleOn(
              db.knex,
              boardId,
              { eventId: event.id, identityId: event.identity_id },
              act.effect,
              new Date(now),
            );
        } else if (act.kind === 'end')
          await db.knex.transaction(async (trx) => {
            await trx('board_rankings').where({ board_id }).increment('version', 1);
            await trx('boards')
              .where('id', board_id)
              .update({ is_active: false, ends_at: new Date(now) });
          });
        else if (act.kind === 'open')
          await db.knex.transaction(async (trx) => {
            await trx('board_rankings').where({ board_id }).increment('version', 1);
            await trx('boards').where('id', board_id).update({ is_active: true, ends_at: null });
            await trx.raw('select withdraw_closing(?, ?)', [board_id, new Date(now)]);
          });
        else if (act.kind === 'decide' || act.kind === 'reissue') await decideLate(boardId, act, first);
        else {
          if (act.lost) await lose();
          await Promise.all([work(0), work(1), play(boardId, act.runs, 1)]);
          await processes[0]!.retirement.retire();
        }
        await expectExact(boardId, first, seen);
      }
      now += 8 * 24 * HOUR;
      await play(boardId, [{ player: 0, amount: 1, isTest: false, country: 'DE' }], 0);
      await work(0);
      await work(1);
      await expectExact(boardId, first, seen);
      await expectEnded(boardId);
      for (const act of [...afterwards, ...BANS]) await decideLate(boardId, act, first);
      await expectExact(boardId, first, seen);
      // Each period without groups that has ended is closed, in the order of the ends.
      const ended = await db
        .knex('view_periods')
        .where({ board_id })
        .whereIn('view_no', [1, 2])
        .where('ends_at', '>', since)
        .where('ends_at', '<=', new Date(now));
      const closed = await db
        .knex('closings')
        .where({ board_id, is_test: false, group_key: '' })
        .whereNot('view_name', '');
      expect(closed.map(({ period_key, view_name }) => `${view_name} ${period_key}`).sort()).toEqual(
        ended.map(({ key, view_no }) => `${VIEWS[view_no - 1]!.name} ${key}`).sort(),
      );
      const { rows: faults } = await db.knex.raw('select unnest(verify_closings(?)) as fault', [board_id]);
      expect(faults).toEqual([]);
      figures.after += 1;
    }),
    { numRuns: runsOf(12, 6) },
  );
  // The test would not show anything otherwise.
  expect(figures.frozen).toBeGreaterThan(20);
  expect(figures.places).toBeGreaterThan(20);
  expect(figures.groups).toBeGreaterThan(3);
  expect(figures.granted).toBeGreaterThan(100);
  expect(figures.leftOut).toBeGreaterThan(20);
  expect(figures.shared).toBeGreaterThan(3);
  expect(figures.waiting).toBeGreaterThan(0);
  expect(figures.reissued).toBeGreaterThan(0);
  expect(figures.wrong).toBeGreaterThan(3);
});
