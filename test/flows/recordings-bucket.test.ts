import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { makeApp } from '../../src/app.js';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { Bucket } from '../../src/scores/recordings/bucket.js';
import { verifyRecordings } from '../../src/scores/recordings/verify.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR } from '../support/clock.js';
import { Caller, type Data, send } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, takeNonce } from '../support/play.js';
import { S3Server } from '../support/s3.js';
import { until } from '../support/wait.js';

let app: TestApp;
let store: S3Server;
let studio: Studio;
let game: Data;

beforeAll(async () => {
  store = await S3Server.start();
  app = await startApp({ recordingsStore: store.address() });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(async () => {
  await app.close();
  await store.stop();
  store.remove();
});

const hashOf = (file: Buffer) => createHash('sha256').update(file).digest('hex');
const recorded = (recordings: Data = {}) =>
  makeBoard(studio, game.id, { keepStrategy: 'BEST', recordings: { maxBytes: 16_777_216, ...recordings } });
const sql = async (text: string, ...values: unknown[]): Promise<Data[]> =>
  (await app.database.pool.query(text, values)).rows;
const tidy = () => app.app.jobs.run('tidy-recordings');

async function play(player: Player, boardId: string, value: number, file: Buffer): Promise<string> {
  const { body } = await post(player, { board_id: boardId, value, recording_hash: hashOf(file) });
  return body.recording.score_event_id;
}

async function put(player: Player, eventId: string, file: Buffer, at: TestApp = app) {
  return send(`${at.url}/v1/client/score-events/${eventId}/recording`, {
    method: 'PUT',
    headers: { ...player.client.headers, 'service-client-nonce': await takeNonce(player.client) },
    body: file,
  });
}

const RECORDING = 'query ($id: ID!) { scoreEvent(id: $id) { recording { url bytes } } }';
const read = async (eventId: string) => {
  const { scoreEvent } = await studio.admin.data(RECORDING, { id: eventId });
  const answer = await fetch(app.url + scoreEvent.recording.url);
  return { status: answer.status, file: Buffer.from(await answer.arrayBuffer()) };
};

test.each([1, 200_000, 1_048_576, 1_048_577, 5_000_000])(
  'a file of %i bytes is in the bucket, and read as it was',
  async (bytes) => {
    const { id } = await recorded();
    const player = await startSession(app, game.id);
    const file = randomBytes(bytes);
    const eventId = await play(player, id, 10, file);
    const before = store.sizes().length;
    expect((await put(player, eventId, file)).status).toBe(200);
    expect(store.sizes()).toContain(bytes);
    expect(store.sizes()).toHaveLength(before + 1);
    expect(await sql('select bytes, content from recordings where board_id = $1', uuidOf(id))).toEqual([
      { bytes, content: null },
    ]);
    expect(await sql('select from recording_objects_due')).toEqual([]);
    const answer = await read(eventId);
    expect([answer.status, answer.file.equals(file)]).toEqual([200, true]);
    // The same again is compared alone.
    expect((await put(player, eventId, file)).status).toBe(200);
    expect((await put(player, eventId, randomBytes(bytes === 1 ? 2 : bytes))).status).toBe(422);
    expect(store.sizes()).toHaveLength(before + 1);
  },
);

test('another file leaves no object, whatever its size', async () => {
  const { id } = await recorded();
  const player = await startSession(app, game.id);
  const before = store.sizes();
  for (const bytes of [1_000, 3_000_000]) {
    const eventId = await play(player, id, bytes, randomBytes(bytes));
    const { status, body } = await put(player, eventId, randomBytes(bytes));
    expect([status, body.details[0].type]).toEqual([422, 'hash']);
  }
  // What this server keeps of an upload that was broken off goes with it.
  app.clock.advance(2 * HOUR);
  await tidy();
  expect(store.sizes()).toEqual(before);
});

test('an object without its row is deleted, and the upload succeeds when it is repeated', async () => {
  const { id } = await recorded();
  const player = await startSession(app, game.id);
  const file = randomBytes(2_000);
  const eventId = await play(player, id, 10, file);
  const before = store.sizes().length;
  // As if the process ended between the object and the row.
  await sql(
    `create function fail_recording() returns trigger language plpgsql as $$ begin raise exception 'gone'; end $$`,
  );
  await sql(
    'create trigger fail_recording before update on recordings for each row execute function fail_recording()',
  );
  expect((await put(player, eventId, file)).status).toBe(500);
  expect(store.sizes()).toHaveLength(before + 1);
  expect(await sql('select object from recording_objects_due')).toHaveLength(1);
  await sql('drop trigger fail_recording on recordings');
  expect((await put(player, eventId, file)).status).toBe(200);
  expect(store.sizes()).toHaveLength(before + 2);
  await tidy();
  expect(store.sizes()).toHaveLength(before + 2);
  app.clock.advance(2 * HOUR);
  await tidy();
  expect(store.sizes()).toHaveLength(before + 1);
  expect(await sql('select from recording_objects_due')).toEqual([]);
  expect((await read(eventId)).file.equals(file)).toBe(true);
});

test('objects of deleted recordings and of erased players go, and an export has the files', async () => {
  const { id } = await recorded({ keepTop: 2 });
  const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
  const before = store.sizes().length;
  const [first, second] = [randomBytes(3_000), randomBytes(1_500_000)];
  for (const [player, value, file] of [
    [ann, 10, first],
    [bob, 20, second],
  ] as const)
    expect((await put(player, await play(player, id, value, file), file)).status).toBe(200);
  expect(store.sizes()).toHaveLength(before + 2);
  const { body } = await studio.admin.get(`/v1/identities/${bob.session.identityId}/export`);
  const line = body.split('\n').find((one: string) => one.includes('"record":"recording"'));
  expect(Buffer.from(JSON.parse(line).content, 'base64').equals(second)).toBe(true);
  await studio.admin.data(
    'mutation ($input: EraseIdentityInput!) { eraseIdentity(input: $input) { erasure { status } } }',
    { input: { id: bob.session.identityId, scores: 'REMOVE' } },
  );
  await until(async () => {
    const [row] = await sql(
      'select status from identity_erasures where identity_id = $1',
      uuidOf(bob.session.identityId),
    );
    return row!.status === 'done';
  });
  await tidy();
  expect(store.sizes()).toHaveLength(before + 1);
  await change(studio.admin, 'Board', id, { recordings: null });
  await tidy();
  app.clock.advance(8 * DAY);
  await tidy();
  expect(store.sizes()).toHaveLength(before);
});

test('verify-recordings finds what is missing', async () => {
  const { id } = await recorded();
  const player = await startSession(app, game.id);
  const file = randomBytes(700);
  const eventId = await play(player, id, 10, file);
  expect((await put(player, eventId, file)).status).toBe(200);
  const bucket = new Bucket(store.address());
  const faults = async (of: Bucket | undefined = bucket) => {
    const found: string[] = [];
    for await (const { eventId: event, fault } of verifyRecordings(app.database.pool, of))
      if (fault) found.push(`${event === uuidOf(eventId)} ${fault.split(' (')[0]}`);
    return found;
  };
  expect(await faults()).toEqual([]);
  await sql('update recordings set bytes = 701 where board_id = $1', uuidOf(id));
  expect(await faults()).toEqual(['true its object has 700 bytes instead of 701']);
  await sql('update recordings set bytes = 700 where board_id = $1', uuidOf(id));
  const [{ object }] = (await sql('select object from recordings where board_id = $1', uuidOf(id))) as [Data];
  await bucket.delete(object);
  expect(await faults()).toEqual(['true its object is missing']);
  expect((await read(eventId)).status).toBe(404);
  await sql('delete from recordings where board_id = $1', uuidOf(id));
});

test('while the bucket is away, uploads and downloads are 503, and scores go on', async () => {
  const { id } = await recorded();
  const player = await startSession(app, game.id);
  const file = randomBytes(2_000);
  const stored = await play(player, id, 10, file);
  expect((await put(player, stored, file)).status).toBe(200);
  await store.stop();
  const next = await play(player, id, 20, file);
  expect((await put(player, next, file)).body.code).toBe('UNAVAILABLE');
  expect((await read(stored)).status).toBe(503);
  await store.run();
  expect((await put(player, next, file)).status).toBe(200);
  expect((await read(stored)).file.equals(file)).toBe(true);
});

test('a process with an unknown key stores nothing', async () => {
  const other = await startApp({ recordingsStore: store.address('UNKNOWN') });
  try {
    const own = await makeStudio(other);
    const itsGame = await makeGame(own);
    const { id } = await makeBoard(own, itsGame.id, { keepStrategy: 'BEST', recordings: {} });
    const player = await startSession(other, itsGame.id);
    const file = randomBytes(1_000);
    const eventId = await play(player, id, 10, file);
    const before = store.sizes();
    expect(await put(player, eventId, file, other)).toMatchObject({
      status: 503,
      body: { code: 'UNAVAILABLE' },
    });
    expect(store.sizes()).toEqual(before);
  } finally {
    await other.close();
  }
});

test('without its bucket, a process exports and erases nobody whose recordings are in it, and the job says so', async () => {
  const { id } = await recorded();
  const [ann, bob] = [await startSession(app, game.id), await startSession(app, game.id)];
  const file = randomBytes(2_000);
  expect((await put(ann, await play(ann, id, 10, file), file)).status).toBe(200);
  const bare = await makeApp({
    settings: { ...SETTINGS, dataDir: app.dataDir, recordingsStore: undefined },
    ...{ database: app.database, clock: app.clock.now, log: makeLog('fatal'), wakeJobs: false },
  });
  const url = `http://127.0.0.1:${await bare.listen(0, '127.0.0.1')}`;
  try {
    const admin = new Caller(url, studio.admin.headers);
    const exported = ({ session }: Player) => admin.get(`/v1/identities/${session.identityId}/export`);
    const { status, body } = await exported(ann);
    expect([status, body.code, body.error]).toEqual([
      503,
      'UNAVAILABLE',
      expect.stringContaining('RECORDINGS_STORE'),
    ]);
    expect((await exported(bob)).status).toBe(200);
    const ERASE =
      'mutation ($input: EraseIdentityInput!) { eraseIdentity(input: $input) { erasure { status } } }';
    const erasing = { input: { id: ann.session.identityId, scores: 'KEEP' } };
    expect(await admin.code(ERASE, erasing)).toBe('UNAVAILABLE');
    const name = async () =>
      (await sql('select display_name from identities where id = $1', uuidOf(ann.session.identityId)))[0];
    expect(await name()).not.toEqual({ display_name: 'deleted player' });
    await sql("insert into recording_objects_due values ('x/y', $1, now())", uuidOf(studio.accountId));
    await expect(bare.jobs.run('tidy-recordings')).rejects.toThrow('RECORDINGS_STORE');
    await tidy();
    await bare.jobs.run('tidy-recordings');
    await studio.admin.data(ERASE, erasing);
  } finally {
    await bare.close();
  }
});

test('an export says which file its bucket has lost', async () => {
  const { id } = await recorded();
  const player = await startSession(app, game.id);
  const file = randomBytes(700);
  expect((await put(player, await play(player, id, 10, file), file)).status).toBe(200);
  const [{ object }] = (await sql('select object from recordings where board_id = $1', uuidOf(id))) as [Data];
  await new Bucket(store.address()).delete(object);
  const { body } = await studio.admin.get(`/v1/identities/${player.session.identityId}/export`);
  const line = body.split('\n').find((one: string) => one.includes('"record":"recording"'));
  expect(JSON.parse(line)).toMatchObject({ bytes: 700, content: null, is_missing: true });
  await sql('delete from recordings where board_id = $1', uuidOf(id));
});

// More than the buffers between service and reader hold.
async function largeFile(): Promise<string> {
  const { id } = await recorded();
  const player = await startSession(app, game.id);
  const file = randomBytes(16_000_000);
  const eventId = await play(player, id, 10, file);
  expect((await put(player, eventId, file)).status).toBe(200);
  return eventId;
}

/** Connections that request the file and read its head alone. */
async function slowReaders(url: URL, count: number) {
  const sockets = Array.from({ length: count }, () => connect(Number(url.port), url.hostname));
  for (const socket of sockets) {
    socket.write(`GET ${url.pathname}${url.search} HTTP/1.1\r\nhost: x\r\n\r\n`);
    const [head] = await once(socket, 'readable').then(() => [String(socket.read(12))]);
    expect(head).toBe('HTTP/1.1 200');
  }
  return sockets;
}

// Last: the tests' server may end when a reader leaves.
test('files of the bucket are sent ten at a time to an address, and a reader that leaves makes room', async () => {
  const eventId = await largeFile();
  const { scoreEvent } = await studio.admin.data(RECORDING, { id: eventId });
  const url = app.url + scoreEvent.recording.url;
  const open = await Promise.all(Array.from({ length: 10 }, () => fetch(url)));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
  expect((await fetch(url)).status).toBe(429);
  await Promise.all(open.map(({ body }) => body!.cancel()));
  await until(async () => (await read(eventId)).status === 200);
});

test('a reader that takes a byte now and then leaves its slot after a time', async () => {
  const eventId = await largeFile();
  const limits = { atATime: 64, ofAccount: 2, ofAddress: 2, startMs: 500, bytesPerSecond: 1_000_000_000 };
  const settings = { ...SETTINGS, dataDir: app.dataDir, recordingsStore: store.address() };
  const parts = { database: app.database, clock: app.clock.now, log: makeLog('fatal'), wakeJobs: false };
  const brief = await makeApp({ settings, ...parts, downloads: limits });
  const base = `http://127.0.0.1:${await brief.listen(0, '127.0.0.1')}`;
  try {
    const { scoreEvent } = await studio.admin.data(RECORDING, { id: eventId });
    const url = new URL(base + scoreEvent.recording.url);
    const slow = await slowReaders(url, 2);
    const ends = slow.map((socket) =>
      once(
        socket.on('error', () => undefined),
        'close',
      ),
    );
    const sipping = setInterval(() => {
      for (const socket of slow) socket.read(1);
    }, 50);
    expect((await fetch(url)).status).toBe(429);
    await until(async () => {
      const next = await fetch(url);
      await next.body!.cancel();
      return next.status === 200;
    });
    clearInterval(sipping);
    for (const socket of slow) socket.resume();
    await Promise.all(ends);
    // They lack bytes of the length that was announced.
    for (const { bytesRead } of slow) expect(bytesRead).toBeLessThan(16_000_000);
  } finally {
    await brief.close();
  }
});
