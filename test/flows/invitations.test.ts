import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { codeFor, mailsTo } from '../support/mail.js';
import { change, makeStudio, makeUser, unique } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
});
afterAll(() => app.close());

const address = () => `ann.${unique()}@example.com`;
const verify = (email: string, code: string) => app.anyone.post('/register/verify', { email, code });
const complete = (body: Data) => app.anyone.post('/register/complete', body);
const refusal = async (answer: Promise<{ status: number; body: Data }>) => {
  const { status, body } = await answer;
  return [status, body.code];
};
/** Any code but this one. */
const wrong = (code: string) => code.replace(/^./, (first) => (first === 'A' ? 'B' : 'A'));

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

  test('an invitation needs no name of an account and expires after a day', async () => {
    const studio = await makeStudio(app);
    const [early, late] = [address(), address()];
    await invite({ email: early }, studio.admin);
    await invite({ email: late }, studio.admin);
    const codes = [await codeFor(app, early), await codeFor(app, late)] as const;
    const { body } = await verify(early, codes[0]);
    expect((await complete({ verification_token: body.verification_token })).status).toBe(201);
    app.clock.advance(DAY);
    expect(await refusal(verify(late, codes[1]))).toEqual([400, 'INVALID_CODE']);
    // An invited person requests another code through the open registration.
    await app.anyone.post('/register/resend', { email: late });
    app.clock.advance(HOUR);
    const again = await verify(late, await codeFor(app, late));
    expect(again.body.type).toBe('invite');
  });

  test('a withdrawn invitation and one to a suspended account are refused', async () => {
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

  test('an address that had its mails gets the invitation when its hour is over', async () => {
    const studio = await makeStudio(app);
    const email = address();
    for (let n = 0; n < 12; n += 1) {
      const other = app.anyone.with({ 'x-forwarded-for': `203.0.113.${n}` });
      expect((await other.post('/register/initiate', { email })).status).toBe(201);
    }
    const before = (await mailsTo(app, email)).length;
    expect((await invite({ email }, studio.admin)).status).toBe(201);
    expect(await mailsTo(app, email)).toHaveLength(before);
    app.clock.advance(HOUR);
    expect(await mailsTo(app, email)).toHaveLength(before + 1);
    expect((await verify(email, await codeFor(app, email))).body.type).toBe('invite');
  });
});

describe('REGISTRATION', () => {
  test('invited: strangers get the response but no mail, and invited people join', async () => {
    const own = await startApp({ registration: 'invited' });
    const [stranger, guest] = [address(), address()];
    const studio = await makeStudio(own);
    const asked = await own.anyone.post('/register/initiate', { email: stranger });
    expect(asked).toMatchObject({ status: 201, body: { code_expires_in: 600 } });
    expect(await mailsTo(own, stranger)).toEqual([]);
    await studio.admin.post('/register/invite', { email: guest });
    await own.anyone.post('/register/resend', { email: guest });
    const token = async () => {
      const { body } = await own.anyone.post('/register/verify', {
        email: guest,
        code: await codeFor(own, guest),
      });
      return { verification_token: body.verification_token, account_name: 'Strangers' };
    };
    const verified = await token();
    // As if its code had been sent while everyone could register.
    const codes = own.database.knex('verification_codes').where('email', guest);
    const { user_id } = (await codes.clone().first('user_id'))!;
    await codes.clone().update({ type: 'registration', user_id: null });
    expect(await refusal(own.anyone.post('/register/complete', verified))).toEqual([403, 'FORBIDDEN']);
    expect(await own.database.knex('accounts').where('name', 'Strangers')).toEqual([]);
    await codes.clone().update({ type: 'invite', user_id });
    expect(await own.anyone.post('/register/complete', verified)).toMatchObject({ status: 201 });
    await own.close();
  });

  test('closed: nobody registers or is invited, and signing in works', async () => {
    const own = await startApp({ registration: 'closed' });
    const { admin } = await makeStudio(own);
    const email = address();
    const requests: [Caller, string, Data][] = [
      [own.anyone, 'initiate', { email }],
      [own.anyone, 'resend', { email }],
      [own.anyone, 'verify', { email, code: 'ABCDEF' }],
      [own.anyone, 'complete', { verification_token: 'x', account_name: 'Strangers' }],
      [admin, 'invite', { email }],
    ];
    for (const [caller, path, body] of requests) {
      expect([path, ...(await refusal(caller.post(`/register/${path}`, body)))]).toEqual([
        path,
        403,
        'FORBIDDEN',
      ]);
    }
    expect((await own.anyone.post('/register/sign-in/code', { email })).status).toBe(200);
    expect(await (await fetch(`${own.url}/register`)).text()).toContain('content="closed"');
    await own.close();
  });
});
