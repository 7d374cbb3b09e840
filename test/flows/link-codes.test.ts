import { TYPED_CODE_ALPHABET, uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { MINUTE, SECOND } from '../support/clock.js';
import { reviewRuns, undo as undoReview } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Player,
  type Studio,
  unique,
} from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { submit, takeNonce } from '../support/play.js';

// A second device becomes its player's with a code that the first one shows.

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

/** Each device has an address of its own, so that tries of one test are no other's. */
const fromAnywhere = () => ({ 'x-forwarded-for': `2001:db8:${(unique() + 1).toString(16)}::1` });
interface Device {
  session: Data;
  client: Caller;
}
async function start(more: Data = {}): Promise<Device> {
  const anyone = app.anyone.with(fromAnywhere());
  const { status, body } = await anyone.post('/v1/client/sessions', {
    ...{ game_id: game.id, client_fingerprint: `device ${unique()}`, ...more },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return { session: body, client: clientOf(body, anyone) };
}
const clientOf = ({ access_token }: Data, anyone: Caller = app.anyone) =>
  anyone.with({ authorization: `Bearer ${access_token}` });
const again = ({ session }: Device) =>
  start({ game_id: session.game_id, client_fingerprint: session.client_fingerprint });
const playing = ({ session, client }: Device): Player => ({
  client,
  session: { identityId: session.identity_id, id: session.id } as Player['session'],
});
const write = async (client: Caller, path: string, body: Data = {}) =>
  client.with({ 'service-client-nonce': await takeNonce(client) }).post(path, body);
const made = async ({ client }: Device): Promise<Data> => {
  const { status, body } = await write(client, '/v1/client/link-codes');
  expect(status).toBe(200);
  return body;
};
const redeem = ({ client }: Device, code: string, more: Data = {}) =>
  write(client, '/v1/client/link-codes/redeem', { code, ...more });
const faultOf = async (device: Device, code: string, more: Data = {}) =>
  (await redeem(device, code, more)).body.code;
const unlink = ({ client }: Device, id: string) => write(client, `/v1/client/devices/${id}/unlink`);
const devicesOf = async ({ client }: Device) =>
  (await client.get('/v1/client/me')).body.devices.map(({ device_id, is_linked }: Data) => [
    device_id,
    is_linked,
  ]);

/** Two devices, the second linked to the player of the first. */
async function linked(more: Data = {}): Promise<{ owner: Device; phone: Device; guest: Data }> {
  const [owner, phone] = [await start(more), await start(more)];
  const { code } = await made(owner);
  const { status, body } = await redeem(phone, code);
  expect(status).toBe(200);
  return { owner, phone: { session: body.session, client: clientOf(body.session) }, guest: phone.session };
}

test('a code links another device to the player, for this session and all later ones', async () => {
  const board = await makeBoard(studio, game.id);
  const [owner, phone] = [await start(), await start()];
  await submit(playing(owner), board.id, 70);
  await submit(playing(phone), board.id, 40);
  const { code, expires_at } = await made(owner);
  expect(code).toMatch(new RegExp(`^[${TYPED_CODE_ALPHABET}]{8}$`));
  expect(Date.parse(expires_at) - app.clock.now()).toBe(10 * MINUTE);
  const { status, body } = await redeem(phone, `${code.slice(0, 4)}-${code.slice(4)}`.toLowerCase());
  expect([status, body.identity.id, body.session.id]).toEqual([
    200,
    owner.session.identity_id,
    phone.session.id,
  ]);
  // The tokens of the guest's session ended with it.
  expect((await phone.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  const now = { session: body.session, client: clientOf(body.session) };
  const { score } = await submit(playing(now), board.id, 90);
  expect([score.identityId, score.rank]).toEqual([owner.session.identity_id, 1]);
  expect((await again(phone)).session).toMatchObject({
    id: phone.session.id,
    identity_id: owner.session.identity_id,
  });
  expect((await devicesOf(owner)).toSorted()).toEqual(
    [
      [owner.session.id, false],
      [phone.session.id, true],
    ].toSorted(),
  );
  const { device } = await studio.admin.data(
    'query ($id: ID!) { device(id: $id) { identityId linkedIdentityId linkedIdentity { id } } }',
    { id: phone.session.id },
  );
  expect(device).toEqual({
    identityId: phone.session.identity_id,
    linkedIdentityId: owner.session.identity_id,
    linkedIdentity: { id: owner.session.identity_id },
  });
  const { identity } = await studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { devices(first: 5) { nodes { id linkedIdentityId } } } }',
    { id: owner.session.identity_id },
  );
  expect(new Set(identity.devices.nodes)).toEqual(
    new Set([
      { id: phone.session.id, linkedIdentityId: owner.session.identity_id },
      { id: owner.session.id, linkedIdentityId: null },
    ]),
  );
  // The guest stays, with its run.
  const { body: guest } = await studio.admin.get(
    `/v1/scores?board_id=${board.id}&identity_id=${phone.session.identity_id}`,
  );
  expect(guest.data.map(({ value }: Data) => value)).toEqual([40]);
});

test('a code works once, for ten minutes, and one at a time', async () => {
  const owner = await start();
  const { code: first } = await made(owner);
  const { code } = await made(owner);
  expect(await faultOf(await start(), first)).toBe('INVALID_CODE');
  expect((await redeem(await start(), code)).status).toBe(200);
  expect(await faultOf(await start(), code)).toBe('INVALID_CODE');
  const { code: late } = await made(owner);
  app.clock.advance(10 * MINUTE - SECOND);
  const { code: other } = await made(await start());
  app.clock.advance(SECOND);
  const client = clientOf((await again(owner)).session);
  expect((await redeem(await start(), late)).body).toMatchObject({ code: 'INVALID_CODE' });
  expect((await client.get('/v1/client/me')).body.devices).toHaveLength(2);
  // Expired ones are deleted.
  expect(await app.app.jobs.run('forget-link-codes')).toBe(0);
  app.clock.advance(SECOND);
  expect(await app.app.jobs.run('forget-link-codes')).toBeGreaterThan(0);
  expect((await redeem(await start(), other)).status).toBe(200);
});

test('of 50 devices that redeem a code at the same time one wins', async () => {
  const owner = await start();
  const { code } = await made(owner);
  const devices = await Promise.all(Array.from({ length: 50 }, () => start()));
  const answers = await Promise.all(devices.map((device) => redeem(device, code)));
  const codes = answers.map(({ status, body }) => (status === 200 ? 'ok' : body.code));
  expect(codes.filter((one) => one === 'ok')).toHaveLength(1);
  expect(codes.filter((one) => one === 'INVALID_CODE')).toHaveLength(49);
  const { rows } = await app.database.pool.query('select id from devices where linked_identity_id = $1', [
    uuidOf(owner.session.identity_id),
  ]);
  expect(rows.map(({ id }) => id)).toEqual([uuidOf(devices[codes.indexOf('ok')]!.session.id)]);
});

test('wrong tries cost whoever guesses: the device, its address and network, and nobody else', async () => {
  const owner = await start();
  const { code } = await made(owner);
  const guesser = await start();
  const tries: string[] = [];
  for (const last of 'ABCDEFGHJKL') tries.push(await faultOf(guesser, `AAAA222${last}`));
  expect(tries).toEqual([...Array.from({ length: 10 }, () => 'INVALID_CODE'), 'RATE_LIMITED']);
  // The right code comes too late for it.
  expect(await faultOf(guesser, code)).toBe('RATE_LIMITED');
  // More devices of its address do not help beyond that of the address.
  const address = { 'x-forwarded-for': '203.0.113.77' };
  const devices = await Promise.all(Array.from({ length: 61 }, () => start()));
  const answers = await Promise.all(
    devices.map(({ session, client }) => faultOf({ session, client: client.with(address) }, 'AAAAAAAA')),
  );
  expect(answers.filter((one) => one === 'RATE_LIMITED')).toHaveLength(1);
  expect((await redeem(await start(), code)).status).toBe(200);
  const makes: number[] = [];
  for (let n = 0; n < 21; n += 1) makes.push((await write(guesser.client, '/v1/client/link-codes')).status);
  expect(makes).toEqual([...Array.from({ length: 20 }, () => 200), 429]);
});

test('a wrong code, an expired one, a used one and that of another game or account get the same answer', async () => {
  const other = await makeGame(studio);
  const stranger = await makeStudio(app);
  const theirs = await makeGame(stranger);
  const answers = new Set<string>();
  for (const game_id of [other.id, theirs.id]) {
    const { code } = await made(await start({ game_id }));
    const { status, body } = await redeem(await start(), code);
    answers.add(JSON.stringify([status, body.code, body.message]));
    // It is still good where it was made.
    expect((await redeem(await start({ game_id }), code)).status).toBe(200);
    const used = await redeem(await start({ game_id }), code);
    answers.add(JSON.stringify([used.status, used.body.code, used.body.message]));
  }
  const { status, body } = await redeem(await start(), 'ABCDEFGH');
  answers.add(JSON.stringify([status, body.code, body.message]));
  expect([...answers]).toEqual([expect.stringMatching(/^\[400,"INVALID_CODE"/)]);
  const device = await start();
  for (const code of ['', 'ABC', 'ABCDEFG0', 'ABCDEFGHJ', 'AB-CDEFGH'])
    expect([code, await faultOf(device, code)]).toEqual([code, 'VALIDATION_FAILED']);
});

test('a code ends with the session that made it, its device and its player', async () => {
  const ends: Record<string, (owner: Device) => Promise<unknown>> = {
    'its sessions ended': ({ session }) =>
      studio.admin.post(`/v1/identities/${session.identity_id}/sessions/end`, {}),
    'its device is banned': ({ session }) => change(studio.admin, 'Device', session.id, { status: 'BANNED' }),
    'its device is reset': ({ session }) => studio.admin.post(`/v1/devices/${session.id}/reset`, {}),
    'its player is deleted': ({ session }) =>
      change(studio.admin, 'Identity', session.identity_id, { deleted: true }),
  };
  for (const [what, end] of Object.entries(ends)) {
    const owner = await start();
    const { code } = await made(owner);
    await end(owner);
    expect([what, await faultOf(await start(), code)]).toEqual([what, 'INVALID_CODE']);
  }
  const { owner, phone } = await linked();
  const { code } = await made(phone);
  expect((await unlink(owner, phone.session.id)).body).toEqual({ count: 1 });
  expect(await faultOf(await start(), code)).toBe('INVALID_CODE');
});

test('bans: a banned device redeems nothing, and no new one is linked to a player with a banned one', async () => {
  const { owner, phone } = await linked();
  const { code } = await made(owner);
  await change(studio.admin, 'Device', phone.session.id, { status: 'BANNED' });
  expect((await phone.client.get('/v1/client/nonce')).body.code).toBe('DEVICE_BLOCKED');
  const late = await start();
  expect(await faultOf(late, code)).toBe('DEVICE_BLOCKED');
  // The owner can take the link from it, and the ban still counts.
  expect((await unlink(owner, phone.session.id)).status).toBe(200);
  expect(await faultOf(late, code)).toBe('DEVICE_BLOCKED');
  await change(studio.admin, 'Device', phone.session.id, { status: 'ACTIVE' });
  expect((await redeem(late, code)).status).toBe(200);
});

test('a review of a player that bans its devices bans linked ones, and its undo lifts that', async () => {
  const { owner, phone, guest } = await linked();
  const input = { identityId: owner.session.identity_id, decision: 'CONFIRMED_CHEAT', banDevices: true };
  const { review, bannedDevices } = await reviewRuns(studio.admin, input);
  expect(bannedDevices.map(({ id }: Data) => id).toSorted()).toEqual(
    [owner.session.id, phone.session.id].toSorted(),
  );
  expect((await phone.client.get('/v1/client/nonce')).body.code).toBe('DEVICE_BLOCKED');
  await undoReview(studio.admin, review.id);
  expect((await phone.client.get('/v1/client/nonce')).status).toBe(200);
  // The guest is another player, whose ban is of its own device.
  const ofGuest = await reviewRuns(studio.admin, { ...input, identityId: guest.identity_id });
  expect(ofGuest.bannedDevices).toEqual([{ id: phone.session.id }]);
  expect((await owner.client.get('/v1/client/nonce')).status).toBe(200);
});

test('a guest with runs goes on as the other player, or refuses and keeps the code', async () => {
  const board = await makeBoard(studio, game.id);
  const [owner, guest] = [await start(), await start()];
  await submit(playing(owner), board.id, 50);
  await submit(playing(guest), board.id, 60);
  const { code } = await made(owner);
  const refused = await redeem(guest, code, { on_conflict: 'refuse', board_ids: [board.id] });
  expect([refused.status, refused.body.code]).toEqual([409, 'PLAYER_CONFLICT']);
  expect(refused.body.details[0].standings).toEqual({
    current: { rank: 1, value: 60 },
    proven: { rank: 2, value: 50 },
  });
  expect((await again(guest)).session.identity_id).toBe(guest.session.identity_id);
  const fresh = await start();
  const { code: second } = await made(owner);
  expect((await redeem(fresh, second, { on_conflict: 'refuse' })).status).toBe(200);
  const { code: third } = await made(owner);
  const switched = await redeem(guest, third);
  expect([switched.status, switched.body.identity.id]).toEqual([200, owner.session.identity_id]);
});

test('unlinking ends the sessions of the device immediately, and the players keep their runs', async () => {
  const board = await makeBoard(studio, game.id);
  const { owner, phone, guest } = await linked();
  await submit(playing(phone), board.id, 30);
  const other = await again(phone);
  expect((await unlink(owner, phone.session.id)).body).toEqual({ count: 2 });
  for (const { client } of [phone, other])
    expect((await client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  const refreshed = await app.anyone.post('/v1/client/sessions/refresh', {
    refresh_token: other.session.refresh_token,
  });
  expect(refreshed.body.code).toBe('INVALID_REFRESH_TOKEN');
  expect((await again(phone)).session.identity_id).toBe(guest.identity_id);
  expect(await devicesOf(owner)).toEqual([[owner.session.id, false]]);
  const { body } = await owner.client.get(`/v1/client/scores?board_id=${board.id}`);
  expect(body.data.map(({ value, identity_id }: Data) => [value, identity_id])).toEqual([
    [30, owner.session.identity_id],
  ]);
  // A device that is unlinked asks again, and can be linked again.
  await submit(playing(await again(phone)), board.id, 20);
  const { code } = await made(owner);
  expect(await faultOf(await again(phone), code, { on_conflict: 'refuse' })).toBe('PLAYER_CONFLICT');
  expect((await redeem(await again(phone), code)).status).toBe(200);
  // A device leaves by itself, too.
  const mine = await again(phone);
  expect(mine.session.identity_id).toBe(owner.session.identity_id);
  expect((await unlink(mine, mine.session.id)).body).toEqual({ count: 2 });
  expect((await again(phone)).session.identity_id).toBe(guest.identity_id);
});

test('players unlink devices of their own player, administrators those of their games', async () => {
  const { owner, phone } = await linked();
  const stranger = await start();
  const gone = 'dev_00000000-0000-7000-8000-000000000000';
  for (const id of [phone.session.id, owner.session.id, gone])
    expect((await unlink(stranger, id)).body.code).toBe('NOT_FOUND');
  // The device that the player began on stays.
  expect((await unlink(phone, owner.session.id)).body).toEqual({ count: 0 });
  expect((await owner.client.get('/v1/client/nonce')).status).toBe(200);
  const noNonce = await owner.client.post(`/v1/client/devices/${phone.session.id}/unlink`, {});
  expect(noNonce.body.code).toBe('NONCE_REQUIRED');
  const path = `/v1/devices/${phone.session.id}/unlink`;
  const user = await makeUser(app.superadmin, studio.accountId);
  const { key } = await makeKey(app.superadmin, studio.accountId, user.id, { scopes: ['READ', 'SUBMIT'] });
  const server = app.anyone.with({ 'service-api-key': key });
  expect((await server.post(path, {})).body.code).toBe('FORBIDDEN');
  expect((await (await makeStudio(app)).admin.post(path, {})).body.code).toBe('FORBIDDEN');
  expect((await phone.client.get('/v1/client/nonce')).status).toBe(200);
  expect((await studio.admin.post(path, {})).body).toEqual({ count: 1 });
  expect((await phone.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  expect((await studio.admin.post(path, {})).body).toEqual({ count: 0 });
  const entries = await app.database
    .knex('audit_entries')
    .where('subject_id', phone.session.id)
    .select('action', 'before', 'after');
  expect(entries).toEqual([
    {
      action: 'device_unlinked',
      before: { linkedIdentityId: owner.session.identity_id },
      after: { sessionsEnded: 1 },
    },
  ]);
});

test('a device that proved its player with a provider is unlinked as well', async () => {
  const own = await makeGame(studio);
  await makeLogin(studio, own.id);
  const proof = () => ({ provider: 'login', token: ownToken('ann', app.clock.now()) });
  const [laptop, phone] = [
    await start({ game_id: own.id, proof: proof() }),
    await start({ game_id: own.id, proof: proof() }),
  ];
  expect(phone.session.identity_id).toBe(laptop.session.identity_id);
  expect((await unlink(laptop, phone.session.id)).body).toEqual({ count: 1 });
  expect((await phone.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  expect(await devicesOf(laptop)).toEqual([[laptop.session.id, true]]);
  // What a linked device would lose by a proof is the player that it is linked to.
  const board = await makeBoard(studio, own.id);
  const { phone: tablet } = await linked({ game_id: own.id });
  await submit(playing(tablet), board.id, 5);
  const refused = await app.anyone.post('/v1/client/sessions', {
    ...{ game_id: own.id, client_fingerprint: tablet.session.client_fingerprint },
    proof: { ...proof(), on_conflict: 'refuse', board_ids: [board.id] },
  });
  expect([refused.body.code, refused.body.details?.[0].standings]).toEqual([
    'PLAYER_CONFLICT',
    { current: { rank: 1, value: 5 }, proven: null },
  ]);
});

test('the device goes on as its own player with its own code, and never links to itself', async () => {
  const { owner, phone } = await linked();
  expect(await faultOf(owner, (await made(owner)).code)).toBe('INVALID_TRANSITION');
  expect(await faultOf(phone, (await made(owner)).code)).toBe('INVALID_TRANSITION');
  // With a code of its own player, which another device is linked to, it goes back to that.
  const [first, third] = [await start(), await start()];
  const { body } = await redeem(third, (await made(first)).code);
  const away = await redeem(first, (await made(owner)).code);
  expect(away.body.identity.id).toBe(owner.session.identity_id);
  const { code } = await made({ session: body.session, client: clientOf(body.session) });
  const home = await redeem({ session: away.body.session, client: clientOf(away.body.session) }, code);
  expect(home.body.identity.id).toBe(first.session.identity_id);
  const { body: device } = await studio.admin.get(`/v1/devices/${first.session.id}`);
  expect(device.linked_identity_id).toBeNull();
});

test('devices whose sessions a game server starts are not linked, and make no codes', async () => {
  const { session } = await start();
  const server = (await studio.admin.post(`/v1/identities/${session.identity_id}/sessions`, {})).body;
  const named = { session: server, client: clientOf(server) };
  expect(await faultOf(named, (await made(await start())).code)).toBe('INVALID_TRANSITION');
  // A link would outlast the sessions that the studio ends.
  expect((await write(named.client, '/v1/client/link-codes')).body.code).toBe('INVALID_TRANSITION');
});

test('a player has at most 20 linked devices', async () => {
  const owner = await start();
  const devices = await Promise.all(Array.from({ length: 21 }, () => start()));
  const ids = devices.slice(0, 20).map(({ session }) => uuidOf(session.id));
  await app.database
    .knex('devices')
    .whereIn('id', ids)
    .update({ linked_identity_id: uuidOf(owner.session.identity_id) });
  const { code } = await made(owner);
  expect(await faultOf(devices[20]!, code)).toBe('INVALID_TRANSITION');
  await studio.admin.post(`/v1/devices/${devices[0]!.session.id}/unlink`, {});
  expect((await redeem(devices[20]!, code)).status).toBe(200);
});

test('deleting a linked device or an erasure of either player takes nothing from the other', async () => {
  const board = await makeBoard(studio, game.id);
  const { owner, phone, guest } = await linked();
  await submit(playing(owner), board.id, 10);
  await change(studio.admin, 'Device', phone.session.id, { deleted: true });
  expect((await studio.admin.get(`/v1/identities/${owner.session.identity_id}`)).status).toBe(200);
  expect((await studio.admin.get(`/v1/identities/${guest.identity_id}`)).status).toBe(404);

  const second = await linked();
  await made(second.phone);
  const path = `/v1/identities/${second.owner.session.identity_id}`;
  expect(String((await studio.admin.get(`${path}/export`)).body)).toContain('"record":"link_code"');
  await studio.admin.post(`${path}/erase`, { scores: 'remove' });
  expect((await second.phone.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  expect((await again(second.phone)).session.identity_id).toBe(second.guest.identity_id);
  const { rows } = await app.database.pool.query(
    `select (select count(*) from link_codes where identity_id = $1)
      + (select count(*) from devices where linked_identity_id = $1) as n`,
    [uuidOf(second.owner.session.identity_id)],
  );
  expect(Number(rows[0].n)).toBe(0);
});

test('a linked device goes along with a merge of its player, and back with the undo, with its runs since', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'DESC' });
  const { owner, phone } = await linked();
  const target = await start();
  const [source, other] = [owner.session.identity_id, target.session.identity_id];
  await submit(playing(owner), board.id, 10);
  await submit(playing(phone), board.id, 20);
  const merge = await studio.admin.post('/v1/player-merges', { source_id: source, target_id: other });
  expect(merge.body.merge.status).toBe('applied');
  expect((await phone.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  const meanwhile = await again(phone);
  expect(meanwhile.session.identity_id).toBe(other);
  await submit(playing(meanwhile), board.id, 30);
  const ranked = async () =>
    (await studio.admin.get(`/v1/scores?account_id=${studio.accountId}&board_id=${board.id}`)).body.data.map(
      ({ identity_id, value }: Data) => [identity_id, value],
    );
  expect(await ranked()).toEqual([[other, 30]]);
  const undone = await studio.admin.patch(`/v1/player-merges/${merge.body.merge.id}`, { undone: true });
  expect(undone.body.status).toBe('undone');
  expect(await ranked()).toEqual([[source, 30]]);
  expect((await meanwhile.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  expect((await again(phone)).session.identity_id).toBe(source);
  // Of a merged player the other one unlinks the device, too.
  await studio.admin.post('/v1/player-merges', { source_id: source, target_id: other });
  const last = await again(phone);
  expect((await unlink(target, phone.session.id)).body.count).toBeGreaterThan(0);
  expect((await last.client.get('/v1/client/nonce')).body.code).toBe('INVALID_TOKEN');
  expect((await again(phone)).session.identity_id).not.toBe(other);
});
