import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { codeFor, mailsTo, register, verifiedToken } from '../support/mail.js';
import { change, makeStudio, makeUser, unique } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const address = () => `ann.${unique()}@example.com`;
const initiate = (email: string) => app.anyone.post('/register/initiate', { email });
const verify = (email: string, code: string) => app.anyone.post('/register/verify', { email, code });
const complete = (body: Data) => app.anyone.post('/register/complete', body);
const refusal = async (answer: Promise<{ status: number; body: Data }>) => {
  const { status, body } = await answer;
  return [status, body.code];
};
/** Any code but this one. */
const wrong = (code: string) => code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));

test('from an address to an account with a key that works', async () => {
  const email = 'Ann.Smith+games@Example.com';
  const { status, body } = await initiate(email);
  expect({ status, body }).toEqual({
    status: 201,
    body: { message: expect.stringContaining('code'), code_expires_in: 600 },
  });
  const code = await codeFor(app, email.toLowerCase());
  const verified = await verify(email.toUpperCase(), code.toLowerCase());
  expect(verified).toMatchObject({
    status: 200,
    body: { verification_token: expect.stringMatching(/^[\w-]{43}$/), expires_in: 600, type: 'registration' },
  });
  const completed = await complete({
    verification_token: verified.body.verification_token,
    account_name: ' Green Studio ',
    display_name: '  ',
  });
  expect(completed).toMatchObject({
    status: 201,
    body: {
      account_id: expect.stringMatching(/^acc_/),
      account_name: 'Green Studio',
      account_slug: 'green-studio',
      display_name: 'Ann Smith',
      api_key: expect.stringMatching(/^svc_[\w-]{43}$/),
    },
  });
  const owner = app.anyone.with({ 'service-api-key': completed.body.api_key });
  const { me } = await owner.data(
    '{ me { superAdmin account { id name city country timezone } user { email status } apiKey { name } } }',
  );
  expect(me).toEqual({
    superAdmin: false,
    account: {
      id: completed.body.account_id,
      name: 'Green Studio',
      city: null,
      country: null,
      timezone: null,
    },
    user: { email: 'ann.smith+games@example.com', status: 'active'.toUpperCase() },
    apiKey: { name: 'Registration' },
  });
  const row = await app.database
    .knex('users')
    .where('email', 'ann.smith+games@example.com')
    .first('is_owner');
  expect(row).toEqual({ is_owner: true });
  expect(
    (await owner.post('/v1/games', { account_id: completed.body.account_id, name: 'First' })).status,
  ).toBe(201);
  const [, welcome] = await mailsTo(app, 'ann.smith+games@example.com');
  expect(welcome?.headers.get('subject')).toBe('Welcome to Green Studio');
  expect(welcome?.raw).not.toContain(completed.body.api_key);
});

test('the same in GraphQL', async () => {
  const email = address();
  const sent = await app.anyone.data(
    'mutation ($input: RegisterInitiateInput!) { registerInitiate(input: $input) { message codeExpiresIn } }',
    { input: { email } },
  );
  expect(sent.registerInitiate.codeExpiresIn).toBe(600);
  const { registerVerify } = await app.anyone.data(
    'mutation ($input: RegisterVerifyInput!) { registerVerify(input: $input) { verificationToken type expiresIn } }',
    { input: { email, code: await codeFor(app, email) } },
  );
  expect(registerVerify).toMatchObject({ type: 'REGISTRATION', expiresIn: 600 });
  const input = {
    verificationToken: registerVerify.verificationToken,
    accountName: 'Through GraphQL',
    accountSlug: 'graph-studio',
    displayName: 'Grace',
  };
  const { registerComplete } = await app.anyone.data(
    `mutation ($input: RegisterCompleteInput!) {
      registerComplete(input: $input) { accountId accountName accountSlug apiKey displayName }
    }`,
    { input },
  );
  expect(registerComplete).toMatchObject({ accountSlug: 'graph-studio', displayName: 'Grace' });
});

test('every path has its aliases', async () => {
  const email = address();
  for (const path of ['/v1/register/initiate', '/register/resend-code', '/v1/register/resend-code/']) {
    const { status } = await app.anyone.post(path, { email });
    expect([path, status]).toEqual([path, path.includes('initiate') ? 201 : 200]);
  }
  const code = await codeFor(app, email);
  const { body } = await app.anyone.post('/v1/register/verify', { email, code });
  const done = await app.anyone.post('/v1/register/complete', {
    verification_token: body.verification_token,
    account_name: 'Below v1',
  });
  expect(done.status).toBe(201);
  expect(await refusal(app.anyone.get('/v1/register/complete'))).toEqual([405, 'METHOD_NOT_ALLOWED']);
});

