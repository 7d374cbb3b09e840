import { once } from 'node:events';
import net from 'node:net';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { EventStream } from '../support/events.js';
import type { Data } from '../support/http.js';
import { begin, dataOf, lines, OVERTAKEN, RANKS, until, WATCH } from '../support/live.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { until as fact, patience } from '../support/wait.js';

// Limits of a watcher, and the effect of one watcher's trouble on the others.

const PER_ACCOUNT = 4;
const BEAT_MS = 40;

let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
beforeAll(async () => {
  app = await startApp({ livePerAccount: PER_ACCOUNT }, { streamBeatMillis: BEAT_MS });
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  ann = await startSession(app, game.id);
});
afterAll(() => app.close());

const play = (boardId: string, value: number, more: Data = {}) =>
  submit(ann, boardId, value, { playerName: 'Ann', ...more });

test("watchers of an account's boards are limited; visitors and those of other accounts are not affected", async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const second = await makeBoard(studio, game.id, {});
  const stream = await EventStream.open(`${app.url}/v1/boards/${id}/live`);
  const visitor = await TestSocket.connect(app.url);
  const admin = await TestSocket.connect(app.url, studio.admin.headers);
  const client = await TestSocket.connect(app.url, ann.client.headers);
  begin(visitor, WATCH, { id });
  begin(admin, WATCH, { id: second.id });
  begin(client, RANKS, { id: second.id, identityIds: ['me'] });
  begin(admin, WATCH, { id }, 'second');
  begin(admin, WATCH, { id }, 'third');
  for (const socket of [visitor, admin, client, admin, admin]) dataOf(await socket.next());

  begin(admin, WATCH, { id }, 'fifth');
  const { type, payload } = await admin.next();
  expect([type, payload![0].extensions.code]).toEqual(['error', 'RATE_LIMITED']);
  expect(payload![0].message).toContain(`at most ${PER_ACCOUNT} live subscriptions`);
  const refused = await studio.admin.get(`/v1/boards/${second.id}/live`);
  expect([refused.status, refused.body.code]).toEqual([429, 'RATE_LIMITED']);
  expect(refused.headers.get('retry-after')).toBe('1');

  const other = await makeStudio(app);
  const elsewhere = await makeBoard(other, (await makeGame(other)).id, {});
  begin(visitor, WATCH, { id: elsewhere.id }, 'elsewhere');
  expect(dataOf(await visitor.next()).boardId).toBe(elsewhere.id);

  client.send({ type: 'complete', id: 'watch' });
  // With the visitor's two and the stream.
  await fact(() => app.app.live.size === PER_ACCOUNT + 2);
  begin(admin, WATCH, { id }, 'again');
  expect(dataOf(await admin.next()).boardId).toBe(id);
  await Promise.all([stream, visitor, admin, client].map((one) => one.close()));
  await fact(() => app.app.live.size === 0);
});

test('a quiet stream sends heartbeats', async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const stream = await EventStream.open(`${app.url}/v1/boards/${id}/live`);
  await stream.next();
  await fact(() => stream.comments.length >= 3);
  expect(new Set(stream.comments)).toEqual(new Set(['heartbeat']));
  await play(id, 1);
  expect((await stream.next()).data.scores).toMatchObject([{ player_name: 'Ann' }]);
  await stream.close();
});

test('a stream that does not read is cut after some heartbeats, one that reads goes on', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  const pad = 'x'.repeat(1_000);
  const { identityId } = ann.session;
  const run = { boardId: id, identityId, playerName: 'Ann', metadata: { pad } };
  const submitEvent = (value: number) =>
    studio.admin.data(
      'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { score { id } } } }',
      { input: { ...run, value } },
    );
  for (let n = 0; n < 100; n += 1) await submitEvent(n);
  const address = new URL(app.url);
  const stuck = net.connect(Number(address.port), address.hostname);
  stuck.write(`GET /v1/boards/${id}/live?limit=100 HTTP/1.1\r\nhost: ${address.host}\r\n\r\n`);
  await once(stuck, 'data');
  stuck.pause();
  const reading = await EventStream.open(`${app.url}/v1/boards/${id}/live?limit=1`);
  let last = (await reading.next()).data;
  expect(app.app.live.size).toBe(2);
  // As much as the buffers of the system between the two take in, and then three heartbeats.
  const inTime = patience('the unread stream to be ended');
  for (let value = 100; app.app.live.size === 2; value += 1) {
    inTime();
    await submitEvent(value);
    while (last.scores[0].value < value) last = (await reading.next()).data;
  }
  expect(app.app.live.size).toBe(1);
  await submitEvent(1_000_000);
  while (last.scores[0].value < 1_000_000) last = (await reading.next()).data;
  stuck.destroy();
  await reading.close();
});

