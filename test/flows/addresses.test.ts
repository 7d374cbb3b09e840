import { uuid7 } from '../../src/base/ids.js';
import { Outbox, Seal } from '../../src/mail/outbox.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Caller } from '../support/http.js';
import { codeFor, mailFiles, mailsTo, register, verifiedToken } from '../support/mail.js';
import { change, makeKey, makeStudio, makeUser, unique } from '../support/make.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const address = (word = 'ann') => `${word}.${unique()}@example.com`;
const complete = (verification_token: string, account_name: string) =>
  app.anyone.post('/register/complete', { verification_token, account_name });
const patch = (by: Caller, path: string, body: object) => by.patch(path, body);
const userOf = (id: string) => app.superadmin.get(`/v1/users/${id}`).then(({ body }) => body);

test('no spelling gets a mailbox more than three codes an hour', async () => {
  const spellings = [
    '<target@example.com>',
    'Target <target@example.com>',
    '"target"@example.com',
    'target(1)@example.com',
    'target@example.com.',
    'target.@example.com',
    'ｔａｒｇｅｔ@example.com',
    'target@ｅxample.com',
    'targ\u200bet@example.com',
    'target@exam\u00adple.com',
    'target@ex%61mple.com',
  ];
  const before = mailFiles(app.dataDir).length;
  for (const email of spellings) {
    for (const door of ['initiate', 'resend', 'verify']) {
      const { status, body } = await app.anyone.post(`/register/${door}`, { email, code: 'ABCDEF' });
      expect([email, door, status, body.details]).toEqual([
        email,
        door,
        422,
        [{ loc: ['body', 'email'], msg: expect.any(String), type: 'email' }],
      ]);
    }
  }
  const same = ['target@bücher.example', 'TARGET@BÜCHER.example', 'Target@xn--bcher-kva.example'];
  for (const email of [...same, ...same]) await app.anyone.post('/register/initiate', { email });
  await app.app.jobs.run('send-mails');
  const sent = await app.database.knex('verification_codes').where('withheld', false).select('email');
  expect(sent.map(({ email }) => email)).toEqual(Array(3).fill('target@xn--bcher-kva.example'));
  // Codes that were replaced before their mails left are not sent.
  expect(mailFiles(app.dataDir).length - before).toBe(1);
});

test('administrators give addresses in the same form', async () => {
  const { admin, accountId } = await makeStudio(app);
  const user = await makeUser(admin, accountId, { email: 'Max@Bücher.Example' });
  expect(user.email).toBe('max@xn--bcher-kva.example');
  const names = { account_id: accountId, display_name: 'Again' };
  const again = await admin.post('/v1/users', { ...names, email: 'max@BÜCHER.example' });
  expect(again).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  for (const email of ['<max@example.com>', 'max@example.com.', 'ｍax@example.com', 'x@unproven.invalid']) {
    const answers = [
      await admin.post('/v1/users', { ...names, email }),
      await patch(admin, `/v1/users/${user.id}`, { email }),
      await admin.post('/register/invite', { email }),
    ];
    expect(answers.map(({ status }) => [email, status])).toEqual(Array(3).fill([email, 422]));
  }
});

test('an unproven address gives way to a registration; its user keeps its keys', async () => {
  const { admin, accountId } = await makeStudio(app);
  const email = address();
  const user = await makeUser(admin, accountId, { email });
  const key = await makeKey(admin, accountId, user.id);
  expect((await userOf(user.id)).email_verified_at).toBeNull();
  const token = await verifiedToken(app, email);
  expect((await mailsTo(app, email)).at(-1)?.raw).not.toContain('already registered here');
  const done = await complete(token, 'The own studio');
  expect(done.status).toBe(201);

  const given = `${user.id}@unproven.invalid`;
  const squatter = app.anyone.with({ 'service-api-key': key.key });
  const { me } = await squatter.data('{ me { user { id email emailVerifiedAt status } } }');
  expect(me.user).toEqual({ id: user.id, email: given, emailVerifiedAt: null, status: 'ACTIVE' });
  const owner = app.anyone.with({ 'service-api-key': done.body.api_key });
  const { body: users } = await owner.get('/v1/users');
  expect(users.data).toMatchObject([
    { email, email_verified_at: new Date(app.clock.now()).toISOString(), account_id: done.body.account_id },
  ]);
  const { auditEntries } = await admin.data(
    'query ($id: ID) { auditEntries(filter: {subjectId: $id, action: ADDRESS_GIVEN_UP}) { nodes { ' +
      'accountId action before after userId } } }',
    { id: user.id },
  );
  expect(auditEntries.nodes).toEqual([
    { accountId, action: 'ADDRESS_GIVEN_UP', before: { email }, after: { email: given }, userId: null },
  ]);
  // A form that sends the whole record back.
  const saved = await patch(admin, `/v1/users/${user.id}`, { email: given, display_name: 'Other' });
  expect(saved).toMatchObject({ status: 200, body: { email: given, display_name: 'Other' } });
  expect((await app.anyone.post('/register/initiate', { email: given })).status).toBe(422);
  const about = { id: uuid7(), at: new Date(app.clock.now()) };
  const mail = {
    kind: 'test',
    recipient: given,
    accountId: null,
    about: about.id,
    expiresAt: about.at,
    subject: '',
    text: '',
    html: '',
  };
  const { knex } = app.database;
  await knex.transaction((trx) => new Outbox(new Seal('secret')).put(trx, mail, about.at));
  expect(await knex('mails').where('recipient', given).select('status', 'content')).toEqual([
    { status: 'dropped', content: null },
  ]);
});

