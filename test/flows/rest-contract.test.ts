import { uuid7, uuidOf } from '../../src/base/ids.js';
import { ANY_PICTURE } from '../../src/base/pictures/picture.js';
import { contractSchema } from '../../src/contract.js';
import { restApi } from '../../src/rest/middleware.js';
import { ownErrorStatuses } from '../../src/rest/openapi/errors.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makeAlert, reviewRuns } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { codeFor, verifiedToken } from '../support/mail.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  makeTemplate,
  makeUser,
  startSession,
} from '../support/make.js';
import { makeLogin, ownToken } from '../support/own-tokens.js';
import { PNG } from '../support/pictures.js';
import { submit, takeNonce } from '../support/play.js';
import { callerKindOf, isUpload, type Operation, operations } from '../support/rest-operations.js';

// Read records before they are changed.
const ORDER = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];
/** The operations by name, reads first. */
const cases = operations
  // Their statuses depend on the file's hash and on a signature: recordings.test.ts meets them.
  .filter(({ path: place }) => !place.endsWith('/recording'))
  .toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))
  .map((operation) => [`${operation.method} ${operation.path}`, operation] as const);

/** An operation's status on success. */
const success = ({ spec }: Operation): number => Number(Object.keys(spec.responses)[0]);
const queryParameter = ({ spec }: Operation, name: string): Data | undefined =>
  spec.parameters?.find((parameter: Data) => parameter.in === 'query' && parameter.name === name);

// Every operation of the OpenAPI document, called with the document's own example: its success and each error that
// every operation of its kind can meet. `send` holds each answer against the document; here the statuses must be met.

let walled: TestApp;
let app: TestApp;
let anyone: Caller;
let root: Caller;
let admin: Caller;
let stranger: Caller;
let client: Caller;
let banned: Caller;
/** Of a service where nobody registers. */
let closed: Caller;
let refreshToken: string;
/** A session whose device was banned since. */
let outcast: Data;
/** Codes and tokens of registrations under way, and a token of an invitation to an account that is suspended. */
let registering: Record<string, Data>;
let barred: string;
/** A code of a user who no longer may add a first passkey, which its account requires. */
let late: Data;
/** A session by a mailed code, of a user whose account requires a passkey since. */
let limited: Caller;
/** A real id for each prefix that an example can mention. */
const real = new Map<string, string>();
let strangeAccount: string;
/** Routes that answer 400 only behind a gateway of several cells. */
let goodRequests: string[];

