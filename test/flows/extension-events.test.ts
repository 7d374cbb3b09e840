import { setTimeout as delay } from 'node:timers/promises';
import pino from 'pino';
import { FiringHooks } from '../../src/hooks/firing.js';
import type { Hooks, SubscriptionResolver } from '../../src/hooks/hooks.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { post } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { Inbox, until } from '../support/wait.js';

const typeDefs = `
  type Tick { number: Int! of: String! }
  extend type Subscription {
    ticks(upTo: Int!): Tick! @allow(roles: [CLIENT])
    waits: Int @allow(roles: [CLIENT, ADMIN])
    deaf: Int @allow(roles: [ANYONE])
    fails(how: String!): Int @allow(roles: [ANYONE])
    doubled: Int @allow(roles: [ANYONE])
  }
  extend type Board { caller: String! secret: String @allow(roles: [ADMIN]) }
`;

const signals: AbortSignal[] = [];
const released = new Inbox<string>('the end of a generator');

const ticks: SubscriptionResolver<{ upTo: number }> = {
  async *subscribe(_parent, { upTo }, { caller }) {
    for (let number = 1; number <= upTo; number += 1) yield { ticks: { number, of: caller.kind } };
  },
};
const waits: SubscriptionResolver = {
  async *subscribe(_parent, _args, { signal }) {
    signals.push(signal);
    try {
      yield { waits: 1 };
      await delay(600_000, undefined, { signal });
    } finally {
      released.put('waits');
    }
  },
};
/** Hears no signal. */
const deaf: SubscriptionResolver = {
  async *subscribe() {
    yield { deaf: 1 };
    await new Promise(() => undefined);
  },
};
const fails: SubscriptionResolver<{ how: string }> = {
  subscribe: (_parent, { how }, { refuse }) => {
    if (how === 'refused') refuse('BOARD_CLOSED', 'Nothing to see');
    if (how === 'at once') throw new Error('secret');
    if (how === 'no events') return [] as never;
    return (async function* () {
      yield { fails: 1 };
      if (how === 'refused later') refuse('CONFLICT', 'No more');
      throw new Error('secret');
    })();
  },
};
const doubled: SubscriptionResolver = {
  async *subscribe() {
    yield 21;
  },
  resolve: ((event: number) => event * 2) as never,
};

const hooks: Hooks = {
  typeDefs,
  resolvers: {
    Subscription: { ticks, waits, deaf, fails, doubled },
    Board: {
      caller: (_parent: unknown, _args: unknown, context: { caller: { kind: string } }) =>
        context.caller.kind,
      secret: () => 'for administrators',
    },
  },
};

let app: TestApp;
let studio: Studio;
let board: Data;
let player: Player;
let logged: Data[] = [];

beforeAll(async () => {
  const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  app = await startApp({}, { hooks, log });
  studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id);
  player = await startSession(app, game.id);
});
afterAll(() => app.close());
beforeEach(() => {
  logged = [];
});

test('events of a subscription reach the callers that may use it, and end', async () => {
  const socket = await TestSocket.connect(app.url, player.client.headers);
  const query = 'subscription ($upTo: Int!) { ticks(upTo: $upTo) { number of } }';
  const first = await socket.run(query, { upTo: 2 });
  expect(first.payload.data).toEqual({ ticks: { number: 1, of: 'client' } });
  expect((await socket.next()).payload.data.ticks.number).toBe(2);
  expect((await socket.next()).type).toBe('complete');
  expect((await socket.run('subscription { doubled }')).payload.data).toEqual({ doubled: 42 });
  await socket.close();
  const other = await TestSocket.connect(app.url, studio.admin.headers);
  const { payload } = await other.run(query, { upTo: 2 });
  expect(JSON.stringify(payload)).toContain('TOKEN_REQUIRED');
  await other.close();
});

test('a subscription that waits ends at once: by its peer, with the socket, and with the service', async () => {
  const socket = await TestSocket.connect(app.url, player.client.headers);
  await socket.run('subscription { waits }', {}, 'first');
  socket.send({ type: 'complete', id: 'first' });
  await released.next();
  await socket.run('subscription { waits }', {}, 'second');
  await socket.run('subscription { deaf }', {}, 'third');
  await socket.close();
  await released.next();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  await until(() => app.server.sockets.operations === 0);
  expect(logged).toEqual([]);
});

