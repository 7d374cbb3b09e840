import { EventEmitter, once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { getIntrospectionQuery } from 'graphql';
import { Pulse } from '../../src/server/sockets/pulse.js';
import { startApp, type TestApp } from '../support/app.js';
import { EventStream } from '../support/events.js';
import { heapInUse } from '../support/hostile/memory.js';
import { makeBoard, makeGame, makeStudio } from '../support/make.js';
import { TestSocket } from '../support/socket.js';
import { until, within } from '../support/wait.js';

// Peers that do not read what the service writes to them.

const MB = 1_024 * 1_024;
const MOST_MEMORY = 100 * MB;

let app: TestApp;
/** Small limits, and quick beats. */
let strict: TestApp;
const MOST_WAITING = 8 * MB;
const BEAT_MS = 300;
beforeAll(async () => {
  app = await startApp({}, { socketBeatMillis: BEAT_MS, streamBeatMillis: BEAT_MS });
  strict = await startApp({}, { peers: { mostBytes: MOST_WAITING, stuckMs: 600_000, lookMs: 20 } });
});
afterAll(() => Promise.all([app.close(), strict.close()]));

const open: Socket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});

/** A connection that reads nothing. */
async function silent(url: string, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  open.push(socket);
  socket.on('error', () => undefined).pause();
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

const HANDSHAKE = [
  'GET /graphql HTTP/1.1',
  'host: test',
  'connection: Upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-protocol: graphql-transport-ws',
  '\r\n',
].join('\r\n');

/** A masked frame whose mask is zero. */
function frame(opcode: number, text: string): Buffer {
  const body = Buffer.from(text);
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x80 | opcode, ...length, 0, 0, 0, 0]), body]);
}
const TEXT = 1;
const PING = 9;
const message = (content: object) => frame(TEXT, JSON.stringify(content));

/** An acknowledged socket, of which nothing more is read. */
async function silentSocket(url: string): Promise<Socket> {
  const socket = await silent(url, HANDSHAKE);
  socket.write(message({ type: 'connection_init' }));
  for (let read = ''; !read.includes('connection_ack'); read += (await once(socket.resume(), 'data'))[0]);
  return socket.pause();
}

/** A value of /metrics. */
async function metric({ anyone }: TestApp, name: string): Promise<number> {
  const { body } = await anyone.get('/metrics');
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(body)?.[1]);
}
const waiting = (of: TestApp) => metric(of, 'peer_bytes_waiting');
const closed = (of: TestApp, reason: string) => metric(of, `peers_closed_total{reason="${reason}"}`);

/** Memory of the process after everything that can go is gone. */
async function memory(): Promise<number> {
  await heapInUse();
  return process.memoryUsage.rss();
}

test.each([
  ['pings', 60, frame(PING, '')],
  ['messages', 12, message({ type: 'ping', payload: { text: 'x'.repeat(1_000) } })],
])('a socket that pings by %s, sends %i MB and reads nothing costs no memory', async (_, megabytes, ping) => {
  const before = await memory();
  const socket = await silentSocket(app.url);
  const many = Buffer.concat(Array.from({ length: Math.ceil(MB / ping.length) }, () => ping));
  for (let sent = 0; sent < megabytes; sent += 1) socket.write(many);
  // All was read, or no more is: what is written to the peer has no room.
  await until(async () => socket.writableLength === 0 || (await waiting(app)) > 0);
  expect((await memory()) - before).toBeLessThan(MOST_MEMORY);
  expect(await waiting(app)).toBeLessThan(MB);
});

test('of many pings at once few are answered, the newest among them', async () => {
  const socket = await silentSocket(app.url);
  let read = '';
  socket.on('data', (bytes) => {
    read += bytes.toString('latin1');
  });
  const pings = Array.from({ length: 1_000 }, (_, n) => frame(PING, `ping ${n}`));
  socket.resume().write(Buffer.concat(pings));
  await until(() => read.includes('ping 999'));
  // One packet is some hundred pings.
  expect(read.match(/ping \d/g)!.length).toBeLessThan(500);
});

const introspection = (id: string) =>
  message({ type: 'subscribe', id, payload: { query: getIntrospectionQuery() } });