test('a subscription that fails ends no other one on the same board and connection', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const bob = await startSession(app, game.id);
  await play(id, 10);
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, OVERTAKEN, { id }, 'overtaken');
  begin(socket, RANKS, { id, identityIds: ['me'] }, 'rank');
  const first = [await socket.next(), await socket.next()];
  expect(first.map(({ type }) => type)).toEqual(['next', 'next']);
  const visitor = await TestSocket.connect(app.url);
  begin(visitor, WATCH, { id });
  await visitor.next();
  // Passings follow rulings, too; nothing else that is watched does.
  const { knex } = app.database;
  await knex.raw('alter table rulings rename to rulings_elsewhere');
  await knex('board_rankings').where('board_id', uuidOf(id)).increment({ seq: 1, version: 1 });
  app.changes.mark(id);
  const ended = await socket.next();
  await knex.raw('alter table rulings_elsewhere rename to rulings');
  expect(ended).toMatchObject({
    type: 'error',
    id: 'overtaken',
    payload: [{ extensions: { code: 'INTERNAL' } }],
  });
  expect(JSON.stringify(ended)).not.toContain('rulings');
  await submit(bob, id, 20, { playerName: 'Bob' });
  expect(dataOf(await socket.next())).toMatchObject({
    ...{ entry: { rank: 2 }, previousRank: 1, nextAbove: { value: 20 } },
  });
  expect(lines(await until(visitor, ({ entries }) => entries.totalCount === 2))).toEqual([
    '1 Bob 20',
    '2 Ann 10',
  ]);
  begin(socket, OVERTAKEN, { id }, 'overtaken');
  expect(dataOf(await socket.next())).toMatchObject({ entry: { rank: 2 }, count: 0 });
  const cid = await startSession(app, game.id);
  await submit(cid, id, 30, { playerName: 'Cid' });
  const both = [await socket.next(), await socket.next()];
  expect(both.map((frame) => frame.id).toSorted()).toEqual(['overtaken', 'rank']);
  expect(both.map(dataOf)).toEqual([
    expect.objectContaining({ entry: expect.objectContaining({ rank: 3 }), previousRank: 2 }),
    expect.objectContaining({ entry: expect.objectContaining({ rank: 3 }), previousRank: 2 }),
  ]);
  await Promise.all([socket.close(), visitor.close()]);
});

test('names of any script arrive as they are, in short messages and in long ones', async () => {
  const { id } = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const name = '"Zoë" 🎉 Ωmega\\'.repeat(4);
  const bob = await startSession(app, game.id);
  await submit(bob, id, 20, { playerName: name });
  await play(id, 10);
  const socket = await TestSocket.connect(app.url, ann.client.headers);
  begin(socket, RANKS, { id, identityIds: ['me'] });
  expect(dataOf(await socket.next())).toMatchObject({ entry: { rank: 2 }, nextAbove: { playerName: name } });
  // The present name from here on: another one would change the first board as well.
  const newer = `${name}!`;
  await submit(bob, id, 30, { playerName: newer });
  expect(dataOf(await socket.next())).toMatchObject({ entry: { rank: 2 }, nextAbove: { playerName: newer } });
  const runs = await makeBoard(studio, game.id, { boardType: 'RUN_RUNS' });
  for (let value = 1; value <= 12; value += 1) await submit(bob, runs.id, value, { playerName: newer });
  const aliases = Array.from({ length: 25 }, (_, i) => `name${i}: playerName`);
  begin(socket, WATCH.replace('playerName', aliases.join(' ')), { id: runs.id, first: 12 }, 'wide');
  const { nodes } = dataOf(await socket.next()).entries;
  expect(JSON.stringify(nodes).length).toBeGreaterThan(16_384);
  expect(nodes).toHaveLength(12);
  for (const node of nodes) for (const i of aliases.keys()) expect(node[`name${i}`]).toBe(newer);
  await socket.close();
});

