import { startApp, type TestApp } from '../support/app.js';
import {
  change,
  changeFault,
  makeAccount,
  makeKey,
  makeStudio,
  makeUser,
  unique,
  walk,
} from '../support/make.js';

const CREATE = 'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }';
const GET = 'query ($id: ID!) { user(id: $id) { email displayName status superAdmin account { id } } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('users belong to one account and are seen there only', async () => {
  const { admin, accountId } = await makeStudio(app);
  const other = await makeStudio(app);
  const user = await makeUser(admin, accountId, { displayName: '  Ada Lovelace ' });
  expect(user).toMatchObject({ accountId, displayName: 'Ada Lovelace', status: 'ACTIVE', superAdmin: false });
  expect((await admin.data(GET, { id: user.id })).user.account).toEqual({ id: accountId });
  expect(await other.admin.code(GET, { id: user.id })).toBe('FORBIDDEN');
  const foreign = { accountId, email: `x${unique()}@example.com`, displayName: 'Intruder' };
  expect(await other.admin.code(CREATE, { input: foreign })).toBe('FORBIDDEN');
  expect(
    await other.admin.code('query ($a: ID) { users(accountId: $a) { nodes { id } } }', { a: accountId }),
  ).toBe('FORBIDDEN');
  expect(
    await app.superadmin.code(CREATE, { input: { ...foreign, accountId: `acc_${user.id.slice(4)}` } }),
  ).toBe('NOT_FOUND');
});

test('an address is taken once, whatever the case, until its user is deleted', async () => {
  const { admin, accountId } = await makeStudio(app);
  const user = await makeUser(admin, accountId, { email: 'Grace@Example.com' });
  const again = { accountId, email: 'grace@example.COM', displayName: 'Grace' };
  const fault = await admin.fault(CREATE, { input: again });
  expect(fault.extensions.code).toBe('CONFLICT');
  expect(fault.message).toContain('email');
  await change(admin, 'User', user.id, { deleted: true });
  const heir = await makeUser(admin, accountId, again);
  expect(await changeFault(admin, 'User', user.id, { deleted: false })).toBe('CONFLICT');
  await change(admin, 'User', heir.id, { email: 'free@example.com' });
  await change(admin, 'User', user.id, { deleted: false });
  for (const email of ['nameless', 'a@b@c', 'a b@c', `${'x'.repeat(250)}@example.com`]) {
    expect(await admin.code(CREATE, { input: { ...again, email } })).toBe('VALIDATION_FAILED');
  }
});

test('a suspended or deleted user is refused at once', async () => {
  const { admin, accountId } = await makeStudio(app);
  const user = await makeUser(admin, accountId);
  const key = await makeKey(admin, accountId, user.id);
  const colleague = app.anyone.with({ 'service-api-key': key.key });
  expect((await colleague.data('{ me { user { id } } }')).me.user.id).toBe(user.id);
  await change(admin, 'User', user.id, { status: 'SUSPENDED' });
  expect(await colleague.code('{ me { kind } }')).toBe('USER_SUSPENDED');
  const { users } = await admin.data('{ users(filter: { status: SUSPENDED }) { nodes { id } } }');
  expect(users.nodes).toEqual([{ id: user.id }]);
  await change(admin, 'User', user.id, { status: 'ACTIVE' });
  expect((await colleague.graphql('{ me { kind } }')).errors).toBeUndefined();
  await change(admin, 'User', user.id, { deleted: true });
  expect(await colleague.code('{ me { kind } }')).toBe('INVALID_API_KEY');
});

test('deleted users and keys are in a list of their own, from which they are restored', async () => {
  const { admin, accountId } = await makeStudio(app);
  const other = await makeStudio(app);
  const user = await makeUser(admin, accountId);
  const key = await makeKey(admin, accountId, (await makeUser(admin, accountId)).id);
  for (const [list, kind, id] of [
    ['users', 'User', user.id],
    ['api-keys', 'ApiKey', key.id],
  ] as const) {
    const idsIn = async (query: string, caller = admin) =>
      (await caller.get(`/v1/${list}?${query}`)).body.data.map((record: { id: string }) => record.id);
    await change(admin, kind, id, { deleted: true });
    expect(await idsIn('deleted=true')).toEqual([id]);
    expect(await idsIn('')).not.toContain(id);
    expect(await idsIn('deleted=true', other.admin)).toEqual([]);
    expect((await app.anyone.get(`/v1/${list}?deleted=true`)).status).toBe(401);
    await change(admin, kind, id, { deleted: false });
    expect(await idsIn('deleted=true')).toEqual([]);
    expect(await idsIn('')).toContain(id);
  }
});

test('superadmins are made and changed by superadmins only', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  expect(await changeFault(admin, 'User', userId, { superAdmin: true })).toBe('SUPERADMIN_REQUIRED');
  await change(admin, 'User', userId, { superAdmin: false });
  const chief = await makeUser(app.superadmin, accountId);
  await change(app.superadmin, 'User', chief.id, { superAdmin: true });
  expect(await changeFault(admin, 'User', chief.id, { email: 'mine@example.com' })).toBe(
    'SUPERADMIN_REQUIRED',
  );
  expect(await changeFault(admin, 'User', chief.id, { deleted: true })).toBe('SUPERADMIN_REQUIRED');
  const stolen = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { key } }';
  const input = { accountId, userId: chief.id, name: 'stolen' };
  expect(await admin.code(stolen, { input })).toBe('SUPERADMIN_REQUIRED');
});

