import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { boardJobs } from '../../src/boards/templates/run.js';
import { FiringHooks } from '../../src/hooks/firing.js';
import { Jobs } from '../../src/jobs/jobs.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
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
    'write-view-periods',
    'end-holds',
    'close-rankings',
    'forget-rehearsals',
    'notice-unusual',
    'verification-passes',
    'count-history',
    'tidy-history',
    'tidy-recordings',
    'send-flag-digests',
    'send-mails',
    'dispatch-webhooks',
    'send-webhooks',
    'tidy-webhooks',
    'forget-sessions',
    'index-player-names',
    'forget-nonce-uses',
    'forget-idempotency-keys',
    'forget-link-codes',
    'forget-audit-entries',
    'forget-registrations',
    'tidy-provider-sessions',
    'tidy-job-queue',
  ]);
});

test('a job shows its last run, its last error and its next run', async () => {
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

test('the metrics show the same', async () => {
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

test('expired records are deleted in time, and not before', async () => {
  const { knex } = app.database;
  const { session } = await startSession(app, game.id);
  const expiry = { at: new Date(app.clock.now()) };
  const issued = ['00000000-0000-7000-8000-000000000001', 'f6bd2b34-5d4f-4f0e-8f9a-0a5a4a1f2c11'];
  for (const nonce of issued) await knex('nonce_uses').insert({ nonce, expires_at: expiry.at });
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
  expect(await forgotten()).toEqual([2, 0, 0]);
  app.clock.advance(7 * DAY - HOUR);
  expect(await forgotten()).toEqual([0, 1, 0]);
  // 30 days of the refresh token, and 30 more.
  app.clock.advance(53 * DAY - HOUR);
  expect(await forgotten()).toEqual([0, 0, 0]);
  app.clock.advance(HOUR);
  expect(await forgotten()).toEqual([0, 0, 1]);
  expect(await knex('device_sessions').select('id')).toEqual([]);
  const { devices } = await studio.admin.data(`{ devices(filter: {gameId: "${game.id}"}) { nodes { id } } }`);
  expect(devices.nodes).toEqual([{ id: session.deviceId }]);
});

/** Takes the calls out of the queue that are due by a moment, in milliseconds from now. @returns the names of their jobs */
async function called(within: number): Promise<string[]> {
  const { rows } = await app.database.knex.raw(
    `with due as (select id, task_identifier as name from graphile_worker.jobs where run_at <= now() + ? * interval '1 millisecond')
     select array(select distinct name from due order by name) as names, (select count(*)
       from graphile_worker.complete_jobs(array(select id from due)))`,
    [within],
  );
  return rows[0].names;
}

const endpoint = (events: string[]) =>
  studio.admin.data(
    'mutation ($input: CreateWebhookEndpointInput!) { createWebhookEndpoint(input: $input) { webhookEndpoint { id } } }',
    { input: { accountId: studio.accountId, name: 'Moments', url: 'https://studio.example.com/', events } },
  );

/** Of each job that runs every minute for what is due: writes of a record that is due in 30 seconds. */
const WRITES: Record<string, Record<string, (soon: string) => Promise<unknown>> | string> = {
  'expire-boards': {
    'a new board': (endsAt) => makeBoard(studio, game.id, { endsAt }),
    'another end': async (endsAt) =>
      change(studio.admin, 'Board', (await makeBoard(studio, game.id)).id, { endsAt }),
    'a board that is active again': async (endsAt) => {
      const { id } = await makeBoard(studio, game.id, { isActive: false, endsAt });
      await change(studio.admin, 'Board', id, { isActive: true });
    },
    'a board of a template with an end of its own': async (endsAt) => {
      await makeTemplate(studio, game.id, { nextRunAt: at(-SECOND), endsAt });
      await run('run-board-templates');
    },
  },
  'run-board-templates': {
    'a new template': (nextRunAt) => makeTemplate(studio, game.id, { nextRunAt }),
    'another window': async (nextRunAt) =>
      change(studio.admin, 'BoardTemplate', (await makeTemplate(studio, game.id)).id, { nextRunAt }),
  },
  'close-rankings': {
    'the end of an inactive board': async (endsAt) => {
      const { id } = await makeBoard(studio, game.id, { isActive: false, closingRules: [{}] });
      await called(0);
      await change(studio.admin, 'Board', id, { endsAt });
    },
    'an inactive board that ends later, at a run of the job': async (endsAt) => {
      await makeBoard(studio, game.id, { isActive: false, closingRules: [{}], endsAt });
      await called(MINUTE);
      await run('close-rankings');
    },
    'a season that ends': async (endsAt) => {
      const seasons = [{ name: 'one', startsAt: at(-DAY), endsAt }];
      await makeBoard(studio, game.id, {
        views: [{ name: 'season', seasons }],
        closingRules: [{ view: 'season' }],
      });
      await run('close-rankings');
    },
    'the time for reviews': async () => {
      const { id } = await makeBoard(studio, game.id, {
        isActive: false,
        closingRules: [{ settleMinutes: 1 }],
        endsAt: at(90 * SECOND),
      });
      app.clock.advance(2 * MINUTE);
      await run('close-rankings');
      expect(await app.database.knex('closings').where('board_id', uuidOf(id)).select('status')).toEqual([
        { status: 'settling' },
      ]);
    },
  },
  'end-holds': {
    'a shorter hold': async () => {
      const { id } = await makeBoard(studio, game.id, { holdTop: 3, keepStrategy: 'BEST' });
      const since = new Date(app.clock.now() - HOUR + 30 * SECOND);
      await app.database
        .knex('held_runs')
        .insert({ board_id: uuidOf(id), event_seq: 1, rank: 1, created_at: since, ends_at: null });
      await change(studio.admin, 'Board', id, { holdHours: 1 });
    },
  },
  'dispatch-webhooks': {
    'a board that opens': async (startsAt) => {
      await endpoint(['board.opened']);
      await called(0);
      await makeBoard(studio, game.id, { startsAt });
    },
    'an endpoint for what is looked for regularly': () => endpoint(['board.closing', 'score.flagged']),
  },
  'verification-passes': 'each request of a pass wakes it (fairplay/verdicts/passes.ts)',
  'send-mails': 'each mail wakes it (mail/outbox.ts)',
  'send-webhooks': 'each delivery wakes it (webhooks/dispatch/dispatcher.ts)',
  'count-history': 'counts what has happened',
  'forget-nonce-uses': 'deletes what is old',
};

test('what is saved with a moment soon is due at that moment, whichever job it is for', async () => {
  const everyMinute = app.app.jobs.all.filter((job) => job.everyMinutes === 1).map(({ name }) => name);
  expect(Object.keys(WRITES).toSorted()).toEqual(everyMinute.toSorted());
  for (const [job, writes] of Object.entries(WRITES)) {
    if (typeof writes === 'string') continue;
    for (const [what, write] of Object.entries(writes)) {
      await called(MINUTE);
      // A job leaves what is due after its next regular run to that.
      app.clock.advance(MINUTE - (app.clock.now() % MINUTE));
      await write(at(30 * SECOND));
      expect([job, what, await called(30 * SECOND)]).toEqual([job, what, expect.arrayContaining([job])]);
    }
  }
});

test('a board whose end is moved to the next seconds closes then, with prizes and webhooks, by the calls of its jobs', async () => {
  const { id } = await makeBoard(studio, game.id, {
    endsAt: at(DAY),
    closingRules: [{ prizes: { lines: [{ name: 'all', title: 'For everyone' }] } }],
  });
  const player = await startSession(app, game.id);
  await submit(player, id, 5);
  await endpoint(['board.closed', 'ranking.closed', 'reward.granted']);
  await called(MINUTE);
  await change(studio.admin, 'Board', id, { endsAt: at(20 * SECOND) });
  expect(await called(19 * SECOND)).not.toContain('expire-boards');
  app.clock.advance(20 * SECOND);
  for (let names = await called(20 * SECOND); names.length > 0; names = await called(0)) {
    for (const name of names) if (name !== 'send-webhooks') await run(name);
  }
  const deliveries = await app.database
    .knex('webhook_deliveries as d')
    .join('webhook_events as e', 'e.id', 'd.event_id')
    .where('e.board_id', uuidOf(id))
    .whereNot('e.type', 'board.opened')
    .orderBy('e.type')
    .select('e.type', 'e.due_at');
  const then = new Date(app.clock.now());
  expect(deliveries).toEqual(
    ['board.closed', 'ranking.closed', 'reward.granted'].map((type) => ({ type, due_at: then })),
  );
  expect(await app.database.knex('rewards').where('board_id', uuidOf(id)).select('status')).toEqual([
    { status: 'open' },
  ]);
});

test('a template that is due now makes its board at once, in the service as it runs', async () => {
  const service = await startApp({}, { wakeJobs: true });
  const own = await makeStudio(service);
  const { id: gameId } = await makeGame(own);
  const nextRunAt = new Date(service.clock.now()).toISOString();
  await makeTemplate(own, gameId, { name: 'Now', nextRunAt });
  const names = async () =>
    (await own.admin.data(`{ boards(filter: {gameId: "${gameId}"}) { nodes { name startsAt } } }`)).boards
      .nodes;
  await until(async () => (await names()).length > 0);
  expect(await names()).toEqual([{ name: 'Now', startsAt: nextRunAt }]);
  await service.close();
});

test('invalid lists of jobs are refused', () => {
  const hooks = new FiringHooks({}, { database: app.database, clock: app.clock.now, log: makeLog('silent') });
  const [job] = boardJobs(() => undefined, hooks);
  const parts = { db: app.database.knex, clock: app.clock.now, log: makeLog('silent') };
  expect(() => new Jobs({ ...parts, jobs: [job!, job!] })).toThrow('the same name');
  expect(() => new Jobs({ ...parts, jobs: [{ ...job!, everyMinutes: 7 }] })).toThrow('divide an hour');
});
