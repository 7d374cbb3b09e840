import { once } from 'node:events';
import { get } from 'node:http';
import { connect, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Answer, Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { post, takeNonce } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { until as untilTrue } from '../support/wait.js';

const AT_A_TIME = 3;
const WAITING = 4;
const PATIENCE_MS = 2_000;

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
/** Holds the board's lock, so that submissions to it wait until it is let go. */
let holder: pg.Client;

beforeAll(async () => {
  const admission = { atATime: AT_A_TIME, waiting: WAITING, patienceMs: PATIENCE_MS };
  app = await startApp({}, { admission });
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id);
  holder = new pg.Client({ connectionString: app.database.connectionString });
  await holder.connect();
});
afterAll(async () => {
  await holder.end();
  await app.close();
});

async function figure(name: string): Promise<number> {
  const { body } = await app.anyone.get('/metrics');
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(body as string)?.[1]);
}

async function until(name: string, value: number): Promise<void> {
  await untilTrue(async () => (await figure(name)) === value, 1, `${name} to be ${value}`);
}

interface Submitting {
  answer: Promise<Answer<Data>>;
}

async function players(count: number): Promise<[Player, nonce: string][]> {
  const made: [Player, string][] = [];
  for (let i = 0; i < count; i += 1) {
    const player = await startSession(app, game.id);
    made.push([player, await takeNonce(player.client)]);
  }
  return made;
}

const submitting = (crowd: [Player, string][]): Submitting[] =>
  crowd.map(([player, nonce], i) => ({
    answer: post(player, { board_id: board.id, value: i }, { 'service-client-nonce': nonce }),
  }));

async function held<T>(work: () => Promise<T>): Promise<T> {
  await holder.query('begin');
  await holder.query('select from board_rankings where board_id = $1 for update', [uuidOf(board.id)]);
  try {
    return await work();
  } finally {
    await holder.query('commit');
  }
}

async function events(): Promise<number> {
  const { rows } = await app.database.pool.query<{ n: number }>(
    'select count(*) as n from score_events where board_id = $1',
    [uuidOf(board.id)],
  );
  return rows[0]!.n;
}

function expectRefused({ status, headers, body }: Answer<Data>): void {
  expect([status, headers.get('retry-after'), body.code]).toEqual([503, '1', 'UNAVAILABLE']);
}

test('requests beyond the queue, or that waited too long, are refused; accepted ones are answered', async () => {
  const crowd = await players(AT_A_TIME + WAITING + 2);
  const refusedBefore = await figure('requests_refused_total');
  const [all, before] = [crowd.length, await events()];
  const answers = await held(async () => {
    const taken = submitting(crowd.slice(0, AT_A_TIME));
    await until('requests_in_progress', AT_A_TIME);
    const waiting = submitting(crowd.slice(AT_A_TIME, AT_A_TIME + WAITING));
    await until('requests_waiting', WAITING);
    // While all places are taken, probes and scrapes are answered all the same.
    expect((await app.anyone.get('/health/ready')).status).toBe(200);
    for (const { answer } of submitting(crowd.slice(AT_A_TIME + WAITING))) expectRefused(await answer);
    for (const { answer } of waiting) expectRefused(await answer);
    expect(await figure('requests_in_progress')).toBe(AT_A_TIME);
    return taken;
  });
  for (const { answer } of answers) expect((await answer).status).toBe(201);
  expect([await figure('requests_refused_total'), await events()]).toEqual([
    refusedBefore + all - AT_A_TIME,
    before + AT_A_TIME,
  ]);
  await until('requests_in_progress', 0);
  // A refused submission has spent nothing: the same nonce is good when there is room again.
  const again = submitting(crowd.slice(-1));
  expect((await again[0]!.answer).status).toBe(201);
});

test('a waiting request is admitted when another one has ended', async () => {
  const crowd = await players(AT_A_TIME + WAITING);
  const answers = await held(async () => {
    const all = submitting(crowd);
    await until('requests_waiting', WAITING);
    return all;
  });
  for (const { answer } of answers) expect((await answer).status).toBe(201);
  expect([await figure('requests_in_progress'), await figure('requests_waiting')]).toEqual([0, 0]);
});

test('addresses take turns: one that fills the queue loses its newest request to another', async () => {
  const crowd = await players(AT_A_TIME + WAITING);
  const path = `${app.url}/v1/boards`;
  const { answers, other } = await held(async () => {
    const all = submitting(crowd);
    await until('requests_waiting', WAITING);
    const other = new Promise<number>((resolve, reject) => {
      const of = { headers: studio.admin.headers, localAddress: '127.0.0.2' };
      get(path, of, (response) => resolve(response.resume().statusCode!)).on('error', reject);
    });
    const answers = all.map(({ answer }) => answer);
    expectRefused(await Promise.race(answers));
    return { answers, other };
  });
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect([await other, ...statuses.toSorted()]).toEqual([200, ...crowd.slice(1).map(() => 201), 503]);
});

test('operations over sockets wait their turn as well', async () => {
  const crowd = await players(AT_A_TIME);
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const query = `{ board(by: { id: "${board.id}" }) { name } }`;
  const answers = await held(async () => {
    const taken = submitting(crowd);
    await until('requests_in_progress', AT_A_TIME);
    const frame = await socket.run(query);
    const [error] = frame.payload.errors;
    expect([error.extensions.code, error.extensions.retryAfterSeconds]).toEqual(['UNAVAILABLE', 1]);
    return taken;
  });
  await Promise.all(answers.map(({ answer }) => answer));
  expect((await socket.next()).type).toBe('complete');
  expect((await socket.run(query, {}, 'two')).payload.data.board.name).toBe(board.name);
  await socket.next();
  await socket.close();
});

test('bodies that arrive slowly keep no one from a turn', async () => {
  const { port } = new URL(app.url);
  const body = JSON.stringify({ account_id: studio.accountId, name: 'Slow' });
  const headers = Object.entries(studio.admin.headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const zipped = gzipSync(body);
  const slow: { socket: Socket; bytes: Buffer }[] = [];
  for (let n = 0; n < AT_A_TIME + WAITING + 2; n += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    const [bytes, more] = n % 2 ? [zipped, 'content-encoding: gzip\r\n'] : [Buffer.from(body), ''];
    const length = `content-type: application/json\r\ncontent-length: ${bytes.length}\r\n${more}`;
    const head = `POST /v1/games HTTP/1.1\r\nhost: x\r\n${headers.join('')}${length}`;
    socket.write(`${head}expect: 100-continue\r\n\r\n`);
    // Each gets 100 once its caller is known, and sends a part.
    expect(String((await once(socket, 'data'))[0])).toBe('HTTP/1.1 100 Continue\r\n\r\n');
    socket.write(bytes.subarray(0, 10));
    slow.push({ socket, bytes });
  }
  await until('requests_in_progress', 0);
  expect((await studio.admin.get('/v1/games')).status).toBe(200);
  // Some leave, the others send the rest.
  for (const { socket } of slow.splice(0, 4)) socket.destroy();
  for (const { socket, bytes } of slow) {
    socket.write(bytes.subarray(10));
    expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 (201|409) /);
    socket.destroy();
  }
  await until('requests_in_progress', 0);
});
