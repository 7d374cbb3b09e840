import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import { EventStream } from '../support/events.js';
import { type Data, send } from '../support/http.js';
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
import { envelopeOf, rawAnswer } from '../support/raw-http.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
beforeAll(async () => {
  app = await startApp({ livePerDevice: 2, livePerAddress: 3 });
  studio = await makeStudio(app);
  game = await makeGame(studio);
  ann = await startSession(app, game.id);
});
afterAll(() => app.close());

const admin = () => studio.admin.headers;
const open = (path: string, headers: Record<string, string> = {}) =>
  EventStream.open(app.url + path, headers);
const play = (boardId: string, value: number) => submit(ann, boardId, value, { playerName: 'Ann' });

test('a page of any origin may send any header, and reads the answers to what is no HTTP', async () => {
  const { status, headers } = await send(`${app.url}/v1/boards/none/live`, {
    method: 'OPTIONS',
    headers: {
      origin: 'https://game.example',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'last-event-id,cache-control, X-Engine.Build,"no token"',
    },
  });
  expect([status, headers.get('access-control-allow-origin')]).toEqual([204, '*']);
  expect(headers.get('access-control-allow-headers')).toBe('last-event-id, cache-control, x-engine.build');
  const end = 'host: x\r\nconnection: close\r\n\r\n';
  for (const [bytes, status] of [
    [`GET  HTTP/1.1\r\n${end}`, 400],
    [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\n${end}`, 414],
    [`GET / HTTP/1.1\r\nx-pad: ${'x'.repeat(20_000)}\r\n${end}`, 431],
  ] as const) {
    const answer = envelopeOf(await rawAnswer(app.url, bytes));
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([status, '*']);
    expect(answer.headers.get('access-control-expose-headers')).toContain('service-request-id');
  }
});

test('a stream sends the present state at once, then every newer one, as documented and unbuffered', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const stream = await open(`/v1/client/boards/${id}/live?limit=2`, ann.client.headers);
  expect(stream.answer.statusCode).toBe(200);
  expect(stream.answer.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store, no-transform',
    'x-accel-buffering': 'no',
  });
  expect(stream.answer.headers['content-encoding']).toBeUndefined();
  const first = await stream.next();
  expect(first).toMatchObject({
    event: 'board',
    id: '0',
    data: { id, version: 0, entry_count: 0, scores: [] },
  });
  expect(stream.retry).toBe(2_000);
  await play(id, 7);
  const second = await stream.next();
  expect(second.data).toMatchObject({ is_active: true, ends_at: null, entry_count: 1 });
  expect(second.data.scores).toMatchObject([{ rank: 1, player_name: 'Ann', value: 7, status: 'active' }]);
  expect(Number(second.id)).toBe(second.data.version);
  const { body } = await app.anyone.get('/openapi.json');
  const { schema } = body.paths['/v1/boards/{board_id}/live'].get.responses[200].content['text/event-stream'];
  // The other one is that of a view.
  const [board] = schema.contentSchema.anyOf;
  expect(new OpenApiContract(body).faultsOfSchema(board.$ref, second.data)).toEqual([]);
  await stream.close();
});

test('a returning client gets the state at once, unless it missed nothing', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await play(id, 3);
  const path = `/v1/boards/${id}/live`;
  const before = await open(path);
  const known = (await before.next()).id!;
  await before.close();
  const again = await open(path, { 'last-event-id': known });
  // The comment in its place comes before the next message; a run that is played sooner is part of the state already.
  await until(() => again.comments.length > 0);
  await play(id, 4);
  expect(await again.next()).toMatchObject({ data: { scores: [{ value: 4 }] } });
  expect(again.comments).toEqual(['nothing has changed']);
  await again.close();
  const behind = await open(path, { 'last-event-id': known });
  expect(await behind.next()).toMatchObject({ data: { scores: [{ value: 4 }] } });
  await behind.close();
});

test('visitors see published boards without place and device; other callers are refused as by REST', async () => {
  const board = await makeBoard(studio, game.id, {});
  const hidden = await makeBoard(studio, game.id, { isPublished: false });
  await play(hidden.id, 1);
  const codeOf = async (path: string, headers: Record<string, string> = {}) => {
    const { status, body } = await app.anyone.with(headers).get(path);
    return `${status} ${body.code}`;
  };
  const live = (id: string) => `/v1/boards/${id}/live`;
  expect(await codeOf(live(hidden.id))).toBe('404 NOT_FOUND');
  expect(await codeOf(live('brd_1'))).toBe('422 VALIDATION_FAILED');
  expect(await codeOf(live(board.id), { 'service-api-key': 'svc_x' })).toBe('401 INVALID_API_KEY');
  const stranger = (await makeStudio(app)).admin.headers;
  expect(await codeOf(live(hidden.id), stranger)).toBe('403 FORBIDDEN');
  expect(await codeOf(`/v1/client/boards/${board.id}/live`, admin())).toBe('401 TOKEN_REQUIRED');
  expect(await codeOf(`${live(board.id)}?limit=0`)).toBe('422 VALIDATION_FAILED');
  const { body } = await app.anyone.get(`${live(board.id)}?around=me`);
  expect(body.details).toEqual([
    { loc: ['query', 'around'], msg: expect.stringContaining('"me"'), type: 'id' },
  ]);
  const outside = await open(live(board.id), stranger);
  expect((await outside.next()).data).toMatchObject({ id: board.id, entry_count: 0 });
  await outside.close();
  const inside = await open(live(hidden.id), admin());
  expect(Object.keys((await inside.next()).data.scores[0])).not.toContain('device_id');
  await inside.close();
  const head = await fetch(app.url + live(board.id), { method: 'HEAD' });
  expect([head.status, head.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
});

test('streams of a device and of the visitors of an address are limited', async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const tooMany = async (path: string, headers: Record<string, string>, most: number) => {
    const streams = [];
    for (let n = 0; n < most; n += 1) streams.push(await open(path, headers));
    const refused = await app.anyone.with(headers).get(path);
    expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
    expect(refused.headers.get('retry-after')).toBe('1');
    const left = app.app.live.size;
    await streams.pop()!.close();
    await until(() => app.app.live.size < left, 1);
    const again = await open(path, headers);
    expect(again.answer.statusCode).toBe(200);
    for (const stream of [...streams, again]) await stream.close();
    await until(() => app.app.live.size === 0, 1);
  };
  await tooMany(`/v1/client/boards/${id}/live`, ann.client.headers, 2);
  await tooMany(`/v1/boards/${id}/live`, {}, 3);
});

test('the end of a right ends the stream with the envelope, on quiet boards, too', async () => {
  const banned = await startSession(app, game.id);
  const { id } = await makeBoard(studio, game.id, {});
  const path = `/v1/client/boards/${id}/live`;
  const stream = await open(path, banned.client.headers);
  await stream.next();
  await change(studio.admin, 'Device', banned.session.deviceId, { status: 'BANNED' });
  expect(await stream.next()).toMatchObject({ event: 'error', data: { code: 'DEVICE_BLOCKED' } });
  await stream.ended;
  expect((await app.anyone.with(banned.client.headers).get(path)).status).toBe(403);
  const visitor = await open(`/v1/boards/${id}/live`);
  await visitor.next();
  await change(studio.admin, 'Board', id, { isPublished: false });
  expect(await visitor.next()).toMatchObject({ event: 'error', data: { code: 'NOT_FOUND' } });
  await visitor.ended;
});

test('a board that is no longer published when its state is read is not shown to visitors', async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const visitors = [await open(`/v1/boards/${id}/live`), await open(`/v1/boards/${id}/live?limit=5`)];
  for (const visitor of visitors) await visitor.next();
  const { pool } = app.database;
  const ask = pool.query.bind(pool);
  const withdraw = () => change(studio.admin, 'Board', id, { isPublished: false });
  let withdrawn: Promise<unknown> | undefined;
  Object.assign(pool, {
    query: async (query: { name?: string }) => {
      const answer = await ask(query as never);
      // After the check, before the state is read.
      if (query.name === 'watchable_boards') {
        withdrawn ??= withdraw();
        await withdrawn;
      }
      return answer;
    },
  });
  await play(id, 7);
  for (const visitor of visitors) {
    expect(await visitor.next()).toMatchObject({ event: 'error', data: { code: 'NOT_FOUND' } });
    await visitor.ended;
  }
  Object.assign(pool, { query: ask });
});

test('when the service ends, streams end without an error, so that clients reconnect', async () => {
  const other = await startApp();
  const mine = await makeStudio(other);
  const { id } = await makeBoard(mine, (await makeGame(mine)).id, {});
  const stream = await EventStream.open(`${other.url}/v1/boards/${id}/live`);
  await stream.next();
  await other.close();
  await stream.ended;
});

test('a player follows its own rank, and hears who overtakes it', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const bea = await startSession(app, game.id);
  await play(id, 10);
  const rank = await open(`/v1/client/boards/${id}/rank/live`, ann.client.headers);
  const overtaken = await open(`/v1/client/boards/${id}/overtaken/live`, ann.client.headers);
  const ids = { board_id: id, identity_id: ann.session.identityId };
  expect(await rank.next()).toMatchObject({
    event: 'rank',
    data: { ...ids, entry: { rank: 1, value: 10 }, previous_rank: null, next_above: null, total_count: 1 },
  });
  expect(await overtaken.next()).toMatchObject({
    event: 'overtaken',
    data: { board_id: id, entry: { rank: 1 }, count: 0, by: [] },
  });
  await submit(bea, id, 15, { playerName: 'Bea' });
  expect((await rank.next()).data).toMatchObject({
    ...{ entry: { rank: 2 }, previous_rank: 1, gap_to_next: 5 },
    next_above: { rank: 1, player_name: 'Bea', value: 15 },
  });
  const heard = (await overtaken.next()).data;
  expect(heard).toMatchObject({ entry: { rank: 2 }, previous_rank: 1, count: 1, total_count: 2 });
  expect(heard.by).toMatchObject([{ rank: 1, player_name: 'Bea', identity_id: bea.session.identityId }]);
  await rank.close();
  await overtaken.close();
});
