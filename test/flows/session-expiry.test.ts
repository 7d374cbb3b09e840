import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY } from '../support/clock.js';
import { makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';

const REFRESH = `mutation ($input: RefreshDeviceSessionInput!) {
  refreshDeviceSession(input: $input) { accessToken refreshToken } }`;

let app: TestApp;
let studio: Studio;
let gameId: string;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  gameId = (await makeGame(studio)).id;
});
afterAll(() => app.close());

/** `ok`, or the code of the refusal. */
async function refreshed({ session }: Player): Promise<string> {
  const { errors } = await app.anyone.graphql(REFRESH, { input: { refreshToken: session.refreshToken } });
  return errors?.[0]?.extensions.code ?? 'ok';
}

async function listed(status: string): Promise<string[]> {
  const { body } = await studio.admin.get(`/v1/device-sessions?game_id=${gameId}&status=${status}`);
  return body.data.map(({ device_id }: { device_id: string }) => device_id);
}

test('a refresh token is good until the moment before its expiry, and not at it', async () => {
  const [early, late] = [await startSession(app, gameId), await startSession(app, gameId)];
  app.clock.advance(30 * DAY - 1);
  expect(await refreshed(early)).toBe('ok');
  expect(await listed('active')).toContain(late.session.id);
  app.clock.advance(1);
  expect(await refreshed(late)).toBe('INVALID_REFRESH_TOKEN');
  expect(await listed('active')).not.toContain(late.session.id);
  expect(await listed('expired')).toContain(late.session.id);
});

test('a session whose own expiry comes before that of its token ends at it, to the millisecond', async () => {
  const expiring = async (millis: number) => {
    const player = await startSession(app, gameId);
    await app.database
      .knex('device_sessions')
      .where('device_id', uuidOf(player.session.id))
      .update({ refresh_expires_at: new Date(app.clock.now() + millis) });
    return player;
  };
  const [now, soon] = [await expiring(0), await expiring(1)];
  expect(await refreshed(now)).toBe('INVALID_REFRESH_TOKEN');
  expect(await refreshed(soon)).toBe('ok');
});
