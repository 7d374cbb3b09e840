import { startApp, type TestApp } from '../support/app.js';
import { change, changeFault, makeAccount, makeStudio, makeUser, unique, walk } from '../support/make.js';

const CREATE =
  'mutation ($input: CreateAccountInput!) { createAccount(input: $input) { account { id slug } } }';
const GET = 'query ($id: ID!) { account(id: $id) { id name slug status city country timeZone } }';
const RESTORE = 'mutation ($id: ID!) { restore(input: { id: $id }) { node { __typename id } } }';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

test('the superadmin of the first start sees itself', async () => {
  const { me } = await app.superadmin.data(
    '{ me { kind superAdmin user { email } account { name } apiKey { prefix } } }',
  );
  expect(me).toEqual({
    kind: 'ADMIN',
    superAdmin: true,
    user: { email: 'root@example.com' },
    account: { name: 'Administration' },
    apiKey: { prefix: app.superadmin.headers['service-api-key']!.slice(0, 14) },
  });
});

test('only superadmins create accounts; others see and change their own', async () => {
  const { admin, accountId } = await makeStudio(app);
  const other = await makeAccount(app);
  expect(await admin.code(CREATE, { input: { name: 'Another' } })).toBe('SUPERADMIN_REQUIRED');
  expect(await app.anyone.code(CREATE, { input: { name: 'Another' } })).toBe('API_KEY_REQUIRED');
  expect(await admin.code(GET, { id: other.id })).toBe('FORBIDDEN');
  expect(await changeFault(admin, 'Account', other.id, { name: 'Mine now' })).toBe('FORBIDDEN');
  const { accounts } = await admin.data('{ accounts { nodes { id } } }');
  expect(accounts.nodes).toEqual([{ id: accountId }]);
  await change(admin, 'Account', accountId, { city: 'Ulm', country: 'de', timeZone: 'Europe/Berlin' });
  expect((await admin.data(GET, { id: accountId })).account).toMatchObject({
    city: 'Ulm',
    country: 'DE',
    timeZone: 'Europe/Berlin',
  });
  await change(admin, 'Account', accountId, { city: null });
  expect((await admin.data(GET, { id: accountId })).account).toMatchObject({ city: null, country: 'DE' });
});

test('slugs are made from names, numbered when taken, and refused when malformed', async () => {
  const name = `Ünder  the_Sea ${unique()}`;
  const first = await makeAccount(app, { name });
  expect(first.slug).toMatch(/^under-the-sea-\d+$/);
  const taken = { name: `${name}!` };
  const rivals = await Promise.all(
    [1, 2, 3].map((n) => makeAccount(app, { name: `${taken.name}${'!'.repeat(n)}` })),
  );
  expect(rivals.map((rival) => rival.slug).sort()).toEqual([2, 3, 4].map((n) => `${first.slug}-${n}`));
  expect(await app.superadmin.code(CREATE, { input: { name: 'A name', slug: first.slug } })).toBe('CONFLICT');
  expect(await app.superadmin.code(CREATE, { input: { name } })).toBe('CONFLICT');
  for (const slug of ['Upper', 'a', 'two--hyphens', '-lead', 'x'.repeat(51)]) {
    expect(await app.superadmin.code(CREATE, { input: { name: 'Some name', slug } })).toBe('INVALID_SLUG');
  }
});

test('an error of input names every faulty field', async () => {
  const account = await makeAccount(app);
  const fault = await app.superadmin.fault(
    'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { account { id } } }',
    { input: { id: account.id, name: '', country: 'Germany', timeZone: 'Mars/Base', status: null } },
  );
  expect(fault.extensions.code).toBe('VALIDATION_FAILED');
  expect(fault.message).toMatch(/\b(name|country|timeZone|status) must .*3 more/);
  expect(fault.extensions.details!.map(({ loc, type }) => [loc, type])).toEqual(
    expect.arrayContaining([
      [['name'], 'length'],
      [['country'], 'country'],
      [['timeZone'], 'timezone'],
      [['status'], 'null'],
    ]),
  );
  for (const input of [{ timezone: '+02:00' }, { timezone: '' }, { country: 'D' }, { country: '日本' }]) {
    expect(await changeFault(app.superadmin, 'Account', account.id, input)).toBe('VALIDATION_FAILED');
  }
  for (const name of ['bad\u0000name', 'bad\ud800name', 'line\nbreak', ' x ']) {
    expect(await app.superadmin.code(CREATE, { input: { name } })).toBe('VALIDATION_FAILED');
  }
  expect(
    await app.superadmin.code('mutation { createAccount(input: { name: "nul\\u0000" }) { account { id } } }'),
  ).toBe('VALIDATION_FAILED');
  const missing = await app.superadmin.fault(CREATE, { input: {} });
  expect(missing.extensions.details).toEqual([{ loc: ['name'], msg: 'is required', type: 'missing' }]);
});

