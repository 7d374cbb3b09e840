import 'reflect-metadata';
import fc from 'fast-check';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { closeLeague } from '../../src/closings/leagues/close.js';
import type { Database } from '../../src/db/pool.js';
import { SubmissionPipeline } from '../../src/submissions/queue/pipeline.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import type { Data } from '../support/http.js';
import { isQuick, runsOf } from '../support/lane.js';
import {
  type Kept,
  type LeagueRules,
  type ModelOutcome,
  type ModelSeat,
  nextSeat,
  outcomesOf,
} from '../support/league-model.js';
import { makeBoard, makeIdentities, makeWorld, ruleOn, submissionOf, type World } from '../support/world.js';

// A year of weekly leagues: players who come late, stay away and return, runs that are rejected before the close and long after it, two
// processes that claim the same seats and close the same cohorts, weeks without the service's job, and transactions that are lost. The
// model has everything in memory. Who sits in which cohort depends on who comes first, so cohorts are read, and their sizes are checked.

const PLAYERS = 30;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** A Monday. */
const EPOCH = Date.parse('2026-01-05T00:00:00Z');
const WEEKS = isQuick ? 16 : 52;
/** Moments of a week at which players come; the last one is late. */
const MOMENTS = [0.05, 0.5, 0.85];
const LATE_MS = 500;

/** As in a zone with summer time. */
const startOf = (week: number) => EPOCH + (week - 1) * WEEK - (week > 12 && week <= 43 ? HOUR : 0);

interface Week {
  /** By moment. */
  plays: { player: number; amount: number }[][];
  rules: { nth: number; effect: 'exclude' | 'include' }[];
  /** Long after the close. */
  late: { nth: number; effect: 'exclude' | 'include'; reissue: boolean }[];
  hasJob: boolean;
  isLost: boolean;
}

const effect = fc.constantFrom('exclude' as const, 'exclude' as const, 'include' as const);
const play = fc.record({ player: fc.nat(PLAYERS - 1), amount: fc.integer({ min: 0, max: 6 }) });
const week: fc.Arbitrary<Week> = fc.record({
  plays: fc.tuple(
    ...MOMENTS.map((_, i) => fc.array(play, { minLength: 2, maxLength: i === 2 ? 4 : 14, size: 'max' })),
  ),
  rules: fc.array(fc.record({ nth: fc.nat(40), effect }), { maxLength: 3 }),
  late: fc.array(fc.record({ nth: fc.nat(1_000), effect, reissue: fc.boolean() }), { maxLength: 2 }),
  hasJob: fc.oneof({ weight: 3, arbitrary: fc.constant(true) }, fc.constant(false)),
  isLost: fc.boolean(),
});
const rules: fc.Arbitrary<LeagueRules> = fc.record({
  tiers: fc.array(
    fc.record({
      ...{ name: fc.constant('tier'), size: fc.integer({ min: 3, max: 6 }) },
      ...{ promote: fc.integer({ min: 1, max: 3 }), demote: fc.integer({ min: 0, max: 3 }) },
    }),
    { minLength: 5, maxLength: 5 },
  ),
  settleSeconds: fc.constantFrom(0, (2 * DAY) / 1_000),
  lateShare: fc.constant(0.2),
  idlePeriods: fc.integer({ min: 0, max: 3 }),
  equalValues: fc.constantFrom('order' as const, 'together' as const),
});

let testDatabase: TestDatabase;
let db: Database;
let world: World;
let now = EPOCH;
let processes: { db: Database; pipeline: SubmissionPipeline; now: () => number }[];
const log = makeLog(process.env.TEST_LOG ?? 'fatal');
const figures = { closed: 0, moved: 0, late: 0, waited: 0, different: 0, reissued: 0, returned: 0 };

beforeAll(async () => {
  testDatabase = await cloneDatabase();
  db = testDatabase.open();
  processes = [0, LATE_MS].map((late) => {
    const own = testDatabase.open();
    const clock = () => now - late;
    const options = { batch: 5, queue: 10_000, writers: 3 };
    return {
      db: own,
      now: clock,
      pipeline: new SubmissionPipeline(own, clock, log, () => undefined, options),
    };
  });
  world = await makeWorld(db.knex);
});
afterAll(() => testDatabase.drop());

