import { getEventListeners } from 'node:events';
import { makeLog } from '../../src/base/log.js';
import { type Job, type JobCall, scheduleJob, wakeJob } from '../../src/jobs/job.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { holdJobs } from '../../src/jobs/lease.js';
import { JobRunner } from '../../src/jobs/runner.js';
import { startApp, type TestApp } from '../support/app.js';
import { HOUR } from '../support/clock.js';
import { cloneDatabase } from '../support/database.js';
import { SilentProxy } from '../support/silent-proxy.js';
import { until } from '../support/wait.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

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

test('calls for one moment are one; a regular job runs at the start; a closed runner ends its jobs', async () => {
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
  for (let n = 0; n < 5; n += 1) await wakeJob(db, 'regular', moment, Date.now());
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

test('jobs of a worker that is gone are released at the start, those of a living one are not', async () => {
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
  // The job of a process that was killed: locked, and no session holds its worker's advisory lock.
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

test('a holder of the jobs waits for the running one, and no process begins another until it lets go', async () => {
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

test('jobs run again when a lost database is back', async () => {
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

test('a connection that breaks while the runner stops listening on it is released once', async () => {
  const clone = await cloneDatabase();
  const proxy = await SilentProxy.before(clone.connectionString);
  const log = makeLog(process.env.TEST_LOG ?? 'silent');
  const jobs = new Jobs({ db: clone.open().knex, clock: Date.now, log, jobs: [] });
  const runner = new JobRunner(proxy.connectionString, jobs, log);
  proxy.loseAnswer(['LISTEN "jobs:insert"']);
  runner.start();
  await until(() => proxy.answersLost > 0);
  const closed = runner.close();
  await until(() => proxy.sent('UNLISTEN') > 0);
  proxy.cut();
  // A second release would be a rejection that nothing handles, which ends a process and fails a test.
  await closed;
  await proxy.close();
  await clone.drop();
});

test('a runner whose connections are lost again and again keeps no listener of the sessions before', async () => {
  const signals: AbortSignal[] = [];
  const { clone, bells, db } = await twoBells(() => [
    {
      name: 'regular',
      description: 'Runs at the start of each session.',
      everyMinutes: 60,
      run: async ({ signal }) => {
        signals.push(signal);
        return { done: 1 };
      },
    },
  ]);
  bells[0]!.start();
  const listeners: number[] = [];
  for (let session = 1; session <= 3; session += 1) {
    await until(() => signals.length >= session);
    // The session waits for its end: only then its listener is there.
    await until(() => getEventListeners(signals[0]!, 'abort').length > 0);
    listeners.push(getEventListeners(signals[0]!, 'abort').length);
    await db.raw(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'leaderboard " +
        "workers' and datname = current_database()",
    );
  }
  expect(new Set(signals).size).toBe(1);
  expect(Math.max(...listeners)).toBeLessThanOrEqual(Math.min(...listeners) + 1);
  await bells[0]!.close();
  await clone.drop();
});
