import { startApp, type TestApp } from '../support/app.js';
import { EventStream } from '../support/events.js';
import type { Data } from '../support/http.js';
import { begin, dataOf, until } from '../support/live.js';
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
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let ann: Player;
/** By who it is: headers of a caller without any right on the board, or no credential. */
let outsiders: [name: string, headers: Record<string, string>][];
beforeAll(async () => {
  app = await startApp({ livePerAddress: 2, trustedProxies: ['127.0.0.1/32'] });
  studio = await makeStudio(app);
  game = await makeGame(studio, { slug: 'harbour' });
  board = await makeBoard(studio, game.id, { slug: 'cup', isPublished: true });
  ann = await startSession(app, game.id);
  await submit(ann, board.id, 5, { playerName: 'Ann' });
  const stranger = await makeStudio(app);
  outsiders = [
    ['a visitor', {}],
    ['an administrator of another account', stranger.admin.headers],
    ['a client of another account', (await startSession(app, (await makeGame(stranger)).id)).client.headers],
    ['a client of another game', (await startSession(app, (await makeGame(studio)).id)).client.headers],
  ];
});
afterAll(() => app.close());

const WINDOW = `subscription ($id: ID!) { boardChanged(boardId: $id, isTest: false) { boardId version board { id }
  entries { totalCount nodes { rank playerName value country score { id } identity { id } } } } }`;
const RANKS = `subscription ($id: ID!, $identityIds: [ID!]!, $isTest: Boolean) {
  rankChanged(boardId: $id, identityIds: $identityIds,
    isTest: $isTest) { entry { rank value identity { id } } ranking { board { id } isTest } } }`;

/** The first message of a subscription, or its error's code. */
async function first(headers: Record<string, string>, query: string, variables: Data): Promise<Data> {
  const socket = await TestSocket.connect(app.url, headers);
  begin(socket, query, variables);
  const { type, payload } = await socket.next();
  await socket.close();
  return type === 'error' ? payload[0].extensions.code : payload.data;
}

test('callers of other accounts and games watch a published board as visitors do', async () => {
  const identityIds = [ann.session.identityId];
  for (const [name, headers] of outsiders) {
    const seen = await first(headers, WINDOW, { id: board.id });
    expect([name, seen.boardChanged]).toEqual([
      name,
      {
        boardId: board.id,
        version: expect.any(Number),
        board: null,
        entries: {
          totalCount: 1,
          nodes: [{ rank: 1, playerName: 'Ann', value: 5, country: null, score: null, identity: null }],
        },
      },
    ]);
    const { rankChanged } = await first(headers, RANKS, { id: board.id, identityIds });
    expect([name, rankChanged]).toEqual([
      name,
      { entry: { rank: 1, value: 5, identity: null }, ranking: { board: null, isTest: false } },
    ]);
    const stream = await EventStream.open(`${app.url}/v1/boards/${board.id}/live`, headers);
    expect((await stream.next()).data).toMatchObject({ entry_count: 1, scores: [{ player_name: 'Ann' }] });
    await stream.close();
  }
});

test('the test population is not shown to them', async () => {
  for (const [, headers] of outsiders.slice(1)) {
    const asked = { id: board.id, identityIds: [ann.session.identityId], isTest: true };
    const socket = await TestSocket.connect(app.url, headers);
    expect((await socket.run(RANKS, asked)).payload[0].extensions.code).toBe('FORBIDDEN');
    await socket.close();
  }
});

test('an unpublished board is refused to them, and ends for them alone when it is unpublished', async () => {
  const hidden = await makeBoard(studio, game.id, { isPublished: true });
  const sockets = await Promise.all(
    [...outsiders.slice(1).map(([, headers]) => headers), studio.admin.headers].map((headers) =>
      TestSocket.connect(app.url, headers),
    ),
  );
  const [inside, ...outside] = sockets.toReversed();
  for (const socket of [inside!, ...outside.slice(0, 2)]) {
    begin(socket, WINDOW, { id: hidden.id });
    expect(dataOf(await socket.next()).entries.totalCount).toBe(0);
  }
  await change(studio.admin, 'Board', hidden.id, { isPublished: false });
  for (const socket of outside.slice(0, 2)) {
    const { type, payload } = await socket.next();
    expect([type, payload[0].extensions.code]).toEqual(['error', 'NOT_FOUND']);
  }
  await submit(ann, hidden.id, 1);
  await until(inside!, ({ entries }) => entries.totalCount === 1);
  for (const socket of sockets) await socket.close();
  for (const [name, headers] of outsiders) {
    const code = await first(headers, WINDOW, { id: hidden.id });
    expect([name, code]).toEqual([name, name === 'a visitor' ? 'NOT_FOUND' : 'FORBIDDEN']);
  }
});

test('callers of other accounts count as visitors of their address', async () => {
  const socket = await TestSocket.connect(app.url, outsiders[1]![1]);
  for (const id of ['a', 'b']) {
    begin(socket, WINDOW, { id: board.id }, id);
    expect((await socket.next()).type).toBe('next');
  }
  begin(socket, WINDOW, { id: board.id }, 'c');
  expect((await socket.next()).payload[0].extensions.code).toBe('RATE_LIMITED');
  await socket.close();
});

test('visitors of one IPv6 network count together', async () => {
  const open = (address: string) =>
    EventStream.open(`${app.url}/v1/boards/${board.id}/live`, { 'x-forwarded-for': address });
  const streams = [await open('2001:db8:1:2::1'), await open('2001:db8:1:2:ffff::1')];
  const third = await app.anyone
    .with({ 'x-forwarded-for': '2001:db8:1:2::3' })
    .get(`/v1/boards/${board.id}/live`);
  expect([third.status, third.body.code]).toEqual([429, 'RATE_LIMITED']);
  streams.push(await open('2001:db8:1:3::1'));
  await Promise.all(streams.map((stream) => stream.close()));
});

test('a game is public by its slug as soon as one of its boards is published, and as long as one is', async () => {
  const own = await makeGame(studio, { slug: 'quiet' });
  const seen = async () => {
    const { data, errors } = await app.anyone.graphql('{ publicGame(by: { slug: "quiet" }) { name } }');
    const page = await fetch(`${app.url}/games/quiet`);
    return [data?.publicGame?.name ?? errors?.[0]?.extensions.code, page.status];
  };
  expect(await seen()).toEqual(['NOT_FOUND', 404]);
  const only = await makeBoard(studio, own.id, { isPublished: false });
  expect(await seen()).toEqual(['NOT_FOUND', 404]);
  await change(studio.admin, 'Board', only.id, { isPublished: true });
  expect(await seen()).toEqual([own.name, 200]);
  await change(studio.admin, 'Board', only.id, { isActive: false });
  expect(await seen()).toEqual([own.name, 200]);
  await change(studio.admin, 'Board', only.id, { deleted: true });
  expect(await seen()).toEqual(['NOT_FOUND', 404]);
});
