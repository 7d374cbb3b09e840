import { type Client, createClient } from 'graphql-sse';
import type { Hooks } from '../../src/hooks/hooks.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { Inbox, until } from '../support/wait.js';

// GraphQL over server-sent events, with the client of graphql-sse.

const released = new Inbox<string>('the end of a generator');
const hooks: Hooks = {
  typeDefs: `extend type Subscription {
    counted(upTo: Int!): Int @allow(roles: [ANYONE])
    waits: Int @allow(roles: [ANYONE])
  }`,
  resolvers: {
    Subscription: {
      counted: {
        async *subscribe(_parent: unknown, { upTo }: { upTo: number }) {
          for (let number = 1; number <= upTo; number += 1) yield { counted: number };
        },
      },
      waits: {
        async *subscribe(_parent: unknown, _args: unknown, { signal }: { signal: AbortSignal }) {
          try {
            yield { waits: 1 };
            await new Promise((resolve) => signal.addEventListener('abort', resolve));
          } finally {
            released.put('waits');
          }
        },
      },
    },
  },
};

const BEAT_MS = 50;
let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
beforeAll(async () => {
  app = await startApp({ livePerDevice: 2 }, { hooks, streamBeatMillis: BEAT_MS });
  studio = await makeStudio(app);
  game = await makeGame(studio);
  ann = await startSession(app, game.id);
});
afterAll(() => app.close());
afterEach(() => until(() => app.app.live.size === 0, 1));

const clientOf = (headers: Record<string, string> = {}, url = app.url): Client =>
  createClient({ url: `${url}/graphql`, headers, retryAttempts: 0 });
const headersOf = (player: Player) => player.client.headers as Record<string, string>;
const admin = () => studio.admin.headers as Record<string, string>;

const TOP = `subscription Top($id: ID!) {
  boardChanged(boardId: $id, first: 2) { version entries { totalCount nodes { rank playerName value } } }
}`;

/** What a client gets first, and a way to go on. */
function watching(client: Client, query: string, variables: Data = {}) {
  const states = client.iterate({ query, variables });
  const next = async () => (await states.next()).value as Data;
  return { next, end: () => states.return!() };
}

const once = async (client: Client, query: string, variables: Data = {}) => {
  const { next, end } = watching(client, query, variables);
  const first = await next();
  await end();
  return first;
};

test('a subscription sends the present state, then each newer one, and ends with its reader', async () => {
  const board = await makeBoard(studio, game.id, {});
  const bob = await startSession(app, game.id);
  await submit(ann, board.id, 5, { playerName: 'Ann' });
  const { next, end } = watching(clientOf(headersOf(ann)), TOP, { id: board.id });
  const first = await next();
  expect(first.data.boardChanged).toMatchObject({
    entries: { totalCount: 1, nodes: [{ rank: 1, playerName: 'Ann', value: 5 }] },
  });
  expect(first.extensions.cost).toEqual({ requested: expect.any(Number), limit: 5_000 });
  await submit(bob, board.id, 7, { playerName: 'Bob' });
  const { nodes } = (await next()).data.boardChanged.entries;
  expect(nodes.map(({ playerName }: Data) => playerName)).toEqual(['Bob', 'Ann']);
  expect(app.app.live.size).toBe(1);
  await end();
});

test('queries and mutations are one event, and so are faults of documents, variables and rights', async () => {
  const board = await makeBoard(studio, game.id, { isPublished: false });
  const client = clientOf(admin());
  expect(
    await once(client, 'query ($id: ID!) { board(by: { id: $id }) { name } }', { id: board.id }),
  ).toMatchObject({
    data: { board: { name: board.name } },
    extensions: { cost: { requested: 1 } },
  });
  const codeOf = async (caller: Client, query: string, variables: Data = {}) =>
    (await once(caller, query, variables)).errors[0].extensions.code;
  expect(await codeOf(client, '{ nothing }')).toBe('BAD_REQUEST');
  expect(await codeOf(client, TOP)).toBe('VALIDATION_FAILED');
  expect(await codeOf(clientOf(), TOP, { id: board.id })).toBe('NOT_FOUND');
  const raw = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ __typename }' }),
  });
  expect(raw.headers.get('cache-control')).toBe('no-store, no-transform');
  expect(await raw.text()).toBe(
    'event: next\ndata: {"data":{"__typename":"Query"},"extensions":{"cost":{"requested":0,"limit":5000}}}\n\nevent: complete\ndata:\n\n',
  );
});

