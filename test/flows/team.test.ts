import { hasSuperadminKey } from '../../src/accounts/keys/superadmin-key.js';
import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { flag, makePlayer, play, review } from '../support/flags.js';
import type { Caller, Data } from '../support/http.js';
import { begin, WATCH } from '../support/live.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Studio,
} from '../support/make.js';
import { TestSocket } from '../support/socket.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let other: Data;
beforeEach(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  [game, other] = [await makeGame(studio), await makeGame(studio)];
});
afterEach(() => app.close());

const using = (key: string) => app.anyone.with({ 'service-api-key': key });

/** A person of the studio with a key. */
async function person(
  input: Data = {},
  key: Data = {},
): Promise<{ id: string; keyId: string; caller: Caller }> {
  const user = await makeUser(studio.admin, studio.accountId, input);
  const made = await makeKey(studio.admin, studio.accountId, user.id, key);
  return { id: user.id, keyId: made.id, caller: using(made.key) };
}

const ME = '{ me { role rights gameIds superAdmin user { id role } apiKey { scopes gameId lastUsedFrom } } }';
const CREATE_KEY =
  'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key apiKey { id scopes } } }';
const CREATE_USER =
  'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id role gameIds } } }';
const INVITE =
  'mutation ($input: InviteUserInput!) { inviteUser(input: $input) { user { id role gameIds status } } }';
const codeOf = async (caller: Caller, document: string, input: Data): Promise<string> =>
  (await caller.graphql(document, { input })).errors?.[0]?.extensions.code ?? 'ok';

test('an absent role is admin with all games; me says what a key may do', async () => {
  const { caller } = await person();
  expect((await caller.data(ME)).me).toMatchObject({
    role: 'ADMIN',
    rights: [
      'OWN',
      'READ',
      'SUBMIT',
      'PLAYERS',
      'TEST',
      'MODERATE',
      'VERIFY',
      'CONFIGURE',
      'PEOPLE',
      'PRIVACY',
    ],
    gameIds: null,
    apiKey: { scopes: null, gameId: null },
  });
  const server = await person(
    { role: 'DEVELOPER' },
    { scopes: ['SUBMIT', 'PEOPLE', 'SUBMIT'], gameId: game.id },
  );
  expect((await server.caller.data(ME)).me).toMatchObject({
    role: 'DEVELOPER',
    rights: ['OWN', 'SUBMIT'],
    gameIds: [game.id],
    // A key without the right to read sees itself.
    user: { id: server.id, role: 'DEVELOPER' },
    apiKey: { scopes: ['SUBMIT', 'PEOPLE'], gameId: game.id },
  });
  const shown = () =>
    studio.admin.data('query ($id: ID!) { apiKey(id: $id) { lastUsedFrom game { id } } }', {
      id: server.keyId,
    });
  await until(async () => (await shown()).apiKey.lastUsedFrom !== null);
  expect((await shown()).apiKey).toEqual({ lastUsedFrom: '127.0.0.1', game: { id: game.id } });
});

test('a change of role takes effect with the next request, and ends what is watched', async () => {
  const board = await makeBoard(studio, game.id);
  const { id, caller } = await person({ role: 'DEVELOPER' });
  const rename = () => changeFault(caller, 'Board', board.id, { name: 'Renamed' });
  await change(caller, 'Board', board.id, { description: 'Mine' });
  const socket = await TestSocket.connect(app.url, caller.headers);
  begin(socket, WATCH, { id: board.id });
  await socket.next();
  await change(studio.admin, 'User', id, { role: 'MODERATOR' });
  expect(await rename()).toBe('FORBIDDEN');
  expect((await socket.next()).payload[0].extensions.code).toBe('FORBIDDEN');
  await socket.closed;
  await change(studio.admin, 'User', id, { role: 'DEVELOPER', gameIds: [other.id] });
  expect(await rename()).toBe('FORBIDDEN');
  await change(studio.admin, 'User', id, { gameIds: null });
  await change(caller, 'Board', board.id, { name: 'Renamed' });
  await change(studio.admin, 'User', id, { status: 'SUSPENDED' });
  expect(await rename()).toBe('USER_SUSPENDED');
});

