import pino from 'pino';
import type { BatchRead, Hooks, Resolver } from '../../src/hooks/hooks.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';

import { post } from '../support/play.js';

const typeDefs = `
  type Badge { name: String! board: Board hidden: String @allow(roles: [SUPERADMIN]) }
  extend type Query {
    badges(first: Int! = 3): [Badge!]! @allow(roles: [CLIENT])
    badgeOf(accountId: ID!): String @allow(roles: [ADMIN])
    boardNames(id: ID!): [String!] @allow(roles: [ADMIN, CLIENT]) @cost(weight: 40)
    boardOf(id: ID!): Board @allow(roles: [ADMIN, CLIENT])
    fault(kind: String!): String @allow(roles: [ANYONE])
    root: String @allow(roles: [SUPERADMIN])
  }
  extend type Mutation { colour(board: ID!, colour: String!): Board @allow(roles: [ADMIN]) }
  extend type Score { note: String! }
  extend type EntryEdge { members: [String!]! }
  extend type Board { colour: String secret: String @allow(roles: [ADMIN]) }
`;

const colours = new Map<string, string>();
const batches: string[][] = [];
const parents: Data[] = [];

const coloursOf: BatchRead<string> = async (keys) => {
  batches.push(keys.toSorted());
  return new Map(colours);
};
const colour: Resolver<{ id: string }, never> = (parent, _args, { batch }) => {
  parents.push(parent);
  return batch(coloursOf, parent.id);
};
const boardNames: Resolver<undefined, { id: string }> = async (_parent, { id }, { graphql }) => {
  const query = 'query ($id: ID!) { board(by: { id: $id }) { name game { name } } }';
  const { board } = await graphql<{ board: { name: string; game: { name: string } } }>(query, { id });
  return [board.name, board.game.name];
};
const contexts: Data[] = [];
const boardOf: Resolver<undefined, { id: string }> = (_parent, { id }, context) => {
  contexts.push(context);
  return context.record(id);
};
const fault: Resolver<undefined, { kind: string }> = async (_parent, { kind }, { refuse, graphql }) => {
  if (kind === 'refused')
    refuse('CONFLICT', 'Not twice', { details: [{ loc: ['kind'], msg: 'm', type: 't' }] });
  if (kind === 'likeOurs') throw Object.assign(new Error('secret'), { code: 'CONFLICT', status: 409 });
  if (kind === 'query') await graphql('{ boards { nothing } }');
  if (kind === 'mutation') await graphql('mutation { restore(input: { id: "x" }) { node { id } } }');
  throw new Error('secret');
};
const setColour: Resolver<undefined, { board: string; colour: string }> = async (
  _parent,
  args,
  { record },
) => {
  colours.set(args.board, args.colour);
  return record(args.board);
};

const hooks: Hooks = {
  typeDefs,
  resolvers: {
    Query: {
      badges: (_parent: undefined, { first }: { first: number }) =>
        Array.from({ length: first }, (_, i) => ({ name: `badge ${i}`, hidden: 'h' })),
      badgeOf: () => 'mine',
      ...{ boardNames, boardOf, fault },
      root: () => 'of all',
    },
    Mutation: { colour: setColour },
    Score: { note: ({ playerName }: { playerName: string }) => `by ${playerName}` },
    EntryEdge: { members: (parent: object) => Object.keys(parent).toSorted() },
    Board: { colour, secret: () => 'for administrators' },
  },
};

let app: TestApp;
let studio: Studio;
let game: Data;
let boards: Data[];
let player: Player;
let client: Caller;
let logged: Data[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  app = await startApp({}, { hooks, log });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  boards = [await makeBoard(studio, game.id), await makeBoard(studio, game.id)];
  player = await startSession(app, game.id);
  client = player.client;
});
afterAll(() => app.close());
beforeEach(() => {
  logged = [];
  batches.length = 0;
  parents.length = 0;
});

test('roles of the added root fields are checked like those of ours', async () => {
  const badges = '{ badges(first: 1) { name } }';
  expect(await client.data(badges)).toEqual({ badges: [{ name: 'badge 0' }] });
  expect(await studio.admin.code(badges)).toBe('TOKEN_REQUIRED');
  expect(await app.anyone.code(badges)).toBe('TOKEN_REQUIRED');
  expect(await app.anyone.with({ authorization: 'Bearer none' }).code(badges)).toBe('INVALID_TOKEN');
  expect(await client.code('{ root }')).toBe('API_KEY_REQUIRED');
  expect(await studio.admin.code('{ root }')).toBe('SUPERADMIN_REQUIRED');
  expect(await app.superadmin.data('{ root }')).toEqual({ root: 'of all' });
  const stranger = await makeStudio(app);
  const named = 'query ($id: ID!) { badgeOf(accountId: $id) }';
  expect(await studio.admin.data(named, { id: studio.accountId })).toEqual({ badgeOf: 'mine' });
  expect(await stranger.admin.code(named, { id: studio.accountId })).toBe('FORBIDDEN');
});

test('a field of another type has the access of its parent, and may narrow it', async () => {
  const query = 'query ($id: ID!) { board(by: { id: $id }) { name secret } }';
  const { id, name } = boards[0];
  const shown = await studio.admin.data(query, { id });
  expect(shown.board).toEqual({ name, secret: 'for administrators' });
  expect((await client.data(query, { id })).board).toEqual({ name, secret: null });
  // A property that has no resolver, too.
  expect((await client.data('{ badges(first: 1) { hidden } }')).badges).toEqual([{ hidden: null }]);
});

