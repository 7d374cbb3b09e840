import { once } from 'node:events';
import {
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { makeStudio, type Studio } from '../operate/ground.js';
import { Caller, type Data, send } from '../support/http.js';
import { LoadClient } from '../support/load.js';
import type { Player } from '../support/make.js';
import { submit, takeNonce } from '../support/play.js';
import { DataDir, type Program, startService } from '../support/process.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/wait.js';

// The commands as an operator types them, on the data of a whole service. Each start takes seconds.

const CLIENTS = 8;
/** Acknowledged submissions before the backup begins. */
const ENOUGH = 100;

const origin = new DataDir();
const restored = new DataDir();
const backup = path.join(origin.root, 'backups', 'monday');
const terminal = new Terminal({ DATA_DIR: origin.path, LOG_LEVEL: 'info' });
const elsewhere = new Terminal({ DATA_DIR: restored.path, LOG_LEVEL: 'info' });
let programs: Program[] = [];
let clients: LoadClient[] = [];

afterAll(async () => {
  for (const client of clients) client.abandon();
  await Promise.all(programs.map((program) => program.running && program.kill('SIGKILL')));
  await Promise.all([origin.remove(), restored.remove()]);
  terminal.close();
  elsewhere.close();
});

async function start(dir: DataDir) {
  const service = await startService({
    DATA_DIR: dir.path,
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8',
  });
  programs.push(service.program);
  return { ...service, admin: dir.superadmin(service.url) };
}

async function stopAll(): Promise<void> {
  await Promise.all(programs.map((program) => program.kill('SIGTERM')));
  programs = [];
}

/** Every event, entry and key of the database, as text. */
async function contents(dir: DataDir): Promise<Record<string, string[]>> {
  const client = new pg.Client(dir.connectionString);
  await client.connect();
  try {
    const lines = async (table: string, order: string) => {
      const { rows } = await client.query<{ line: string }>(
        `select t::text as line from ${table} t order by ${order}`,
      );
      return rows.map(({ line }) => line);
    };
    return {
      events: await lines('score_events', 'board_id, seq'),
      entries: await lines('entries', 'board_id, seq'),
      keys: await lines('(select id, prefix, status from api_keys)', '1'),
    };
  } finally {
    await client.end();
  }
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
}

let studio: Studio;
/** An endpoint with a delivery that is open in the backup: its receiver refuses everything until it is restored. */
let hook: Data;
let accepts = false;
const posted: Data[] = [];
const receiver = createServer(async (request, response) => {
  let text = '';
  for await (const part of request) text += part;
  posted.push(JSON.parse(text));
  response.writeHead(accepts ? 200 : 503).end();
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

async function openDelivery(admin: Caller): Promise<Data> {
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const { body } = await admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'Restored', events: ['board.closed'] },
    url: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
  });
  expect((await admin.post(`/v1/webhook-endpoints/${body.id}/test`, {})).status).toBe(200);
  await until(() => posted.length > 0);
  return body;
}

/** Two seasons with a prize for everyone: one is over at the backup, the other is closed after it. */
const season = { game: '', boards: [] as string[], token: '', handedOut: new Set<string>() };
const playerAt = ({ url }: Caller) => new Caller(url, { authorization: `Bearer ${season.token}` });
const rewardsAt = async (admin: Caller): Promise<Data[]> =>
  (await admin.get(`/v1/rewards?game_id=${season.game}`)).body.data;
const closeAt = (admin: Caller, board: number) => admin.post(`/v1/boards/${season.boards[board]}/close`, {});

/** The player's game, which keeps the ids of what it was handed. */
async function claimAt(admin: Caller, { id }: Data): Promise<Data> {
  const player = playerAt(admin);
  const nonce = await takeNonce(player);
  return (await player.with({ 'service-client-nonce': nonce }).post(`/v1/client/rewards/${id}/claim`, {}))
    .body;
}