/** One league of a board, and what the model knows of it. */
class Played {
  readonly #seats = new Map<string, ModelSeat[]>();
  readonly #outcomes = new Map<string, ModelOutcome>();

  private constructor(
    readonly board: string,
    readonly players: string[],
    private readonly rules: LeagueRules,
    private readonly moreIsBetter: boolean,
  ) {}

  static async begin(of: LeagueRules, sortDirection: 'asc' | 'desc'): Promise<Played> {
    const kind = { boardType: 'run_identity', keepStrategy: 'best' } as const;
    const boardId = await makeBoard(db.knex, world, { ...kind, sortDirection });
    const board = uuidOf(boardId);
    const key = { board_id: board, view_no: 1 };
    const at = new Date(EPOCH);
    await db.knex('board_views').insert({
      ...{ ...key, name: 'league', period: 'week', by_tags: ['league'], status: 'live' },
      ...{ created_at: at, updated_at: at },
    });
    await db.knex('board_rankings').where('board_id', board).update({ newest_view: 1 });
    await db.knex('view_periods').insert(
      Array.from({ length: WEEKS + 6 }, (_, i) => ({
        ...{ ...key, number: i + 1, key: `${i + 1}` },
        ...{ starts_at: new Date(startOf(i + 1)), ends_at: new Date(startOf(i + 2)) },
      })),
    );
    await db.knex('leagues').insert({
      ...{ ...key, tiers: JSON.stringify(of.tiers), settle_seconds: of.settleSeconds },
      ...{ late_share: of.lateShare, idle_periods: of.idlePeriods, equal_values: of.equalValues },
    });
    const players = (await makeIdentities(db.knex, world, PLAYERS)).map(uuidOf);
    return new Played(board, players, of, sortDirection === 'desc');
  }

  /** Two processes claim seats of overlapping groups, then the runs are played. */
  async play(number: number, runs: readonly { player: number; amount: number }[]): Promise<void> {
    const ids = [...new Set(runs.map(({ player }) => this.players[player]!))];
    const parts = [ids.slice(0, Math.ceil((2 * ids.length) / 3)), ids.slice(Math.floor(ids.length / 3))];
    const answers = await Promise.all(parts.map((part, i) => this.#claim(processes[i]!.db, number, part)));
    await this.absorb();
    const seats = new Map<string, ModelSeat>();
    for (const { identity_id: player, tier, cohort } of answers.flat()) {
      const known = seats.get(player);
      if (known) expect([known.tier, known.cohort]).toEqual([tier, cohort]);
      seats.set(player, this.#seat(player, number, tier, cohort));
    }
    for (const player of ids) if (!seats.has(player)) this.#expectWaiting(player, number);
    await this.#expectCohorts(number);
    const sent = runs.flatMap(({ player, amount }, i) => {
      const seat = seats.get(this.players[player]!);
      const tags = seat && { league: `${seat.tier}.${seat.cohort}` };
      const id = `ide_${this.players[player]!}`;
      const submission = submissionOf(world, `brd_${this.board}`, id, { amount, isTest: false, tags });
      return processes[i % 2]!.pipeline.submit(submission);
    });
    await Promise.all(sent);
  }

  async #claim(of: Database, number: number, ids: string[]): Promise<Data[]> {
    const { rows } = await of.pool.query('select * from claim_seats($1, 1, $2, false, $3, $4)', [
      ...[this.board, number, ids, new Date(now)],
    ]);
    return rows;
  }

  /** The seat is the one before, or the one that the last outcome gives. */
  #seat(player: string, number: number, tier: number, cohort: number): ModelSeat {
    const before = this.#seats.get(player) ?? [];
    const last = before.at(-1);
    if (last?.week === number) {
      expect([last.tier, last.cohort]).toEqual([tier, cohort]);
      return last;
    }
    const outcome = last && this.#outcomes.get(`${last.week} ${player}`);
    if (last && !outcome) throw new Error(`the outcome of week ${last.week} is not known`);
    const wanted = nextSeat(this.rules, last && { seat: last, outcome: outcome! }, number);
    if (last && last.week < number - 1) figures.returned += 1;
    expect(tier).toBe(wanted.tier);
    const isLate =
      now >= startOf(number + 1) - this.rules.lateShare * (startOf(number + 1) - startOf(number));
    const seat = { week: number, tier, cohort, isLate, idle: wanted.idle };
    this.#seats.set(player, [...before, seat]);
    return seat;
  }

  #expectWaiting(player: string, number: number): void {
    const last = this.#seats.get(player)?.findLast(({ week: of }) => of < number);
    expect(last && startOf(last.week + 1) + this.rules.settleSeconds * 1_000).toBeGreaterThan(now);
    figures.waited += 1;
  }