test('a code is good once, for ten minutes, and as long as no newer one was sent', async () => {
  const email = address();
  await initiate(email);
  const first = await codeFor(app, email);
  app.clock.advance(10 * MINUTE - 1);
  await app.anyone.post('/register/resend', { email });
  const second = await codeFor(app, email);
  expect(await refusal(verify(email, first))).toEqual([400, 'INVALID_CODE']);
  app.clock.advance(10 * MINUTE - 1);
  expect((await verify(email, second)).status).toBe(200);
  expect(await refusal(verify(email, second))).toEqual([400, 'INVALID_CODE']);
  await initiate(email);
  const third = await codeFor(app, email);
  app.clock.advance(10 * MINUTE);
  expect(await refusal(verify(email, third))).toEqual([400, 'INVALID_CODE']);
  expect(await refusal(verify(address(), third))).toEqual([400, 'INVALID_CODE']);
});

test('five wrong tries end a code', async () => {
  const email = address();
  await initiate(email);
  const code = await codeFor(app, email);
  for (let tries = 0; tries < 4; tries += 1) {
    expect(await refusal(verify(email, wrong(code)))).toEqual([400, 'INVALID_CODE']);
  }
  expect((await verify(email, code)).status).toBe(200);
  await initiate(email);
  const next = await codeFor(app, email);
  await Promise.all(Array.from({ length: 5 }, () => verify(email, wrong(next))));
  expect(await refusal(verify(email, next))).toEqual([400, 'INVALID_CODE']);
});

test('three codes an hour are sent to an address; the answers do not tell', async () => {
  const email = address();
  const answers = [];
  for (let n = 0; n < 5; n += 1) answers.push(await initiate(email));
  expect(new Set(answers.map(({ status, body }) => JSON.stringify({ status, body }))).size).toBe(1);
  expect(await mailsTo(app, email)).toHaveLength(1);
  // The last one that was sent stays valid.
  const code = await codeFor(app, email);
  expect((await verify(email, code)).status).toBe(200);
  app.clock.advance(HOUR - 1);
  await initiate(email);
  expect(await mailsTo(app, email)).toHaveLength(1);
  app.clock.advance(1);
  await initiate(email);
  expect(await mailsTo(app, email)).toHaveLength(2);
});

test('at once: of many wishes three are sent, and one code is valid', async () => {
  const email = address();
  await Promise.all(Array.from({ length: 12 }, () => initiate(email)));
  const rows = await app.database.knex('verification_codes').where({ email }).select('status', 'withheld');
  expect(rows).toHaveLength(12);
  expect(rows.filter(({ withheld }) => !withheld)).toHaveLength(3);
  expect(rows.filter(({ status }) => status === 'pending')).toHaveLength(1);
});

