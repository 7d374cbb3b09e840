import { startApp, type TestApp } from '../support/app.js';
import { MINUTE, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { codeFor, mailsTo } from '../support/mail.js';
import { change, makeAccount, makeKey, makeUser, unique } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const request = (email: string) => app.anyone.post('/register/sign-in/code', { email });
const enter = (email: string, code: string) => app.anyone.post('/register/sign-in', { email, code });
const withKey = (key: string) => app.anyone.with({ 'service-api-key': key });

/** A user of an account of its own, whose address is not proven. */
async function makeMember(more: Data = {}): Promise<{ email: string; user: Data; account: Data }> {
  const account = await makeAccount(app);
  const email = `member.${unique()}@example.com`;
  const user = await makeUser(app.superadmin, account.id, { email, ...more });
  return { email, user, account };
}

async function signIn(email: string): Promise<Data> {
  await request(email);
  const { status, body } = await enter(email, await codeFor(app, email));
  expect(status).toBe(201);
  return body;
}

test('a code of a mail gives a key of twelve hours, named by its day, and proves the address', async () => {
  const { email, user, account } = await makeMember();
  const asked = await request(email.toUpperCase());
  expect(asked).toMatchObject({ status: 200, body: { code_expires_in: 600 } });
  const signed = await enter(email, (await codeFor(app, email)).toLowerCase());
  const now = new Date(app.clock.now());
  const day = now.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
  expect(signed).toMatchObject({
    status: 201,
    body: {
      key: expect.stringMatching(/^svc_[\w-]{43}$/),
      api_key: { name: `console, ${day}`, user_id: user.id, account_id: account.id, status: 'active' },
    },
  });
  const left = Date.parse(signed.body.expires_at) - now.getTime();
  expect(left).toBe(12 * 60 * MINUTE);
  const own = withKey(signed.body.key);
  const { me } = await own.data('{ me { superAdmin user { id emailVerifiedAt } apiKey { id } } }');
  expect(me).toMatchObject({ superAdmin: false, apiKey: { id: signed.body.api_key.id } });
  expect(me.user).toEqual({ id: user.id, emailVerifiedAt: expect.any(String) });
  const { body: trail } = await own.get('/v1/audit-entries?action=signed_in');
  expect(trail.data).toMatchObject([{ user_id: user.id, subject_id: signed.body.api_key.id }]);
  app.clock.advance(12 * 60 * MINUTE);
  expect((await own.get('/v1/me')).body.code).toBe('INVALID_API_KEY');
});

test('signing out ends the key at once, and a code is good once', async () => {
  const { email } = await makeMember();
  await request(email);
  const code = await codeFor(app, email);
  const { body } = await enter(email, code);
  const own = withKey(body.key);
  expect((await enter(email, code)).body.code).toBe('INVALID_CODE');
  await change(own, 'ApiKey', body.api_key.id, { status: 'REVOKED' });
  expect((await own.get('/v1/me')).status).toBe(401);
});

test('a sixth sign-in ends the oldest of five, and leaves other keys alone', async () => {
  const { email, user, account } = await makeMember();
  const other = await makeKey(app.superadmin, account.id, user.id, { name: 'console, 24 Nov' });
  const keys: string[] = [];
  for (let i = 0; i < 6; i++) {
    app.clock.advance(21 * MINUTE);
    keys.push((await signIn(email)).key);
  }
  const states = await Promise.all(
    [other.key, ...keys].map(async (key) => (await withKey(key).get('/v1/me')).status),
  );
  expect(states).toEqual([200, 401, 200, 200, 200, 200, 200]);
});

test('unknown, invited, suspended, deleted and superadmin addresses get the same answer and no mail', async () => {
  const { email: known } = await makeMember();
  const expected = await request(known);
  const invited = await makeMember();
  await change(app.superadmin, 'User', invited.user.id, { status: 'INVITED' });
  const suspended = await makeMember();
  await change(app.superadmin, 'User', suspended.user.id, { status: 'SUSPENDED' });
  const deleted = await makeMember();
  await change(app.superadmin, 'User', deleted.user.id, { deleted: true });
  const closed = await makeMember();
  await change(app.superadmin, 'Account', closed.account.id, { status: 'SUSPENDED' });
  const gone = await makeMember();
  await change(app.superadmin, 'Account', gone.account.id, { deleted: true });
  const { me } = await app.superadmin.data('{ me { user { email } } }');
  const others = [invited, suspended, deleted, closed, gone].map(({ email }) => email);
  for (const email of [...others, me.user.email, `unknown.${unique()}@example.com`]) {
    const { status, body } = await request(email);
    const request_token = expect.stringMatching(/^[\w-]{43}$/);
    expect({ status, body }).toEqual({ status: expected.status, body: { ...expected.body, request_token } });
    expect([email, await mailsTo(app, email)]).toEqual([email, []]);
    expect((await enter(email, 'AAAAAA')).body).toMatchObject({ code: 'INVALID_CODE' });
  }
  expect(await mailsTo(app, known)).toHaveLength(1);
});

test('a user that was suspended after the code was sent does not get in', async () => {
  const { email, user } = await makeMember();
  await request(email);
  const code = await codeFor(app, email);
  await change(app.superadmin, 'User', user.id, { status: 'SUSPENDED' });
  expect((await enter(email, code)).body.code).toBe('INVALID_CODE');
});

test('codes of sign-ins and registrations do not open one another, and neither ends the other', async () => {
  const { email } = await makeMember();
  await request(email);
  const signing = await codeFor(app, email);
  app.clock.advance(SECOND);
  await app.anyone.post('/register/initiate', { email });
  const registering = await codeFor(app, email);
  expect((await enter(email, registering)).body.code).toBe('INVALID_CODE');
  expect((await app.anyone.post('/register/verify', { email, code: signing })).body.code).toBe(
    'INVALID_CODE',
  );
  expect((await enter(email, signing)).status).toBe(201);
  expect((await app.anyone.post('/register/verify', { email, code: registering })).status).toBe(200);
});

test('five wrong tries end a code, three codes an hour are sent, and expired codes are refused', async () => {
  const { email } = await makeMember();
  for (let i = 0; i < 4; i++) {
    app.clock.advance(SECOND);
    await request(email);
    await mailsTo(app, email);
  }
  expect(await mailsTo(app, email)).toHaveLength(3);
  const code = await codeFor(app, email);
  const wrong = code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));
  for (let i = 0; i < 5; i++) expect((await enter(email, wrong)).body.code).toBe('INVALID_CODE');
  expect((await enter(email, code)).body.code).toBe('INVALID_CODE');
  app.clock.advance(61 * MINUTE);
  await request(email);
  const late = await codeFor(app, email);
  app.clock.advance(11 * MINUTE);
  expect((await enter(email, late)).body.code).toBe('INVALID_CODE');
});