test('nobody gives, or acts on, more than their own role, scopes and games', async () => {
  const { accountId, admin, userId } = studio;
  const of = (id: string, more: Data = {}) => ({ accountId, userId: id, name: 'made', ...more });
  const invited = (more: Data) => ({
    email: `made${Math.random()}@example.com`,
    displayName: 'Made',
    ...more,
  });
  const developer = await person({ role: 'DEVELOPER' });
  const moderator = await person({ role: 'MODERATOR' });
  // Own keys for developers, keys of others for those with the right to people.
  expect(await codeOf(developer.caller, CREATE_KEY, of(developer.id))).toBe('ok');
  expect(await codeOf(developer.caller, CREATE_KEY, of(developer.id, { scopes: ['PEOPLE'] }))).toBe(
    'FORBIDDEN',
  );
  expect(await codeOf(developer.caller, CREATE_KEY, of(moderator.id))).toBe('FORBIDDEN');
  expect(await codeOf(moderator.caller, CREATE_KEY, of(moderator.id))).toBe('FORBIDDEN');
  expect(await codeOf(developer.caller, INVITE, invited({ role: 'VIEWER' }))).toBe('FORBIDDEN');
  expect(await changeFault(developer.caller, 'User', userId, { email: 'mine@example.com' })).toBe(
    'FORBIDDEN',
  );
  expect(await changeFault(developer.caller, 'User', developer.id, { role: 'ADMIN' })).toBe('FORBIDDEN');
  await change(developer.caller, 'User', developer.id, { displayName: 'Myself' });
  // A leaked key changes no address, with which its thief would sign in.
  const leaked = await person({}, { scopes: ['READ', 'SUBMIT'] });
  expect(await changeFault(leaked.caller, 'User', leaked.id, { email: 'thief@example.com' })).toBe(
    'FORBIDDEN',
  );
  // With the scope `people` a key manages people within its user's role, and gives keys at most its own scopes.
  const hr = await person({}, { scopes: ['READ', 'MODERATE', 'PEOPLE'] });
  expect(await codeOf(hr.caller, CREATE_USER, { accountId, ...invited({ role: 'MODERATOR' }) })).toBe('ok');
  const alone = await person({}, { scopes: ['PEOPLE'] });
  expect(await codeOf(alone.caller, CREATE_USER, { accountId, ...invited({ role: 'DEVELOPER' }) })).toBe(
    'ok',
  );
  expect(await codeOf(alone.caller, INVITE, { accountId, ...invited({}) })).toBe('ok');
  await change(alone.caller, 'User', developer.id, { role: 'MODERATOR' });
  await change(alone.caller, 'User', developer.id, { role: 'DEVELOPER' });
  expect(await codeOf(alone.caller, CREATE_KEY, of(developer.id, { scopes: ['SUBMIT'] }))).toBe('FORBIDDEN');
  expect(await codeOf(hr.caller, CREATE_KEY, of(hr.id))).toBe('FORBIDDEN');
  expect(await codeOf(hr.caller, CREATE_KEY, of(hr.id, { scopes: ['READ'] }))).toBe('ok');
  // One game of an administrator.
  const local = await person({ gameIds: [game.id] });
  expect(await codeOf(local.caller, INVITE, invited({ gameIds: [game.id], role: 'VIEWER' }))).toBe('ok');
  expect(await codeOf(local.caller, INVITE, invited({ role: 'VIEWER' }))).toBe('FORBIDDEN');
  expect(await codeOf(local.caller, INVITE, invited({ gameIds: [game.id, other.id] }))).toBe('FORBIDDEN');
  expect(await changeFault(local.caller, 'User', local.id, { gameIds: null })).toBe('FORBIDDEN');
  const { users } = await local.caller.data('{ users(first: 50) { nodes { id gameIds } } }');
  expect(users.nodes.every(({ gameIds }: Data) => gameIds?.join() === game.id)).toBe(true);
  expect(users.nodes.length).toBe(2);
  // Games of others, and none.
  const foreign = await makeGame(await makeStudio(app));
  expect(await codeOf(admin, INVITE, invited({ gameIds: [foreign.id] }))).toBe('GAME_NOT_IN_ACCOUNT');
  expect(await codeOf(admin, INVITE, invited({ gameIds: [] }))).toBe('VALIDATION_FAILED');
  expect(await codeOf(admin, CREATE_KEY, of(userId, { gameId: foreign.id }))).toBe('GAME_NOT_IN_ACCOUNT');
  expect(await codeOf(admin, CREATE_KEY, of(userId, { scopes: [] }))).toBe('VALIDATION_FAILED');
});