  /** No cohort is too large, and of each tier one at most has room, and one of those who came late. */
  async #expectCohorts(number: number): Promise<void> {
    const stored = await db.knex('league_cohorts').where({ board_id: this.board, period_number: number });
    const groups = new Map<string, number>();
    for (const [player, seats] of this.#seats) {
      const seat = seats.find(({ week: of }) => of === number);
      if (!seat) continue;
      const key = `${seat.tier}.${seat.cohort}`;
      groups.set(key, (groups.get(key) ?? 0) + 1);
      const cohort = stored.find((one) => one.tier === seat.tier && one.cohort === seat.cohort);
      expect([player, cohort.is_late]).toEqual([player, seat.isLate]);
    }
    const open = new Set<string>();
    for (const { tier, cohort, seats, is_late } of stored) {
      const { size } = this.rules.tiers[tier - 1]!;
      expect([`${tier}.${cohort}`, seats]).toEqual([`${tier}.${cohort}`, groups.get(`${tier}.${cohort}`)]);
      expect(seats).toBeLessThanOrEqual(size);
      if (seats === size) continue;
      expect(open.has(`${tier} ${is_late}`)).toBe(false);
      open.add(`${tier} ${is_late}`);
    }
  }

  async #kept(key: string, number: number, upto: number): Promise<Map<string, Kept>> {
    const events = await db
      .knex('score_events')
      .where('board_id', this.board)
      .where('seq', '<=', upto)
      .where('created_at', '>=', new Date(startOf(number)))
      .where('created_at', '<', new Date(startOf(number + 1)))
      .whereRaw("tags ->> 'league' = ?", [key])
      .orderBy('seq');
    const rulings = await db
      .knex('rulings')
      .where('board_id', this.board)
      .where('seq', '<=', upto)
      .orderBy('seq');
    const effects = new Map(rulings.map(({ event_id, effect: of }) => [event_id, of]));
    const kept = new Map<string, Kept>();
    for (const { id, identity_id, amount, seq } of events) {
      if (effects.get(id) === 'exclude') continue;
      const best = kept.get(identity_id);
      if (!best || (this.moreIsBetter ? amount > best.value : amount < best.value))
        kept.set(identity_id, { value: amount, seq: Number(seq) });
    }
    return kept;
  }

  async #modelOf(number: number, tier: number, cohort: number, upto: number) {
    const kept = await this.#kept(`${tier}.${cohort}`, number, upto);
    let isLate = false;
    const field = [...this.#seats].flatMap(([player, seats]) => {
      const seat = seats.find((one) => one.week === number && one.tier === tier && one.cohort === cohort);
      if (!seat) return [];
      isLate = seat.isLate;
      return [{ player, idle: seat.idle, kept: kept.get(player) }];
    });
    return outcomesOf(this.rules, { tier, isLate }, field, this.moreIsBetter);
  }

  /** What was closed since is as the model closes it, and stays as it is. */
  async absorb(): Promise<void> {
    const closed = await db.knex('league_cohorts').where('board_id', this.board).whereNotNull('closed_at');
    const stored = await db.knex('league_outcomes').where('board_id', this.board);
    for (const { period_number: number, tier, cohort, is_late, closed_seq } of closed) {
      const own = stored.filter(
        (one) => one.period_number === number && one.tier === tier && one.cohort === cohort,
      );
      const isNew = !this.#outcomes.has(`${number} ${own[0].identity_id}`);
      const wanted = isNew ? await this.#modelOf(number, tier, cohort, Number(closed_seq)) : undefined;
      if (wanted) expect(own).toHaveLength(wanted.size);
      for (const { identity_id: player, place, value, next_tier: nextTier, idle } of own) {
        const found = { place, value, nextTier, idle };
        const model = wanted ? wanted.get(player) : this.#outcomes.get(`${number} ${player}`);
        expect([number, tier, cohort, player, found]).toEqual([number, tier, cohort, player, model]);
        if (!wanted) continue;
        this.#outcomes.set(`${number} ${player}`, found);
        figures.moved += Number(nextTier !== tier);
      }
      figures.closed += Number(isNew);
      figures.late += Number(isNew && is_late);
    }
  }

  /** Closes what is due, in order, as the job of a process does. */
  async close(of: Database): Promise<void> {
    for (let before = ''; ; ) {
      const { rows } = await of.pool.query('select * from leagues_to_close($1) where board_id = $2', [
        ...[new Date(now), this.board],
      ]);
      const due = rows.find(({ settles_at }) => settles_at.getTime() <= now);
      if (!due || before === `${due.period_number}`) return;
      before = `${due.period_number}`;
      const call = { now: new Date(now), signal: new AbortController().signal, rest: 0 };
      await closeLeague(of.knex, { boardId: this.board, viewNo: 1, periodNumber: due.period_number }, call);
    }
  }

  /** What a process does that is killed before its commit. */
  async lose(number: number): Promise<void> {
    const trx = await db.knex.transaction();
    const at = new Date(now);
    await trx.raw('select * from claim_seats(?, 1, ?, false, ?, ?)', [this.board, number, this.players, at]);
    await trx.raw('select end_league(?, 1, ?, ?)', [this.board, number - 1, at]);
    await trx.raw('select * from close_league(?, 1, ?, ?, 2, false, 0::smallint, 0)', [
      ...[this.board, number - 1, at],
    ]);
    await trx.rollback();
  }

  async rule(nth: number, of: 'exclude' | 'include', since: number): Promise<Data | undefined> {
    const events = await db
      .knex('score_events')
      .where('board_id', this.board)
      .where('created_at', '>=', new Date(since))
      .orderBy('seq');
    const event = events[nth % Math.max(1, events.length)];
    if (!event) return undefined;
    const ids = { eventId: event.id, identityId: event.identity_id };
    await ruleOn(db.knex, `brd_${this.board}`, ids, of, new Date(now));
    return event;
  }

  /** A run of any week is judged; where its cohort is closed, it is compared, and its players may be given what is right. */
  async decideLate(nth: number, of: 'exclude' | 'include', reissue: boolean): Promise<void> {
    const event = await this.rule(nth, of, EPOCH);
    const [tier, cohort] = (event?.tags?.league ?? '0.0').split('.').map(Number) as [number, number];
    const number = this.#seats
      .get(event?.identity_id)
      ?.find(({ week: one }) => startOf(one + 1) > event!.created_at.getTime())?.week;
    if (tier === 0 || number === undefined) return;
    const key = { board_id: this.board, period_number: number, tier, cohort };
    const stored = await db.knex('league_cohorts').where(key).first();
    if (!stored.closed_at) return;
    const { seq } = await db.knex('board_rankings').where('board_id', this.board).first();
    const model = await this.#modelOf(number, tier, cohort, Number(seq));
    const wanted = [...model].filter(
      ([player, { nextTier }]) => this.#outcomes.get(`${number} ${player}`)!.nextTier !== nextTier,
    );
    const values = [this.board, number, [tier], [cohort]];
    const { rows } = await db.pool.query(
      'select * from league_differences($1, 1, $2, false, $3, $4)',
      values,
    );
    expect(rows.map(({ identity_id, now_tier }) => [identity_id, now_tier]).sort()).toEqual(
      wanted.map(([player, { nextTier }]) => [player, nextTier]).sort(),
    );
    figures.different += rows.length;
    if (!reissue) return;
    const chosen = wanted.slice(0, 2).map(([player]) => player);
    const sql = 'select reissue_league($1, 1, $2, false, $3, $4, $5, $6) as n';
    const given = await db.pool.query(sql, [...values, chosen, new Date(now)]);
    expect(Number(given.rows[0].n)).toBe(chosen.length);
    for (const player of chosen) {
      const known = this.#outcomes.get(`${number} ${player}`)!;
      this.#outcomes.set(`${number} ${player}`, { ...known, nextTier: model.get(player)!.nextTier });
    }
    figures.reissued += chosen.length;
  }

  async faults(): Promise<string[]> {
    const { rows } = await db.pool.query("select faults from verify_leagues($1, '{0,0,0,0,0}', 100000)", [
      this.board,
    ]);
    return rows[0].faults;
  }
}