test('an error ends the subscription alone: a refusal as it is, any other as INTERNAL, logged', async () => {
  const socket = await TestSocket.connect(app.url, {});
  const query = 'subscription ($how: String!) { fails(how: $how) }';
  const textOf = async (how: string, later = false) => {
    let frame = await socket.run(query, { how }, how);
    if (later) frame = await socket.next();
    const text = JSON.stringify(frame.payload);
    if (frame.type === 'next') await socket.next();
    return text;
  };
  expect(await textOf('refused')).toMatch(/Nothing to see.*BOARD_CLOSED/);
  expect(await textOf('refused later', true)).toMatch(/No more.*CONFLICT/);
  expect(logged).toEqual([]);
  const causes = { 'at once': 'secret', 'no events': 'async iterable', later: 'secret' };
  for (const [how, cause] of Object.entries(causes)) {
    const text = await textOf(how, how === 'later');
    expect(text).toMatch(/Something went wrong.*INTERNAL/);
    expect(text).not.toMatch(/secret|HOOKS_MODULE/);
    const [line] = logged.splice(0);
    expect(line.err.message).toMatch('The resolver Subscription.fails of HOOKS_MODULE failed: ');
    expect(line.err.message).toMatch(cause);
  }
  expect((await socket.run('{ publicBoard(by: { shortCode: "none" }) { name } }')).type).toBe('next');
  await socket.close();
});

test('a live operation with an added field shows each subscriber its own values', async () => {
  const query = `subscription ($id: ID!) {
    boardChanged(boardId: $id) { board { id caller secret } }
  }`;
  const admin = await TestSocket.connect(app.url, studio.admin.headers);
  const client = await TestSocket.connect(app.url, player.client.headers);
  const id = board.id;
  const shown = async (socket: TestSocket, first: boolean) => {
    const { payload } = await (first ? socket.run(query, { id }) : socket.next());
    return { data: payload.data, errors: payload.errors };
  };
  for (const first of [true, false]) {
    if (!first) expect((await post(player, { board_id: id, value: 5 })).status).toBe(201);
    const forAdmin = { id, caller: 'admin', secret: 'for administrators' };
    expect(await shown(admin, first)).toEqual({ data: { boardChanged: { board: forAdmin } } });
    const forClient = { id, caller: 'client', secret: null };
    expect(await shown(client, first)).toEqual({ data: { boardChanged: { board: forClient } } });
  }
  await admin.close();
  await client.close();
});

test('the service waits neither for a resolver nor for events that do not come', async () => {
  const parts = { database: app.database, clock: app.clock.now, log: pino({ level: 'silent' }) };
  const endless = () => new Promise<never>(() => undefined);
  const never: Hooks = {
    typeDefs: `extend type Query { never: Int @allow(roles: [ANYONE]) }
      extend type Subscription { never: Int @allow(roles: [ANYONE]) silent: Int @allow(roles: [ANYONE]) }`,
    resolvers: {
      Query: { never: endless },
      Subscription: { never: { subscribe: endless }, silent: deaf },
    },
  };
  const firing = new FiringHooks(never, parts, 20);
  const { schema, feeds } = firing.extend!(
    app.app.schema,
    async () => null,
    () => app.app.schema,
  );
  const facts = { headers: {}, requestId: 'r', socketAddress: undefined };
  const context = await app.app.contextOf(facts);
  const resolve = schema.getQueryType()!.getFields().never!.resolve!;
  const internal = { code: 'INTERNAL', cause: { cause: { message: expect.stringContaining('0.02 s') } } };
  await expect(resolve(undefined, {}, context, undefined as never)).rejects.toMatchObject(internal);
  await expect(feeds.never!({}, context)).rejects.toMatchObject(internal);
  const events = await feeds.silent!({}, context);
  await events.next();
  const pending = events.next();
  await events.return!();
  expect(await pending).toEqual({ value: undefined, done: true });
  await firing.close();
});
