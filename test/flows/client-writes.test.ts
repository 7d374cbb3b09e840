import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Kind, parse } from 'graphql';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { contractSchema } from '../../src/contract.js';
import { grantsOf } from '../../src/graphql/rights.js';
import { hashLinkCode } from '../../src/players/links/code.js';
import { routes } from '../../src/rest/routes/routes.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { submitFault, tagsOf, takeNonce } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let board: Data;
let reward: string;
let ann: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  await makeLogin(studio, game.id);
  ann = await startSession(app, game.id);
  const dimensions = [{ name: 'guild', source: 'PLAYER', values: ['Ravens', 'Wolves'] }];
  board = await makeBoard(studio, game.id, { keepStrategy: 'ALL', dimensions });
  reward = `rwd_${uuid7()}`;
  await app.database.knex.raw(
    `insert into rewards (board_id, id, account_id, game_id, closing_id, line, identity_id, is_test, rank, status, created_at, updated_at)
     select id, ?, account_id, game_id, id, 'gold', ?, false, 1, 'open', now(), now() from boards where id = ?`,
    [uuidOf(reward), uuidOf(ann.session.identityId), uuidOf(board.id)],
  );
});
afterAll(() => app.close());

const OWN_TAGS = '{ me { identity { tags { name value } } } }';
const RAVENS = tagsOf({ guild: 'Ravens' });
const SET = 'mutation ($input: SetIdentityTagsInput!) { setIdentityTags(input: $input) { identity { id } } }';

const LINK_CODE = 'ABCDEFGH';

/** A code that works, of the player itself, whose device is linked to nobody that is there. */
async function renewLinkCode(): Promise<void> {
  const { knex } = app.database;
  const { gameId, deviceId, identityId } = ann.session;
  const code_hash = hashLinkCode(SETTINGS.keySecret, gameId, LINK_CODE);
  await knex('link_codes').del();
  await knex.raw(
    `insert into link_codes (code_hash, account_id, identity_id, device_id, session_id, expires_at)
     select ?, account_id, identity_id, device_id, id, ? from device_sessions where identity_id = ?`,
    [code_hash, new Date(app.clock.now() + 1_000), uuidOf(identityId)],
  );
  await knex('devices')
    .where('id', uuidOf(deviceId))
    .update({ linked_identity_id: uuidOf(`ide_${uuid7()}`) });
}

/** The writes of game clients over GraphQL: their operation, and the input with this nonce. */
const MUTATIONS: Record<string, { operation: string; input(nonce: string | undefined): Data }> = {
  submitScore: {
    operation: 'mutation ($input: SubmitScoreInput!) { submitScore(input: $input) { submission { kept } } }',
    input: (nonce) => ({ boardId: board.id, playerName: 'Ann', value: 1, nonce }),
  },
  submitScores: {
    operation: `mutation ($input: SubmitScoresInput!) {
      submitScores(input: $input) { results { ... on RefusedSubmission { code } } } }`,
    input: (nonce) => ({ items: [{ boardId: board.id, playerName: 'Ann', value: 1, nonce }] }),
  },
  setIdentityTags: { operation: SET, input: (nonce) => ({ tags: RAVENS, nonce }) },
  addPlayerProof: {
    operation:
      'mutation ($input: AddPlayerProofInput!) { addPlayerProof(input: $input) { identity { id } } }',
    input: (nonce) => ({ provider: 'login', token: ownToken('ann', app.clock.now()), nonce }),
  },
  createLinkCode: {
    operation: 'mutation ($input: CreateLinkCodeInput!) { createLinkCode(input: $input) { code } }',
    input: (nonce) => ({ nonce }),
  },
  redeemLinkCode: {
    operation:
      'mutation ($input: RedeemLinkCodeInput!) { redeemLinkCode(input: $input) { identity { id } } }',
    input: (nonce) => ({ code: LINK_CODE, nonce }),
  },
  unlinkDevice: {
    operation: 'mutation ($input: UnlinkDeviceInput!) { unlinkDevice(input: $input) { count } }',
    input: (nonce) => ({ id: ann.session.deviceId, nonce }),
  },
  claimReward: {
    operation: 'mutation ($input: ClaimRewardInput!) { claimReward(input: $input) { reward { id } } }',
    input: (nonce) => ({ id: reward, nonce }),
  },
};

/** Their bodies over REST; the nonce is a header, in a batch a member of each item. */
const BODIES: Record<string, (nonce: string | undefined) => Data> = {
  'POST /v1/client/scores': () => ({ board_id: board.id, player_name: 'Ann', value: 1 }),
  'POST /v1/client/scores/batch': (nonce) => ({
    items: [{ board_id: board.id, player_name: 'Ann', value: 1, nonce }],
  }),
  'POST /v1/client/rewards/{reward_id}/claim': () => ({}),
  'PATCH /v1/client/tags': () => ({ tags: { guild: 'Ravens' } }),
  'POST /v1/client/link-codes': () => ({}),
  'POST /v1/client/link-codes/redeem': () => ({ code: LINK_CODE }),
  'POST /v1/client/devices/{device_id}/unlink': () => ({}),
  'POST /v1/client/proofs': () => ({ provider: 'login', token: ownToken('ann', app.clock.now()) }),
};

const NONCES = [
  ['none', 'NONCE_REQUIRED'],
  ['fresh', undefined],
  ['the same', 'NONCE_USED'],
] as const;