beforeAll(async () => {
  goodRequests = restApi((await contractSchema()).whole)
    .routes.filter((api) => !ownErrorStatuses(api).includes(400))
    .map(({ route }) => `${route.method} ${route.path}`);
  app = await startApp();
  anyone = app.anyone;
  walled = await startApp({ registration: 'closed' });
  closed = walled.anyone;
  root = anyone.with(app.superadmin.headers);
  const studio = await makeStudio(app);
  const other = await makeStudio(app);
  strangeAccount = other.accountId;
  admin = anyone.with(studio.admin.headers);
  stranger = anyone.with(other.admin.headers);
  const game = await makeGame(studio);
  const views = [
    { name: 'weekly', period: 'WEEK' },
    { name: 'country', by: ['country'] },
  ];
  const board = await makeBoard(studio, game.id, {
    views,
    dimensions: [{ name: 'guild', source: 'PLAYER' }],
    tickets: { mode: 'ASKED' },
    recordings: {},
    verdicts: { mode: 'LOG' },
  });
  const player = await startSession(app, game.id);
  client = anyone.with(player.client.headers);
  const score = (await submit(player, board.id, 5)).score;
  const blocked = await startSession(app, game.id);
  outcast = blocked.session;
  await change(studio.admin, 'Device', outcast.deviceId, { status: 'BANNED' });
  banned = anyone.with(blocked.client.headers);
  // A reset ends the device's sessions: this one has none that another operation needs.
  real.set('reset', (await startSession(app, game.id)).session.deviceId);
  real.set('ended', (await startSession(app, game.id)).session.identityId);
  refreshToken = (await startSession(app, game.id)).session.refreshToken;
  const template = await makeTemplate(studio, game.id);
  const raised = await flag(studio.admin, score.scoreEventId ?? `sev_${score.id.slice(4)}`);
  const ids = [
    raised.id,
    raised.scoreEventId,
    ...[template, game, board, score].map(({ id }) => id),
    ...[studio.accountId, studio.userId, studio.keyId, score.identityId],
  ];
  await reviewRuns(studio.admin, { identityId: score.identityId, decision: 'DISMISSED' });
  const prizes = { lines: ['handed', 'revoked'].map((name) => ({ name, title: 'For all' })) };
  const closingRules = [{ prizes }, { view: 'weekly' }];
  await makeAlert(app, studio.accountId, board);
  const season = await makeBoard(studio, game.id, { views, closingRules });
  await submit(player, season.id, 3);
  await studio.admin.post(`/v1/boards/${season.id}/close`, {});
  await app.app.jobs.run('close-rankings');
  const { body: rewards } = await studio.admin.get(`/v1/rewards?game_id=${game.id}`);
  real.set('rwd', rewards.data[0].id).set('revoked', rewards.data[1].id);
  const { body: closings } = await studio.admin.get(`/v1/boards/${season.id}/closings`);
  real.set('season', season.id).set('cls', closings.data[0].id);
  const { body: endpoint } = await studio.admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'Hook', url: 'https://hooks.example.com' },
    events: ['board.closed'],
  });
  const { body: delivery } = await studio.admin.post(`/v1/webhook-endpoints/${endpoint.id}/test`, {});
  ids.push(endpoint.id, delivery.id);
  for (const id of [...ids, player.session.deviceId]) real.set(id.slice(0, 3), id);
  const [source, target] = [await startSession(app, game.id), await startSession(app, game.id)];
  const { body: made } = await studio.admin.post('/v1/player-merges', {
    ...{ source_id: source.session.identityId, target_id: target.session.identityId },
  });
  real.set('mrg', made.merge.id);
  await app.database.knex.raw(
    `insert into recordings (board_id, event_seq, sha256, wanted_until, demanded, bytes, account_id, stored_at, content)
     select board_id, seq, sha256('\\x00'), now(), false, 1, account_id, now(), '\\x00' from score_events where id = ?`,
    [uuidOf(real.get('sev')!)],
  );
  // Another board's: one has one that isn't over.
  const [pass] = await app.database
    .knex('verification_passes')
    .insert({
      ...{
        id: uuid7(),
        account_id: uuidOf(studio.accountId),
        game_id: uuidOf(game.id),
        board_id: uuidOf(season.id),
      },
      ...{ status: 'open', total: 0, sent: 0, sent_upto: 0, upto: 0, requested_by: uuidOf(studio.userId) },
      ...{ created_at: new Date(), updated_at: new Date() },
    })
    .returning('id');
  real.set('vps', `vps_${pass.id}`);
  const email = 'verified@example.com';
  await app.anyone.post('/register/initiate', { email });
  const member = await makeUser(app.superadmin, studio.accountId, { email: 'member@example.com' });
  await app.anyone.post('/register/sign-in/code', { email: member.email });
  registering = {
    mergePlayers: {
      source_id: (await startSession(app, game.id)).session.identityId,
      target_id: target.session.identityId,
      dry_run: true,
    },
    acknowledgeRewards: { ids: [real.get('rwd')] },
    registerVerify: { email, code: await codeFor(app, email) },
    registerComplete: {
      verification_token: await verifiedToken(app, 'completed@example.com'),
      account_name: 'Completed',
    },
    resetDevice: { client_fingerprint: 'the text of a device after its reset' },
    inviteUser: { email: 'invited@example.com' },
    consoleSignIn: { email: member.email, code: await codeFor(app, member.email) },
  };
  barred = await barredToken();
  await demandPasskeys();
  // An account has one issuer: one is read and changed, the other's made.
  const { body: provider } = await app.superadmin.post('/v1/identity-providers', {
    ...{ account_id: studio.accountId, kind: 'own' },
  });
  real.set('idp', provider.id);
  const login = await makeLogin(studio, game.id);
  real.set('ppr', login);
  registering.addProof = { provider: 'login', token: ownToken('ann', app.clock.now()) };
  registering.redeemLinkCode = { code: await ownCode() };
  registering.createPlayerProvider = { slug: 'another', account_id: studio.accountId, game_id: game.id };
  registering.createIdentityProvider = { account_id: (await makeStudio(app)).accountId };
  await app.superadmin.post('/v1/jam-codes', { code: 'JAM2029', description: 'One that is there.' });
});
afterAll(() => Promise.all([app.close(), walled.close()]));