test('a year of weekly leagues is what a plain league makes of it, whatever is repeated, missed or lost', async () => {
  await fc.assert(
    fc.asyncProperty(
      rules,
      fc.constantFrom('asc' as const, 'desc' as const),
      fc.array(week, { minLength: WEEKS, maxLength: WEEKS, size: 'max' }),
      async (of, direction, weeks) => {
        now = EPOCH;
        const league = await Played.begin(of, direction);
        for (const [i, { plays, rules: decisions, late, hasJob, isLost }] of weeks.entries()) {
          const number = i + 1;
          for (const [nth, moment] of MOMENTS.entries()) {
            now = startOf(number) + moment * WEEK;
            if (isLost && nth === 1) await league.lose(number);
            const jobs = hasJob && nth > 0 ? processes.map((one) => league.close(one.db)) : [];
            await Promise.all([...jobs, ...(nth === 1 ? [] : [league.play(number, plays[nth]!)])]);
            if (nth === 1) await league.play(number, plays[nth]!);
            for (const { nth: of, effect: to } of decisions) await league.rule(of, to, startOf(number));
          }
          await league.absorb();
          for (const { nth, effect: to, reissue } of late) await league.decideLate(nth, to, reissue);
        }
        now = startOf(WEEKS + 2) + 3 * DAY;
        await Promise.all(processes.map((one) => league.close(one.db)));
        await league.absorb();
        const open = await db.knex('league_periods').where('board_id', league.board).whereNull('closed_at');
        expect(open).toEqual([]);
        expect(await league.faults()).toEqual([]);
      },
    ),
    { numRuns: runsOf(3, 1) },
  );
  // The test would not show anything otherwise.
  expect(figures.closed).toBeGreaterThan(60);
  // Few late decisions change what a cohort's close gave: in one year, perhaps none.
  const rare = isQuick ? ['different', 'reissued'] : [];
  expect(Object.entries(figures).filter(([name, found]) => found === 0 && !rare.includes(name))).toEqual([]);
});

