import type { Knex } from 'knex';
import pg from 'pg';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { MergeWorker } from '../../src/rankings/upkeep/merges.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import { holding, waiting } from '../support/locks.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  unique,
} from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { submit, takeNonce } from '../support/play.js';

// Sessions, proofs and links beside merges, erasures and each other.

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id, { keepStrategy: 'ALL' });
  await makeLogin(studio, game.id);
});
afterAll(() => app.close());

const clientOf = ({ access_token }: Data) => app.anyone.with({ authorization: `Bearer ${access_token}` });
const proofOf = (sub: string) => ({ provider: 'login', token: ownToken(sub, app.clock.now()) });
async function start(input: Data = {}): Promise<Data> {
  const { status, body } = await app.anyone.post('/v1/client/sessions', {
    ...{ game_id: game.id, client_fingerprint: `device ${unique()}`, ...input },
  });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}
const again = (session: Data, input: Data = {}) =>
  start({ client_fingerprint: session.client_fingerprint, ...input });
const playing = (session: Data): Player => ({
  client: clientOf(session),
  session: { identityId: session.identity_id, id: session.id } as Player['session'],
});
const write = async (client: Caller, path: string, body: Data = {}) =>
  client.with({ 'service-client-nonce': await takeNonce(client) }).post(path, body);
const merge = async (source: string, target: string): Promise<Data> =>
  (await studio.admin.post('/v1/player-merges', { source_id: source, target_id: target })).body.merge;
const undo = (id: string) => studio.admin.patch(`/v1/player-merges/${id}`, { undone: true });
const valuesOf = async (player: string) =>
  (await studio.admin.get(`/v1/scores?board_id=${board.id}&identity_id=${player}`)).body.data.map(
    ({ value }: Data) => value,
  );
const deviceRow = ({ id }: Data) => app.database.knex('devices').where('id', uuidOf(id)).first();

/** Sends a request while a transaction holds what it needs, and ends the transaction once the request waits for it. */
async function beside<T>(
  hold: (trx: Knex.Transaction) => Promise<void>,
  request: () => Promise<T>,
): Promise<T> {
  const trx = await app.database.knex.transaction();
  try {
    await hold(trx);
    let isOver = false;
    const answer = request().finally(() => {
      isOver = true;
    });
    answer.catch(() => undefined);
    await waiting(app, 1, () => isOver);
    await trx.commit();
    return await answer;
  } finally {
    if (!trx.isCompleted()) await trx.rollback();
  }
}

test('a start with a proof beside an erasure of its player is another player’s', async () => {
  const ann = await start({ proof: proofOf('ann') });
  const other = await start();
  const next = await beside(
    (trx) => trx.raw('select erase_player(?, ?)', [uuidOf(ann.identity_id), new Date(app.clock.now())]),
    () => again(other, { proof: proofOf('ann') }),
  );
  expect(next.identity_id).not.toBe(ann.identity_id);
  expect(await app.database.knex('device_sessions').where('identity_id', uuidOf(ann.identity_id))).toEqual(
    [],
  );
});

test('the proof of a merged player whose target was deleted makes a new player', async () => {
  const [ben, target] = [await start({ proof: proofOf('ben') }), await start()];
  await merge(ben.identity_id, target.identity_id);
  expect((await start({ proof: proofOf('ben') })).identity_id).toBe(target.identity_id);
  await change(studio.admin, 'Identity', target.identity_id, { deleted: true });
  const next = await start({ proof: proofOf('ben') });
  expect([ben.identity_id, target.identity_id]).not.toContain(next.identity_id);
  expect((await clientOf(next).get('/v1/client/me')).body.proofs).toHaveLength(1);
  expect((await start({ proof: proofOf('ben') })).identity_id).toBe(next.identity_id);
  const { proven_at } = await app.database.knex('identities').where('id', uuidOf(target.identity_id)).first();
  expect(proven_at).toBeNull();
});

test('an undo returns runs of a device that was linked to somebody else since', async () => {
  const [source, target, other] = [await start(), await start(), await start()];
  await submit(playing(source), board.id, 10);
  const { id } = await merge(source.identity_id, target.identity_id);
  const merged = await again(source);
  await submit(playing(merged), board.id, 20);
  const { body } = await write(clientOf(other), '/v1/client/link-codes');
  const { body: linked } = await write(clientOf(merged), '/v1/client/link-codes/redeem', { code: body.code });
  await submit(playing(linked.session), board.id, 30);
  await undo(id);
  expect([await valuesOf(source.identity_id), await valuesOf(other.identity_id)]).toEqual([[20, 10], [30]]);
});

test('an undo returns what a linked device played until it was unlinked', async () => {
  const [source, target, device] = [await start(), await start(), await start()];
  const { body } = await write(clientOf(source), '/v1/client/link-codes');
  const redeemed = await write(clientOf(device), '/v1/client/link-codes/redeem', { code: body.code });
  await submit(playing(redeemed.body.session), board.id, 10);
  const { id } = await merge(source.identity_id, target.identity_id);
  app.clock.advance(1_000);
  const linked = await again(device);
  expect(linked.identity_id).toBe(target.identity_id);
  await submit(playing(linked), board.id, 20);
  app.clock.advance(1_000);
  expect((await write(clientOf(linked), `/v1/client/devices/${device.id}/unlink`)).status).toBe(200);
  // Its own player is merged, too: what it played as linked is not that one's.
  const own = await again(device);
  const other = await merge(own.identity_id, target.identity_id);
  await submit(playing(await again(device)), board.id, 30);
  expect(await valuesOf(target.identity_id)).toEqual([30, 20, 10]);
  await undo(id);
  expect([await valuesOf(source.identity_id), await valuesOf(target.identity_id)]).toEqual([[20, 10], [30]]);
  await undo(other.id);
  expect([await valuesOf(device.identity_id), await valuesOf(target.identity_id)]).toEqual([[30], []]);
});

