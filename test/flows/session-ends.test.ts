import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, SECOND } from '../support/clock.js';
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
import { post, takeNonce } from '../support/play.js';

const REFRESH = `mutation ($input: RefreshDeviceSessionInput!) {
  refreshDeviceSession(input: $input) { accessToken refreshToken } }`;
const WHO = '{ me { kind } }';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

/** `ok`, or the code of the refusal. */
async function refreshed({ session }: Player): Promise<string> {
  const { errors } = await app.anyone.graphql(REFRESH, { input: { refreshToken: session.refreshToken } });
  return errors?.[0]?.extensions.code ?? 'ok';
}

async function listed(status: string): Promise<string[]> {
  const { body } = await studio.admin.get(`/v1/device-sessions?game_id=${game.id}&status=${status}`);
  return body.data.map(({ device_id }: { device_id: string }) => device_id);
}

test('a refresh token is valid until the moment before its expiry', async () => {
  const [early, late] = [await startSession(app, game.id), await startSession(app, game.id)];
  app.clock.advance(30 * DAY - 1);
  expect(await refreshed(early)).toBe('ok');
  expect(await listed('active')).toContain(late.session.deviceId);
  app.clock.advance(1);
  expect(await refreshed(late)).toBe('INVALID_REFRESH_TOKEN');
  expect(await listed('active')).not.toContain(late.session.deviceId);
  expect(await listed('expired')).toContain(late.session.deviceId);
});

test('a session whose own expiry comes before that of its token ends at it, to the millisecond', async () => {
  const expiring = async (millis: number) => {
    const player = await startSession(app, game.id);
    await app.database
      .knex('device_sessions')
      .where('device_id', uuidOf(player.session.deviceId))
      .update({ refresh_expires_at: new Date(app.clock.now() + millis) });
    return player;
  };
  const [now, soon] = [await expiring(0), await expiring(1)];
  expect(await refreshed(now)).toBe('INVALID_REFRESH_TOKEN');
  expect(await refreshed(soon)).toBe('ok');
});

async function sessionOf({ session }: Player): Promise<string> {
  const { deviceSessions } = await studio.admin.data(
    'query ($d: ID) { deviceSessions(filter: {deviceId: $d}) { nodes { id } } }',
    { d: session.deviceId },
  );
  return deviceSessions.nodes[0].id;
}

interface Ending {
  name: string;
  end(player: Player): Promise<unknown>;
  code: string;
  /** How the client is let in again; a revoked session never is. */
  undo?(player: Player): Promise<unknown>;
}

const device = (input: Data) => (player: Player) =>
  change(studio.admin, 'Device', player.session.deviceId, input);
const account = (input: Data) => () => change(app.superadmin, 'Account', studio.accountId, input);
const theGame = (input: Data) => () => change(studio.admin, 'Game', game.id, input);
const active = { status: 'ACTIVE' };
const there = { deleted: false };

const endings: Ending[] = [
  {
    name: 'a banned device',
    end: device({ status: 'BANNED' }),
    code: 'DEVICE_BLOCKED',
    undo: device(active),
  },
  {
    name: 'a suspended device',
    end: device({ status: 'SUSPENDED' }),
    code: 'DEVICE_BLOCKED',
    undo: device(active),
  },
  { name: 'a deleted device', end: device({ deleted: true }), code: 'INVALID_TOKEN', undo: device(there) },
  {
    name: 'a revoked session',
    end: async (player) =>
      change(studio.admin, 'DeviceSession', await sessionOf(player), { status: 'REVOKED' }),
    code: 'INVALID_TOKEN',
  },
  {
    name: 'a suspended account',
    end: account({ status: 'SUSPENDED' }),
    code: 'ACCOUNT_SUSPENDED',
    undo: account(active),
  },
  { name: 'a deleted account', end: account({ deleted: true }), code: 'INVALID_TOKEN', undo: account(there) },
  { name: 'a deleted game', end: theGame({ deleted: true }), code: 'INVALID_TOKEN', undo: theGame(there) },
];

test.each(endings)('$name is refused at once', async ({ end, code, undo }) => {
  const player = await startSession(app, game.id);
  expect((await player.client.graphql(WHO)).errors).toBeUndefined();
  await end(player);
  expect(await player.client.code(WHO)).toBe(code);
  const refusal = await refreshed(player);
  expect(refusal).toBe(code === 'INVALID_TOKEN' ? 'INVALID_REFRESH_TOKEN' : code);
  if (undo) {
    await undo(player);
    expect((await player.client.graphql(WHO)).errors).toBeUndefined();
  }
});

test('a change by another node is seen within a second', async () => {
  const player = await startSession(app, game.id);
  expect((await player.client.graphql(WHO)).errors).toBeUndefined();
  await app.database
    .knex('devices')
    .where('id', player.session.deviceId.slice(4))
    .update({ status: 'banned' });
  app.clock.advance(SECOND);
  expect(await player.client.code(WHO)).toBe('DEVICE_BLOCKED');
});

test.each(endings)(
  '$name is refused at once by REST, in reads, writes, faulty requests and replays',
  async (ending) => {
    const player = await startSession(app, game.id);
    const board = await makeBoard(studio, game.id);
    const run = { board_id: board.id, value: 1 };
    const key = { 'idempotency-key': 'run' };
    const nonce = await takeNonce(player.client);
    expect((await post(player, run, key)).status).toBe(201);
    expect((await post(player, run, key)).headers.get('service-replayed')).toBe('true');
    await ending.end(player);
    const client = player.client.with({ 'service-client-nonce': nonce });
    const answers = await Promise.all([
      client.get(`/v1/client/boards/${board.id}`),
      client.get(`/v1/client/scores?board_id=${board.id}`),
      client.get('/v1/client/scores/nonsense'),
      client.get('/v1/client/nonce'),
      client.with(key).post('/v1/client/scores', { player_name: 'Ann', ...run }),
      client.post('/v1/client/scores', { player_name: 'Ann', ...run }),
      client.post('/v1/client/scores', { player_name: 1 }),
    ]);
    expect(answers.map(({ body }) => body.code)).toEqual(answers.map(() => ending.code));
    await ending.undo?.(player);
  },
);