async function playSeasons(admin: Caller): Promise<void> {
  const { accountId, game } = await makeStudio(admin);
  season.game = game.id;
  const body = { game_id: game.id, client_fingerprint: 'a winner', platform: 'test' };
  season.token = (await admin.with({}).post('/v1/client/sessions', body)).body.access_token;
  const prizes = { lines: [{ name: 'all', title: 'For all' }] };
  for (const name of ['First', 'Second']) {
    const { body: made } = await admin.post('/v1/boards', {
      ...{ account_id: accountId, game_id: game.id, name, closing_rules: [{ prizes }] },
    });
    season.boards.push(made.id);
    await submit({ client: playerAt(admin) } as Player, made.id, 5);
  }
  await closeAt(admin, 0);
  await until(async () => (await rewardsAt(admin)).length === 1);
}

let acknowledged: string[];
let atTheEnd: Record<string, string[]>;

test('a backup is made while players submit', async () => {
  const { url, admin } = await start(origin);
  await playSeasons(admin);
  studio = await makeStudio(admin);
  hook = await openDelivery(admin);
  clients = Array.from(
    { length: CLIENTS },
    (_none, i) => new LoadClient(() => url, [studio.board.id], true, `Player ${i}`),
  );
  await Promise.all(clients.map((client) => client.open(studio.game.id)));
  const runs = clients.map((client) => client.run());
  const tags = () => clients.flatMap(({ sent }) => sent.filter(({ score }) => score).map(({ tag }) => tag));
  await until(() => tags().length >= ENOUGH);
  acknowledged = tags();
  const { code, stdout, stderr } = await terminal.run(['backup', backup]);
  for (const client of clients) client.stop();
  await Promise.all(runs);
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/monday: \d+ files, \S+ MB, each with a checksum/),
  ]);
  expect(stderr).toMatch(/^copied \S+ MB of about \S+ MB$/m);
  expect(tags().length).toBeGreaterThan(acknowledged.length);
  expect(clients.flatMap(({ refusals }) => refusals)).toEqual([]);
  await closeAt(admin, 1);
  await until(async () => (await rewardsAt(admin)).length === 2);
  for (const reward of await rewardsAt(admin)) {
    expect((await claimAt(admin, reward)).status).toBe('claimed');
    season.handedOut.add(reward.id);
  }
  atTheEnd = await contents(origin);

  // Nothing of the run remains in the server, and no other user may read the copy.
  const client = new pg.Client(origin.connectionString);
  await client.connect();
  expect((await client.query('select from pg_replication_slots')).rowCount).toBe(0);
  await client.end();
  for (const file of filesBelow(backup)) expect([file, statSync(file).mode & 0o077]).toEqual([file, 0]);
  expect(statSync(backup).mode & 0o777).toBe(0o700);
  expect(readdirSync(path.dirname(backup))).toEqual(['monday']);
});

test('a backup overwrites nothing, and lies outside the data directory', async () => {
  const again = await terminal.run(['backup', backup]);
  expect([again.code, again.stderr]).toEqual([
    1,
    expect.stringMatching(/already exists.*does not overwrite anything/),
  ]);
  const inside = await terminal.run(['backup', path.join(origin.path, 'copy')]);
  expect([inside.code, inside.stderr]).toEqual([1, expect.stringMatching(/is inside the data directory/)]);
});

test('the restored service has everything that was acknowledged before the backup, and the same keys', async () => {
  const { code, stdout, stderr } = await elsewhere.run(['restore', backup]);
  expect([code, stderr.replaceAll(/^restored .*\n/gm, '')]).toEqual([0, '']);
  expect(stdout).toMatch(/all checksums match/);
  expect(stdout).toMatch(/4 boards verified, 0 errors found/);
  const { postgres } = JSON.parse(readFileSync(path.join(backup, 'backup.json'), 'utf8'));
  expect(readdirSync(restored.path).sort()).toEqual(
    ['jwt-secret', 'key-secret', `postgres-${postgres}`, 'postgres.log', 'superadmin-key'].sort(),
  );
  for (const name of ['jwt-secret', 'key-secret', 'superadmin-key']) {
    expect([name, restored.read(name)]).toEqual([name, origin.read(name)]);
    expect([name, statSync(restored.file(name)).mode & 0o777]).toEqual([name, 0o600]);
  }
  const owner = statSync(origin.cluster);
  expect(statSync(restored.cluster)).toMatchObject({ mode: owner.mode, uid: owner.uid });

  const { admin } = await start(restored);
  const found = await contents(restored);
  expect(found.events).toEqual(atTheEnd.events!.slice(0, found.events!.length));
  const texts = found.events!.join('\n');
  expect(acknowledged.filter((tag) => !texts.includes(tag))).toEqual([]);
  expect(found.keys).toEqual(atTheEnd.keys);
  // A key that was made before works, and so does what the service writes.
  const board: Data = await admin.get(`/v1/boards/${studio.board.id}`);
  expect([board.status, board.body.name]).toEqual([200, 'Board']);
  await expectHeld(admin);
  await expectSilence(admin);
});

