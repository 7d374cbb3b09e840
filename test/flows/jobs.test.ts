import { uuid7 } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { boardJobs } from '../../src/boards/templates/run.js';
import { type Job, type JobCall, ringJob, scheduleJob } from '../../src/jobs/job.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { holdJobs } from '../../src/jobs/lease.js';
import { JobRunner } from '../../src/jobs/runner.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/clock.js';
import { cloneDatabase } from '../support/database.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, makeTemplate, type Studio, startSession } from '../support/make.js';
import { until } from '../support/wait.js';

const JOBS = `{ jobs {
  name description lastStartedAt lastFinishedAt lastDone lastError lastFailedAt nextRunAt runs failures
} }`;

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const at = (offset: number) => new Date(app.clock.now() + offset).toISOString();
const run = (name: string) => app.app.jobs.run(name);
const jobs = async (): Promise<Data[]> => (await app.superadmin.data(JOBS)).jobs;
const jobNamed = async (name: string) => (await jobs()).find((job) => job.name === name);

test('only a superadmin sees the jobs', async () => {
  expect(await studio.admin.code(JOBS)).toBe('SUPERADMIN_REQUIRED');
  expect((await jobs()).map(({ name }) => name)).toEqual([
    'expire-boards',
    'run-board-templates',
    'send-mails',
    'forget-sessions',
    'forget-nonce-uses',
    'forget-idempotency-keys',
    'forget-registrations',
    'tidy-job-queue',
  ]);
});

test('a job tells its last run, its last error and its next run', async () => {
  const name = 'expire-boards';
  expect(await jobNamed(name)).toMatchObject({
    lastStartedAt: null,
    lastFinishedAt: null,
    lastError: null,
    nextRunAt: at(MINUTE),
    runs: 0,
    failures: 0,
  });
  await makeBoard(studio, game.id, { endsAt: at(90 * SECOND) });
  app.clock.advance(MINUTE);
  await run(name);
  // The next end comes before the next minute: the job is woken for it.
  expect(await jobNamed(name)).toMatchObject({
    lastStartedAt: at(0),
    lastFinishedAt: at(0),
    lastDone: 0,
    runs: 1,
  });
  const waiting = await app.database
    .knex('graphile_worker.jobs')
    .where('task_identifier', name)
    .select('run_at');
  expect(waiting).toHaveLength(1);
  expect(waiting[0].run_at.getTime() - Date.now()).toBeGreaterThan(0);
  expect(waiting[0].run_at.getTime() - Date.now()).toBeLessThanOrEqual(30 * SECOND);

  await app.database.knex.raw('alter table boards rename column ends_at to ends');
  await expect(run(name)).rejects.toThrow('ends_at');
  await app.database.knex.raw('alter table boards rename column ends to ends_at');
  expect(await jobNamed(name)).toMatchObject({
    lastError: expect.stringContaining('ends_at'),
    lastFailedAt: at(0),
    runs: 2,
    failures: 1,
  });
  app.clock.advance(30 * SECOND);
  expect(await run(name)).toBe(1);
  expect(await jobNamed(name)).toMatchObject({ lastError: null, lastDone: 1, runs: 3, failures: 1 });
});

test('a monitoring system sees the same', async () => {
  app.clock.advance(MINUTE);
  await run('tidy-job-queue');
  const { status, headers, body } = await app.anyone.get('/metrics');
  expect([status, headers.get('content-type')]).toEqual([200, expect.stringContaining('text/plain')]);
  const now = app.clock.now() / 1_000;
  expect(body.split('\n')).toEqual(
    expect.arrayContaining([
      'leaderboard_job_runs{job="tidy-job-queue"} 1',
      'leaderboard_job_failures{job="expire-boards"} 1',
      'leaderboard_job_failing{job="expire-boards"} 0',
      `leaderboard_job_last_started_timestamp_seconds{job="tidy-job-queue"} ${now}`,
    ]),
  );
  expect(body).toMatch(/leaderboard_job_next_run_timestamp_seconds\{job="forget-sessions"\} \d+/);
  expect(body).not.toContain('leaderboard_job_last_started_timestamp_seconds{job="forget-sessions"}');
});