test('a proven address and a superadmin’s stay where they are', async () => {
  const email = address();
  const [early, late] = [await verifiedToken(app, email), await verifiedToken(app, email)];
  expect((await complete(early, 'Early')).status).toBe(201);
  expect(await complete(late, 'Late')).toMatchObject({ status: 409, body: { code: 'CONFLICT' } });
  const root = await verifiedToken(app, 'root@example.com');
  expect(await complete(root, 'Rooted')).toMatchObject({ status: 409 });
});

test('an accepted invitation proves the address, a change of the address ends that', async () => {
  const { admin } = await makeStudio(app);
  const email = address();
  const { body: invited } = await admin.post('/register/invite', { email });
  expect(invited.email_verified_at).toBeNull();
  const code = await codeFor(app, email);
  const { body } = await app.anyone.post('/register/verify', { email, code });
  await complete(body.verification_token, 'Ignored');
  const { email_verified_at: since } = await userOf(invited.id);
  expect(since).toBe(new Date(app.clock.now()).toISOString());
  await change(admin, 'User', invited.id, { email: email.toUpperCase(), displayName: 'Same' });
  expect((await userOf(invited.id)).email_verified_at).toBe(since);
  const other = address('moved');
  await change(admin, 'User', invited.id, { email: other });
  expect(await userOf(invited.id)).toMatchObject({ email: other, email_verified_at: null });
  // The old one is free, and so is the new one for the person who proves it.
  await register(app, email);
  await register(app, other);
  // Invited anew, a user of the account proves its address itself.
  const [back, { knex }] = [address('back'), app.database];
  await change(admin, 'User', invited.id, { email: back });
  await knex('users').where('email', back).update({ status: 'invited' });
  const token = await verifiedToken(app, back);
  expect(await complete(token, 'Ignored')).toMatchObject({ status: 201, body: { display_name: 'Same' } });
  expect((await userOf(invited.id)).email_verified_at).not.toBeNull();
});

test('an invitation that was sent before gives way, too, and cannot be accepted any more', async () => {
  const { admin } = await makeStudio(app);
  const email = address();
  const own = await verifiedToken(app, email);
  await admin.post('/register/invite', { email });
  const { body } = await app.anyone.post('/register/verify', { email, code: await codeFor(app, email) });
  expect(body.type).toBe('invite');
  expect((await complete(own, 'Own after all')).status).toBe(201);
  expect(await complete(body.verification_token, 'Ignored')).toMatchObject({ status: 401 });
});

test('users that are created at the same moment never make a registration fail', async () => {
  const { admin, accountId } = await makeStudio(app);
  const email = address();
  const token = await verifiedToken(app, email);
  const input = { account_id: accountId, email, display_name: 'Rival' };
  const [done, ...made] = await Promise.all([
    complete(token, 'First of all'),
    ...Array.from({ length: 6 }, () => admin.post('/v1/users', input)),
  ]);
  expect(done.status).toBe(201);
  expect(made.every(({ status }) => status === 201 || status === 409)).toBe(true);
  expect(await app.database.knex('users').where({ email }).select('account_id')).toEqual([
    { account_id: done.body.account_id.slice(4) },
  ]);
});

test('a mail to an invited person shows no address and no hidden signs of the person who invites', async () => {
  const bait = 'Bank https://evil.example/pay';
  const account = await app.superadmin.post('/v1/accounts', { name: bait });
  const invite = { email: address(), account_id: account.body.id };
  for (const display_name of [
    bait,
    'www.evil.example',
    'Ann\u202e',
    'a\u200bnn',
    'evil\u200d.example',
    'mail ann@evil.example',
  ]) {
    const refused = await app.superadmin.post('/register/invite', { ...invite, display_name });
    expect([display_name, refused.status]).toEqual([display_name, 422]);
  }
  const { body } = await app.superadmin.post('/register/invite', {
    ...invite,
    display_name: 'Dr. Ann ❤️ St. 1.5',
  });
  const [plain] = await mailsTo(app, invite.email);
  expect(plain?.headers.get('subject')).toBe('Join a studio');
  expect(plain?.raw).toContain('Hello Dr. Ann');
  // But for the link that accepts.
  // Lines of quoted-printable are broken anywhere.
  const joined = plain?.raw.replace(/=\r?\n/g, '');
  expect(joined).not.toMatch(/evil|https?:(?!\/\/play\.example\.com\/register#)/);
  await change(app.superadmin, 'User', body.id, { displayName: 'evil.example/now' });
  await change(app.superadmin, 'Account', account.body.id, { name: 'Good\u202eGames \u2066Ltd. 2' });
  await app.anyone.post('/register/resend', { email: invite.email });
  const again = (await mailsTo(app, invite.email)).at(-1);
  expect(again?.headers.get('subject')).toBe('Join GoodGames Ltd. 2');
  expect(again?.raw).toContain('Hello,');
  expect(again?.raw).not.toContain('evil');
});

test('an account with a name of one character can be changed', async () => {
  const { account_id: id, api_key } = await register(app, address(), { account_name: 'Z' });
  const owner = app.anyone.with({ 'service-api-key': api_key });
  const save = (input: object) => patch(owner, `/v1/accounts/${id}`, input);
  const { body } = await owner.get(`/v1/accounts/${id}`);
  expect(await save({ ...body, city: 'Ulm' })).toMatchObject({
    status: 200,
    body: { name: 'Z', city: 'Ulm' },
  });
  expect(await save({ city: 'Bonn' })).toMatchObject({ status: 200, body: { name: 'Z', city: 'Bonn' } });
  expect(await save({ name: 'Y' })).toMatchObject({
    status: 422,
    body: { details: [{ loc: ['body', 'name'], type: 'length' }] },
  });
  expect((await save({ name: 'Zed' })).body.name).toBe('Zed');
  expect((await save({ name: 'Z' })).status).toBe(422);
});
