import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change, makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { mergingClients, settledMerges } from '../support/merging-clients.js';
import { makeLogin } from '../support/own-tokens.js';
import { submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';

// Whoever has a lent device, or an old session, merges its player away to nobody; and its player takes the device back.

let app: TestApp;
let studio: Studio;
let board: Data;
let clients: ReturnType<typeof mergingClients>;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio, { playersMerge: true });
  board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  await makeLogin(studio, game.id);
  await makeLogin(studio, game.id, 'other');
  clients = mergingClients(app, game.id);
});
afterAll(() => app.close());

const mergesOf = (player: string) => settledMerges(studio, player);
async function valuesOf(player: string): Promise<number[]> {
  await mergesOf(player);
  const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}&identity_id=${player}`);
  return body.data.map(({ value }: Data) => value);
}
const again = ({ client_fingerprint }: Data, more: Data = {}) =>
  clients.start({ client_fingerprint, ...more });
async function play(session: Data, value: number): Promise<Data> {
  await submit(clients.playing(session), board.id, value);
  return session;
}
const guest = async (value: number) => play(await clients.start(), value);
/** A proof for a merge is refused. */
async function expectRefused(session: Data, proof: Data): Promise<void> {
  const { status, body } = await clients.add(session, proof);
  expect([status, body.code]).toEqual([403, 'PROOF_REQUIRED']);
}
const unlink = (session: Data, id: string) =>
  clients.write(clients.clientOf(session), `/v1/client/devices/${id}/unlink`);

/** A player without an account, and a device whose guest, with a run, a code has merged into it a day ago. */
async function lentByMerge(account?: string): Promise<{ owner: Data; friend: Data; merged: Data }> {
  const owner = await guest(6);
  const friend = await guest(1);
  if (account) expect((await clients.add(friend, clients.proofOf(account))).status).toBe(200);
  const { status, body } = await clients.redeem(friend, await clients.codeOf(owner));
  expect([status, body.identity.id]).toEqual([200, owner.identity_id]);
  await mergesOf(owner.identity_id);
  app.clock.advance(DAY + MINUTE);
  return { owner, friend, merged: await again(friend) };
}

test('a device that merged by a code gives its player away to nobody', async () => {
  const thief = await play(await clients.start({ proof: clients.proofOf('thief') }), 9);
  const { owner, friend, merged } = await lentByMerge();
  expect(merged.identity_id).toBe(owner.identity_id);
  await expectRefused(merged, clients.proofOf('thief'));
  const { identity_id, merge_refused } = await again(friend, { proof: clients.proofOf('thief') });
  expect([identity_id, merge_refused]).toEqual([thief.identity_id, 'PROOF_REQUIRED']);
  // Its own device does.
  const own = await again(owner);
  expect((await clients.add(own, clients.proofOf('thief'))).status).toBe(200);
  expect(await mergesOf(owner.identity_id)).toHaveLength(2);
});

test('nor do accounts that it adds, or that its own player has brought', async () => {
  await play(await clients.start({ proof: clients.proofOf('robber') }), 9);
  const { owner, merged } = await lentByMerge('mine');
  const ofPlayer = { provider: 'login', on_conflict: 'switch' };
  expect((await clients.add(merged, clients.proofOf('mine', ofPlayer))).body.identity.id).toBe(
    owner.identity_id,
  );
  await expectRefused(merged, clients.proofOf('robber'));
  for (const tries of [1, 2]) {
    const { status, body } = await clients.add(merged, clients.proofOf('added', { provider: 'other' }));
    expect([tries, status, body.identity.id]).toEqual([tries, 200, owner.identity_id]);
    await expectRefused(merged, clients.proofOf('robber'));
  }
  // Nor does a device of its own that this account has opened.
  const opened = await clients.start({ proof: clients.proofOf('added', { provider: 'other' }) });
  expect(opened.identity_id).toBe(owner.identity_id);
  await expectRefused(opened, clients.proofOf('robber'));
  expect(await mergesOf(owner.identity_id)).toHaveLength(1);
});

test('a fresh proof is that of the session, not of another device or session', async () => {
  await play(await clients.start({ proof: clients.proofOf('pirate') }), 9);
  const vera = await guest(5);
  expect((await clients.add(vera, clients.proofOf('vera'))).status).toBe(200);
  const lent = await clients.start();
  const { body } = await clients.redeem(lent, await clients.codeOf(vera));
  expect(body.session.identity_id).toBe(vera.identity_id);
  app.clock.advance(11 * MINUTE);
  const [old, signedIn] = [await again(vera), await again(vera)];
  await clients.start({ proof: clients.proofOf('vera') });
  expect((await clients.add(signedIn, clients.proofOf('vera'))).status).toBe(200);
  const linked = await again(lent);
  expect(linked.identity_id).toBe(vera.identity_id);
  await expectRefused(linked, clients.proofOf('pirate'));
  await expectRefused(old, clients.proofOf('pirate'));
  // A code instead of the account ends what the session has proven.
  expect(await mergesOf(vera.identity_id)).toEqual([]);
  expect((await clients.add(signedIn, clients.proofOf('pirate'))).status).toBe(200);
});

test('a player takes back a device that merged, and an undo gives the device back', async () => {
  const { owner, friend, merged } = await lentByMerge();
  await play(merged, 4);
  const own = await again(owner);
  const devices = async () => (await clients.clientOf(own).get('/v1/client/me')).body.devices;
  expect(new Map((await devices()).map(({ device_id, is_linked }: Data) => [device_id, is_linked]))).toEqual(
    new Map([
      [owner.id, false],
      [friend.id, true],
    ]),
  );
  // The device itself removes nobody else's: the one that the player began on stays.
  expect((await unlink(merged, owner.id)).body).toEqual({ count: 0 });
  const { status, body } = await unlink(own, friend.id);
  expect([status, body.count]).toEqual([200, 2]);
  expect((await clients.clientOf(merged).get('/v1/client/me')).body.code).toBe('INVALID_TOKEN');
  expect((await clients.refresh(merged)).status).toBe(401);
  expect((await devices()).map(({ device_id }: Data) => device_id)).toEqual([owner.id]);
  expect((await unlink(own, friend.id)).status).toBe(404);

  const fresh = await play(await again(friend), 3);
  expect([owner.identity_id, friend.identity_id]).not.toContain(fresh.identity_id);
  expect(await valuesOf(owner.identity_id)).toEqual([6, 4, 1]);
  // Not by its fingerprint either, once its new player is gone.
  await change(studio.admin, 'Identity', fresh.identity_id, { deleted: true });
  expect((await again(friend)).identity_id).not.toBe(owner.identity_id);
  await change(studio.admin, 'Identity', (await again(friend)).identity_id, { deleted: true });

  const [merge] = await mergesOf(owner.identity_id);
  await studio.admin.patch(`/v1/player-merges/${merge.id}`, { undone: true });
  expect((await again(friend)).identity_id).toBe(friend.identity_id);
  expect([await valuesOf(owner.identity_id), await valuesOf(friend.identity_id)]).toEqual([[6], [4, 1]]);
  await expectSound(app.database, board.id);
});

test('an administrator takes it back, too', async () => {
  const { owner, friend } = await lentByMerge();
  const { status, body } = await studio.admin.post(`/v1/devices/${friend.id}/unlink`, {});
  expect([status, body.count]).toEqual([200, 2]);
  const fresh = await again(friend);
  expect(fresh.identity_id).not.toBe(owner.identity_id);
  // Nor does a former text lead to the player, after a reset.
  const reset = await studio.admin.post(`/v1/devices/${friend.id}/reset`, {
    client_fingerprint: 'a new text',
  });
  expect(reset.status).toBe(200);
  expect((await clients.start({ client_fingerprint: 'a new text' })).identity_id).toBe(fresh.identity_id);
  expect((await again(friend)).identity_id).not.toBe(owner.identity_id);
});