test('what has expired is forgotten in its time, and not before', async () => {
  const { knex } = app.database;
  const { session } = await startSession(app, game.id);
  const expiry = { id: uuid7(), at: new Date(app.clock.now()) };
  await knex('nonce_uses').insert({ nonce: expiry.id, expires_at: expiry.at });
  const key = { scope: uuid7(), key: 'k', body_hash: Buffer.alloc(32), created_at: expiry.at };
  await knex('idempotency_keys').insert(key);
  const forgotten = async () => [
    await run('forget-nonce-uses'),
    await run('forget-idempotency-keys'),
    await run('forget-sessions'),
  ];
  app.clock.advance(HOUR);
  expect(await forgotten()).toEqual([0, 0, 0]);
  app.clock.advance(1);
  expect(await forgotten()).toEqual([1, 0, 0]);
  app.clock.advance(7 * DAY - HOUR);
  expect(await forgotten()).toEqual([0, 1, 0]);
  // 30 days of the refresh token, and 30 more.
  app.clock.advance(53 * DAY - HOUR);
  expect(await forgotten()).toEqual([0, 0, 0]);
  app.clock.advance(HOUR);
  expect(await forgotten()).toEqual([0, 0, 1]);
  expect(await knex('device_sessions').select('id')).toEqual([]);
  const { devices } = await studio.admin.data(`{ devices(gameId: "${game.id}") { nodes { id } } }`);
  expect(devices.nodes).toEqual([{ id: session.id }]);
});

/** Two processes' worth of workers on one database, with jobs that only count. */
async function twoBells(list: (id: number) => Job[]) {
  const clone = await cloneDatabase();
  const log = makeLog(process.env.TEST_LOG ?? 'silent');
  const bells = [1, 2].map((id) => {
    const { knex: db } = clone.open();
    return new JobRunner(clone.connectionString, new Jobs({ db, clock: Date.now, log, jobs: list(id) }), log);
  });
  return { clone, bells, db: clone.open().knex };
}