test('a suspended account is refused until it is activated', async () => {
  const { admin, accountId } = await makeStudio(app);
  await change(app.superadmin, 'Account', accountId, { status: 'SUSPENDED' });
  expect(await admin.code('{ me { kind } }')).toBe('ACCOUNT_SUSPENDED');
  await change(app.superadmin, 'Account', accountId, { status: 'ACTIVE' });
  expect((await admin.data('{ me { accountId } }')).me.accountId).toBe(accountId);
});

test('a deleted account is gone with all below it, and comes back whole', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const user = 'query ($id: ID!) { user(id: $id) { id } }';
  await change(app.superadmin, 'Account', accountId, { deleted: true });
  expect(await app.superadmin.code(GET, { id: accountId })).toBe('NOT_FOUND');
  expect(await app.superadmin.code(user, { id: userId })).toBe('NOT_FOUND');
  expect(await admin.code('{ me { kind } }')).toBe('INVALID_API_KEY');
  expect(
    (await app.superadmin.data('query ($id: ID!) { node(id: $id) { id } }', { id: accountId })).node,
  ).toBeNull();
  expect(await changeFault(app.superadmin, 'Account', accountId, { name: 'Ghost' })).toBe('NOT_FOUND');
  expect(await changeFault(app.superadmin, 'User', userId, { deleted: true })).toBe('NOT_FOUND');

  const deletedAt = () =>
    app.database
      .knex('accounts')
      .where('id', accountId.slice(4))
      .first('deleted_at')
      .then((row) => row.deleted_at);
  const first = await deletedAt();
  app.clock.advance(5_000);
  await change(app.superadmin, 'Account', accountId, { deleted: true });
  expect(await deletedAt()).toEqual(first);

  const { restore } = await app.superadmin.data(RESTORE, { id: accountId });
  expect(restore.node).toEqual({ __typename: 'Account', id: accountId });
  expect((await admin.data('{ me { accountId } }')).me.accountId).toBe(accountId);
});

test('a name that was taken meanwhile keeps a deleted account away', async () => {
  const account = await makeAccount(app);
  await change(app.superadmin, 'Account', account.id, { deleted: true });
  const heir = await makeAccount(app, { name: account.name });
  expect(heir.slug).toBe(account.slug);
  expect(await app.superadmin.code(RESTORE, { id: account.id })).toBe('CONFLICT');
  expect(await changeFault(app.superadmin, 'Account', account.id, { deleted: false })).toBe('CONFLICT');
});

test('the list walks both ways in any order, ties included', async () => {
  // The test's clock stands: every account so far was created at few moments.
  for (let n = 0; n < 5; n += 1) await makeAccount(app);
  const all = await walk(app.superadmin, 'accounts', '', 3);
  for (const order of [
    '{field: NAME}',
    '[{field: CREATED_AT}, {field: NAME, direction: DESC}]',
    '[{field: UPDATED_AT, direction: DESC}, {field: ID, direction: DESC}]',
    '{field: SLUG, direction: DESC}',
  ]) {
    const sorted = await walk(app.superadmin, 'accounts', `orderBy: ${order}`, 4);
    expect([...sorted].sort()).toEqual([...all].sort());
  }
  const byName = await app.superadmin.data(
    '{ accounts(orderBy: {field: NAME, direction: DESC}, first: 100) { nodes { name } } }',
  );
  const names: string[] = byName.accounts.nodes.map((node: { name: string }) => node.name);
  expect(names).toEqual([...names].sort().reverse());
});

test('a slug filter that matches nothing is 404', async () => {
  const account = await makeAccount(app);
  const list = 'query ($slug: String) { accounts(filter: {slug: $slug}) { nodes { id } } }';
  expect((await app.superadmin.data(list, { slug: account.slug })).accounts.nodes).toEqual([
    { id: account.id },
  ]);
  expect(await app.superadmin.code(list, { slug: 'unknown' })).toBe('NOT_FOUND');
});

