import { BucketCounts } from '../../src/base/metrics.js';
import { startApp, type TestApp } from '../support/app.js';
import { send } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Every sample of a scrape: name and labels as written, to its value. */
async function scraped(url = app.url): Promise<Map<string, number>> {
  const { status, headers, body } = await send(`${url}/metrics`);
  expect([status, headers.get('content-type')]).toEqual([
    200,
    expect.stringMatching(/^text\/plain; version=0\.0\.4/),
  ]);
  const lines = (body as string).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.replace(/ \S+$/, ''), Number(line.replace(/^.* /, ''))]));
}

const requests = (method: string, route: string, status: number) =>
  `http_requests_total{method="${method}",route="${route}",status="${status}"}`;

test('requests are counted by route template and status, never by path', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  await studio.admin.get(`/v1/games/${game.id}`);
  await studio.admin.get(`/v1/games/${game.id}?x=1`);
  await studio.admin.get('/v1/games/gam_1');
  await app.anyone.get('/v1/games/');
  await app.anyone.get('/wp-login.php');
  await app.anyone.get('/nowhere%2e%2e/x');
  await send(`${app.url}/v1/games`, { method: 'DELETE' });
  const samples = await scraped();
  expect(samples.get(requests('GET', '/v1/games/{game_id}', 200))).toBe(2);
  expect(samples.get(requests('GET', '/v1/games/{game_id}', 422))).toBe(1);
  expect(samples.get(requests('GET', '/v1/games', 401))).toBe(1);
  expect(samples.get(requests('DELETE', '/v1/games', 405))).toBe(1);
  expect(samples.get(requests('GET', 'none', 404))).toBe(2);
  expect(samples.get('http_request_duration_seconds_count{method="GET",route="/v1/games/{game_id}"}')).toBe(
    3,
  );
  const text = [...samples.keys()].join('\n');
  expect(text).not.toMatch(/wp-login|gam_|%2e/);
});

test('methods outside the usual ones share a label', async () => {
  for (const method of ['PROPFIND', 'LOCK']) await send(`${app.url}/nowhere`, { method });
  expect((await scraped()).get(requests('other', 'none', 404))).toBe(2);
});

test('submissions, sockets, the database and the process can be watched', async () => {
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id);
  const player = await startSession(app, game.id);
  const before = (await scraped()).get('submission_batch_size_sum') ?? 0;
  await submit(player, board.id, 5);
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  await socket.run(`subscription { boardChanged(boardId: "${board.id}") { version } }`);
  const samples = await scraped();
  expect(samples.get('submission_batch_size_sum')).toBe(before + 1);
  expect(samples.get('submission_queue_length')).toBe(0);
  expect(samples.get('sockets_open')).toBe(1);
  expect(samples.get('socket_operations_open')).toBe(1);
  expect(samples.get('database_connections{pool="records",state="idle"}')).toBeGreaterThan(0);
  expect(samples.get('database_connections{pool="scores",state="idle"}')).toBeGreaterThan(0);
  expect(samples.get('database_waiting{pool="scores"}')).toBe(0);
  expect(samples.get('process_resident_memory_bytes')).toBeGreaterThan(1e6);
  expect(samples.has('nodejs_eventloop_lag_seconds')).toBe(true);
  await socket.close();
  const ended = await scraped();
  expect([ended.get('sockets_open'), ended.get('socket_operations_open')]).toEqual([0, 0]);
});

test('a distribution counts each value up to its bounds, itself included, as histograms do', () => {
  const distribution = new BucketCounts([1, 5]);
  for (const value of [0.5, 1, 1.5, 5, 7]) distribution.observe(value);
  const samples = [...distribution.samples('size', { kind: 'a' })];
  expect(samples.map(({ metricName, labels, value }) => [metricName, labels.le, value])).toEqual([
    ['size_bucket', '1', 2],
    ['size_bucket', '5', 4],
    ['size_bucket', '+Inf', 5],
    ['size_sum', undefined, 15],
    ['size_count', undefined, 5],
  ]);
  expect(samples.every(({ labels }) => labels.kind === 'a')).toBe(true);
});

test('a port of their own serves the metrics and nothing else', async () => {
  const apart = await startApp({ metricsPort: 0 });
  try {
    const own = `http://127.0.0.1:${apart.app.metricsPort}`;
    expect((await scraped(own)).has('submission_queue_length')).toBe(true);
    for (const address of [
      `${apart.url}/metrics`,
      `${apart.url}/metrics/`,
      `${apart.url}/%6detrics`,
      `${own}/metrics/`,
    ]) {
      const { status, headers } = await fetch(address);
      expect([address, status, headers.get('content-type')]).toEqual([
        address,
        404,
        'application/json; charset=utf-8',
      ]);
    }
    const elsewhere = await fetch(`${own}/v1`);
    expect([elsewhere.status, await elsewhere.json()]).toEqual([
      404,
      expect.objectContaining({ code: 'NOT_FOUND' }),
    ]);
  } finally {
    await apart.close();
  }
});