test('every mutation of game clients in the schema takes a nonce, once, as input or as header', async () => {
  const fields = Object.values((await contractSchema()).schema.getMutationType()!.getFields());
  const ofClients = fields.filter(
    ({ name, extensions }) =>
      !['issueNonces', 'issueTickets'].includes(name) && grantsOf(extensions)!.includes('client'),
  );
  expect(ofClients.map(({ name }) => name).sort()).toEqual(Object.keys(MUTATIONS).sort());
  for (const [name, { operation, input }] of Object.entries(MUTATIONS)) {
    const nonce = await takeNonce(ann.client);
    for (const [which, code] of NONCES) {
      await renewLinkCode();
      const { data, errors } = (await ann.client.graphql(operation, {
        input: input(which === 'none' ? undefined : nonce),
      })) as Data;
      const refused = errors?.[0].extensions.code ?? data.submitScores?.results[0].code;
      expect([name, which, refused]).toEqual([name, which, code]);
    }
    if (name === 'submitScores') continue;
    await renewLinkCode();
    const header = { 'service-client-nonce': await takeNonce(ann.client) };
    await ann.client.with(header).data(operation, { input: input(undefined) });
  }
});

const addressOf = (path: string) =>
  path.replace('{reward_id}', reward).replace('{device_id}', ann.session.deviceId);

test('every route of game clients that changes something takes a nonce, once', async () => {
  const source = readFileSync(path.resolve(__dirname, '../../schema/rest.graphql'), 'utf8');
  const writes = new Set(
    parse(source).definitions.flatMap((one) =>
      one.kind === Kind.OPERATION_DEFINITION && one.operation === 'mutation' ? [one.name!.value] : [],
    ),
  );
  const ofClients = routes.filter(({ who }) => who === 'client');
  // A ticket is a nonce.
  const changing = ofClients.filter(({ operation }) => writes.has(operation) && operation !== 'IssueTickets');
  expect(changing.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(Object.keys(BODIES).sort());
  for (const { method, path, batchOf } of changing) {
    const nonce = await takeNonce(ann.client);
    for (const [which, code] of NONCES) {
      await renewLinkCode();
      const given = which === 'none' ? undefined : nonce;
      const headers = { ...ann.client.headers, 'content-type': 'application/json' };
      const answer = await fetch(app.url + addressOf(path), {
        method,
        headers: { ...headers, ...(given && !batchOf && { 'service-client-nonce': given }) },
        body: JSON.stringify(BODIES[`${method} ${path}`]!(given)),
      });
      const body = (await answer.json()) as Data;
      const refused = batchOf ? body.results[0].error?.code : answer.ok ? undefined : body.code;
      expect([path, which, refused]).toEqual([path, which, code]);
    }
  }
});

test('a nonce is good for one write of any kind, and one that is refused before it leaves it', async () => {
  const set = (tags: Data, nonce: string) => ann.client.code(SET, { input: { tags: tagsOf(tags), nonce } });
  const nonce = await takeNonce(ann.client);
  expect(await set({ guild: 'Crows' }, nonce)).toBe('INVALID_VIEW');
  expect(await set({ guild: 'a,b' }, nonce)).toBe('VALIDATION_FAILED');
  await ann.client.data(SET, { input: { tags: tagsOf({ guild: 'Wolves' }), nonce } });
  expect(await submitFault(ann, board.id, 1, { nonce })).toBe('NONCE_USED');
  expect(await set({ guild: 'Ravens' }, nonce)).toBe('NONCE_USED');
  // Of two at once one has its effect.
  const last = await takeNonce(ann.client);
  const both = ['Ravens', 'Wolves'].map((guild) =>
    ann.client.graphql(SET, { input: { tags: tagsOf({ guild }), nonce: last } }),
  );
  const done = ((await Promise.all(both)) as Data[]).map(({ data }) => data.setIdentityTags?.identity.id);
  expect(done.filter(Boolean)).toEqual([ann.session.identityId]);
  const { me } = await ann.client.data(OWN_TAGS);
  expect(me.identity.tags).toEqual(tagsOf({ guild: ['Ravens', 'Wolves'][done.findIndex(Boolean)] }));
  // A failure in the transaction of the effect leaves the nonce as well.
  const { knex } = app.database;
  await knex.raw(`create function refuse_tags() returns trigger language plpgsql as $$
    begin raise exception 'no' using errcode = '53100'; end $$`);
  await knex.raw(
    'create trigger refuse_tags before insert or delete on player_tags execute function refuse_tags()',
  );
  const kept = await takeNonce(ann.client);
  expect(await set({ guild: null }, kept)).not.toBe('NONCE_USED');
  await knex.raw('drop trigger refuse_tags on player_tags');
  await ann.client.data(SET, { input: { tags: tagsOf({ guild: null }), nonce: kept } });
});

test('a write reads the session again: one that another process has revoked just now sets no tags', async () => {
  const bob = await startSession(app, board.gameId);
  await bob.client.data(OWN_TAGS);
  const own = { device_id: uuidOf(bob.session.deviceId) };
  await app.database.knex('device_sessions').where(own).update({ status: 'revoked', revoked_at: new Date() });
  const input = { tags: RAVENS, nonce: await takeNonce(bob.client) };
  expect(await bob.client.code(SET, { input })).toBe('INVALID_TOKEN');
});