test('a scheduled call is run by one process; a failing one is tried again', async () => {
  const calls: { payload: JobCall['payload']; by: number }[] = [];
  const { clone, bells, db } = await twoBells((by) => [
    {
      name: 'greet',
      description: 'Counts.',
      run: async ({ payload }) => {
        calls.push({ payload, by });
        if (payload.fails && calls.length < 12) throw new Error('not yet');
        return { done: 1 };
      },
    },
  ]);
  for (const bell of bells) bell.start();
  for (let n = 0; n < 10; n += 1) await scheduleJob(db, 'greet', { n, 'snake_case key': ['ü'] });
  await until(() => calls.length === 10);
  expect(calls.map(({ payload }) => payload.n).toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(calls[0]!.payload['snake_case key']).toEqual(['ü']);
  await scheduleJob(db, 'greet', { fails: true }, { key: 'one' });
  await until(() => calls.length === 12);
  const trx = await db.transaction();
  await scheduleJob(trx, 'greet', {});
  await trx.rollback();
  for (const bell of bells) await bell.close();
  expect(calls).toHaveLength(12);
  expect(await db('jobs').where('name', 'greet').first('runs', 'failures', 'last_error')).toEqual({
    runs: 12,
    failures: 1,
    last_error: null,
  });
  expect(await db('graphile_worker.jobs').select('*')).toEqual([]);
  await clone.drop();
});

test('calls for one moment are one; a regular job runs at the start; a closed bell ends its jobs', async () => {
  let started = 0;
  let aborted = 0;
  const { clone, bells, db } = await twoBells(() => [
    {
      name: 'regular',
      description: 'Counts.',
      everyMinutes: 60,
      run: async () => {
        started += 1;
        return { done: 1 };
      },
    },
    {
      name: 'long',
      description: 'Waits for its end.',
      run: async ({ signal }) => {
        await until(() => signal.aborted, 5);
        aborted += 1;
        return { done: 0 };
      },
    },
  ]);
  const moment = new Date(Date.now() + HOUR);
  for (let n = 0; n < 5; n += 1) await ringJob(db, 'regular', moment, Date.now());
  expect(await db('graphile_worker.jobs').select('task_identifier')).toHaveLength(1);
  bells[0]!.start();
  await until(() => started > 0);
  await scheduleJob(db, 'long', {});
  await until(
    async () =>
      (
        await db('graphile_worker.jobs')
          .where('task_identifier', 'long')
          .whereNotNull('locked_by')
          .select('id')
      ).length > 0,
  );
  await bells[0]!.close();
  expect(aborted).toBe(1);
  expect(await db('graphile_worker.jobs').where('task_identifier', 'long').select('id')).toEqual([]);
  await bells[1]!.close();
  await clone.drop();
});

test('jobs of a worker that is gone are given back at the start, those of a living one are not', async () => {
  const runs: number[] = [];
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { clone, bells, db } = await twoBells((id) => [
    {
      name: 'task',
      description: 'Waits.',
      run: async () => {
        // The first stays under way; what is given back may be taken by either.
        if (runs.push(id) === 1) await held;
        return { done: 1 };
      },
    },
  ]);
  bells[0]!.start();
  await scheduleJob(db, 'task', {});
  await until(() => runs.length === 1);
  // The job of a process that was killed: locked, and nobody holds its worker's advisory lock.
  await scheduleJob(db, 'task', {}, { delayMillis: 3_600_000, key: 'dead' });
  await db('graphile_worker._private_jobs')
    .where('key', 'task:dead')
    .update({ locked_by: 'pool-dead', locked_at: db.fn.now(), run_at: db.fn.now() });
  bells[1]!.start();
  await until(() => runs.length === 2);
  await until(async () => (await db('graphile_worker.jobs').select('id')).length === 1);
  expect(await db('graphile_worker.jobs').whereNotNull('locked_by').select('id')).toHaveLength(1);
  release();
  for (const bell of bells) await bell.close();
  expect(runs).toHaveLength(2);
  await clone.drop();
});

test('who holds the jobs waits for the one under way, and no process begins another until it lets go', async () => {
  const runs: number[] = [];
  let release = () => {};
  const underWay = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { clone, bells, db } = await twoBells((id) => [
    {
      name: 'task',
      description: 'Waits at first.',
      run: async () => {
        if (runs.push(id) === 1) await underWay;
        return { done: 1 };
      },
    },
  ]);
  for (const bell of bells) bell.start();
  await scheduleJob(db, 'task', {});
  await until(() => runs.length === 1);
  let held = false;
  const holding = holdJobs(clone.connectionString).then((letRun) => {
    held = true;
    return letRun;
  });
  const waits = `select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  await until(async () => (await db.raw(waits)).rowCount === 1);
  expect(held).toBe(false);
  release();
  const letRun = await holding;
  for (let n = 0; n < 4; n += 1) await scheduleJob(db, 'task', {});
  const taken = () => db('graphile_worker.jobs').whereNotNull('locked_by').select('id');
  await until(async () => (await taken()).length === 4);
  expect(runs).toHaveLength(1);
  await letRun();
  await until(() => runs.length === 5);
  for (const bell of bells) await bell.close();
  await clone.drop();
});

test('a database that goes away takes no process with it: jobs run again when it is back', async () => {
  const runs: unknown[] = [];
  const { clone, bells, db } = await twoBells(() => [
    { name: 'task', description: 'Notes.', run: async ({ payload }) => ({ done: runs.push(payload.call) }) },
  ]);
  bells[0]!.start();
  await scheduleJob(db, 'task', { call: 'first' });
  await until(() => runs.includes('first'));
  const cut = `select pg_terminate_backend(pid) from pg_stat_activity
    where datname = current_database() and application_name in ('leaderboard jobs', 'leaderboard workers')`;
  await db.raw(cut);
  await scheduleJob(db, 'task', { call: 'second' });
  // The first may run again: its end may have been cut off.
  await until(() => runs.includes('second'));
  for (const bell of bells) await bell.close();
  await clone.drop();
});

test('a template that is due now makes its board at once, in the service as it runs', async () => {
  const service = await startApp({}, { ringForJobs: true });
  const own = await makeStudio(service);
  const { id: gameId } = await makeGame(own);
  const nextRunAt = new Date(service.clock.now()).toISOString();
  await makeTemplate(own, gameId, { name: 'Now', nextRunAt });
  const names = async () =>
    (await own.admin.data(`{ boards(gameId: "${gameId}") { nodes { name startsAt } } }`)).boards.nodes;
  await until(async () => (await names()).length > 0);
  expect(await names()).toEqual([{ name: 'Now', startsAt: nextRunAt }]);
  await service.close();
});

test('odd lists of jobs are refused', () => {
  const [job] = boardJobs(() => undefined);
  const parts = { db: app.database.knex, clock: app.clock.now, log: makeLog('silent') };
  expect(() => new Jobs({ ...parts, jobs: [job!, job!] })).toThrow('the same name');
  expect(() => new Jobs({ ...parts, jobs: [{ ...job!, everyMinutes: 7 }] })).toThrow('divide an hour');
});
