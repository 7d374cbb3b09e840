import { startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { codeFor, mailsTo, register, verifiedToken } from '../support/mail.js';
import { change, makeStudio, unique } from '../support/make.js';

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

test('a registration leads from an address to an account with a key that works', async () => {
  const email = 'Ann.Smith+games@Example.com';
  const { status, body } = await initiate(email);
  expect({ status, body }).toEqual({
    status: 201,
    body: {
      message: expect.stringContaining('code'),
      code_expires_in: 600,
      request_token: expect.stringMatching(/^[\w-]{43}$/),
    },
  });
  const code = await codeFor(app, email.toLowerCase());
  const verified = await verify(email.toUpperCase(), code.toLowerCase());
  expect(verified).toMatchObject({
    status: 200,
    // With the name of its cell, where there are several.
    body: {
      verification_token: expect.stringMatching(/^[\w-]{43}(\.[a-z0-9-]+)?$/),
      expires_in: 600,
      type: 'registration',
    },
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
  const trail = await owner.get('/v1/audit-entries?action=record_created');
  const made = { by: 'user', user_id: expect.stringMatching(/^usr_/), account_id: completed.body.account_id };
  expect(trail.body.data).toMatchObject([made, made, made]);
  expect(trail.body.data.map(({ subject_id: id }: Data) => id.slice(0, 3)).toSorted()).toEqual([
    'acc',
    'key',
    'usr',
  ]);
  expect(JSON.stringify(trail.body)).not.toContain(completed.body.api_key.slice(0, 14));
  const { me } = await owner.data(
    '{ me { superAdmin account { id name city country timeZone } user { email status } apiKey { name } } }',
  );
  expect(me).toEqual({
    superAdmin: false,
    account: {
      id: completed.body.account_id,
      name: 'Green Studio',
      city: null,
      country: null,
      timeZone: null,
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

test('a registration by GraphQL does the same', async () => {
  const email = address();
  const sent = await app.anyone.data(
    'mutation ($input: InitiateRegistrationInput!) { initiateRegistration(input: $input) { message codeExpiresIn } }',
    { input: { email } },
  );
  expect(sent.initiateRegistration.codeExpiresIn).toBe(600);
  const { verifyRegistration } = await app.anyone.data(
    'mutation ($input: VerifyRegistrationInput!) { verifyRegistration(input: $input) { verificationToken type expiresIn } }',
    { input: { email, code: await codeFor(app, email) } },
  );
  expect(verifyRegistration).toMatchObject({ type: 'REGISTRATION', expiresIn: 600 });
  const input = {
    verificationToken: verifyRegistration.verificationToken,
    accountName: 'Through GraphQL',
    accountSlug: 'graph-studio',
    displayName: 'Grace',
  };
  const { completeRegistration } = await app.anyone.data(
    `mutation ($input: CompleteRegistrationInput!) {
      completeRegistration(input: $input) { key account { slug } user { displayName } }
    }`,
    { input },
  );
  expect(completeRegistration).toEqual({
    key: expect.stringMatching(/^svc_/),
    account: { slug: 'graph-studio' },
    user: { displayName: 'Grace' },
  });
  const owner = app.anyone.with({ 'service-api-key': completeRegistration.key });
  expect(await owner.data('{ me { account { slug } } }')).toEqual({
    me: { account: { slug: 'graph-studio' } },
  });
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

test('a code is valid once, for ten minutes, until a newer one is sent', async () => {
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

test('five wrong tries of others leave the code to the browser that requested it', async () => {
  const email = address();
  const { body: requested } = await initiate(email);
  const code = await codeFor(app, email);
  for (let n = 0; n < 6; n++) expect((await verify(email, wrong(code))).body.code).toBe('INVALID_CODE');
  expect((await verify(email, code)).body.code).toBe('INVALID_CODE');
  const own = (tried: string) =>
    app.anyone.post('/register/verify', { email, code: tried, request_token: requested.request_token });
  expect((await own(wrong(code))).body.code).toBe('INVALID_CODE');
  expect((await own(code)).status).toBe(200);
});

test('a token is valid once, for ten minutes; a faulty request leaves it usable', async () => {
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
  expect(mail.raw.replace(/\s+/g, ' ')).toContain('is already registered here');
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

test('an account name may have one character, and a missing display name comes from the address', async () => {
  const one = await register(app, 'x@example.com', { account_name: 'Q' });
  expect(one).toMatchObject({ account_name: 'Q', account_slug: 'q-1', display_name: 'x@example.com' });
  const long = `${'n'.repeat(60)}@${'d'.repeat(120)}.example.com`;
  expect((await register(app, long, { account_name: 'Long' })).display_name).toBe(`N${'n'.repeat(59)}`);
  expect((await register(app, address(), { display_name: ' Ann O. ' })).display_name).toBe('Ann O.');
});

test('malformed requests are refused, and no mail is sent', async () => {
  for (const email of [
    'nameless',
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

test('finished registrations are deleted', async () => {
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