/** Nothing can be claimed before a release; then each reward has the id it had, so nothing is handed out twice. */
async function expectHeld(admin: Caller): Promise<void> {
  const [open, ...others] = await rewardsAt(admin);
  expect([open!.status, others]).toEqual(['open', []]);
  expect((await claimAt(admin, open!)).code).toBe('INVALID_TRANSITION');
  await closeAt(admin, 1);
  const closing = async () => (await admin.get(`/v1/boards/${season.boards[1]}/closings`)).body.data[0];
  await until(async () => (await closing())?.prizes_status === 'held');
  expect(await rewardsAt(admin)).toEqual([open]);
  expect((await admin.post(`/v1/games/${season.game}/release-prizes`, {})).status).toBe(200);
  await until(async () => (await rewardsAt(admin)).length === 2);
  const given = await rewardsAt(admin);
  for (const reward of given) expect((await claimAt(admin, reward)).status).toBe('claimed');
  expect(given.filter(({ id }) => !season.handedOut.has(id))).toEqual([]);
}

/** The restored service posts nothing until its endpoint is resumed; then what was open goes out under its old id. */
async function expectSilence(admin: Caller): Promise<void> {
  const path = `/v1/webhook-endpoints/${hook.id}`;
  const patch = (place: string, body: Data) =>
    send(admin.url + place, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', ...admin.headers },
      body: JSON.stringify(body),
    });
  await Promise.all(programs.slice(0, -1).map((program) => program.kill('SIGTERM')));
  programs = programs.slice(-1);
  expect((await admin.get(path)).body).toMatchObject({
    status: 'paused',
    status_reason: expect.stringMatching(/restored from a backup/),
  });
  const { id, epoch } = posted[0]!;
  accepts = true;
  posted.length = 0;
  expect((await patch(`/v1/boards/${studio.board.id}`, { is_active: false })).status).toBe(200);
  const log = async () => (await admin.get(`${path}/deliveries`)).body.data as Data[];
  await until(async () => (await log()).length === 2);
  const client = new pg.Client(restored.connectionString);
  await client.connect();
  await client.query(
    `update webhook_deliveries set status = 'queued', due_at = now()
      where settled_at is null; select graphile_worker.add_job('send-webhooks')`,
  );
  const ran = `select (select count(*) from graphile_worker.jobs where task_identifier = 'send-webhooks'
    and locked_at is null)::int as waiting`;
  await until(async () => (await client.query(ran)).rows[0].waiting === 0);
  await client.end();
  expect(posted).toEqual([]);
  expect((await patch(path, { paused: false })).body.status).toBe('active');
  await until(() => posted.length === 2);
  const [old, late] = posted.toSorted(
    (a, b) => Number(b.type === 'endpoint.test') - Number(a.type === 'endpoint.test'),
  );
  expect(old).toMatchObject({ id, epoch, type: 'endpoint.test' });
  expect(late!.type).toBe('board.closed');
  expect(late!.epoch).not.toBe(epoch);
}

test('a restore overwrites no data', async () => {
  const { code, stderr } = await elsewhere.run(['restore', backup]);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/is not empty .*does not overwrite anything/)]);
});

