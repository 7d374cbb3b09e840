import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { getIntrospectionQuery } from 'graphql';
import { DataDir, Program } from '../support/process.js';
import { patience } from '../support/wait.js';
import { makeStudio } from './ground.js';

// npm run prove:operate slow-readers: peers that read slowly or not at all, at the deployed limits.

const START_MS = 300_000;
const STEP_MS = 1_000;
const BYTES_A_STEP = 20_000;
const STEPS = 180;
/** After so many steps nothing is read for GAP_MS. */
const GAP_AFTER = 60;
const GAP_MS = 71_000;
/** Of the import that is exported: in sum more than the buffers of the system take. */
const [CHUNKS, LINES] = [4, 1_700];
const QUERIES = 400;

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

/** A masked text frame whose mask is zero. */
function frame(value: object): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([0x81, ...length, 0, 0, 0, 0]), body]);
}

/** A connection of which nothing is read yet. */
async function connected(url: string, bytes: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.on('error', (error) => console.log(`${error}`)).pause();
  await once(socket, 'connect');
  socket.write(bytes);
  return socket;
}

async function subscriber(url: string): Promise<Socket> {
  const socket = await connected(url, HANDSHAKE);
  socket.write(frame({ type: 'connection_init' }));
  for (let read = ''; !read.includes('connection_ack'); read += (await once(socket.resume(), 'data'))[0]);
  socket.pause();
  for (let n = 0; n < QUERIES; n += 1) {
    socket.write(frame({ type: 'subscribe', id: `${n}`, payload: { query: getIntrospectionQuery() } }));
  }
  return socket;
}

/** Reads slowly, with one gap. @returns what it has read */
async function readSlowly(socket: Socket): Promise<Buffer[]> {
  const parts: Buffer[] = [];
  for (let step = 0; step < STEPS; step += 1) {
    await delay(step === GAP_AFTER ? GAP_MS : STEP_MS);
    const part = (socket.read(BYTES_A_STEP) ?? socket.read()) as Buffer | null;
    if (part) parts.push(part);
  }
  return parts;
}

/** Reads the rest without a pause, until `isEnd` of all of it. @returns the bytes */
async function readRest(socket: Socket, parts: Buffer[], isEnd: (text: string) => boolean): Promise<number> {
  socket.on('data', (part: Buffer) => parts.push(part)).resume();
  const inTime = patience('the end of an answer', START_MS);
  while (!isEnd(Buffer.concat(parts).toString('latin1'))) {
    inTime();
    await delay(STEP_MS);
  }
  return parts.reduce((sum, { length }) => sum + length, 0);
}

async function prove(): Promise<void> {
  const dir = new DataDir();
  const settings = { HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', DATA_DIR: dir.path };
  const program = new Program('src/main.ts', settings);
  try {
    const [, url = ''] = await program.says(/REST +(http\S+)\/v1\s/, START_MS);
    const admin = dir.superadmin(url);
    const { board } = await makeStudio(admin);
    const begun = await admin.post(`/v1/boards/${board.id}/imports`, {});
    for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
      const lines = Array.from({ length: LINES }, (_, n) => {
        const metadata = { note: `${chunk}-${n} ${'x'.repeat(950)}` };
        return JSON.stringify({ external_key: `p${chunk}-${n}`, value: n, metadata });
      });
      const body = { number: chunk, format: 'ndjson', content: lines.join('\n') };
      const { status, body: answer } = await admin.post(`/v1/imports/${begun.body.id}/chunks`, body);
      assert.equal(status, 200, JSON.stringify(answer));
    }
    await admin.post(`/v1/imports/${begun.body.id}/finish`, {});
    const read = async () => (await admin.get(`/v1/imports/${begun.body.id}`)).body.status;
    for (const began = Date.now(); (await read()) !== 'finished'; await delay(500)) {
      assert.ok(Date.now() - began < START_MS, 'the import is not finished');
    }
    const key = admin.headers['service-api-key'];
    const place = `/v1/boards/${board.id}/export?what=events&format=ndjson`;
    const asked = `GET ${place} HTTP/1.1\r\nhost: test\r\nservice-api-key: ${key}\r\n\r\n`;
    const stuck = async () => {
      const text = await fetch(`${url}/metrics`).then((answer) => answer.text());
      return Number(/^peers_closed_total\{reason="stuck"\} (\d+)$/m.exec(text)?.[1]);
    };
    const slow = [await subscriber(url), await connected(url, asked)];
    const unread = [await subscriber(url), await connected(url, asked)];
    const began = performance.now();
    const seconds = () => ((performance.now() - began) / 1_000).toFixed(0);
    const closed = (async () => {
      const at: string[] = [];
      while (at.length < unread.length) {
        const now = await stuck();
        while (at.length < now) at.push(`${seconds()} s`);
        await delay(STEP_MS);
      }
      return at;
    })();
    // The service ends where a reader failed before.
    closed.catch(() => undefined);
    const ended = slow.map(async (socket) => {
      await once(socket, 'close');
      throw new Error(`a slow reader was closed after ${seconds()} s`);
    });
    const parts = (await Promise.race([Promise.all(slow.map(readSlowly)), ...ended])) as Buffer[][];
    const sizes = parts.map((of) => of.reduce((sum, { length }) => sum + length, 0));
    console.log(
      `read slowly, with a gap of ${GAP_MS / 1_000} s: ${sizes.join(' and ')} bytes in ${seconds()} s`,
    );
    const settled = /"type":"(?:complete|error)"/g;
    const socketBytes = await readRest(
      slow[0]!,
      parts[0]!,
      (text) => text.match(settled)?.length === QUERIES,
    );
    const exportBytes = await readRest(slow[1]!, parts[1]!, (text) => text.endsWith('0\r\n\r\n'));
    console.log(`then to the end: ${socketBytes} and ${exportBytes} bytes`);
    console.log(`closed, as they read nothing: ${(await closed).join(' and ')} after the first byte`);
  } finally {
    await program.kill('SIGTERM');
    await dir.remove();
  }
}

prove().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error);
    process.exit(1);
  },
);
