import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { TestSocket } from '../support/socket.js';

// What a document with errors may cost: few errors, no search for near names without a credential, and a count.

const OF_ADDRESS = 40;
const OF_CREDENTIAL = 4;
const MOST_ERRORS = 5;
const MOST_FAULTS = 50;

let app: TestApp;
let strict: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  strict = await startApp({ anonymousWritesPerMinute: OF_ADDRESS, trustedProxies: ['127.0.0.1'] });
  studio = await makeStudio(app);
});
afterAll(() => Promise.all([app.close(), strict.close()]));

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

interface Errors {
  message: string;
  extensions: { code: string; details?: Data[] };
}

/** Over each transport, with the same headers. */
const TRANSPORTS: [string, (caller: Caller, query: string, variables?: Data) => Promise<Errors[]>][] = [
  ['HTTP', async (caller, query, variables) => (await caller.graphql(query, variables)).errors as Errors[]],
  [
    'server-sent events',
    async (caller, query, variables) => {
      const { body } = await caller
        .with({ accept: 'text/event-stream' })
        .post('/graphql', { query, variables });
      return JSON.parse(/^data: (.*)$/m.exec(String(body))![1]!).errors;
    },
  ],
  [
    'a socket',
    async (caller, query, variables) => {
      const socket = await TestSocket.connect(app.url, caller.headers);
      const { payload } = await socket.run(query, variables);
      await socket.close();
      return payload.errors ?? payload;
    },
  ],
];

/** Documents with hundreds of errors, each nearly a name of the schema. */
const FAULTY: [string, string][] = [
  ['types', `query (${many(400, (i) => `$v${i}: Boardd`)}) { __typename }`],
  ['types of fragments', many(180, (i) => `fragment F${i} on Boardd { id }`)],
  ['fields', `{ ${many(900, () => 'boardd')} }`],
  ['arguments', `{ board(${many(400, () => 'byy: 1')}) { id } }`],
  ['members of inputs', `{ board(by: { ${many(400, () => 'idd: 1')} }) { id } }`],
  ['values of enums', `{ boards(orderBy: [${many(300, () => '{ field: NAMEE }')}]) { nodes { id } } }`],
  ['directives', `{ __typename ${many(400, () => '@skipp')} }`],
  ['variables', `{ board(by: { id: [${many(400, (i) => `$v${i}`)}] }) { id } }`],
  ['operations', many(300, (i) => `query { boardd${i} }`)],
  ['definitions', many(300, (i) => `scalar Boardd${i}`)],
];

describe.each(TRANSPORTS)('over %s', (_transport, ask) => {
  test.each(FAULTY)(
    'hundreds of wrong %s are five errors, without suggestions for strangers',
    async (_what, query) => {
      const errors = await ask(app.anyone, query);
      expect(errors).toHaveLength(MOST_ERRORS);
      for (const { message, extensions } of errors) {
        expect(extensions.code).toBe('BAD_REQUEST');
        expect(message).not.toMatch(/Did you mean|Too many/);
      }
    },
  );

  test('a caller with a credential gets suggestions', async () => {
    for (const query of ['query ($v: Boardd) { boardd }', '{ board(byy: 1, by: { idd: 1 }) { id } }']) {
      const errors = await ask(studio.admin, query);
      expect(errors.length).toBeLessThanOrEqual(MOST_ERRORS);
      expect(errors.filter(({ message }) => message.includes('Did you mean')).length).toBeGreaterThan(0);
    }
  });

  test('a thousand faults in variables are 50 details, with suggestions for callers with a credential', async () => {
    const query = 'mutation ($input: CreateBoardInput!) { createBoard(input: $input) { board { id } } }';
    const members = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`slug${i}`, i]));
    for (const caller of [app.anyone, studio.admin]) {
      const [error] = await ask(caller, query, { input: members });
      expect(error!.extensions.code).toBe('VALIDATION_FAILED');
      expect(error!.extensions.details).toHaveLength(MOST_FAULTS);
      const suggested = error!.extensions.details!.some(({ msg }) => msg.includes('Did you mean'));
      expect(suggested).toBe(caller === studio.admin);
    }
  });

  test.each([
    [
      'aliases',
      `{ publicBoard(by: { shortCode: "A" }) { ${many(600, (i) => (i % 2 ? 'a: slug' : 'a: name'))} } }`,
    ],
    ['arguments', `{ ${many(120, (i) => `__type(name: "T${i}") { name }`)} }`],
    [
      'types',
      `{ node(id: "x") { ... on Game { ${many(400, () => 'slug')} } ... on Template { ${many(400, () => 'slug')} } } }`,
    ],
  ])('fields that are compared in pairs are limited: %s', async (_what, query) => {
    const errors = await ask(app.anyone, query);
    expect(errors.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(/^A document can have at most 100 fields named "\w+"$/),
    );
  });

  test('fields that cannot conflict may be repeated', async () => {
    const query = `{ publicBoard(by: { shortCode: "NONE" }) { ${many(300, () => 'name __typename')} } }`;
    expect((await ask(app.anyone, query)).map(({ message }) => message)).toEqual(['Board not found']);
  });
});

