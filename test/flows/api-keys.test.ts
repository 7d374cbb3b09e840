import { startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import { change, changeFault, makeKey, makeStudio, makeUser, walk } from '../support/make.js';
import { until } from '../support/wait.js';

const CREATE = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { apiKey { id } } }';
const GET = 'query ($id: ID!) { apiKey(id: $id) { id name prefix status lastUsedAt expiresAt user { id } } }';
const WHO = '{ me { apiKey { id } } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const using = (key: string) => app.anyone.with({ 'service-api-key': key });

test('a key is shown once, works, and is stored as a hash', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const key = await makeKey(admin, accountId, userId, { name: 'build server' });
  expect(key.key).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
  expect(key.prefix).toBe(key.key.slice(0, 14));
  expect((await using(key.key).data(WHO)).me.apiKey).toEqual({ id: key.id });
  const { apiKey } = await admin.data(GET, { id: key.id });
  expect(JSON.stringify(apiKey)).not.toContain(key.key.slice(20));
  expect(apiKey).toMatchObject({ name: 'build server', status: 'ACTIVE', user: { id: userId } });
  const row = await app.database.knex('api_keys').where('id', key.id.slice(4)).first();
  expect(JSON.stringify(row)).not.toContain(key.key.slice(20));
});

test('unknown, mangled, revoked, expired and deleted keys get one answer', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const expiresAt = new Date(app.clock.now() + HOUR).toISOString();
  const expiring = await makeKey(admin, accountId, userId, { expiresAt });
  const revoked = await makeKey(admin, accountId, userId);
  const deleted = await makeKey(admin, accountId, userId);
  await change(admin, 'ApiKey', revoked.id, { status: 'REVOKED' });
  await change(admin, 'ApiKey', deleted.id, { deleted: true });
  expect((await using(expiring.key).graphql(WHO)).errors).toBeUndefined();
  app.clock.advance(HOUR);
  const mangled = `${deleted.key.slice(0, -1)}${deleted.key.endsWith('A') ? 'B' : 'A'}`;
  const keys = [expiring.key, revoked.key, deleted.key, mangled, 'svc_', 'x'.repeat(500)];
  const faults = await Promise.all(keys.map((key) => using(key).fault(WHO)));
  expect(new Set(faults.map((fault) => `${fault.extensions.code} ${fault.message}`)).size).toBe(1);
  expect(faults[0]!.extensions.code).toBe('INVALID_API_KEY');
});

test('a bad key fails protected fields only', async () => {
  const answer = await using('svc_nobody').graphql('{ publicBoard(by: { shortCode: "NOPE22" }) { name } }');
  expect(answer.errors!.map((error) => error.extensions.code)).toEqual(['NOT_FOUND']);
});

test('a revoked key stays revoked, even through delete and restore', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const key = await makeKey(admin, accountId, userId);
  await change(admin, 'ApiKey', key.id, { status: 'REVOKED' });
  await change(admin, 'ApiKey', key.id, { status: 'REVOKED' });
  expect(await changeFault(admin, 'ApiKey', key.id, { status: 'ACTIVE' })).toBe('INVALID_TRANSITION');
  await change(admin, 'ApiKey', key.id, { deleted: true });
  expect(await admin.code(GET, { id: key.id })).toBe('NOT_FOUND');
  expect(await changeFault(admin, 'ApiKey', key.id, { status: 'REVOKED' })).toBe('NOT_FOUND');
  await change(admin, 'ApiKey', key.id, { deleted: false });
  expect((await admin.data(GET, { id: key.id })).apiKey.status).toBe('REVOKED');
  expect(await using(key.key).code(WHO)).toBe('INVALID_API_KEY');
});

test('a key speaks for a user of its own account', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const other = await makeStudio(app);
  const create = (caller = admin, input = {}) =>
    caller.code(CREATE, { input: { accountId, userId: other.userId, name: 'odd', ...input } });
  expect(await create()).toBe('BAD_REQUEST');
  expect(await create(app.superadmin)).toBe('BAD_REQUEST');
  expect(await create(admin, { accountId: other.accountId })).toBe('FORBIDDEN');
  expect(await create(admin, { userId: `usr_${accountId.slice(4)}` })).toBe('NOT_FOUND');
  expect(await create(admin, { userId, expiresAt: new Date(app.clock.now() - 1).toISOString() })).toBe(
    'VALIDATION_FAILED',
  );
  expect(await create(admin, { userId, expiresAt: '2030-02-30T00:00:00Z' })).toBe('VALIDATION_FAILED');
  expect(await other.admin.code(GET, { id: (await makeKey(admin, accountId, userId)).id })).toBe('FORBIDDEN');
});

test('the last use is noted once a minute, beside the request', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const key = await makeKey(admin, accountId, userId);
  const used = async () =>
    (await app.database.knex('api_keys').where('id', key.id.slice(4)).first()).last_used_at;
  /** The note is written after the answer: waits for it to appear. */
  const noted = (time: number) => until(async () => (await used())?.getTime() === time, 1);
  const first = app.clock.now();
  await using(key.key).data(WHO);
  await noted(first);
  app.clock.advance(30_000);
  await using(key.key).data(WHO);
  app.clock.advance(MINUTE);
  await using(key.key).data(WHO);
  await noted(first + 30_000 + MINUTE);
  const { apiKey } = await admin.data('query ($id: ID!) { apiKey(id: $id) { updatedAt createdAt } }', {
    id: key.id,
  });
  expect(apiKey.updatedAt).toBe(apiKey.createdAt);
});

test('lists: by account and status, in any order', async () => {
  const { admin, accountId } = await makeStudio(app);
  const user = await makeUser(admin, accountId);
  for (let n = 0; n < 4; n += 1) {
    const key = await makeKey(admin, accountId, user.id, { name: n % 2 ? 'same' : `key ${n}` });
    if (n % 2) await change(admin, 'ApiKey', key.id, { status: 'REVOKED' });
  }
  expect(await walk(admin, 'apiKeys', 'filter: {status: REVOKED}', 1)).toHaveLength(2);
  expect(
    await walk(admin, 'apiKeys', 'filter: {status: ACTIVE}, orderBy: {field: NAME, direction: DESC}', 2),
  ).toHaveLength(3);
  const { user: found } = await admin.data(
    'query ($id: ID!) { user(id: $id) { apiKeys { nodes { name } } } }',
    {
      id: user.id,
    },
  );
  expect(found.apiKeys.nodes).toHaveLength(4);
});

test("only superadmins change a superadmin's keys", async () => {
  const { admin, accountId } = await makeStudio(app);
  const chief = await makeUser(app.superadmin, accountId);
  await change(app.superadmin, 'User', chief.id, { superAdmin: true });
  const key = await makeKey(app.superadmin, accountId, chief.id);
  for (const input of [{ status: 'REVOKED' }, { deleted: true }]) {
    expect(await changeFault(admin, 'ApiKey', key.id, input)).toBe('FORBIDDEN');
  }
  expect((await using(key.key).data(WHO)).me.apiKey).toEqual({ id: key.id });
  await change(using(key.key), 'ApiKey', key.id, { status: 'REVOKED' });
  expect(await using(key.key).code(WHO)).toBe('INVALID_API_KEY');
});
