import {
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isNonNullType,
} from 'graphql';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

// Rules that hold over GraphQL and REST alike.

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let player: Player;
let tester: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id);
  player = await startSession(app, game.id);
  tester = await startSession(app, game.id, { testMode: true });
  await submit(player, board.id, 1);
  await submit(tester, board.id, 2);
});
afterAll(() => app.close());

describe('a batch may have 256 KiB, other requests 64 KiB', () => {
  const CREATE =
    'mutation ($input: CreateScoreEventsInput!) { createScoreEvents(input: $input) { results { __typename } } }';
  const padded = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, i) => ({ value: i, metadata: { x: 'x'.repeat(bytes) } }));

  test.each([
    [900, 200],
    [1_000, 413],
  ])('of 100 items with %i bytes each over both interfaces', async (bytes, status) => {
    // Blanks count: a score's metadata alone cannot make a batch that large.
    const blanks = ' '.repeat(status === 413 ? 200_000 : 100_000);
    const items = padded(100, bytes);
    const send = (path: string, body: object) =>
      fetch(`${app.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...studio.admin.headers },
        body: JSON.stringify(body) + blanks,
      });
    const place = { boardId: board.id, identityId: player.session.identityId };
    const variables = { input: { items: items.map((item) => ({ ...place, ...item })) } };
    const graphql = await send('/graphql', { query: CREATE, variables });
    expect(graphql.status).toBe(status);
    const rest = { board_id: board.id, identity_id: player.session.identityId };
    const ofRest = await send('/v1/score-events/batch', {
      items: items.map((item) => ({ ...rest, ...item })),
    });
    expect(ofRest.status).toBe(status);
    const answer = (await graphql.json()) as Data;
    if (status === 200) {
      const results: Data[] = answer.data.createScoreEvents.results;
      expect(results.map(({ __typename }) => __typename)).toEqual(Array(100).fill('Submission'));
    } else expect(answer.errors[0].extensions.code).toBe('BODY_TOO_LARGE');
  });

  test.each<[string, string]>([
    [
      'another mutation',
      'mutation ($x: JSONObject) { createGame(input: { accountId: "", name: "", antiCheatSettings: $x }) { game { id } } }',
    ],
    [
      'a batch beside another mutation',
      `${CREATE.slice(0, -1)} revokeReward(input: { id: "x" }) { reward { id } } }`,
    ],
    ['a query', 'query ($x: Int) { me { kind } boards(first: $x) { nodes { id } } }'],
    ['a document with errors', '{ nothing }'],
  ])('not %s', async (_what, query) => {
    const variables = { input: { items: padded(100, 900) } };
    const answer = await studio.admin.post('/graphql', { query, variables });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([413, 'BODY_TOO_LARGE']);
  });

  test('nor of a caller without a credential', async () => {
    const variables = { input: { items: padded(100, 900) } };
    expect((await app.anyone.post('/graphql', { query: CREATE, variables })).status).toBe(413);
  });
});

describe('null given at creation is null, where a record can have it', () => {
  const KINDS: [string, () => Data][] = [
    ['Board', () => ({ accountId: studio.accountId, gameId: game.id, name: 'Null' })],
    [
      'BoardTemplate',
      () => ({
        accountId: studio.accountId,
        gameId: game.id,
        name: 'Null',
        repeatInterval: '1 days',
        nextRunAt: new Date(app.clock.now() + 86_400_000).toISOString(),
      }),
    ],
    ['Game', () => ({ accountId: studio.accountId, name: 'Null' })],
    ['ApiKey', () => ({ accountId: studio.accountId, userId: studio.userId, name: 'Null' })],
    ['JamCode', () => ({ code: 'NULLED', description: 'Null' })],
  ];

  /** Members that the input and the record may have as null. */
  function nullable(kind: string): string[] {
    const input = app.app.schema.getType(`Create${kind}Input`) as GraphQLInputObjectType;
    const record = (app.app.schema.getType(kind) as GraphQLObjectType).getFields();
    return Object.values(input.getFields())
      .filter(({ name, type }) => !isNonNullType(type) && record[name] && !isNonNullType(record[name].type))
      .map(({ name }) => name);
  }

  test.each(KINDS)('%s', async (kind, base) => {
    const names = nullable(kind);
    expect(names.length).toBeGreaterThan(0);
    const field = kind[0]!.toLowerCase() + kind.slice(1);
    const record = (app.app.schema.getType(kind) as GraphQLObjectType).getFields();
    const shown = names.map((name) => {
      const type = getNamedType(getNullableType(record[name]!.type));
      return 'getFields' in type ? `${name} { __typename }` : name;
    });
    const nulls = Object.fromEntries(names.map((name) => [name, null]));
    const query = `mutation ($input: Create${kind}Input!) { create${kind}(input: $input) { ${field} { id ${shown.join(' ')} } } }`;
    const made = await app.superadmin.data(query, { input: { ...base(), ...nulls } });
    expect(made[`create${kind}`][field]).toMatchObject(nulls);
  });

  test('over REST, and an absent one has the default', async () => {
    const body = { account_id: studio.accountId, game_id: game.id, name: 'Nothing' };
    const made = await studio.admin.post('/v1/boards', { ...body, icon: null, hold_hours: null });
    expect([made.status, made.body.icon, made.body.hold_hours]).toEqual([201, null, null]);
    const absent = await studio.admin.post('/v1/boards', body);
    expect([absent.body.icon, absent.body.hold_hours]).toEqual(['fa-crown', 48]);
  });
});

describe('tests named by callers who see production alone are FORBIDDEN, never production', () => {
  const READS: [string, string][] = [
    ['ranking', '{ board(by: { id: $id }) { ranking(isTest: true) { totalCount } } }'],
    ['entriesOf', '{ board(by: { id: $id }) { entriesOf(identityId: "me", isTest: true) { rank } } }'],
    ['scores', '{ board(by: { id: $id }) { scores(filter: { isTest: true }) { nodes { id } } } }'],
    ['rewards', '{ rewards(filter: { isTest: true }) { nodes { id } } }'],
  ];
  const ask = (caller: Caller, query: string) =>
    caller.graphql(`query ($id: ID!) ${query}`, { id: board.id });

  test.each(READS)('%s', async (_field, query) => {
    const document = query.includes('$id') ? query : query.replace('{', '{ board(by: { id: $id }) { id } ');
    const codes = (answer: Data) => answer.errors?.map(({ extensions }: Data) => extensions.code);
    expect(codes(await ask(player.client, document))).toEqual(['FORBIDDEN']);
    expect(codes(await ask(tester.client, document))).toBeUndefined();
  });

  test('over REST', async () => {
    const path = `/v1/client/scores?board_id=${board.id}&is_test=true`;
    const refused = await player.client.get(path);
    expect([refused.status, refused.body.code]).toEqual([403, 'FORBIDDEN']);
    const own = await tester.client.get(path);
    expect([own.status, own.body.data.length]).toEqual([200, 1]);
    expect((await studio.admin.get(`/v1/scores?board_id=${board.id}&is_test=true`)).body.data).toHaveLength(
      1,
    );
  });

  test('live, visitors included', async () => {
    const query = 'subscription ($id: ID!) { boardChanged(boardId: $id, isTest: true) { version } }';
    const ranks =
      'subscription ($id: ID!, $ids: [ID!]!) { rankChanged(boardId: $id, identityIds: $ids, isTest: true) { version } }';
    for (const caller of [app.anyone, player.client, (await makeStudio(app)).admin]) {
      const socket = await TestSocket.connect(app.url, caller.headers);
      for (const [id, document] of [query, ranks].entries()) {
        const variables = { id: board.id, ids: [player.session.identityId] };
        const { type, payload } = await socket.run(document, variables, `${id}`);
        expect([type, payload[0].extensions.code]).toEqual(['error', 'FORBIDDEN']);
      }
      await socket.close();
      const stream = await caller.get(`/v1/boards/${board.id}/live?is_test=true`);
      expect([stream.status, stream.body.code]).toEqual([403, 'FORBIDDEN']);
    }
    const socket = await TestSocket.connect(app.url, tester.client.headers);
    expect((await socket.run(query, { id: board.id })).payload.data.boardChanged).toBeDefined();
    await socket.close();
  });
});

test.each([
  ['null', { id: null }, 'must not be null'],
  ['absent', {}, 'is required'],
])('a variable of a @oneOf input that is %s is named in the details', async (_how, variables, msg) => {
  const query = 'query ($id: ID) { board(by: { id: $id }) { id } }';
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const { payload } = await socket.run(query, variables);
  await socket.close();
  for (const errors of [(await studio.admin.graphql(query, variables)).errors as Data[], payload]) {
    expect(errors.map(({ extensions }: Data) => [extensions.code, extensions.details])).toEqual([
      ['VALIDATION_FAILED', [expect.objectContaining({ loc: ['id'], msg })]],
    ]);
  }
});

test('a use of a jam code has its meta, and the former name of it', async () => {
  const type = app.app.schema.getType('JamCodeRedemption') as GraphQLObjectType;
  expect(type.getFields().features!.deprecationReason).toBe('Use `meta`.');
  const made = await app.superadmin.data(
    'mutation { createJamCode(input: { code: "METAS", description: "Uses", features: { boards: 3 } }) { jamCode { id } } }',
  );
  const { id } = made.createJamCode.jamCode;
  await app.database.knex('jam_code_redemptions').insert({
    id: '01900000-0000-7000-8000-000000000001',
    jam_code_id: id.slice(4),
    account_id: studio.accountId.slice(4),
    meta: { boards: 3 },
    redeemed_at: new Date(app.clock.now()),
  });
  const query = 'query ($id: ID!) { jamCode(id: $id) { redemptions { nodes { meta features } } } }';
  const { jamCode } = await app.superadmin.data(query, { id });
  expect(jamCode.redemptions.nodes).toEqual([{ meta: { boards: 3 }, features: { boards: 3 } }]);
});