describe('refused documents count', () => {
  test('valid documents never do, however many are new at once', async () => {
    const { admin } = await makeStudio(strict);
    const answers = await Promise.all(
      Array.from({ length: 3 * OF_CREDENTIAL }, (_, i) => admin.graphql(`{ new${i}: me { kind } }`)),
    );
    expect(answers.filter(({ errors }) => errors)).toEqual([]);
  });

  let device: Player;
  beforeAll(async () => {
    const game = await makeGame(await makeStudio(strict));
    device = await startSession(strict, game.id);
  });

  const from = (address: string, caller = strict.anyone) => caller.with({ 'x-forwarded-for': address });
  let texts = 0;
  const refuse = (caller: Caller) => caller.post('/graphql', { query: `{ nothing${texts++} }` });
  const known = '{ __typename }';
  const statusOf = async (caller: Caller, query: string) => (await caller.post('/graphql', { query })).status;

  test('by address, over each transport, before they are read', async () => {
    const visitor = strict.anyone;
    expect(await statusOf(visitor, known)).toBe(200);
    for (let n = 0; n < OF_ADDRESS; n += 1) {
      // What is valid, and what is known, does not count.
      expect(await statusOf(visitor, `{ __typename } # ${n}`)).toBe(200);
      expect((await refuse(visitor)).status).toBe(400);
    }
    const { status, headers, body } = await refuse(visitor);
    expect([status, body.errors[0].extensions.code]).toEqual([429, 'RATE_LIMITED']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    expect(await statusOf(visitor, '{ __typename } # new')).toBe(429);
    expect((await refuse(visitor.with({ accept: 'text/event-stream' }))).status).toBe(429);
    const socket = await TestSocket.connect(strict.url);
    expect((await socket.run('{ nothing }')).payload[0].extensions.code).toBe('RATE_LIMITED');
    expect((await socket.run(known, {}, 'two')).payload.data).toEqual({ __typename: 'Query' });
    await socket.close();

    expect(await statusOf(visitor, known)).toBe(200);
    expect((await refuse(from('203.0.113.2'))).status).toBe(400);
    expect((await refuse(visitor.with(strict.superadmin.headers))).status).toBe(400);
  });

  test('by device and by key', async () => {
    for (const caller of [device.client, strict.superadmin]) {
      const statuses: number[] = [];
      for (let n = 0; n <= OF_CREDENTIAL; n += 1) {
        statuses.push((await refuse(from(`203.0.113.${10 + n}`, caller))).status);
      }
      expect(statuses.at(-1)).toBe(429);
      expect(statuses.slice(0, 3)).toEqual([400, 400, 400]);
      expect(await statusOf(from('203.0.113.20', caller), known)).toBe(200);
    }
  });
});
