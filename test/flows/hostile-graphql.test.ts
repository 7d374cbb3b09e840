import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import { GraphRequests } from '../support/hostile/graph-requests.js';
import { makeGround } from '../support/hostile/ground.js';
import { heapInUse } from '../support/hostile/memory.js';
import { SocketTrial } from '../support/hostile/socket-trial.js';
import { Trial } from '../support/hostile/trial.js';
import { WriteJournal } from '../support/journal.js';
import { Wire } from '../support/wire.js';

/** As in hostile-rest.test.ts. */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 1_000);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

/** Apollo keeps up to 30 MiB of parsed documents. */
const SLACK_BYTES = 48 * 2 ** 20;

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

test('whatever is sent to GraphQL, over HTTP and sockets, errors are coded, refusals write nothing, memory stays', async () => {
  const ground = await makeGround(app);
  const journal = await WriteJournal.open(app.database.knex);
  const trial = new Trial(app, wire, new OpenApiContract(ground.document), journal);
  const requests = new GraphRequests(app.app.schema, ground);
  const sockets = new SocketTrial(trial, requests);
  const some = async (count: number, seed: number) => {
    await trial.run(count / 2, seed, (dice, name) => trial.graph(requests.http(dice), name));
    await trial.run(count / 2, seed + 1, (dice, name) => sockets.one(dice, name));
  };
  await some(RUNS / 2, SEED);
  const before = await heapInUse();
  await some(RUNS / 2, SEED + 2);
  const grown = (await heapInUse()) - before;
  await sockets.close();
  process.stderr.write(`hostile GraphQL: ${trial.summary()}; heap ${(grown / 2 ** 20).toFixed(1)} MiB\n`);
  expect(trial.faults.join('\n\n')).toBe('');
  expect(grown).toBeLessThan(SLACK_BYTES);
  expect([...trial.seen.keys()]).toEqual(
    expect.arrayContaining([
      'ok',
      'BAD_REQUEST',
      'VALIDATION_FAILED',
      'NOT_FOUND',
      'FORBIDDEN',
      'closed 4400',
    ]),
  );
}, 3_600_000);
