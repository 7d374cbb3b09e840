import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import { makeGround } from '../support/hostile/ground.js';
import { heapInUse } from '../support/hostile/memory.js';
import { RestRequests } from '../support/hostile/rest-requests.js';
import { Trial } from '../support/hostile/trial.js';
import { WriteJournal } from '../support/journal.js';
import { Wire } from '../support/wire.js';

/** A long run: HOSTILE_RUNS=50000 npx jest hostile; with HOSTILE_SEED=<number> other requests. */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 1_600);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

/** The memory that a run may leave occupied: bounded caches fill up. */
const SLACK_BYTES = 16 * 2 ** 20;

let app: TestApp;
let wire: Wire;
beforeAll(async () => {
  app = await startApp();
  wire = new Wire(app.url);
});
afterAll(async () => {
  wire.close();
  await app.close();
});

/** The shortest of three: other work on the machine makes single ones longer. */
async function millis(ask: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3; n += 1) {
    const from = performance.now();
    await ask();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

test('a header or a query that nothing matches takes no longer than others of its length', async () => {
  const preflight = (names: string) =>
    fetch(`${app.url}/v1/games`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': `x${names}x`,
      },
    });
  const query = (text: string) => fetch(`${app.url}/v1/boards?limit=1${text}`);
  const size = 14_000;
  const letters = Math.min(
    await millis(() => preflight('a'.repeat(size))),
    await millis(() => query('a'.repeat(size))),
  );
  const others = {
    blanks: await millis(() => preflight(' '.repeat(size))),
    names: await millis(() => query('&a'.repeat(size / 2))),
  };
  for (const [what, took] of Object.entries(others))
    expect([what, took < 40 * letters]).toEqual([what, true]);
});

test('hostile REST requests get documented answers, write nothing when refused, and keep memory bounded', async () => {
  const ground = await makeGround(app);
  const journal = await WriteJournal.open(app.database.knex);
  const trial = new Trial(app, wire, new OpenApiContract(ground.document), journal);
  const requests = new RestRequests(ground);
  const some = (count: number, seed: number) =>
    trial.run(count, seed, (dice, name) => trial.rest(requests.make(dice), name));
  await some(RUNS / 2, SEED);
  const before = await heapInUse();
  await some(RUNS / 2, SEED + 1);
  const grown = (await heapInUse()) - before;
  process.stderr.write(`hostile REST: ${trial.summary()}; heap ${(grown / 2 ** 20).toFixed(1)} MiB\n`);
  expect(trial.faults.join('\n\n')).toBe('');
  expect(grown).toBeLessThan(SLACK_BYTES);
  // The callers' credentials were good to the end.
  for (const [caller, path] of [
    [ground.callers.apiKey, '/v1/games'],
    [ground.callers.accessToken, '/v1/client/boards'],
  ] as const) {
    expect([path, (await caller.get(path)).status]).toEqual([path, 200]);
  }
  // Requests that are all refused for the same reason would prove nothing.
  expect([...trial.seen.keys()]).toEqual(
    expect.arrayContaining(['200', '201', '404 NOT_FOUND', '422 VALIDATION_FAILED', '403 FORBIDDEN']),
  );
}, 3_600_000);