test(`a limited number of the game's players can be watched; "me" is for clients`, async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const other = await startSession(app, (await makeGame(studio)).id);
  const codeOf = async (headers: Record<string, string>, query: string, variables: Data) => {
    const socket = await TestSocket.connect(app.url, headers);
    const frame = await socket.run(query, variables);
    await socket.close();
    return (frame.payload.errors ?? frame.payload)[0].extensions.code;
  };
  const admin = studio.admin.headers;
  const many = Array.from({ length: 101 }, () => ann.session.identityId);
  for (const players of [
    {},
    { identityIds: ['me'] },
    { identityIds: [] },
    { identityIds: ['ide_1'] },
    { identityIds: many },
  ]) {
    expect(await codeOf(admin, RANKS, { id, ...players })).toBe('VALIDATION_FAILED');
  }
  expect(await codeOf(admin, RANKS, { id, identityIds: [other.session.identityId] })).toBe('NOT_FOUND');
  expect(await codeOf({}, OVERTAKEN, { id })).toBe('TOKEN_REQUIRED');
  expect(await codeOf(other.client.headers, OVERTAKEN, { id })).toBe('FORBIDDEN');
  expect(await codeOf(admin, WATCH, { id, around: { identityId: 'me' } })).toBe('VALIDATION_FAILED');
  expect(await codeOf(admin, WATCH, { id, around: { scoreId: 'unknown' } })).toBe('VALIDATION_FAILED');
  expect(await codeOf(admin, WATCH, { id, first: 101 })).toBe('VALIDATION_FAILED');
});

test('memory of subscriptions counts for a credential, whether it is held at their start or grows later', async () => {
  const small = await startApp({ liveBytesPerCaller: 1_048_576 });
  const own = await makeStudio(small);
  const ownGame = await makeGame(own, { antiCheatEnabled: false });
  const { id } = await makeBoard(own, ownGame.id, { boardType: 'RUN_RUNS' });
  const bob = await startSession(small, ownGame.id);
  const admin = await TestSocket.connect(small.url, own.admin.headers);
  const visitor = await TestSocket.connect(small.url, {});
  // Documents that are held once each cost once; the same one costs nothing more. A visitor's cost its network, and not the account.
  const long = (name: string) =>
    `subscription ${name}($id: ID!) { boardChanged(boardId: $id) { ${'version '.repeat(400)} } }`;
  for (const socket of [visitor, admin]) {
    for (const [n, name] of ['A', 'B', 'A', 'A', 'C'].entries()) {
      begin(socket, long(name), { id }, `${n}`);
      expect([n, (await socket.next()).type]).toEqual([n, n < 4 ? 'next' : 'error']);
    }
  }
  const neighbour = await TestSocket.connect(small.url, {});
  begin(neighbour, long('D'), { id });
  expect((await neighbour.next()).payload[0].extensions.code).toBe('RATE_LIMITED');
  await Promise.all([neighbour.close(), visitor.close()]);
  const client = await TestSocket.connect(small.url, bob.client.headers);
  const names = Array.from({ length: 28 }, (_, n) => `n${n}: metadata`).join(' ');
  const wide = `subscription ($id: ID!) { boardChanged(boardId: $id, first: 50) { entries { nodes { ${names} } } } }`;
  begin(client, wide, { id });
  begin(client, WATCH, { id }, 'other');
  expect([(await client.next()).type, (await client.next()).type]).toEqual(['next', 'next']);
  const metadata = { pad: 'x'.repeat(1_000) };
  for (let run = 0; run < 30; run += 1) await submit(bob, id, run, { playerName: 'Bob', metadata });
  let ended = await client.next();
  while (ended.type === 'next') ended = await client.next();
  expect([ended.type, ended.id, ended.payload![0].extensions.code]).toEqual([
    'error',
    'watch',
    'RATE_LIMITED',
  ]);
  begin(client, WATCH, { id }, 'again');
  let frame = await client.next();
  while (frame.id !== 'again') frame = await client.next();
  expect(frame.type).toBe('next');
  await Promise.all([admin.close(), client.close()]);
  await fact(() => small.app.live.size === 0);
  await small.close();
});