test('an account keeps an administrator of all games, and its last owner that role', async () => {
  const { admin, userId } = studio;
  for (const input of [{ role: 'DEVELOPER' }, { gameIds: [game.id] }]) {
    expect(await changeFault(admin, 'User', userId, input)).toBe('INVALID_TRANSITION');
  }
  const [second, third] = [await person(), await person()];
  const demote = (by: Caller, id: string) =>
    changeFault(by, 'User', id, { role: 'VIEWER' }).catch(() => 'ok');
  await change(studio.admin, 'User', third.id, { status: 'SUSPENDED' });
  // Still the last owner.
  expect(await changeFault(second.caller, 'User', userId, { role: 'VIEWER' })).toBe('INVALID_TRANSITION');
  await change(app.superadmin, 'User', userId, { role: 'VIEWER' });
  for (const input of [{ role: 'VIEWER' }, { gameIds: [game.id] }]) {
    expect(await changeFault(second.caller, 'User', second.id, input)).toBe('INVALID_TRANSITION');
  }
  // Two who demote each other at once: one of them stays.
  await change(app.superadmin, 'User', third.id, { status: 'ACTIVE' });
  const codes = await Promise.all([demote(second.caller, third.id), demote(third.caller, second.id)]);
  expect(codes.filter((code) => code === 'ok').length).toBe(1);
});

test("a superadmin's key with scopes or a game is none of a superadmin, and keeps nobody from being locked out", async () => {
  const { me } = await app.superadmin.data('{ me { accountId user { id } apiKey { id } } }');
  const key = await makeKey(app.superadmin, me.accountId, me.user.id, { scopes: ['READ'] });
  const scoped = using(key.key);
  expect((await scoped.data(ME)).me).toMatchObject({ superAdmin: false, rights: ['OWN', 'READ'] });
  expect(
    await scoped.fault('query ($id: ID!) { account(id: $id) { id } }', { id: studio.accountId }),
  ).toMatchObject({
    extensions: { code: 'FORBIDDEN' },
  });
  expect(await changeFault(app.superadmin, 'ApiKey', me.apiKey.id, { status: 'REVOKED' })).toBe(
    'INVALID_TRANSITION',
  );
  expect(await changeFault(app.superadmin, 'User', me.user.id, { role: 'DEVELOPER' })).toBe(
    'INVALID_TRANSITION',
  );
  const { knex } = app.database;
  await knex('api_keys').where('id', uuidOf(me.apiKey.id)).update({ status: 'revoked' });
  expect(await hasSuperadminKey(knex)).toBe(false);
});

test('moderators see the names of colleagues who decided', async () => {
  const board = await makeBoard(studio, game.id);
  const event = await play(studio.admin, board.id, await makePlayer(studio.admin, game.id, 'Ann'), 7);
  const { id } = await flag(studio.admin, event);
  await review(studio.admin, id, { status: 'DISMISSED' });
  const { caller } = await person({ role: 'MODERATOR' });
  const { scoreFlag, auditEntries } = await caller.data(
    `query ($id: ID!) { scoreFlag(id: $id) { reviewerName reviewer { id } }
      auditEntries(filter: { action: FLAG_REVIEWED }) { nodes { userName user { id } } } }`,
    { id },
  );
  const { me } = await studio.admin.data('{ me { user { displayName } } }');
  expect(scoreFlag).toEqual({ reviewerName: me.user.displayName, reviewer: null });
  expect(auditEntries.nodes).toEqual([{ userName: me.user.displayName, user: null }]);
});

