import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import { makeGame, makeStudio, type Studio } from '../support/make.js';
import { mergingClients, settledMerges } from '../support/merging-clients.js';
import { makeLogin } from '../support/own-tokens.js';

// Accounts of merged players, and of players whose sessions begin at the same moment.

let app: TestApp;
let studio: Studio;
let clients: ReturnType<typeof mergingClients>;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio);
  await makeLogin(studio, game.id);
  clients = mergingClients(app, game.id);
});
afterAll(() => app.close());

const proofOf = (sub: string) => clients.proofOf(sub, { on_conflict: 'switch' });
const signIn = (sub: string) => clients.start({ proof: proofOf(sub) });
const remove = (player: string, more: Data = {}) =>
  studio.admin.post(`/v1/identities/${player}/proofs/remove`, { provider: 'login', ...more });
const proofsOf = async (session: Data) =>
  (await clients.clientOf(session).get('/v1/client/me')).body.proofs.map(({ subject }: Data) => subject);
/** A guest that has added an account. */
async function guestWith(sub: string): Promise<Data> {
  const session = await clients.start();
  expect((await clients.add(session, proofOf(sub))).body.identity.id).toBe(session.identity_id);
  return session;
}
async function merge(source: Data, target: Data): Promise<void> {
  const { status, body } = await studio.admin.post('/v1/player-merges', {
    ...{ source_id: source.identity_id, target_id: target.identity_id },
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  await settledMerges(studio, target.identity_id);
}

test('the account that made a merged player stays: it would find the player that this is merged into', async () => {
  const [made, target] = [await signIn('account of a merged one'), await clients.start()];
  await merge(made, target);
  const { status, body } = await remove(target.identity_id);
  expect([status, body.code]).toEqual([400, 'INVALID_TRANSITION']);
  expect(body.error ?? body.message).toContain(made.identity_id);
  expect(await proofsOf(target)).toEqual(['… one']);
  expect((await signIn('account of a merged one')).identity_id).toBe(target.identity_id);
});

test('of several accounts of a provider one is removed, by its name', async () => {
  const [source, target] = [await guestWith('account-1111'), await guestWith('account-2222')];
  await merge(source, target);
  expect((await proofsOf(target)).toSorted()).toEqual(['…1111', '…2222']);
  const refused = await remove(target.identity_id);
  expect([refused.status, refused.body.code]).toEqual([400, 'INVALID_TRANSITION']);
  expect((await remove(target.identity_id, { subject: '…3333' })).body.count).toBeNull();
  expect((await remove(target.identity_id, { subject: '…account-1111' })).body.code).toBe(
    'VALIDATION_FAILED',
  );
  expect((await remove(target.identity_id, { subject: '…1111' })).body.count).toBe(0);
  expect(await proofsOf(target)).toEqual(['…2222']);
  expect((await signIn('account-1111')).identity_id).not.toBe(target.identity_id);
  expect((await signIn('account-2222')).identity_id).toBe(target.identity_id);
});

test('a session that begins while an account is removed is not that player’s', async () => {
  const player = await guestWith('removed meanwhile');
  const theirs = await signIn('removed meanwhile');
  expect(theirs.identity_id).toBe(player.identity_id);
  const release = await holding(
    app,
    'select from device_sessions where identity_id = $1 for update',
    uuidOf(player.identity_id),
  );
  const removal = remove(player.identity_id);
  await waiting(app, 1);
  const starting = signIn('removed meanwhile');
  await waiting(app, 2);
  await release();
  expect((await removal).body.count).toBe(1);
  const started = await starting;
  expect(started.identity_id).not.toBe(player.identity_id);
  expect(await proofsOf(player)).toEqual([]);
});

test('a removal that waits for a session’s start ends that session', async () => {
  const player = await guestWith('removed after');
  const release = await holding(
    app,
    'select from identities where id = $1 for update',
    uuidOf(player.identity_id),
  );
  const starting = signIn('removed after');
  await waiting(app, 1);
  const removal = remove(player.identity_id);
  await waiting(app, 2);
  await release();
  const started = await starting;
  expect([started.identity_id, (await removal).body.count]).toEqual([player.identity_id, 1]);
  expect((await clients.clientOf(started).get('/v1/client/me')).body.code).toBe('INVALID_TOKEN');
});

test('a sign-in on a new device leaves what is known of other players’ sessions', async () => {
  const player = await guestWith('signs in often');
  const other = clients.clientOf(await clients.start());
  const query = jest.spyOn(app.database.pool, 'query');
  const reads = () =>
    query.mock.calls.filter(([sent]) => (sent as unknown as Data).name === 'session_states').length;
  expect((await other.get('/v1/client/me')).status).toBe(200);
  const before = reads();
  expect(before).toBeGreaterThan(0);
  expect((await signIn('signs in often')).identity_id).toBe(player.identity_id);
  expect((await other.get('/v1/client/me')).status).toBe(200);
  expect(reads()).toBe(before);
  query.mockRestore();
});
