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

test('hostile GraphQL over HTTP and sockets gets coded errors, writes nothing when refused, and keeps memory bounded', async () => {
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

describe('limits of a query', () => {
  const refused = async (query: string, variables = {}) => {
    const answer = await app.superadmin.post('/graphql', { query, variables });
    expect(answer.status).toBe(400);
    const error = answer.body.errors[0];
    expect(error.extensions.code).toBe('BAD_REQUEST');
    return error.message as string;
  };

  test('a query that is too deep is refused', async () => {
    const deep = (n: number): string => (n === 0 ? 'id' : `account { users { nodes { ${deep(n - 1)} } } }`);
    expect(await refused(`{ me { user { ${deep(5)} } } }`)).toContain('deep');
  });

  test('a query with too many aliases is refused', async () => {
    const aliases = Array.from({ length: 31 }, (_, n) => `a${n}: __typename`).join(' ');
    expect(await refused(`{ ${aliases} }`)).toContain('aliases');
  });

  test('a query with too many tokens is refused', async () => {
    expect(await refused(`{ ${'__typename '.repeat(2_001)} }`)).toContain('token');
  });

  test('a query that may read too many records is refused, through variables and fragments', async () => {
    const query = `query ($n: Int) { accounts(first: $n) { nodes { ...Games } } }
      fragment Games on Account { games(first: $n) { nodes { id boards(first: $n) { nodes { id } } } } }`;
    expect(await refused(query, { n: 50 })).toContain('records');
    expect((await app.superadmin.graphql(query, { n: 5 })).errors).toBeUndefined();
  });

  test('a bomb of fragments is weighed at once', async () => {
    const bomb = Array.from(
      { length: 40 },
      (_, n) => `fragment F${n} on Account { id ...F${n + 1} ...F${n + 1} }`,
    );
    const query = `{ accounts { nodes { ...F0 } } } ${bomb.join(' ')} fragment F40 on Account { users { nodes { id } } }`;
    expect(await refused(query)).toContain('records');
  });

  test('introspection is within the limits', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const data = await app.anyone.data(getIntrospectionQuery());
    expect(data.__schema.queryType.name).toBe('Query');
  });
});

test('errors of GraphQL itself have codes', async () => {
  expect(await app.superadmin.code('{ nope }')).toBe('BAD_REQUEST');
  expect(await app.superadmin.code('{ me ')).toBe('BAD_REQUEST');
  const feed = await app.superadmin.fault('subscription { boardChanged(boardId: "brd_1") { version } }');
  expect([feed.extensions.code, feed.message]).toEqual(['BAD_REQUEST', expect.stringContaining('WebSocket')]);
  for (const condition of ['$it', '"yes"', '$nothing']) {
    const feed = `subscription ($it: Boolean!) { boardChanged(boardId: "brd_1") @skip(if: ${condition}) { version } }`;
    const answer = await app.superadmin.post('/graphql', { query: feed, variables: { it: false } });
    expect([answer.status, answer.body.code]).toEqual([400, 'BAD_REQUEST']);
  }
  expect(await app.superadmin.code('query A { me { kind } } query B { me { kind } }')).toBe('BAD_REQUEST');
  const fault = await app.superadmin.fault(
    'query ($ids: [ID!]!, $n: Int) { nodes(ids: $ids) { id } accounts(first: $n) { nodes { id } } }',
    {
      ids: ['x', null],
      n: 'many',
    },
  );
  expect(fault.extensions.code).toBe('VALIDATION_FAILED');
  expect(fault.extensions.details!.map(({ loc }) => loc)).toEqual([['ids', 1], ['n']]);
  const nulls = await app.superadmin.fault(
    'query ($id: ID!, $n: Int!, $test: Boolean) { board(id: $id) { entryCount(isTest: $test) } accounts(first: $n) { nodes { id } } }',
    { id: 'brd_1', n: null, test: false },
  );
  expect(nulls.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['n'], type: 'type' }],
  });
  const late = await app.superadmin.fault(
    'query A($id: ID!, $test: Boolean) { board(id: $id) { ...Count } } fragment Count on Board { entryCount(isTest: $test) }',
    { id: 'brd_1', test: null },
  );
  expect(late.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['test'], msg: 'must not be null', type: 'type' }],
  });
});
