import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { boardJobs, RUN_TEMPLATES } from '../../src/boards/templates/run.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { FiringHooks } from '../../src/hooks/firing.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { patience } from '../support/wait.js';
import { makeWorld, type World } from '../support/world.js';

// Months of a studio, in which two schedulers look after its templates at the same moments and are killed again and again in
// the middle of their work. SCHEDULE_DAYS=365 for a whole year.
jest.setTimeout(300_000);

const START = Date.parse('2030-01-01T00:00:00Z');
const DAYS = Number(process.env.SCHEDULE_DAYS ?? 150);
const END = START + DAYS * DAY;
/** Shorter than the shortest interval, so that no window passes unseen but in an outage. */
const LONGEST_STEP = DAY - MINUTE;
const SHORTEST_STEP = 6 * HOUR;
const OUTAGES = [45, 120, 170, 300].map((day) => START + day * DAY);
const SEED = Number(process.env.PROPERTY_SEED ?? 20_300_101);

/** mulberry32 */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

const random = randomOf(SEED);
const log = makeLog('silent');

interface Schedule {
  id: string;
  every: number;
  first: number;
  slug: string | null;
}

let clone: TestDatabase;
let watching: Database;
let world: World;
let now = START;

beforeAll(async () => {
  clone = await cloneDatabase();
  watching = clone.open();
  world = await makeWorld(watching.knex);
});
afterAll(() => clone.drop());

/** A scheduler's process: a connection of its own, which a kill takes away. */
class Scheduler {
  #database: Database | undefined;
  #pid = 0;
  /** Runs that a kill has cut short. */
  cut = 0;

  /** @param killAt the statement in whose course the process is killed; undefined: it lives */
  async tick(killAt: number | undefined): Promise<'done' | 'killed'> {
    const database = await this.#open();
    const { knex } = database;
    let killing: Promise<unknown> | undefined;
    let statements = 0;
    knex.on('query', () => {
      statements += 1;
      if (statements === killAt) killing = this.#kill();
    });
    const hooks = new FiringHooks({}, { database, clock: () => now, log });
    const jobs = new Jobs({ db: knex, clock: () => now, log, jobs: boardJobs(() => undefined, hooks) });
    try {
      await jobs.run(RUN_TEMPLATES);
    } catch (error) {
      if (!killing) throw error;
      this.cut += 1;
    }
    knex.removeAllListeners('query');
    if (!killing) return 'done';
    await killing;
    await this.close();
    return 'killed';
  }

  async close(): Promise<void> {
    await this.#database?.close();
    this.#database = undefined;
  }

