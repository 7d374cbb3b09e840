import type { Knex } from 'knex';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import type { Caller, Data } from '../support/http.js';
import { DataDir, type Program, settingsOn, startService, superadminOf } from '../support/process.js';
import { until } from '../support/wait.js';

// Whole processes, as `npm start` runs them, on one database; killed as a machine kills them.

let clone: TestDatabase;
let db: Knex;
let dir: DataDir;
const programs: Program[] = [];

beforeEach(async () => {
  clone = await cloneDatabase();
  db = clone.open().knex;
  dir = new DataDir();
});

afterEach(async () => {
  await Promise.all(programs.splice(0).map((program) => program.running && program.kill('SIGKILL')));
  await dir.remove();
  // The server notices the ends of killed processes' connections one by one. Those of this process that are not needed any
  // more would be among them for half a minute.
  await db.destroy();
  db = clone.open().knex;
  await until(async () => (await foreignSessions()) === 0);
  await clone.drop();
});

async function start(): Promise<{ program: Program; superadmin: Caller }> {
  const { program, url } = await startService({
    ...settingsOn(clone, dir),
    LOG_LEVEL: 'warn',
  });
  programs.push(program);
  return { program, superadmin: superadminOf(url) };
}

async function foreignSessions(): Promise<number> {
  const { rows } = await db.raw(
    `select count(*) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  return rows[0].count;
}

async function created(answer: Promise<{ status: number; body: Data }>): Promise<Data> {
  const { status, body } = await answer;
  expect([status, body]).toEqual([201, body]);
  return body;
}

async function makeGame(superadmin: Caller) {
  const { id: account_id } = await created(superadmin.post('/v1/accounts', { name: 'Studio' }));
  const { id: game_id } = await created(superadmin.post('/v1/games', { account_id, name: 'Game' }));
  return { account_id, game_id };
}

/** True if the queue holds only calls that wait for their time or are not tried again. */
async function idle(): Promise<boolean> {
  const { rows } = await db.raw(
    `select from graphile_worker.jobs
     where locked_by is not null or (run_at <= now() and attempts < max_attempts) limit 1`,
  );
  return rows.length === 0;
}

test('a process that is killed in the middle of a template leaves no run half done or undone', async () => {
  const first = await start();
  const game = await makeGame(first.superadmin);
  // The board is written when its ranking is, and that has to wait here: the middle of the transaction.
  const trx = await db.transaction();
  await trx.raw('lock table board_rankings in share mode');
  const { id } = await created(
    first.superadmin.post('/v1/board-templates', {
      ...game,
      name: 'Daily',
      slug: 'daily',
      repeat_interval: '1 day',
      next_run_at: new Date(Date.now() - 60_000).toISOString(),
    }),
  );
  const WAITING = `select from pg_stat_activity where datname = current_database()
    and wait_event_type = 'Lock' and query like '%insert into board_rankings%'`;
  await until(async () => (await db.raw(WAITING)).rows.length > 0);
  const underWay = await db('graphile_worker.jobs')
    .where('task_identifier', 'run-board-templates')
    .whereNotNull('locked_by')
    .select('id', 'locked_by');
  // The clock rings meanwhile: there is a new call, and the one under way is never tried again. The process takes the
  // new one as well, or does not come to it.
  await db.raw(
    `select from graphile_worker.add_job('run-board-templates', job_key := 'run-board-templates')`,
  );
  await first.program.kill('SIGKILL');
  await trx.rollback();
  await until(async () => (await foreignSessions()) <= 1);
  expect(await db('boards').select('id')).toEqual([]);
  expect(underWay).not.toEqual([]);
  expect(
    await db('graphile_worker.jobs')
      .whereIn(
        'id',
        underWay.map(({ id }) => id),
      )
      .select('id', 'locked_by'),
  ).toEqual(underWay);

  const [second] = await Promise.all([start(), start()]);
  await until(async () => (await db('boards').select('id')).length > 0 && (await idle()));
  const { body } = await second.superadmin.get(`/v1/boards?sort=created_at:asc`);
  expect(body.data).toMatchObject([
    { name: 'Daily', slug: 'daily', is_active: true, created_from_template_id: id },
  ]);
  const { body: template } = await second.superadmin.get(`/v1/board-templates/${id}`);
  expect(template.last_error).toBeNull();
  expect(Date.parse(template.next_run_at)).toBe(Date.parse(body.data[0].ends_at));
  const { jobs } = await second.superadmin.data('{ jobs { name lastError runs nextRunAt } }');
  for (const job of jobs) {
    expect(job).toMatchObject({ lastError: null });
    expect(job.runs).toBeGreaterThan(0);
    expect(Date.parse(job.nextRunAt)).toBeGreaterThan(Date.now() - 60_000);
  }
});

test('many templates due at once make one board each, though one of two processes is killed', async () => {
  const [victim, survivor] = await Promise.all([start(), start()]);
  const game = await makeGame(survivor.superadmin);
  const dueAt = new Date(Date.now() + 3_000).toISOString();
  const COUNT = 30;
  for (let n = 0; n < COUNT; n += 1) {
    await created(
      survivor.superadmin.post('/v1/board-templates', {
        ...game,
        name: `Cup ${n}`,
        name_template: `Cup ${n} no. {series}`,
        series: 'cup',
        repeat_interval: '1 week',
        next_run_at: dueAt,
      }),
    );
  }
  const made = async (): Promise<number> => (await db('boards').select('id')).length;
  await until(async () => (await made()) > 0);
  await victim.program.kill('SIGKILL');
  await until(async () => (await made()) >= COUNT);
  await until(idle);
  const names = (await db('boards').select('name')).map(({ name }) => name);
  expect(names.toSorted()).toEqual(Array.from({ length: COUNT }, (_, n) => `Cup ${n} no. 1`).toSorted());
  expect(await survivor.program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(survivor.program.stderr).toBe('');
});