test('without the right to people, everyone sees only themselves and their own keys', async () => {
  const { id, keyId, caller } = await person({ role: 'VIEWER' });
  const { users, apiKeys, account } = await caller.data(
    `query ($id: ID!) { users { nodes { id } } apiKeys { nodes { id } } account(id: $id) { users { nodes { id } } } }`,
    { id: studio.accountId },
  );
  expect([users, apiKeys, account.users].map(({ nodes }) => nodes.map((node: Data) => node.id))).toEqual([
    [id],
    [keyId],
    [id],
  ]);
  const { search } = await caller.data(
    'query ($id: ID!) { search(accountId: $id, text: "example") { id } }',
    {
      id: studio.accountId,
    },
  );
  expect(search.map((found: Data) => found.id)).toEqual([id]);
  await change(studio.admin, 'Game', game.id, { description: 'Changed' });
  const { auditEntries } = await caller.data(
    '{ auditEntries { nodes { subjectId ipAddress user { id } } } }',
  );
  expect(auditEntries.nodes.length).toBeGreaterThan(0);
  for (const entry of auditEntries.nodes)
    expect(entry).toMatchObject({ subjectId: /^gam_/, ipAddress: null, user: null });
  // Everyone may end an own key, its last one, too.
  await change(caller, 'ApiKey', keyId, { status: 'REVOKED' });
});

test('lists show the games of the caller only, and a server submits to its game only', async () => {
  const [board, elsewhere] = [await makeBoard(studio, game.id), await makeBoard(studio, other.id)];
  const server = await person({ role: 'DEVELOPER' }, { scopes: ['SUBMIT'], gameId: game.id });
  const player = (gameId: string) => ({
    gameId,
    kind: 'CUSTOM',
    externalKey: `k${gameId}`,
    displayName: 'Ann',
  });
  const CREATE =
    'mutation ($input: CreateIdentityInput!) { createIdentity(input: $input) { identity { id } } }';
  const SUBMIT =
    'mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { score { rank } } } }';
  const { identity } = (await server.caller.data(CREATE, { input: player(game.id) })).createIdentity;
  expect(await codeOf(server.caller, CREATE, player(other.id))).toBe('FORBIDDEN');
  const score = { identityId: identity.id, value: 7 };
  expect(await codeOf(server.caller, SUBMIT, { ...score, boardId: board.id })).toBe('ok');
  expect(await codeOf(server.caller, SUBMIT, { ...score, boardId: elsewhere.id })).toBe('FORBIDDEN');
  expect(
    await codeOf(
      server.caller,
      'mutation ($input: UpdateIdentityInput!) { updateIdentity(input: $input) { identity { id } } }',
      { id: identity.id, trustTier: 'A' },
    ),
  ).toBe('FORBIDDEN');
  expect(await server.caller.fault('{ games { nodes { id } } }')).toMatchObject({
    extensions: { code: 'FORBIDDEN' },
  });
  const viewer = await person({ role: 'VIEWER', gameIds: [game.id] });
  const { games, boards, scoreEvents } = await viewer.caller.data(
    '{ games { nodes { id } } boards { nodes { id } } scoreEvents { nodes { boardId } } }',
  );
  expect([games, boards].map(({ nodes }) => nodes.map((node: Data) => node.id))).toEqual([
    [game.id],
    [board.id],
  ]);
  expect(scoreEvents.nodes).toEqual([{ boardId: board.id }]);
  const { account } = await viewer.caller.data(
    'query ($id: ID!) { account(id: $id) { name history { points { submissions } } games { nodes { id } } } }',
    { id: studio.accountId },
  );
  expect(account).toEqual({ name: expect.any(String), history: null, games: { nodes: [{ id: game.id }] } });
});