test('objects of one operation are read by one batch, before and after the operation is compiled', async () => {
  colours.set(boards[1].id, 'red');
  const query = 'query ($id: ID!) { boards(filter: {gameId: $id}, first: 5) { nodes { id colour } } }';
  const wanted = [
    { id: boards[0].id, colour: null },
    { id: boards[1].id, colour: 'red' },
  ];
  for (let i = 0; i < 25; i += 1) {
    expect((await studio.admin.data(query, { id: game.id })).boards.nodes).toEqual(wanted);
  }
  const ids = boards.map(({ id }) => id).toSorted();
  expect(batches).toEqual(Array.from({ length: 25 }, () => ids));
  // Resolvers get the plain fields that the schema shows, and nothing else of a record.
  expect(parents[0]).toMatchObject({ id: boards[0].id, gameId: game.id, createdAt: expect.any(Date) });
  expect(Object.keys(parents[0])).not.toContain('deletedAt');
  expect(parents[0].constructor).toBe(Object);
});

test('scores of a page that is cached have added fields, too', async () => {
  const { id } = boards[0];
  const query = `query ($id: ID!) { board(by: { id: $id }) {
    ranking { entries(first: 2) { nodes { value score { note } } edges { cursor members node { score { note } } } } } } }`;
  for (const value of [5, 6]) {
    expect((await post(player, { board_id: id, value })).status).toBe(201);
    for (let i = 0; i < 25; i += 1) {
      const { entries } = (await client.data(query, { id })).board.ranking;
      const score = { note: 'by Ann' };
      expect(entries.nodes[0]).toEqual({ value, score });
      expect(entries.edges[0]).toEqual({
        cursor: expect.any(String),
        members: ['amongRank'],
        node: { score },
      });
    }
  }
});

test('after each mutation of an operation values are read anew', async () => {
  const paint = 'colour(board: $id, colour: ';
  const query = `mutation ($id: ID!) { a: ${paint}"blue") { name colour } b: ${paint}"green") { colour } }`;
  const { id, name } = boards[0];
  const data = await studio.admin.data(query, { id });
  expect(data).toEqual({ a: { name, colour: 'blue' }, b: { colour: 'green' } });
  expect(await client.code(query, { id })).toBe('API_KEY_REQUIRED');
});

test('a resolver reads our data with the rights of the caller', async () => {
  const names = 'query ($id: ID!) { boardNames(id: $id) }';
  const record = 'query ($id: ID!) { boardOf(id: $id) { name } }';
  const { id, name } = boards[0];
  for (const caller of [studio.admin, client]) {
    expect(await caller.data(names, { id })).toEqual({ boardNames: [name, game.name] });
    expect(await caller.data(record, { id })).toEqual({ boardOf: { name } });
  }
  // The members that docs/guides/extending.md describes, and nothing of the service's own context.
  const members = [
    'batch',
    'caller',
    'graphql',
    'log',
    'now',
    'query',
    'record',
    'refuse',
    'request',
    'schedule',
  ];
  expect(contexts.map((context) => Object.keys(context).toSorted())).toEqual([members, members]);
  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(names, { id })).toBe('FORBIDDEN');
  expect(await stranger.admin.data(record, { id })).toEqual({ boardOf: null });
  expect(await studio.admin.data(record, { id: 'no id' })).toEqual({ boardOf: null });
  expect(await client.code(names, { id: 'no id' })).toBe('VALIDATION_FAILED');
  expect(logged).toEqual([]);
});

test('a refusal reaches the caller; any other error is INTERNAL, and in the log with its cause', async () => {
  const query = 'query ($kind: String!) { fault(kind: $kind) }';
  const refused = await app.anyone.fault(query, { kind: 'refused' });
  expect(refused.message).toBe('Not twice');
  expect(refused.extensions).toMatchObject({ code: 'CONFLICT', details: [{ loc: ['kind'] }] });
  expect(logged).toEqual([]);
  const causes = {
    thrown: 'secret',
    likeOurs: 'secret',
    query: 'Cannot query field',
    mutation: 'queries only',
  };
  for (const [kind, cause] of Object.entries(causes)) {
    const { message, extensions } = await app.anyone.fault(query, { kind });
    expect([extensions.code, message]).toEqual(['INTERNAL', expect.stringMatching(/^Something went wrong/)]);
    const line = logged.splice(0).at(-1);
    expect(line.requestId).toBe(extensions.requestId);
    expect(line.err.message).toMatch(`The resolver Query.fault of HOOKS_MODULE failed: `);
    expect(line.err.message).toMatch(cause);
  }
});

test('cost, limits and introspection know the added fields', async () => {
  const cost = async (query: string) =>
    (await client.post('/graphql', { query })).body.extensions.cost.requested;
  expect(await cost('{ badges { name } }')).toBe(3);
  expect(await cost('{ badges(first: 10) { board { id } } }')).toBe(20);
  expect(await cost(`{ boardNames(id: "${boards[0].id}") }`)).toBe(40);
  const most = Array.from({ length: 30 }, (_, i) => `a${i}: boardNames(id: "x")`);
  expect(await client.code(`{ ${most} badges(first: 4000) { name } }`)).toBe('BAD_REQUEST');
  const type = '{ __type(name: "Badge") { fields { name } } __schema { directives { name } } }';
  const { __type, __schema } = await app.anyone.data(type);
  expect(__type.fields.map(({ name }: Data) => name)).toEqual(['name', 'board', 'hidden']);
  expect(__schema.directives.filter(({ name }: Data) => name === 'allow')).toHaveLength(1);
});