test('who accepts JSON, too, gets events for subscriptions alone', async () => {
  const board = await makeBoard(studio, game.id, {});
  const typeOf = async (accept: string, query: string) => {
    const answer = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { accept, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { id: board.id } }),
    });
    await answer.body!.cancel();
    return answer.headers.get('content-type')!.split(';')[0];
  };
  const both = 'application/graphql-response+json, application/json, text/event-stream, multipart/mixed';
  const NAME = 'query Name { __typename } # no subscription';
  expect(await typeOf(both, NAME)).toBe('application/graphql-response+json');
  expect(await typeOf('*/*, text/event-stream', NAME)).toBe('application/json');
  expect(await typeOf(both, TOP)).toBe('text/event-stream');
  expect(await typeOf(both, 'subscription { nothing }')).toBe('application/graphql-response+json');
});

test('a body that is no operation is refused by HTTP, an unknown key in the event', async () => {
  const answer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: '{}',
  });
  expect(answer.status).toBe(400);
  const refused = await once(clientOf({ 'service-api-key': 'svc_x' }), '{ me { accountId } }');
  expect(refused.errors[0].extensions.code).toBe('INVALID_API_KEY');
});

test('subscriptions of a device are limited with those of all transports', async () => {
  const board = await makeBoard(studio, game.id, {});
  const client = clientOf(headersOf(ann));
  const open = [1, 2].map(() => watching(client, TOP, { id: board.id }));
  for (const { next } of open) await next();
  expect((await once(client, TOP, { id: board.id })).errors[0].extensions.code).toBe('RATE_LIMITED');
  for (const { end } of open) await end();
});

test('the end of a right is the last event', async () => {
  const banned = await startSession(app, game.id);
  const board = await makeBoard(studio, game.id, {});
  const { next } = watching(clientOf(headersOf(banned)), TOP, { id: board.id });
  await next();
  await change(studio.admin, 'Device', banned.session.deviceId, { status: 'BANNED' });
  expect((await next()).errors[0].extensions.code).toBe('DEVICE_BLOCKED');
  expect(await next()).toBeUndefined();
});

test('events of a module reach the reader one after the other, and its generator ends with the reader', async () => {
  const counted: number[] = [];
  for await (const { data } of clientOf().iterate({ query: 'subscription { counted(upTo: 300) }' })) {
    counted.push((data as Data).counted);
  }
  expect(counted).toEqual(Array.from({ length: 300 }, (_, index) => index + 1));
  const { next, end } = watching(clientOf(), 'subscription { waits }');
  expect((await next()).data).toEqual({ waits: 1 });
  await end();
  await released.next();
});

test('a quiet stream has heartbeats; when the service ends, it ends without completion', async () => {
  const other = await startApp({}, { streamBeatMillis: BEAT_MS });
  const mine = await makeStudio(other);
  const board = await makeBoard(mine, (await makeGame(mine)).id, {});
  const stream = await fetch(`${other.url}/graphql`, {
    method: 'POST',
    headers: { accept: 'text/event-stream', 'content-type': 'application/json' },
    body: JSON.stringify({ query: TOP, variables: { id: board.id } }),
  });
  let text = '';
  const read = (async () => {
    for await (const part of stream.body!.pipeThrough(new TextDecoderStream())) text += part;
  })();
  await until(() => text.includes(': heartbeat\n\n') && text.includes('event: next\ndata: {'));
  await other.close();
  await read;
  expect(text).not.toContain('event: complete');
});