test('a key of the test population alone submits and reads tests, and nothing else', async () => {
  const { admin } = studio;
  const board = await makeBoard(studio, game.id, { isPublished: false });
  const [ann, bob] = [await makePlayer(admin, game.id, 'Ann'), await makePlayer(admin, game.id, 'Bob')];
  const played = await play(admin, board.id, ann, 7);
  const { caller } = await person({ role: 'DEVELOPER' }, { scopes: ['TEST'], gameId: game.id });
  const SUBMIT = `mutation ($input: CreateScoreEventInput!) {
    createScoreEvent(input: $input) { submission { score { id isTest } scoreEvent { id } } } }`;
  const input = { identityId: bob, value: 9, boardId: board.id };
  const { score, scoreEvent } = (await caller.data(SUBMIT, { input })).createScoreEvent.submission;
  expect(score.isTest).toBe(true);
  expect(
    await codeOf(
      caller,
      'mutation ($input: UpdateIdentityInput!) { updateIdentity(input: $input) { identity { id } } }',
      { id: bob, displayName: 'Taken' },
    ),
  ).toBe('FORBIDDEN');
  // REST: tests, where nothing else is named.
  const listed = async (path: string): Promise<unknown> => {
    const { body } = await caller.get(path);
    const valued = ({ value, event_payload: event, is_test: isTest }: Data) => [value ?? event.value, isTest];
    return body.data?.map(valued) ?? [body.code, JSON.stringify(body)];
  };
  const missing = ['FORBIDDEN', expect.stringContaining('the right \\"read\\"')];
  for (const path of [`/v1/scores?board_id=${board.id}`, `/v1/score-events?board_id=${board.id}`]) {
    expect([path, await listed(path)]).toEqual([path, [[9, true]]]);
    expect([path, await listed(`${path}&is_test=true`)]).toEqual([path, [[9, true]]]);
    for (const other of ['false', 'all']) {
      expect([path, await listed(`${path}&is_test=${other}`)]).toEqual([path, missing]);
    }
  }
  const standing = async (more: string) => {
    const { body } = await caller.get(`/v1/boards/${board.id}/${more}`);
    return body.code ?? (body.standings ?? [body]).map(({ value }: Data) => value);
  };
  expect([
    await standing(`standing?identity_id=${bob}`),
    await standing(`standing?identity_id=${ann}`),
    await standing(`standing?identity_id=${ann}&is_test=false`),
    await standing(`standings?identity_id=${ann}`),
    await standing(`standings?identity_id=${ann}&is_test=false`),
  ]).toEqual([[9], 'NOT_FOUND', 'FORBIDDEN', [], 'FORBIDDEN']);
  const runs = await admin.get(`/v1/scores?board_id=${board.id}`);
  const [{ id: production }] = runs.body.data;
  const codeAt = async (path: string) => (await caller.get(path)).body.code ?? 'ok';
  expect([
    await codeAt(`/v1/scores/${score.id}`),
    await codeAt(`/v1/scores/${production}`),
    await codeAt(`/v1/score-events/${scoreEvent.id}`),
    await codeAt(`/v1/score-events/${played}`),
    await codeAt(`/v1/boards/${board.id}`),
    await codeAt(`/v1/games/${game.id}`),
    await codeAt(`/v1/identities/${ann}`),
  ]).toEqual(['ok', 'FORBIDDEN', 'ok', 'FORBIDDEN', 'ok', 'FORBIDDEN', 'FORBIDDEN']);
  // GraphQL: the same population, and no way from a board to another.
  const RANKING = `query ($id: ID!, $isTest: Boolean) { board(by: { id: $id }) { name game { id } account { id }
    ranking(isTest: $isTest) { totalCount entries { nodes { value country score { id metadata identity { id } } } } } } }`;
  const read = await caller.data(RANKING, { id: board.id });
  expect(read.board).toMatchObject({
    name: board.name,
    game: null,
    ranking: { totalCount: 1, entries: { nodes: [{ value: 9, score: { id: score.id, identity: null } }] } },
  });
  expect((await caller.graphql(RANKING, { id: board.id, isTest: false })).errors?.[0]?.extensions.code).toBe(
    'FORBIDDEN',
  );
  for (const below of [
    'scores { nodes { id } }',
    'scoreEvents { nodes { id } }',
    'series { nodes { id } }',
  ]) {
    const { data, errors } = await caller.graphql(
      `query ($id: ID!) { board(by: { id: $id }) { ${below} } }`,
      {
        id: board.id,
      },
    );
    expect([below, errors?.[0]?.extensions.code ?? Object.values<unknown>(data.board)[0]]).toEqual([
      below,
      below.startsWith('scoreE') ? null : 'FORBIDDEN',
    ]);
  }
  expect(await caller.code('query ($id: ID!) { node(id: $id) { id } }', { id: production })).toBe(
    'FORBIDDEN',
  );
  const socket = await TestSocket.connect(app.url, caller.headers);
  begin(socket, WATCH, { id: board.id });
  expect((await socket.next()).payload.data.boardChanged.entries.nodes).toMatchObject([{ value: 9 }]);
  begin(socket, WATCH, { id: board.id, isTest: false }, 'other');
  const refused = await socket.next();
  expect([refused.id, refused.payload[0].extensions.code]).toEqual(['other', 'FORBIDDEN']);
  await socket.close();
});