/** A code with which the client goes on as its own player: another device that is linked to that made it. */
async function ownCode(): Promise<string> {
  const write = async (caller: Caller, path: string, body: Data = {}) =>
    (await caller.with({ 'service-client-nonce': await takeNonce(caller) }).post(path, body)).body;
  const { client: other } = await startSession(app, real.get('gam')!);
  const { code } = await write(app.anyone.with(client.headers), '/v1/client/link-codes');
  const { session } = await write(other, '/v1/client/link-codes/redeem', { code });
  const linked = app.anyone.with({ authorization: `Bearer ${session.access_token}` });
  await app.database
    .knex('devices')
    .where('id', uuidOf(real.get('dev')!))
    .update({ linked_identity_id: uuidOf(session.identity_id).replace(/^./, 'f') });
  return (await write(linked, '/v1/client/link-codes')).code;
}

async function barredToken(): Promise<string> {
  const studio = await makeStudio(app);
  const email = 'barred@example.com';
  await app.superadmin.post('/register/invite', { account_id: studio.accountId, email });
  const { body } = await app.anyone.post('/register/verify', { email, code: await codeFor(app, email) });
  await change(app.superadmin, 'Account', studio.accountId, { status: 'SUSPENDED' });
  return body.verification_token;
}

async function demandPasskeys(): Promise<void> {
  const { accountId } = await makeStudio(app);
  const early = await makeUser(app.superadmin, accountId, { email: 'early@example.com' });
  await app.anyone.post('/register/sign-in/code', { email: early.email });
  const entry = { email: early.email, code: await codeFor(app, early.email) };
  const { key } = await anyone.got(anyone.post('/register/sign-in', entry));
  limited = anyone.with({ 'service-api-key': key });
  const { email } = await makeUser(app.superadmin, accountId, { email: 'late@example.com' });
  await app.anyone.post('/register/sign-in/code', { email });
  const { knex } = app.database;
  const before = new Date(app.clock.now() - 2 * 86_400_000);
  await knex('accounts').where('id', uuidOf(accountId)).update({ passkeys_demanded_at: before });
  await knex('users').where({ email }).update({ passkeys_due_from: before });
  late = { email, code: await codeFor(app, email) };
}

async function sparePlayer(): Promise<string> {
  const { session } = await startSession(app, real.get('gam')!);
  return session.identityId;
}

/** Errors that only a certain body meets, of operations without a credential. */
const BODIES: Record<string, () => [status: number, members: Data][]> = {
  startSession: () => [
    [403, { client_fingerprint: outcast.clientFingerprint }],
    [401, { proof: { provider: 'none', token: 'none' } }],
  ],
  consoleSignIn: () => [[403, late]],
  registerComplete: () => [
    [401, { verification_token: 'not one' }],
    [403, { verification_token: barred }],
  ],
  refreshSession: () => [
    [401, { refresh_token: 'not one' }],
    [403, { refresh_token: outcast.refreshToken }],
  ],
};

/** The example with what is real in this test in place of ids and tokens. */
function filled(value: Data): Data {
  if (Array.isArray(value)) return value.map(filled);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, filled(member)]));
  }
  if (typeof value !== 'string') return value;
  const prefix = /^([a-z]{3})_[0-9a-f-]{36}$/.exec(value)?.[1];
  return prefix ? (real.get(prefix) ?? value) : value;
}

function bodyOf(operation: Operation): Data {
  const { spec } = operation;
  if (isUpload(spec)) return PNG;
  const example = spec.requestBody?.content['application/json'].example;
  if (!example) return undefined;
  const fresh = 'refresh_token' in example ? { refresh_token: refreshToken } : {};
  return { ...filled({ ...example, ...fresh }), ...registering[spec.operationId] };
}

/** The query that the operation needs, and more. */
function queryOf({ path: at, spec }: Operation, more: Data = {}): string {
  const needed: Data[] = (spec.parameters ?? []).filter(
    (parameter: Data) => parameter.in === 'query' && parameter.required,
  );
  const pairs = needed.map(({ name, schema }) => [name, filled(schema.examples[0])]);
  const scope = at === '/v1/rewards' ? { game_id: real.get('gam') } : {};
  const text = new URLSearchParams({ ...scope, ...Object.fromEntries(pairs), ...more }).toString();
  return text && `?${text}`;
}