test('unread results of sockets are bounded for the process, and the peer stuck longest is closed', async () => {
  const before = await memory();
  const many = Buffer.concat(Array.from({ length: 40 }, (_, n) => introspection(`${n}`)));
  const first = await silentSocket(strict.url);
  for (let n = 0; (await waiting(strict)) === 0; n += 1) first.write(introspection(`${n}`));
  for (let more = 0; more < 4; more += 1) (await silentSocket(strict.url)).write(many);
  await until(async () => (await closed(strict, 'crowded')) > 0);
  const gone = once(first, 'close');
  first.resume();
  await within(gone, 'the first peer to see that it was closed');
  expect(await waiting(strict)).toBeLessThanOrEqual(MOST_WAITING);
  expect((await memory()) - before).toBeLessThan(MOST_MEMORY);
  const reader = await TestSocket.connect(strict.url);
  const { payload } = await reader.run(getIntrospectionQuery());
  expect(payload.data.__schema.types.length).toBeGreaterThan(100);
  await reader.close();
});

test('requests behind an unread response wait, and all unread responses are bounded', async () => {
  const before = await memory();
  const asked = `GET /openapi.json HTTP/1.1\r\nhost: test\r\n\r\n`.repeat(500);
  const answered = () =>
    metric(strict, 'http_requests_total{method="GET",route="/openapi.json",status="200"}');
  const peers = await Promise.all(Array.from({ length: 4 }, () => silent(strict.url, asked)));
  await until(async () => (await waiting(strict)) > 0);
  expect((await memory()) - before).toBeLessThan(MOST_MEMORY);
  expect(await waiting(strict)).toBeLessThanOrEqual(MOST_WAITING);
  // As many as the buffers of the system take, and one more.
  expect(await answered()).toBeLessThan(4 * 100);
  for (const peer of peers) peer.destroy();
  await until(async () => (await waiting(strict)) === 0);
});

test('a slow reader goes on, whatever its pongs do, and a vanished one ends', async () => {
  const { url } = app;
  const studio = await makeStudio(app);
  const board = await makeBoard(studio, (await makeGame(studio)).id, { isPublished: true });
  const stream = await EventStream.open(`${url}/v1/boards/${board.id}/live`);
  const vanished = await silentSocket(url);
  const slow = await TestSocket.connect(url);
  slow.socket.pause();
  // Half a megabyte each: more than the system buffers, and fewer than a socket may have running.
  const asked = 40;
  for (let n = 0; n < asked; n += 1) {
    slow.send({ type: 'subscribe', id: `${n}`, payload: { query: getIntrospectionQuery() } });
  }
  await until(async () => (await waiting(app)) > 0);
  const beats = stream.comments.length;
  await until(async () => stream.comments.length > beats + 4);
  await until(async () => vanished.destroyed || (vanished.resume() && false));
  expect(slow.socket.readyState).toBe(slow.socket.OPEN);
  slow.socket.resume();
  for (let read = 0; read < asked; ) if ((await slow.next()).type === 'next') read += 1;
  await slow.close();
  await stream.close();
});

test('no beat counts while bytes wait in the process', () => {
  let pings = 0;
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  const socket = Object.assign(new EventEmitter(), { ping: () => (pings += 1), terminate: end });
  const stream = { writableLength: 1, bytesWritten: 0 };
  const pulse = new Pulse(socket as never, stream as never, BEAT_MS);
  const beats = (count: number, waiting: number) => {
    stream.writableLength = waiting;
    for (let beat = 0; beat < count; beat += 1) pulse.beat();
    return [pings, isOver];
  };
  expect(beats(9, 1)).toEqual([0, false]);
  expect(beats(1, 0)).toEqual([1, false]);
  expect(beats(9, 1)).toEqual([1, false]);
  expect(beats(1, 0)).toEqual([1, true]);
});

test('a peer that takes nothing for long is closed', async () => {
  const short = await startApp({}, { peers: { mostBytes: 64 * MB, stuckMs: 500, lookMs: 50 } });
  const peer = await silent(short.url, `GET /openapi.json HTTP/1.1\r\nhost: test\r\n\r\n`.repeat(100));
  await until(async () => (await closed(short, 'stuck')) === 1);
  expect(await waiting(short)).toBe(0);
  peer.destroy();
  await short.close();
});