test('a damaged or incomplete backup is refused, and nothing of it is left', async () => {
  await stopAll();
  const dir = new DataDir();
  const there = new Terminal({ DATA_DIR: dir.path });
  try {
    const refusal = async () => {
      const { code, stderr } = await there.run(['restore', backup]);
      expect(code).toBe(1);
      expect(
        existsSync(dir.path) ? readdirSync(dir.path).filter((name) => !/binaries/.test(name)) : [],
      ).toEqual([]);
      return stderr;
    };
    const segment = filesBelow(backup).find((file) => /pg_wal\/[0-9A-F]{24}$/.test(file))!;
    const bytes = readFileSync(segment);
    writeFileSync(
      segment,
      Buffer.concat([bytes.subarray(0, 999), Buffer.from([bytes[999]! ^ 1]), bytes.subarray(1_000)]),
    );
    expect(await refusal()).toMatch(/damaged: \S+pg_wal\S+ is changed\. Nothing was restored/);
    rmSync(segment);
    expect(await refusal()).toMatch(/damaged: \S+pg_wal\S+ is missing/);
    writeFileSync(segment, bytes);
    truncateSync(path.join(backup, 'SHA256SUMS'), 200);
    expect(await refusal()).toMatch(/damaged: \S+SHA256SUMS is changed/);
    rmSync(path.join(backup, 'backup.json'));
    expect(await refusal()).toMatch(/is not a complete backup/);
  } finally {
    there.close();
    await dir.remove();
  }
});

test('a backup of a stopped service is the same as its last state', async () => {
  const folder = path.join(origin.root, 'backups', 'tuesday');
  const dir = new DataDir();
  const there = new Terminal({ DATA_DIR: dir.path });
  try {
    expect(origin.postgres).toBeUndefined();
    expect(await terminal.run(['backup', folder])).toMatchObject({ code: 0 });
    expect(origin.postgres).toBeUndefined();
    expect(await there.run(['restore', folder])).toMatchObject({ code: 0 });
    await start(dir);
    expect(await contents(dir)).toEqual(atTheEnd);
  } finally {
    await stopAll();
    there.close();
    await dir.remove();
  }
});

test('a restore repeats the erasures of players that came after the backup', async () => {
  const dir = new DataDir();
  const there = new Terminal({ DATA_DIR: dir.path });
  const list = path.join(origin.root, 'erasures.ndjson');
  const folder = path.join(origin.root, 'backups', 'tuesday');
  try {
    const unknown = await there.run(['restore', folder, '--erasures', list]);
    expect([unknown.code, unknown.stderr]).toEqual([1, expect.stringMatching(/No list of erasures/)]);
    const event = atTheEnd.events!.find((line) => line.includes('Player 3'))!;
    const identity = clients[3]!.identityId!;
    expect(event).toContain(identity.slice(4));
    writeFileSync(
      list,
      `${JSON.stringify({ identityId: identity, scores: 'keep', requestedAt: '2026-11-24T00:00:00Z' })}\n`,
    );
    const { code, stdout } = await there.run(['restore', folder, '--erasures', list]);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/1 later player erasures repeated\n4 boards verified, 0 errors/),
    ]);
    const { admin } = await start(dir);
    const { body } = await admin.get('/v1/audit-entries?action=identity_erased');
    expect(body.data).toMatchObject([{ subject_id: identity, by: 'operator', agent: 'restore' }]);
    const lines = Object.values(await contents(dir)).flat();
    expect(lines.filter((line) => line.includes('Player 3'))).toEqual([]);
    expect(lines.filter((line) => line.includes('Player 4')).length).toBeGreaterThan(0);
  } finally {
    await stopAll();
    there.close();
    await dir.remove();
  }
});

test('a backup that is stopped leaves nothing', async () => {
  const folder = path.join(origin.root, 'backups', 'wednesday');
  const screen = terminal.at(['backup', folder], { DATA_DIR: origin.path });
  await until(
    () => readdirSync(path.dirname(folder)).some((name) => name.startsWith('wednesday.partial-')),
    5,
  );
  screen.type('\x03');
  expect(await screen.ended).toBe(130);
  expect(screen.text).toContain('The command was interrupted.');
  expect(readdirSync(path.dirname(folder))).toEqual(['monday', 'tuesday']);
});