function callerOf(operation: Operation): Caller {
  const kind = callerKindOf(operation);
  if (kind === 'client') return client;
  if (kind === 'anyone') return anyone;
  return operation.spec.description.includes('For superadmins') ? root : admin;
}

/** Bodies that may be larger than others, in bytes. */
const LARGEST: [end: string, bytes: number][] = [
  ['/batch', 256 * 1_024],
  ...['plan', 'apply'].map((act): [string, number] => [`/configuration/${act}`, 256 * 1_024]),
  ['/chunks', 4 * 1_024 * 1_024],
];

/** Imports are listed below their boards; each operation gets an open one, and no board has many of them. */
async function newImport(): Promise<string> {
  await app.database.knex('score_imports').where('status', 'open').update({ status: 'cancelled' });
  const { body } = await admin.post(`/v1/boards/${real.get('brd')}/imports`, {});
  return body.id;
}

/** Names in {@link real} of the records of operations that need one of their own, by the end of the path. */
const OWN: Record<string, string> = {
  close: 'season',
  rehearse: 'season',
  revoke: 'revoked',
  reset: 'reset',
  end: 'ended',
  unlink: 'dev',
};

/** The path with an id in it: a given one, or that of the first record that the collection lists. */
async function addressed(operation: Operation, id?: string): Promise<string> {
  if (!operation.path.includes('{')) return operation.path + queryOf(operation);
  const own = OWN[operation.path.split('/').at(-1)!];
  if (own && id === undefined) return operation.path.replace(/\{\w+\}/, real.get(own)!);
  const view = operation.path.endsWith('/groups') ? 'country' : 'weekly';
  const template = operation.path.replace('{view}', view) + queryOf(operation);
  const collection = operation.path.replace(/\/\{\w+\}.*$/, '');
  const list = operations.find(({ method, path: place }) => method === 'GET' && place === collection);
  if (!list) {
    const isImport = operation.path.includes('import');
    const kind = [
      ['closing', 'cls'],
      ['devices', 'dev'],
      ['verification-passes', 'vps'],
    ].find(([part]) => operation.path.includes(part!));
    const mine = isImport ? (id === undefined ? await newImport() : 'imp_') : real.get(kind?.[1] ?? 'dlv')!;
    return template.replace(/\{\w+\}/, id === undefined ? mine : mine.replace(/_.*/, id));
  }
  const account = queryParameter(list, 'account_id') ? { account_id: real.get('acc') } : {};
  const { body } = await callerOf(list).get(collection + queryOf(list, account));
  const found: string[] = body.data.map((record: Data) => record.id);
  const mine = found.find((candidate) => candidate === real.get(candidate.slice(0, 3))) ?? found[0]!;
  return template.replace(/\{\w+\}/, id === undefined ? mine : mine.replace(/_.*/, id));
}

async function ask(caller: Caller, operation: Operation, address: string, body = bodyOf(operation)) {
  const isText = body === undefined || typeof body === 'string' || Buffer.isBuffer(body);
  const type = isUpload(operation.spec) ? ANY_PICTURE : 'application/json';
  return caller.text(operation.method, address, isText ? body : JSON.stringify(body), type);
}

/** The caller with what the operation wants beside the credential. */
async function equipped(operation: Operation): Promise<Caller> {
  const caller = callerOf(operation);
  const nonce = operation.spec.parameters?.some(
    (parameter: Data) => parameter.name === 'service-client-nonce',
  );
  if (!nonce) return caller;
  const player = app.anyone.with(client.headers);
  return caller.with({ 'service-client-nonce': await takeNonce(player) });
}

/** The body of an apply with the digest of its plan. */
async function planned(operation: Operation): Promise<Data> {
  const { digest: _other, ...body } = bodyOf(operation);
  const { body: plan } = await callerOf(operation).post('/v1/configuration/plan', body);
  return { ...body, digest: plan.digest };
}