test('a regular user can end neither itself nor the last owner', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  expect(await changeFault(admin, 'User', userId, { status: 'SUSPENDED' })).toBe('INVALID_TRANSITION');
  expect(await changeFault(admin, 'User', userId, { deleted: true })).toBe('INVALID_TRANSITION');
  const second = await makeUser(admin, accountId);
  const key = await makeKey(admin, accountId, second.id);
  const colleague = app.anyone.with({ 'service-api-key': key.key });
  expect(await changeFault(colleague, 'User', userId, { status: 'SUSPENDED' })).toBe('INVALID_TRANSITION');
  expect(await changeFault(colleague, 'User', userId, { deleted: true })).toBe('INVALID_TRANSITION');
  await change(admin, 'User', second.id, { status: 'SUSPENDED' });
  await change(app.superadmin, 'User', userId, { status: 'SUSPENDED' });
});

test('the keys of a user that is set to invited do not work until it is active again', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const user = await makeUser(admin, accountId);
  const { key } = await makeKey(admin, accountId, user.id);
  const caller = app.anyone.with({ 'service-api-key': key });
  const code = () => caller.code('{ me { kind } games { nodes { id } } }').catch(() => 'ok');
  expect(await code()).toBe('ok');
  await change(admin, 'User', user.id, { status: 'INVITED' });
  expect(await code()).toBe('INVALID_API_KEY');
  await change(admin, 'User', user.id, { status: 'ACTIVE' });
  expect(await code()).toBe('ok');
  expect(await changeFault(admin, 'User', userId, { status: 'INVITED' })).toBe('INVALID_TRANSITION');
});

test('users of the own account are listed in any order, both ways', async () => {
  const { admin, accountId } = await makeStudio(app);
  await makeStudio(app);
  for (let n = 0; n < 6; n += 1)
    await makeUser(admin, accountId, { displayName: n % 2 ? 'Twin' : `Solo ${n}` });
  const own = await walk(admin, 'users', '', 3);
  expect(own).toHaveLength(7);
  expect(await walk(app.superadmin, 'users', `accountId: "${accountId}"`, 2)).toEqual(own);
  expect((await walk(app.superadmin, 'users', '', 5)).length).toBeGreaterThan(own.length);
  const twins = await walk(
    admin,
    'users',
    'orderBy: [{field: DISPLAY_NAME, direction: DESC}, {field: EMAIL}]',
    2,
  );
  expect([...twins].sort()).toEqual([...own].sort());
});

test('a deleted account takes no users', async () => {
  const account = await makeAccount(app);
  await change(app.superadmin, 'Account', account.id, { deleted: true });
  const input = { accountId: account.id, email: 'late@example.com', displayName: 'Late' };
  expect(await app.superadmin.code(CREATE, { input })).toBe('NOT_FOUND');
});

test('simultaneous creations in one account all succeed, and one user owns it', async () => {
  const account = await makeAccount(app);
  const users = await Promise.all(Array.from({ length: 8 }, () => makeUser(app.superadmin, account.id)));
  expect(new Set(users.map(({ id }) => id)).size).toBe(8);
  const rows = await app.database.knex('users').where('account_id', account.id.slice(4));
  expect(rows.filter((row) => row.is_owner)).toHaveLength(1);
});

test('users, their keys and their account are written at once without a deadlock', async () => {
  const { admin, accountId } = await makeStudio(app);
  const user = await makeUser(admin, accountId);
  // The only other owner: what decides whether it may go depends on the whole account.
  await app.database.knex('users').where('id', user.id.slice(4)).update({ is_owner: true });
  const writes = Array.from({ length: 6 }, (_, n) => [
    makeKey(admin, accountId, user.id),
    makeUser(admin, accountId),
    change(admin, 'User', user.id, { status: n % 2 ? 'ACTIVE' : 'SUSPENDED' }),
    change(app.superadmin, 'Account', accountId, { city: `City ${n}` }),
  ]);
  const outcomes = await Promise.allSettled(writes.flat());
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
});

test('addresses are stored in lower case, so that no case of any alphabet makes a second one', async () => {
  const { admin, accountId } = await makeStudio(app);
  const user = await makeUser(admin, accountId, { email: 'ÄRGER@Straße.example' });
  expect(user.email).toBe('ärger@xn--strae-oqa.example');
  const again = { accountId, email: 'äRGER@straße.EXAMPLE', displayName: 'Again' };
  expect(await admin.code(CREATE, { input: again })).toBe('CONFLICT');
  const other = await makeUser(admin, accountId);
  expect(await changeFault(admin, 'User', other.id, { email: again.email })).toBe('CONFLICT');
  await change(admin, 'User', other.id, { email: 'ÖL@Example.com' });
  expect((await admin.data(GET, { id: other.id })).user.email).toBe('öl@example.com');
  // The lower case of this letter is two code points.
  const grows = `${'İ'.repeat(60)}@${'İ'.repeat(190)}`;
  for (const email of ['a\u0001b@c.d', 'a@b\u0085c', 'a\u007f@b.c', grows]) {
    expect(await admin.code(CREATE, { input: { ...again, email } })).toBe('VALIDATION_FAILED');
    expect(await changeFault(admin, 'User', other.id, { email })).toBe('VALIDATION_FAILED');
  }
});