test('a token is good once, for ten minutes; what is wrong leaves it usable', async () => {
  const email = address();
  const token = await verifiedToken(app, email);
  const taken = await makeStudio(app);
  const { account } = await taken.admin.data('query ($id: ID!) { account(id: $id) { name slug } }', {
    id: taken.accountId,
  });
  const asked = { verification_token: token, account_name: 'Once' };
  expect(await refusal(complete({ verification_token: token }))).toEqual([422, 'VALIDATION_FAILED']);
  expect(await refusal(complete({ ...asked, account_name: ' ' }))).toEqual([422, 'VALIDATION_FAILED']);
  expect(await refusal(complete({ ...asked, display_name: 'x' }))).toEqual([422, 'VALIDATION_FAILED']);
  expect(await refusal(complete({ ...asked, account_slug: 'No Slug' }))).toEqual([400, 'INVALID_SLUG']);
  expect(await refusal(complete({ ...asked, account_name: account.name }))).toEqual([409, 'CONFLICT']);
  expect(await refusal(complete({ ...asked, account_slug: account.slug }))).toEqual([409, 'CONFLICT']);
  expect(await refusal(complete({ ...asked, jam_code: 'NOSUCHJAM' }))).toEqual([400, 'INVALID_CODE']);
  const both = await Promise.all([complete(asked), complete({ ...asked, account_name: 'Twice' })]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
  expect(await refusal(complete({ ...asked, account_name: 'Thrice' }))).toEqual([401, 'INVALID_TOKEN']);
  const late = await verifiedToken(app, address());
  app.clock.advance(10 * MINUTE);
  expect(await refusal(complete({ verification_token: late, account_name: 'Late' }))).toEqual([
    401,
    'INVALID_TOKEN',
  ]);
});

test('an address that is registered gets a code like any other, and a note; completing is a conflict', async () => {
  const email = address();
  const { account_id: accountId } = await register(app, email);
  const token = await verifiedToken(app, email);
  const mail = (await mailsTo(app, email)).at(-1)!;
  expect(mail.raw.replace(/\s+/g, ' ')).toContain('is registered here already');
  expect(await refusal(complete({ verification_token: token, account_name: 'Second' }))).toEqual([
    409,
    'CONFLICT',
  ]);
  expect(await app.database.knex('accounts').where('name', 'Second')).toEqual([]);
  // Deleted, the address is free.
  const { users } = await app.superadmin.data('query ($id: ID!) { users(accountId: $id) { nodes { id } } }', {
    id: accountId,
  });
  await change(app.superadmin, 'User', users.nodes[0].id, { deleted: true });
  expect((await complete({ verification_token: token, account_name: 'Second' })).status).toBe(201);
});

test('an account name of one character, names that are made, and what no name can be made of', async () => {
  const one = await register(app, 'x@example.com', { account_name: 'Q' });
  expect(one).toMatchObject({ account_name: 'Q', account_slug: 'q-1', display_name: 'x@example.com' });
  const long = `${'n'.repeat(60)}@${'d'.repeat(120)}.example.com`;
  expect((await register(app, long, { account_name: 'Long' })).display_name).toBe(`N${'n'.repeat(59)}`);
  expect((await register(app, address(), { display_name: ' Ann O. ' })).display_name).toBe('Ann O.');
});

test('what is malformed is told, and nothing is sent', async () => {
  for (const email of [
    'nobody',
    'a b@example.com',
    '@example.com',
    `${'a'.repeat(250)}@b.cd`,
    'a@b\n.c',
    7,
    null,
  ]) {
    expect(await refusal(app.anyone.post('/register/initiate', { email }))).toEqual([
      422,
      'VALIDATION_FAILED',
    ]);
  }
  for (const code of ['ABCDE', 'ABCDEFG', '', 123_456]) {
    const answer = await app.anyone.post('/register/verify', { email: address(), code });
    expect(answer).toMatchObject({ status: 422, body: { details: [{ loc: ['body', 'code'] }] } });
  }
  const { body } = await complete({ verification_token: 'none' });
  expect(body.details).toEqual([{ loc: ['body', 'account_name'], msg: 'is required', type: 'missing' }]);
});

test('what has been is forgotten', async () => {
  const { knex } = app.database;
  await register(app, address());
  const left = async () => [
    (await knex('verification_codes').select('id')).length,
    (await knex('mails').select('id')).length,
  ];
  app.clock.advance(2 * DAY + SECOND);
  await app.app.jobs.run('forget-registrations');
  expect((await left())[0]).toBe(0);
  expect((await left())[1]).toBeGreaterThan(0);
  app.clock.advance(28 * DAY);
  await app.app.jobs.run('forget-registrations');
  expect(await left()).toEqual([0, 0]);
});

describe('invitations', () => {
  const invite = (body: Data, by = app.superadmin) => by.post('/register/invite', body);

  test('an invited user joins with a key of its own', async () => {
    const studio = await makeStudio(app);
    const email = address();
    const invited = await invite({ email: email.toUpperCase(), display_name: 'Ben' }, studio.admin);
    expect(invited).toMatchObject({
      status: 201,
      body: {
        account_id: studio.accountId,
        email,
        display_name: 'Ben',
        status: 'invited',
        super_admin: false,
      },
    });
    expect(await refusal(invite({ email }, studio.admin))).toEqual([409, 'CONFLICT']);
    app.clock.advance(DAY - 1);
    const code = await codeFor(app, email);
    expect(await refusal(verify(email, wrong(code)))).toEqual([400, 'INVALID_CODE']);
    const { body } = await verify(email, code);
    expect(body.type).toBe('invite');
    const done = await complete({
      verification_token: body.verification_token,
      account_name: 'Ignored',
      jam_code: 'NOSUCHJAM',
      display_name: 'Benjamin',
    });
    const { account } = await studio.admin.data('query ($id: ID!) { account(id: $id) { name slug } }', {
      id: studio.accountId,
    });
    expect(done).toMatchObject({
      status: 201,
      body: {
        account_id: studio.accountId,
        account_name: account.name,
        account_slug: account.slug,
        display_name: 'Benjamin',
      },
    });
    const ben = app.anyone.with({ 'service-api-key': done.body.api_key });
    const { me } = await ben.data('{ me { user { id email status displayName } } }');
    expect(me.user).toEqual({ id: invited.body.id, email, status: 'ACTIVE', displayName: 'Benjamin' });
    expect(await app.database.knex('users').where('email', email).first('is_owner')).toEqual({
      is_owner: false,
    });
    expect(await refusal(complete({ verification_token: body.verification_token }))).toEqual([
      422,
      'VALIDATION_FAILED',
    ]);
  });

  test('needs no name of an account, and is void after a day', async () => {
    const studio = await makeStudio(app);
    const [early, late] = [address(), address()];
    await invite({ email: early }, studio.admin);
    await invite({ email: late }, studio.admin);
    const codes = [await codeFor(app, early), await codeFor(app, late)] as const;
    const { body } = await verify(early, codes[0]);
    expect((await complete({ verification_token: body.verification_token })).status).toBe(201);
    app.clock.advance(DAY);
    expect(await refusal(verify(late, codes[1]))).toEqual([400, 'INVALID_CODE']);
    // Whoever was invited asks for another code where everybody registers.
    await app.anyone.post('/register/resend', { email: late });
    app.clock.advance(HOUR);
    const again = await verify(late, await codeFor(app, late));
    expect(again.body.type).toBe('invite');
  });

  test('an invitation that was withdrawn, and one to a suspended account', async () => {
    const studio = await makeStudio(app);
    const tokens: Record<string, string> = {};
    for (const name of ['withdrawn', 'activated', 'moved', 'barred']) {
      const email = `${name}@example.com`;
      const { body } = await invite({ email }, studio.admin);
      tokens[name] = (await verify(email, await codeFor(app, email))).body.verification_token;
      if (name === 'withdrawn') await change(studio.admin, 'User', body.id, { deleted: true });
      if (name === 'activated') await change(studio.admin, 'User', body.id, { status: 'ACTIVE' });
      if (name === 'moved') await change(studio.admin, 'User', body.id, { email: 'elsewhere@example.com' });
    }
    await change(app.superadmin, 'Account', studio.accountId, { status: 'SUSPENDED' });
    const refused = (name: string) =>
      refusal(complete({ verification_token: tokens[name], account_name: 'Ignored' }));
    expect(await refused('withdrawn')).toEqual([401, 'INVALID_TOKEN']);
    expect(await refused('activated')).toEqual([401, 'INVALID_TOKEN']);
    expect(await refused('moved')).toEqual([401, 'INVALID_TOKEN']);
    expect(await refused('barred')).toEqual([403, 'ACCOUNT_SUSPENDED']);
    await change(app.superadmin, 'Account', studio.accountId, { status: 'ACTIVE' });
    expect((await complete({ verification_token: tokens.barred })).status).toBe(201);
  });

  test('only administrators invite, into their own account; the first user of an account owns it', async () => {
    const [studio, other] = [await makeStudio(app), await makeStudio(app)];
    const email = address();
    expect(await refusal(invite({ email }, app.anyone))).toEqual([401, 'API_KEY_REQUIRED']);
    expect(await refusal(invite({ email, account_id: other.accountId }, studio.admin))).toEqual([
      403,
      'FORBIDDEN',
    ]);
    const known = await makeUser(app.superadmin, other.accountId);
    expect(await refusal(invite({ email: known.email }, studio.admin))).toEqual([409, 'CONFLICT']);
    const { body: account } = await app.superadmin.post('/v1/accounts', { name: `Empty ${unique()}` });
    await invite({ email, account_id: account.id });
    expect(await app.database.knex('users').where({ email }).first('is_owner')).toEqual({ is_owner: true });
  });

  test('an address that had its codes gets the invitation when its hour is over', async () => {
    const studio = await makeStudio(app);
    const email = address();
    for (let n = 0; n < 3; n += 1) await initiate(email);
    const before = (await mailsTo(app, email)).length;
    expect((await invite({ email }, studio.admin)).status).toBe(201);
    expect(await mailsTo(app, email)).toHaveLength(before);
    app.clock.advance(HOUR);
    expect(await mailsTo(app, email)).toHaveLength(before + 1);
    expect((await verify(email, await codeFor(app, email))).body.type).toBe('invite');
  });
});