/** A row that somebody changes by hand, and the sentence that says so. */
const BY_HAND: [string, string, string][] = [
  [
    'a seat',
    'update league_seats set tier = tier + 1 where ctid = (select ctid from league_seats where board_id = $1 limit 1)',
    'players for',
  ],
  ['the size of a cohort', 'update league_cohorts set seats = seats - 1 where board_id = $1', 'players for'],
  [
    'a tier',
    'update league_outcomes set next_tier = next_tier + 1 where board_id = $1 and place = 2',
    'do not follow',
  ],
  ['places', 'update league_outcomes set value = 5 - value where board_id = $1', 'not in order'],
  [
    'a value',
    'update league_outcomes set value = value + 0.5 where board_id = $1 and place = 1',
    'not those of the ranking',
  ],
  ['a player', 'delete from league_outcomes where board_id = $1 and place = 1', 'not one for each'],
  ['idle weeks', 'update league_outcomes set idle = 7 where board_id = $1', 'do not follow'],
];

test.each(BY_HAND)('verify-ranks finds %s that was changed by hand', async (_, change, sentence) => {
  now = startOf(1) + HOUR;
  const tier = { name: 'tier', size: 4, promote: 1, demote: 1 };
  const league = await Played.begin(
    { tiers: [tier, tier], settleSeconds: 0, lateShare: 0, idlePeriods: 2, equalValues: 'order' },
    'desc',
  );
  await league.play(
    1,
    [1, 2, 3, 4].map((amount, player) => ({ player, amount })),
  );
  now = startOf(2) + HOUR;
  await league.close(db);
  await league.absorb();
  expect(await league.faults()).toEqual([]);
  await db.pool.query(change, [league.board]);
  const faults = await league.faults();
  expect(faults.length).toBeGreaterThan(0);
  expect(faults.join()).toMatch(sentence);
});