/** Callers of a network of their own. */
const from = (network: number) => app.anyone.with({ 'x-forwarded-for': `203.0.113.${network}` });
const requestFrom = (network: number, email: string, token?: string) =>
  from(network).post('/register/sign-in/code', { email, ...(token && { request_token: token }) });
const wrongOf = (code: string) => code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));

test('requests and wrong tries of a stranger end neither the sign-in of a person nor the one under way', async () => {
  const { email } = await makeMember();
  const { body: own } = await requestFrom(1, email);
  const code = await codeFor(app, email);
  for (let n = 0; n < 4; n++) {
    app.clock.advance(SECOND);
    expect((await requestFrom(2, email)).status).toBe(n < 3 ? 200 : 429);
    await mailsTo(app, email);
  }
  // The fourth of one network is not sent.
  expect(await mailsTo(app, email)).toHaveLength(4);
  for (let n = 0; n < 6; n++) expect((await enter(email, wrongOf(code))).body.code).toBe('INVALID_CODE');
  expect((await enter(email, code)).body.code).toBe('INVALID_CODE');
  const withToken = (tried: string, { request_token }: Data) =>
    app.anyone.post('/register/sign-in', { email, code: tried, request_token });
  // The first wrong one of its own browser.
  expect((await withToken(wrongOf(code), own)).body.code).toBe('INVALID_CODE');
  expect((await withToken(code, own)).status).toBe(201);
  // Registrations of the same address are counted apart, and there is still a way in from another network.
  for (let n = 0; n < 3; n++) {
    app.clock.advance(SECOND);
    await app.anyone.post('/register/initiate', { email });
    expect(await mailsTo(app, email)).toHaveLength(5 + n);
  }
  app.clock.advance(SECOND);
  const { body: other } = await requestFrom(3, email);
  const last = await codeFor(app, email);
  for (let n = 0; n < 4; n++) expect((await withToken(wrongOf(last), other)).body.code).toBe('INVALID_CODE');
  expect((await enter(email, wrongOf(last))).body.code).toBe('INVALID_CODE');
  expect((await enter(email, last)).status).toBe(201);
});

test('a browser’s next request replaces its own code, five tries of its own end it, and twelve are sent an hour', async () => {
  const { email } = await makeMember();
  const { body: first } = await requestFrom(1, email);
  const replaced = await codeFor(app, email);
  app.clock.advance(SECOND);
  const { body: second } = await requestFrom(1, email, first.request_token);
  const code = await codeFor(app, email);
  expect(second.request_token).not.toBe(first.request_token);
  const withToken = (tried: string) =>
    app.anyone.post('/register/sign-in', { email, code: tried, request_token: second.request_token });
  expect((await withToken(replaced)).body.code).toBe('INVALID_CODE');
  expect((await enter(email, replaced)).body.code).toBe('INVALID_CODE');
  for (let n = 0; n < 4; n++) expect((await withToken(wrongOf(code))).body.code).toBe('INVALID_CODE');
  expect((await withToken(code)).body.code).toBe('INVALID_CODE');
  expect((await enter(email, code)).body.code).toBe('INVALID_CODE');
  for (let n = 0; n < 12; n++) {
    app.clock.advance(SECOND);
    await requestFrom(10 + n, email);
    await mailsTo(app, email);
  }
  expect(await mailsTo(app, email)).toHaveLength(12);
});

test('many simultaneous uses of one code make one key', async () => {
  const { email, user } = await makeMember();
  await request(email);
  const code = await codeFor(app, email);
  const answers = await Promise.all(Array.from({ length: 8 }, () => enter(email, code)));
  expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
  const rows = await app.database.knex('api_keys').where('user_id', user.id.slice(4));
  expect(rows).toHaveLength(1);
});

test('the service has none of the demo’s links', async () => {
  for (const page of ['/demo', '/arcade', '/arcade/', '/arcade/config.json'])
    expect([page, (await app.anyone.get(page)).status]).toEqual([page, 404]);
  const code = app.anyone.with({ 'demo-code': 'x'.repeat(32) });
  expect((await code.post('/demo/sign-in', {})).status).toBe(404);
});
