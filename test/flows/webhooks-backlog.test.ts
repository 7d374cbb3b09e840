import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeGame, makeStudio } from '../support/make.js';
import { patience } from '../support/wait.js';

// A backlog for two endpoints: the slow one delays the fast one by nothing, and neither is held in memory.
// npm run prove:webhooks sends 100,000.

const EVENTS = Number(process.env.WEBHOOK_EVENTS ?? 1_500);
const SLOW_MS = 200;
/** As much as a test process takes for itself while it works (260 MiB were seen): tells something from 100,000 events on. */
const MOST_BYTES = 400 * 1_048_576;

let app: TestApp;
let receiver: Server;
const counts = { fast: 0, slow: 0 };
beforeAll(async () => {
  receiver = createServer((request, response) => {
    const slow = request.url === '/slow';
    counts[slow ? 'slow' : 'fast'] += 1;
    request.resume();
    request.on('end', () => setTimeout(() => response.writeHead(200).end(), slow ? SLOW_MS : 0));
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  app = await startApp({ webhookAllowHttp: true, webhookAllowNetworks: ['127.0.0.0/8'] });
});
afterAll(async () => {
  await app.close();
  receiver.closeAllConnections();
  receiver.close();
});

const FILL = `
  insert into webhook_events (id, account_id, type, game_id, is_test, subject, occurred_at, due_at, created_at)
  select gen_random_uuid(), :account, 'device.banned', :game, null,
    jsonb_build_object('device_id', 'dev_00000000-0000-7000-8000-000000000000', 'player_id', null, 'review_id', null), :now, :now, :now
  from generate_series(1, :n)`;

test('a slow endpoint delays a fast one by nothing, in bounded memory', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const endpoints: Data = {};
  for (const path of ['fast', 'slow']) {
    const { body } = await studio.admin.post('/v1/webhook-endpoints', {
      ...{ account_id: studio.accountId, name: path, events: ['device.banned'] },
      url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/${path}`,
    });
    endpoints[path] = body.id;
  }
  const now = new Date(app.clock.now());
  const values = { account: uuidOf(studio.accountId), game: uuidOf(game.id), n: EVENTS, now };
  await app.database.knex.raw(FILL, values);
  const began = Date.now();
  await app.app.jobs.run('dispatch-webhooks');
  const dispatched = Date.now();
  const cpu = process.cpuUsage();
  const before = process.memoryUsage().rss;
  let most = before;
  await app.app.jobs.run('send-webhooks');
  const inTime = patience('the fast endpoint', 60_000 + EVENTS * 60);
  while (counts.fast < EVENTS) {
    inTime();
    most = Math.max(most, process.memoryUsage().rss);
    await delay(200);
  }
  const seconds = (Date.now() - dispatched) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  // With the receivers, and the slow one's share.
  const used = (user + system) / 1_000;
  process.stdout.write(
    `${EVENTS} events: dispatched in ${((dispatched - began) / 1_000).toFixed(1)} s, fast in ` +
      `${seconds.toFixed(1)} s (${Math.round(EVENTS / seconds)} a second, ${(used / EVENTS).toFixed(1)} ms CPU each), ` +
      `slow had ${counts.slow}, +${Math.round((most - before) / 1_048_576)} MiB\n`,
  );
  expect(most - before).toBeLessThan(MOST_BYTES);
  // The slow one gets ten at a time.
  expect(counts.slow).toBeLessThan(EVENTS);
  expect(counts.slow).toBeGreaterThan(0);
  expect(counts.slow).toBeLessThanOrEqual(10 * Math.ceil((seconds * 1_000) / SLOW_MS + 2));
  const { rows } = await app.database.knex.raw<{ rows: { n: number }[] }>(
    `select count(*)::int as n from webhook_deliveries where endpoint_id = '${uuidOf(endpoints.fast)}' and status <> 'delivered'`,
  );
  expect(rows[0]!.n).toBeLessThanOrEqual(50);
}, 3_600_000);

test(
  'a request sends at most 10,000 deliveries again: of those that failed the oldest, then the next; a ' +
    'larger span is refused',
  async () => {
    const studio = await makeStudio(app);
    const { body } = await studio.admin.post('/v1/webhook-endpoints', {
      ...{
        account_id: studio.accountId,
        name: 'again',
        events: ['device.banned'],
        url: 'http://127.0.0.1:1/again',
      },
    });
    const path = `/v1/webhook-endpoints/${body.id}`;
    // A paused endpoint is sent nothing.
    expect((await studio.admin.patch(path, { paused: true })).status).toBe(200);
    await app.database.knex.raw(
      `with made as (${FILL} returning id, account_id, type)
     insert into webhook_deliveries (id, account_id, endpoint_id, type, event_id, status, epoch, due_at, created_at)
     select m.id, m.account_id, e.id, m.type, m.id, 'failed', e.epoch, :now,
       :now::timestamptz + row_number() over (order by m.id) * interval '1 ms'
     from made m cross join webhook_endpoints e where e.id = :endpoint`,
      {
        ...{ account: uuidOf(studio.accountId), game: uuidOf((await makeGame(studio)).id), n: 10_002 },
        ...{ endpoint: uuidOf(body.id), now: new Date(app.clock.now()) },
      },
    );
    const since = new Date(app.clock.now()).toISOString();
    const span = { created_after: since, created_before: new Date(app.clock.now() + 60_000).toISOString() };
    const again = (which: Data) => studio.admin.post(`${path}/redeliver`, which);
    expect((await again(span)).status).toBe(422);
    const failed = () =>
      app.database.knex('webhook_deliveries').where({ endpoint_id: uuidOf(body.id), status: 'failed' });
    expect(await failed()).toHaveLength(10_002);
    const newest = (await failed().orderBy('created_at').select('id')).slice(-2);
    expect((await again({ failed_since: since })).body).toEqual({ count: 10_000 });
    expect(await failed().orderBy('created_at').select('id')).toEqual(newest);
    expect((await again({ failed_since: since })).body).toEqual({ count: 2 });
  },
);