test.each(cases)('%s meets every documented status', async (_name, operation) => {
  const { method, spec } = operation;
  const met = new Set<number>();
  const meets = async (status: number, answer: Promise<{ status: number; body: Data }>) => {
    const { status: actual, body } = await answer;
    expect([actual, body]).toEqual([status, body]);
    met.add(status);
  };
  const documented = (status: number) => String(status) in spec.responses;
  const kind = callerKindOf(operation);
  const address = await addressed(operation);
  const caller = callerOf(operation);

  if (kind !== 'anyone') {
    // Where visitors are served, too, a credential that is sent must be good.
    const open = spec.security.length > 1;
    const unknown = open ? anyone.with({ 'service-api-key': 'svc_nonsense' }) : anyone;
    await meets(401, ask(unknown, operation, address));
    const foreign = operation.path.includes('{')
      ? address
      : operation.path + queryOf(operation, { account_id: strangeAccount });
    const example = bodyOf(operation);
    const theirs = example?.account_id ? { ...example, account_id: strangeAccount } : example;
    const outsider =
      kind === 'client' ? banned : caller === root || operation.path.includes('{') ? stranger : admin;
    // Callers from outside see what visitors see: there only what is hidden is refused to them.
    const hide = (hidden: boolean) =>
      open && admin.patch(address.replace('/live', ''), { is_published: !hidden });
    await hide(true);
    await meets(403, ask(outsider, operation, foreign, theirs));
    await hide(false);
  }
  if (operation.path.includes('{')) {
    await meets(
      404,
      ask(caller, operation, await addressed(operation, '_00000000-0000-4000-8000-000000000000')),
    );
    await meets(422, ask(caller, operation, await addressed(operation, '_1')));
  }
  if (queryParameter(operation, 'cursor')) {
    const asked = (more: Data) => caller.get(address.split('?')[0] + queryOf(operation, more));
    await meets(400, asked({ cursor: 'x' }));
    if (queryParameter(operation, 'sort')) await meets(400, asked({ sort: 'no_such_field' }));
    await meets(422, asked({ limit: 0 }));
  }
  if (queryParameter(operation, 'view') && documented(400)) {
    const strange = address.split('?')[0] + queryOf(operation, { view: 'no_such_view' });
    await meets(400, ask(caller, operation, strange));
  }
  if (queryParameter(operation, 'created_after')) {
    await meets(422, caller.get(address.split('?')[0] + queryOf(operation, { created_after: 'x' })));
  }
  if (queryParameter(operation, 'count')) {
    await meets(422, caller.get(operation.path + queryOf(operation, { count: 0 })));
  }
  if (spec.requestBody || method === 'POST') {
    const unreadable = isUpload(operation.spec) ? caller.with({ 'content-encoding': 'gzip' }) : caller;
    await meets(400, ask(unreadable, operation, address, '{'));
    const most = isUpload(operation.spec)
      ? 512 * 1_024
      : (LARGEST.find(([end]) => operation.path.endsWith(end))?.[1] ?? 65_536);
    await meets(413, ask(caller, operation, address, JSON.stringify({ pad: 'x'.repeat(most) })));
    await meets(415, caller.text(method, address, '{}', 'text/plain'));
    if (spec.requestBody) await meets(422, ask(caller, operation, address, '[]'));
  }
  for (const [status, members] of BODIES[spec.operationId]?.() ?? []) {
    await meets(status, ask(caller, operation, address, { ...bodyOf(operation), ...members }));
  }
  if (kind === 'anyone' && documented(403)) {
    await meets(403, ask(limited, operation, address));
    // Whoever has an account signs in where nobody registers, too.
    const registers = /^\/register\/(?!sign-in)/.test(operation.path);
    if (registers) await meets(403, ask(closed, operation, address));
  }
  if (documented(412)) await meets(412, ask(caller, operation, address));
  // An erasure is for ever, and no player is a friend of its own: these get a player that no other operation needs.
  const ofSpare = /^\/v1\/identities\/\{identity_id\}(\/erase|\/friends.*)$/.exec(operation.path)?.[1];
  const last = ofSpare && method !== 'GET' ? `/v1/identities/${await sparePlayer()}${ofSpare}` : address;
  const ready = /\/configuration\/apply$/.test(operation.path) ? await planned(operation) : undefined;
  await meets(success(operation), ask(await equipped(operation), operation, last, ready));

  // Conflicts, limits and faults of the service are other tests' affair; every other documented status was met.
  const rest = Object.keys(spec.responses)
    .map(Number)
    .filter((status) => ![404, 409, 429, 500, 503].includes(status))
    .filter((status) => status !== 400 || !goodRequests.includes(`${method} ${operation.path}`));
  if (spec.tags[0] !== 'Service') expect(rest.filter((status) => !met.has(status))).toEqual([]);
});