test('a game server starts no session on a new device while one that proved the player is banned', async () => {
  const emil = await start({ proof: proofOf('emil') });
  const path = `/v1/identities/${emil.identity_id}/sessions`;
  expect((await studio.admin.post(path, {})).status).toBe(201);
  await change(studio.admin, 'Device', emil.id, { status: 'BANNED' });
  expect((await studio.admin.post(path, {})).body.code).toBe('DEVICE_BLOCKED');
  // Nobody else's is.
  const other = await start({ proof: proofOf('other') });
  expect((await studio.admin.post(`/v1/identities/${other.identity_id}/sessions`, {})).status).toBe(201);
});

test('a new device of a merged key that starts with a proof returns with its player', async () => {
  const key = `known ${unique()}`;
  const { body: source } = await studio.admin.post('/v1/identities', {
    ...{ game_id: game.id, kind: 'device', external_key: key },
  });
  const target = await start();
  const { id } = await merge(source.id, target.identity_id);
  const device = await start({ client_fingerprint: key, proof: proofOf('dora') });
  expect(await deviceRow(device)).toMatchObject({
    ...{ identity_id: uuidOf(target.identity_id), merged_from: uuidOf(source.id) },
  });
  await undo(id);
  expect((await start({ client_fingerprint: key })).identity_id).toBe(source.id);
});

describe('beside the first step of a merge', () => {
  async function beginIn(trx: Knex.Transaction, source: string, target: string): Promise<string> {
    const { account_id, game_id } = await trx('identities').where('id', uuidOf(source)).first();
    const at = new Date(app.clock.now());
    await trx.raw('select from devices where identity_id = ? order by id for update', [uuidOf(source)]);
    const [{ id }] = await trx('player_merges')
      .insert({
        ...{ id: uuid7(app.clock.now()), account_id, game_id, status: 'applying', leased_until: at },
        ...{ source_id: uuidOf(source), target_id: uuidOf(target), created_at: at, updated_at: at },
      })
      .returning('id');
    await trx.raw('select begin_merge(?, ?)', [id, at]);
    return id;
  }

  test.each([
    ['a start', {}],
    ['a start with a proof', { proof: true }],
  ])('%s leaves the device with the target', async (_, { proof }: { proof?: boolean }) => {
    const [source, target] = [await start(), await start()];
    const next = await beside(
      async (trx) => void (await beginIn(trx, source.identity_id, target.identity_id)),
      () => again(source, proof ? { proof: proofOf(`guard ${unique()}`) } : {}),
    );
    if (!proof) expect(next.identity_id).toBe(target.identity_id);
    expect(await deviceRow(source)).toMatchObject({
      ...{ identity_id: uuidOf(target.identity_id), merged_from: uuidOf(source.identity_id) },
    });
  });

  test('answers of runs that were being committed are the target’s, too', async () => {
    const [source, target] = [await start(), await start()];
    await submit(playing(source), board.id, 5);
    await app.database.knex.transaction((trx) => beginIn(trx, source.identity_id, target.identity_id));
    const row = {
      key: 'late',
      body_hash: Buffer.alloc(32),
      answer: '{}',
      created_at: new Date(app.clock.now()),
    };
    await app.database.knex('idempotency_keys').insert({ scope: uuidOf(source.identity_id), ...row });
    const worker = new MergeWorker(
      app.database,
      () => app.clock.now(),
      makeLog('silent'),
      () => undefined,
    );
    await worker.followDue();
    await worker.close();
    const copied = await app.database.knex('idempotency_keys').where('scope', uuidOf(target.identity_id));
    expect(copied.map(({ key }) => key)).toContain('late');
  });
});

test('a refresh locks its device before its session, as whatever ends sessions of a device', async () => {
  const session = await start();
  const release = await holding(app, 'select from devices where id = $1 for update', uuidOf(session.id));
  const refreshed = app.anyone.post('/v1/client/sessions/refresh', { refresh_token: session.refresh_token });
  try {
    await waiting(app, 1);
    await app.database.knex.raw('select from device_sessions where device_id = ? for update nowait', [
      uuidOf(session.id),
    ]);
  } finally {
    await release();
  }
  expect((await refreshed).status).toBe(200);
});

test('the first merge waits until no process of an older release runs, and then none starts', async () => {
  const oldest = () => app.database.knex('migration_checksums').where('name', 'oldest-known').first();
  await app.database
    .knex('migration_checksums')
    .where('name', 'oldest-known')
    .update({ checksum: '060_x.sql' });
  const old = new pg.Client({
    connectionString: app.database.connectionString,
    application_name: 'leaderboard changes',
  });
  await old.connect();
  const [source, target] = [await start(), await start()];
  const send = () =>
    studio.admin.post('/v1/player-merges', { source_id: source.identity_id, target_id: target.identity_id });
  try {
    expect((await send()).body.code).toBe('CONFLICT');
    expect((await oldest()).checksum).toBe('060_x.sql');
  } finally {
    await old.end();
  }
  expect((await send()).body.merge.status).toBe('applied');
  expect((await oldest()).checksum).toBe('124_merges.sql');
});
