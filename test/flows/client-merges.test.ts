import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import { EventStream } from '../support/events.js';
import type { Data } from '../support/http.js';
import { holding } from '../support/locks.js';
import { change, makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { mergingClients, settledMerges } from '../support/merging-clients.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { submit } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { expectSound } from '../support/standings.js';

// Players merge themselves: with onConflict MERGE a guest's runs go on with the player of a proof or code.

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let clients: ReturnType<typeof mergingClients>;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { playersMerge: true });
  board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  await makeLogin(studio, game.id);
  clients = mergingClients(app, game.id);
});
afterAll(() => app.close());

const mergesOf = (player: string) => settledMerges(studio, player);
async function valuesOf(player: string): Promise<number[]> {
  await mergesOf(player);
  const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}&identity_id=${player}`);
  return body.data.map(({ value }: Data) => value);
}

/** A guest with one run. */
async function guest(value: number): Promise<Data> {
  const session = await clients.start();
  await submit(clients.playing(session), board.id, value);
  return session;
}
/** A player with a proof, on a device of its own, and one run. */
async function proven(name: string, value: number): Promise<Data> {
  const session = await clients.start({ proof: clients.proofOf(name) });
  await submit(clients.playing(session), board.id, value);
  return session;
}

test('a guest that signs in brings its runs, and a moderator can undo it', async () => {
  const ann = await proven('ann', 70);
  const phone = await guest(40);
  const { status, body } = await clients.add(phone, clients.proofOf('ann'));
  expect([status, body.identity.id, body.session.identity_id]).toEqual([
    200,
    ann.identity_id,
    ann.identity_id,
  ]);
  expect(await valuesOf(ann.identity_id)).toEqual([70, 40]);
  const [merge] = await mergesOf(ann.identity_id);
  expect(merge).toMatchObject({
    ...{ source_id: phone.identity_id, target_id: ann.identity_id, status: 'applied' },
  });
  await submit(clients.playing(body.session), board.id, 55);
  expect(await valuesOf(ann.identity_id)).toEqual([70, 55, 40]);
  await studio.admin.patch(`/v1/player-merges/${merge.id}`, { undone: true });
  expect([await valuesOf(ann.identity_id), await valuesOf(phone.identity_id)]).toEqual([[70], [55, 40]]);
  // The device begins as the guest again.
  const next = await clients.start({ client_fingerprint: phone.client_fingerprint });
  expect(next.identity_id).toBe(phone.identity_id);
  await expectSound(app.database, board.id);
});

test('so does a start with a proof, and a code of another device', async () => {
  const ben = await proven('ben', 10);
  const phone = await guest(20);
  const again = await clients.start({
    client_fingerprint: phone.client_fingerprint,
    proof: clients.proofOf('ben'),
  });
  expect([again.identity_id, await valuesOf(ben.identity_id)]).toEqual([ben.identity_id, [20, 10]]);
  // The device is that player's from now on, so nothing is left to ask.
  expect((await clients.start({ client_fingerprint: phone.client_fingerprint })).identity_id).toBe(
    ben.identity_id,
  );

  const [owner, tablet] = [await guest(30), await guest(31)];
  const { status, body } = await clients.redeem(tablet, await clients.codeOf(owner));
  expect([status, body.session.identity_id]).toEqual([200, owner.identity_id]);
  expect(await valuesOf(owner.identity_id)).toEqual([31, 30]);
  const { device } = await studio.admin.data(
    'query ($id: ID!) { device(id: $id) { identityId linkedIdentityId } }',
    {
      id: tablet.id,
    },
  );
  expect(device).toEqual({ identityId: owner.identity_id, linkedIdentityId: null });
});

test('only where the game lets its players, and only with a fresh proof of both', async () => {
  const cleo = await proven('cleo', 1);
  await change(studio.admin, 'Game', game.id, { playersMerge: false });
  const phone = await guest(2);
  expect((await clients.add(phone, clients.proofOf('cleo'))).body.code).toBe('INVALID_TRANSITION');
  await change(studio.admin, 'Game', game.id, { playersMerge: true });
  // The session was started too long ago: whoever has its tokens need not have the device.
  app.clock.advance(11 * MINUTE);
  expect((await clients.add(phone, clients.proofOf('cleo'))).body.code).toBe('PROOF_REQUIRED');
  const again = await clients.start({ client_fingerprint: phone.client_fingerprint });
  expect((await clients.add(again, clients.proofOf('cleo'))).status).toBe(200);
  expect(await valuesOf(cleo.identity_id)).toEqual([2, 1]);
});

test('a player with an account proves that one, not only its device', async () => {
  await proven('dora', 1);
  const emil = await guest(5);
  expect((await clients.add(emil, clients.proofOf('emil'))).body.identity.id).toBe(emil.identity_id);
  app.clock.advance(11 * MINUTE);
  const again = await clients.start({ client_fingerprint: emil.client_fingerprint });
  expect(again.identity_id).toBe(emil.identity_id);
  expect((await clients.add(again, clients.proofOf('dora'))).body.code).toBe('PROOF_REQUIRED');
  // Another device's proof of it is none of this session's.
  await clients.start({ proof: clients.proofOf('emil', { on_conflict: 'switch' }) });
  expect((await clients.add(again, clients.proofOf('dora'))).body.code).toBe('PROOF_REQUIRED');
  expect((await clients.add(again, clients.proofOf('emil'))).status).toBe(200);
  expect((await clients.add(again, clients.proofOf('dora'))).status).toBe(200);
  expect(await mergesOf(emil.identity_id)).toHaveLength(1);
});

test('a linked device gives its player away to nobody', async () => {
  const [owner, friend, thief] = [await guest(6), await clients.start(), await proven('thief', 1)];
  const { body } = await clients.redeem(friend, await clients.codeOf(owner));
  expect(body.session.identity_id).toBe(owner.identity_id);
  expect((await clients.add(body.session, clients.proofOf('thief'))).body.code).toBe('PROOF_REQUIRED');
  const again = await clients.start({
    ...{ client_fingerprint: friend.client_fingerprint, proof: clients.proofOf('thief') },
  });
  expect([again.identity_id, again.merge_refused]).toEqual([thief.identity_id, 'PROOF_REQUIRED']);
  expect((await clients.redeem(body.session, await clients.codeOf(thief))).body.code).toBe('PROOF_REQUIRED');
  expect([await valuesOf(owner.identity_id), await mergesOf(owner.identity_id)]).toEqual([[6], []]);
});

test('a player merges once a day, as source or target', async () => {
  const finn = await proven('finn', 1);
  const [one, two, three] = [await guest(2), await guest(3), await guest(4)];
  expect((await clients.add(one, clients.proofOf('finn'))).status).toBe(200);
  const later = await clients.add(two, clients.proofOf('finn'));
  expect([later.status, later.body.code]).toEqual([429, 'RATE_LIMITED']);
  // The proof was not used up: another answer to the conflict takes it.
  const token = ownToken('finn', app.clock.now());
  expect((await clients.add(two, { ...clients.proofOf('finn'), token })).body.code).toBe('RATE_LIMITED');
  expect((await clients.add(two, { ...clients.proofOf('finn'), token, on_conflict: 'switch' })).status).toBe(
    200,
  );
  app.clock.advance(DAY);
  const again = await clients.start({
    client_fingerprint: three.client_fingerprint,
    proof: clients.proofOf('finn'),
  });
  expect([again.identity_id, await valuesOf(finn.identity_id)]).toEqual([finn.identity_id, [4, 2, 1]]);
});

test('what keeps a start from merging doesn’t keep anybody out', async () => {
  const hanna = await proven('hanna', 1);
  const [one, two] = [await guest(2), await guest(3)];
  expect((await clients.add(one, clients.proofOf('hanna'))).status).toBe(200);
  await mergesOf(hanna.identity_id);
  const proof = clients.proofOf('hanna');
  const next = await clients.start({ client_fingerprint: two.client_fingerprint, proof });
  expect([next.identity_id, next.merge_refused]).toEqual([hanna.identity_id, 'RATE_LIMITED']);
  await change(studio.admin, 'Game', game.id, { playersMerge: false });
  const again = await clients.start({
    ...{ client_fingerprint: two.client_fingerprint, proof: clients.proofOf('hanna') },
  });
  expect([again.identity_id, again.merge_refused]).toEqual([hanna.identity_id, 'INVALID_TRANSITION']);
  await change(studio.admin, 'Game', game.id, { playersMerge: true });
  expect((await valuesOf(hanna.identity_id)).toSorted()).toEqual([1, 2]);
  expect(await valuesOf(two.identity_id)).toEqual([3]);
  expect((await clients.start({ proof: clients.proofOf('hanna') })).merge_refused).toBeNull();
});

test('a merge brings no ban along', async () => {
  const [victim, cheat, second] = [await guest(1), await guest(2), await clients.start()];
  const { body } = await clients.redeem(second, await clients.codeOf(cheat));
  expect(body.session.identity_id).toBe(cheat.identity_id);
  await change(studio.admin, 'Device', second.id, { status: 'BANNED' });
  const refused = await clients.redeem(cheat, await clients.codeOf(victim));
  expect([refused.status, refused.body.code]).toEqual([403, 'DEVICE_BLOCKED']);
  const started = await clients.start({
    ...{ client_fingerprint: cheat.client_fingerprint, proof: clients.proofOf('victim') },
  });
  expect([started.merge_refused, await mergesOf(cheat.identity_id)]).toEqual(['DEVICE_BLOCKED', []]);
  expect((await clients.redeem(await clients.start(), await clients.codeOf(victim))).status).toBe(200);
});

test('the tokens of a merge don’t wait for boards', async () => {
  const iris = await proven('iris', 1);
  const phone = await guest(2);
  const release = await holding(
    app,
    'select from board_rankings where board_id = $1 for update',
    uuidOf(board.id),
  );
  // A request waits eight seconds for its work.
  const begun = performance.now();
  const { status, body } = await clients.add(phone, clients.proofOf('iris'));
  expect(performance.now() - begun).toBeLessThan(7_000);
  expect([status, body.session.identity_id]).toEqual([200, iris.identity_id]);
  const { rows } = await app.database.pool.query('select status from player_merges where target_id = $1', [
    uuidOf(iris.identity_id),
  ]);
  expect(rows).toEqual([{ status: 'applying' }]);
  await release();
  expect(await valuesOf(iris.identity_id)).toEqual([2, 1]);
});

test('of several at the same time one merges, and nothing is half done', async () => {
  const gil = await proven('gil', 1);
  const guests = await Promise.all([2, 3, 4, 5].map((value) => guest(value)));
  const answers = await Promise.all(guests.map((session) => clients.add(session, clients.proofOf('gil'))));
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 429, 429, 429]);
  expect((await valuesOf(gil.identity_id)).length).toBe(2);
  // Both ways at the same time: no cycle, no deadlock.
  const [a, b] = [await guest(8), await guest(9)];
  const [codeA, codeB] = [await clients.codeOf(a), await clients.codeOf(b)];
  const both = await Promise.all([clients.redeem(a, codeB), clients.redeem(b, codeA)]);
  expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(both.every(({ status }) => status < 500)).toBe(true);
  const { body: won } = both.find(({ status }) => status === 200)!;
  expect(await valuesOf(won.identity.id)).toEqual([9, 8]);
});

test('all devices hear of links, merges and undos', async () => {
  const owner = await guest(1);
  const socket = await TestSocket.connect(app.url, clients.clientOf(owner).headers);
  const query =
    'subscription { playerChanged { identity { id } devices { deviceId isLinked } proofs { provider } mergedPlayerIds } }';
  socket.send({ type: 'subscribe', id: 'player', payload: { query } });
  const heard = async () => (await socket.nextMessage()).payload!.data.playerChanged;
  const own = { deviceId: owner.id, isLinked: false };
  const identity = { id: owner.identity_id };
  expect(await heard()).toEqual({ identity, devices: [own], proofs: [], mergedPlayerIds: [] });

  const phone = await clients.start();
  const stream = await EventStream.open(`${app.url}/v1/client/me/live`, clients.clientOf(phone).headers);
  expect(await stream.next()).toMatchObject({ event: 'player', data: { identity_id: phone.identity_id } });
  const { body } = await clients.redeem(phone, await clients.codeOf(owner));
  expect(await heard()).toMatchObject({
    devices: expect.arrayContaining([own, { deviceId: phone.id, isLinked: true }]),
  });
  // The session goes on as another player: its stream ends, and the tokens that came say as whom.
  expect(await stream.next()).toMatchObject({ event: 'error', data: { code: 'INVALID_TOKEN' } });
  expect(body.session.identity_id).toBe(owner.identity_id);
  await clients.write(clients.clientOf(owner), `/v1/client/devices/${phone.id}/unlink`);
  expect(await heard()).toMatchObject({ devices: [own] });

  const tablet = await guest(2);
  const other = await clients.start({ client_fingerprint: tablet.client_fingerprint });
  const left = await EventStream.open(`${app.url}/v1/client/me/live`, clients.clientOf(other).headers);
  expect(await left.next()).toMatchObject({
    data: { identity_id: tablet.identity_id, merged_player_ids: [] },
  });
  expect((await clients.redeem(tablet, await clients.codeOf(owner))).status).toBe(200);
  let state = await heard();
  while (state.mergedPlayerIds.length === 0) state = await heard();
  expect(state).toMatchObject({ identity, mergedPlayerIds: [tablet.identity_id] });
  expect(state.devices).toHaveLength(2);
  // Another session of the merged player: it refreshes, and hears who it is.
  expect(await left.next()).toMatchObject({ event: 'error', data: { code: 'INVALID_TOKEN' } });
  const { body: next } = await clients.refresh(other);
  expect(next.identity_id).toBe(owner.identity_id);
  const [merge] = await mergesOf(owner.identity_id);
  await studio.admin.patch(`/v1/player-merges/${merge.id}`, { undone: true });
  while (state.mergedPlayerIds.length > 0) state = await heard();
  expect(state.devices).toEqual([own]);
  expect((await clients.refresh(next)).body.identity_id).toBe(tablet.identity_id);
  await Promise.all([socket, stream, left].map((one) => one.close()));
});

test('a client finds its player after merges in chains by the ids that it has kept, also without a refresh token', async () => {
  const [first, second, third] = [await guest(1), await guest(2), await guest(3)];
  expect((await clients.redeem(first, await clients.codeOf(second))).status).toBe(200);
  await mergesOf(second.identity_id);
  app.clock.advance(25 * 60 * MINUTE);
  const started = ({ client_fingerprint }: Data) => clients.start({ client_fingerprint });
  const [fresh, last] = [await started(second), await started(third)];
  expect((await clients.redeem(fresh, await clients.codeOf(last))).status).toBe(200);
  const merges = await mergesOf(third.identity_id);
  const merged = [first.identity_id, second.identity_id].sort();

  // Its merge gave it new tokens, which it lost: those from before are void, so the game begins again on the same device.
  expect((await clients.refresh(first)).body.code).toBe('INVALID_REFRESH_TOKEN');
  const again = await started(first);
  const me = async (session: Data) => (await clients.clientOf(session).get('/v1/client/me')).body;
  expect(await me(again)).toMatchObject({ identity_id: third.identity_id, merged_player_ids: merged });
  const data = await clients.clientOf(again).data('{ me { identityId mergedPlayerIds } }');
  expect(data.me).toEqual({ identityId: third.identity_id, mergedPlayerIds: merged });
  expect((await studio.admin.data('{ me { mergedPlayerIds } }')).me).toEqual({ mergedPlayerIds: null });

  const chained = merges.find(({ source_id: source }: Data) => source === second.identity_id)!;
  await studio.admin.patch(`/v1/player-merges/${chained.id}`, { undone: true });
  await mergesOf(third.identity_id);
  expect((await me(last)).merged_player_ids).toEqual([]);
  expect(await me(await started(first))).toMatchObject({
    ...{ identity_id: second.identity_id, merged_player_ids: [first.identity_id] },
  });
});