  async #kill(): Promise<void> {
    await watching.knex.raw('select pg_terminate_backend(?)', [this.#pid]);
  }

  async #open(): Promise<Database> {
    if (this.#database) return this.#database;
    this.#database = openDatabase(clone.connectionString, { records: 1, scores: 1 });
    const { rows } = await this.#database.knex.raw('select pg_backend_pid() as pid');
    this.#pid = rows[0].pid;
    return this.#database;
  }
}

/** True if a run has requested another one right away; takes its call out of the queue, as a worker would. */
async function rungAgain(): Promise<boolean> {
  const { rows } = await watching.knex.raw(
    `with calls as (select id, run_at from graphile_worker.jobs where task_identifier = ?)
     select (select bool_or(run_at < now() + interval '2 seconds') from calls) as soon,
       (select count(*) from graphile_worker.complete_jobs(array(select id from calls)))`,
    [RUN_TEMPLATES],
  );
  return rows[0].soon === true;
}

async function template(knex: Knex, every: number, repeatInterval: string, over: object): Promise<Schedule> {
  const id = uuid7();
  const first = START + Math.floor(random() * 100) * MINUTE;
  const row = {
    id,
    account_id: uuidOf(world.accountId),
    game_id: uuidOf(world.gameId),
    name: `every ${repeatInterval}`,
    slug: null,
    name_template: '{date} no. {series}',
    series: 's',
    repeat_interval: repeatInterval,
    next_run_at: new Date(first),
    is_active: true,
    is_published: true,
    board_type: 'run_runs',
    sort_direction: 'desc',
    keep_strategy: 'all',
    tags: [],
    config: {},
    boards_made: 0,
    failures: 0,
    created_at: new Date(START),
    updated_at: new Date(START),
    ...over,
  };
  await knex('board_templates').insert(row);
  return { id, every, first, slug: row.slug };
}

/** Starts of the windows in which some process looked: those and no others have a board. */
function expectedStarts({ first, every }: Schedule, looks: number[]): number[] {
  const starts = looks
    .filter((look) => look >= first)
    .map((look) => first + Math.floor((look - first) / every) * every);
  return [...new Set(starts)];
}

test('every period has its board exactly once, numbered without a gap', async () => {
  const { knex } = watching;
  const schedules = [
    await template(knex, DAY, '24 hours', {}),
    await template(knex, DAY, '1 day', { slug: 'daily' }),
    await template(knex, 36 * HOUR, '36 hours', { slug: 'endless', ends_at: new Date(END + 30 * DAY) }),
    await template(knex, 7 * DAY, '1 week', { name_template: null, series: null, name: 'Weekly' }),
  ];
  const schedulers = [new Scheduler(), new Scheduler()];
  const looks: number[] = [];
  const outages = [...OUTAGES];
  let kills = 0;
  while (now < END) {
    looks.push(now);
    const ends = await Promise.all(
      schedulers.map((scheduler) =>
        scheduler.tick(random() < 0.25 ? 1 + Math.floor(random() * 40) : undefined),
      ),
    );
    kills += ends.filter((end) => end === 'killed').length;
    // Calls that both have left are found by the one that is started next; a call that one had in hand when it was killed, by the
    // other one, which has requested another call.
    if (!ends.includes('done')) await schedulers[0]!.tick(undefined);
    const inTime = patience('a scheduler that has nothing left to do');
    while (await rungAgain()) {
      inTime();
      await schedulers[0]!.tick(undefined);
    }
    now += SHORTEST_STEP + Math.floor((random() * (LONGEST_STEP - SHORTEST_STEP)) / MINUTE) * MINUTE;
    if (now > (outages[0] ?? Number.POSITIVE_INFINITY)) now = outages.shift()! + 9 * DAY;
  }
  looks.push(now);
  await schedulers[1]!.tick(undefined);
  await Promise.all(schedulers.map((scheduler) => scheduler.close()));

  for (const schedule of schedules) {
    const boards = await knex('boards')
      .where('created_from_template_id', schedule.id)
      .orderBy('period_starts_at')
      .select('*');
    const expected = expectedStarts(schedule, looks);
    expect(boards.map((board) => board.period_starts_at.getTime())).toEqual(expected);
    expect(boards.map((board) => board.series_number)).toEqual(expected.map((_, index) => index + 1));
    const last = boards.at(-1);
    for (const board of boards) {
      const start = board.period_starts_at;
      const end = schedule.slug === 'endless' ? END + 30 * DAY : start.getTime() + schedule.every;
      expect([board.starts_at, board.ends_at.getTime()]).toEqual([start, end]);
      expect(board.is_active).toBe(board === last);
      const name = `${start.toISOString().slice(0, 10)} no. ${board.series_number}`;
      expect(board.name).toBe(schedule.every === 7 * DAY ? 'Weekly' : name);
      if (schedule.slug) expect(board.slug).toBe(schedule.slug);
    }
    const row = await knex('board_templates').where('id', schedule.id).first('*');
    expect(row).toMatchObject({ boards_made: boards.length, last_error: null, failures: 0 });
    expect(row.next_run_at.getTime()).toBe(expected.at(-1)! + schedule.every);
  }
  const weekly = await knex('boards').where('name', 'Weekly').distinct('slug');
  expect(weekly).toEqual([{ slug: 'weekly' }]);
  const unranked = await knex('boards')
    .leftJoin('board_rankings', 'board_id', 'boards.id')
    .whereNull('board_id')
    .select('boards.id');
  expect(unranked).toEqual([]);
  // The kills have really hit work in progress.
  expect(kills).toBeGreaterThan(DAYS / 6);
  expect(schedulers.reduce((sum, { cut }) => sum + cut, 0)).toBeGreaterThan(DAYS / 9);
});
