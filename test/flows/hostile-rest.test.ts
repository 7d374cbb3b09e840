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

/** What a run may leave behind: caches that are bounded fill up. */
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

test('whatever is sent to REST, the answer is one that was promised, refusals write nothing, memory stays', async () => {
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
  // Whoever called could to the end.
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