test('cursors are good for one order and one set of filters', async () => {
  await makeAccount(app);
  const list =
    'query ($after: String, $order: [AccountOrder!]) { accounts(first: 1, after: $after, orderBy: $order) { pageInfo { endCursor } } }';
  const order = [{ field: 'NAME' }];
  const { accounts } = await app.superadmin.data(list, { order });
  const after = accounts.pageInfo.endCursor;
  const mismatch = await app.superadmin.fault(list, { after, order: [{ field: 'NAME', direction: 'DESC' }] });
  expect(mismatch.message).toBe(
    "Query parameters don't match cursor state. Start a new pagination sequence.",
  );
  expect(await app.superadmin.code(list, { after })).toBe('CURSOR_MISMATCH');
  const { admin } = await makeStudio(app);
  expect(await admin.code(list, { after, order })).toBe('CURSOR_MISMATCH');
  for (const broken of [
    '',
    '%%%',
    'e30',
    Buffer.from('[1]').toString('base64url'),
    `${after.slice(0, -9)}`,
  ]) {
    expect(await app.superadmin.code(list, { after: broken, order })).toBe('INVALID_CURSOR');
  }
  const sorted = async (sort: string) => (await app.superadmin.get(`/v1/accounts?sort=${sort}`)).body;
  expect((await sorted('city:asc')).error).toBe(
    'Unknown sort field: city. Valid fields: id, name, slug, created_at, updated_at',
  );
  for (const sort of ['name', 'name:up', 'name:asc,name:desc', ',']) {
    expect((await sorted(sort)).code).toBe('INVALID_SORT');
  }
  const twice = [...order, { field: 'NAME', direction: 'DESC' }];
  expect(await app.superadmin.code(list, { order: twice })).toBe('INVALID_SORT');
  expect(await app.superadmin.code(list, { order: null })).toBe('VALIDATION_FAILED');
});

test('page arguments out of range or in contradiction are refused', async () => {
  for (const args of ['first: 0', 'first: 101', 'last: -1', 'first: 2, last: 2', 'after: "x", before: "y"']) {
    expect(await app.superadmin.code(`{ accounts(${args}) { nodes { id } } }`)).toBe('VALIDATION_FAILED');
  }
});

test('node and nodes answer any kind, null for missing records, FORBIDDEN for foreign ones', async () => {
  const { admin, accountId, userId } = await makeStudio(app);
  const other = await makeAccount(app);
  const answer = await admin.graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
    ids: [accountId, userId, 'usr_00000000-0000-7000-8000-000000000000', other.id],
  });
  expect(answer.data.nodes).toEqual([
    { __typename: 'Account', id: accountId },
    { __typename: 'User', id: userId },
    null,
    null,
  ]);
  expect(answer.errors!.map((error) => [error.path, error.extensions.code])).toEqual([
    [['nodes', 3], 'FORBIDDEN'],
  ]);
  expect(await admin.code('{ node(id: "acc_1") { id } }')).toBe('VALIDATION_FAILED');
  expect(await app.superadmin.code(RESTORE, { id: 'acc_00000000-0000-7000-8000-000000000000' })).toBe(
    'NOT_FOUND',
  );
});

test('a change that changes nothing leaves the time of the last change', async () => {
  const account = await makeAccount(app);
  const read = 'query ($id: ID!) { account(id: $id) { updatedAt status } }';
  const before = (await app.superadmin.data(read, { id: account.id })).account;
  app.clock.advance(60_000);
  await change(app.superadmin, 'Account', account.id, { status: 'ACTIVE', name: account.name });
  expect((await app.superadmin.data(read, { id: account.id })).account).toEqual(before);
});

test('the account of a superadmin is suspended and deleted by superadmins only', async () => {
  const { admin, accountId } = await makeStudio(app);
  const chief = await makeUser(app.superadmin, accountId);
  await change(app.superadmin, 'User', chief.id, { superAdmin: true });
  for (const input of [{ status: 'SUSPENDED' }, { deleted: true }, { name: 'New name', deleted: true }]) {
    expect(await changeFault(admin, 'Account', accountId, input)).toBe('FORBIDDEN');
  }
  expect((await admin.data(GET, { id: accountId })).account.status).toBe('ACTIVE');
  await change(admin, 'Account', accountId, { city: 'Ulm', status: 'ACTIVE' });
  await change(app.superadmin, 'Account', accountId, { status: 'SUSPENDED' });
  await change(app.superadmin, 'Account', accountId, { status: 'ACTIVE' });
  await change(app.superadmin, 'User', chief.id, { deleted: true });
  await change(admin, 'Account', accountId, { status: 'SUSPENDED' });
  expect(await admin.code('{ me { kind } }')).toBe('ACCOUNT_SUSPENDED');
});
