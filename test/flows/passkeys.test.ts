import { randomBytes } from 'node:crypto';
import { startApp, type TestApp } from '../support/app.js';
import { ADD, Authenticator, addPasskey, newOptions } from '../support/authenticator.js';
import { MINUTE } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { codeFor, mailsTo, register } from '../support/mail.js';
import { change, makeAccount, makeKey, makeStudio, makeUser, type Studio, unique } from '../support/make.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

const ENTER = `mutation ($input: SignInWithPasskeyInput!) {
  signInWithPasskey(input: $input) { key apiKey { id userId } expiresAt } }`;
const RENAME = 'mutation ($input: UpdatePasskeyInput!) { updatePasskey(input: $input) { passkey { name } } }';
const REMOVE = 'mutation ($id: ID!) { removePasskey(input: { id: $id }) { passkey { id } } }';
const RESET = 'mutation ($id: ID!) { resetPasskeys(input: { id: $id }) { user { id } } }';
const OWN = '{ me { user { passkeys { id name } } } }';

const signInOptions = async (): Promise<Data> =>
  JSON.parse((await app.anyone.data('{ passkeySignInOptions }')).passkeySignInOptions);
const withKey = (key: string) => app.anyone.with({ 'service-api-key': key });

interface Member {
  accountId: string;
  user: Data;
  caller: Caller;
}

async function makeMember(accountId = studio.accountId): Promise<Member> {
  const user = await makeUser(app.superadmin, accountId, { email: `person.${unique()}@example.com` });
  const { key } = await makeKey(app.superadmin, accountId, user.id);
  return { accountId, user, caller: withKey(key) };
}

const added = ({ caller }: Pick<Member, 'caller'>, name?: string) => addPasskey(caller, name);

const enter = async (accountId: string, response: string) =>
  (await app.anyone.data(ENTER, { input: { accountId, response } })).signInWithPasskey;
const refusal = (accountId: string, response: string) =>
  app.anyone.code(ENTER, { input: { accountId, response } });

test('a passkey signs in alone, for twelve hours, and the session says so', async () => {
  const member = await makeMember();
  const { passkey, record } = await added(member);
  expect(record).toMatchObject({ id: expect.stringMatching(/^psk_/), name: 'Laptop', isSynced: false });
  const { key, apiKey, expiresAt } = await enter(member.accountId, passkey.get(await signInOptions()));
  expect(apiKey.userId).toBe(member.user.id);
  expect(Date.parse(expiresAt) - app.clock.now()).toBe(12 * 60 * MINUTE);
  const { me } = await withKey(key).data(
    '{ me { user { consoleSessions { id method isCurrent } passkeys { lastUsedAt } } } }',
  );
  expect(me.user.consoleSessions).toMatchObject([{ id: apiKey.id, method: 'PASSKEY', isCurrent: true }]);
  expect(me.user.passkeys).toMatchObject([{ lastUsedAt: expect.any(String) }]);
  const { body } = await studio.admin.get(`/v1/audit-entries?subject_id=${apiKey.id}&action=signed_in`);
  expect(body.data).toMatchObject([{ user_id: member.user.id, after: { method: 'passkey' } }]);
  const trail = await studio.admin.get(`/v1/audit-entries?subject_id=${record.id}`);
  expect(trail.body.data).toMatchObject([{ action: 'record_created' }]);
  expect(JSON.stringify(trail.body)).not.toMatch(/public_?key|credential|transports/i);
});

test('superadmins, who get no code by mail, sign in with a passkey', async () => {
  const { passkey, record } = await added({ caller: app.superadmin });
  const { me } = await app.superadmin.data('{ me { accountId } }');
  const { key } = await enter(me.accountId, passkey.get(await signInOptions()));
  expect((await withKey(key).data('{ me { superAdmin } }')).me.superAdmin).toBe(true);
  await app.superadmin.data(REMOVE, { id: record.id });
});

test('several are added, named and removed; a removed one is refused', async () => {
  const member = await makeMember();
  const one = await added(member, 'One');
  const two = await added(member, 'Two');
  const again = one.passkey.create(await newOptions(member.caller));
  expect(await member.caller.code(ADD, { input: { name: 'Again', response: again } })).toBe('CONFLICT');
  expect((await newOptions(member.caller)).excludeCredentials).toHaveLength(2);
  await member.caller.data(RENAME, { input: { id: one.record.id, name: ' Renamed ' } });
  const { me } = await member.caller.data(OWN);
  expect(me.user.passkeys.map(({ name }: Data) => name)).toEqual(['Renamed', 'Two']);
  await member.caller.data(REMOVE, { id: two.record.id });
  expect(await refusal(member.accountId, two.passkey.get(await signInOptions()))).toBe('INVALID_CODE');
  expect(await member.caller.code(REMOVE, { id: two.record.id })).toBe('NOT_FOUND');
  await enter(member.accountId, one.passkey.get(await signInOptions()));
});

test('a challenge works once, for five minutes, for what it was issued for', async () => {
  const member = await makeMember();
  const { passkey } = await added(member);
  const options = await signInOptions();
  const response = passkey.get(options);
  await enter(member.accountId, response);
  expect(await refusal(member.accountId, response)).toBe('INVALID_CODE');
  expect(await refusal(member.accountId, passkey.get(options))).toBe('INVALID_CODE');
  const late = await signInOptions();
  app.clock.advance(5 * MINUTE);
  expect(await refusal(member.accountId, passkey.get(late))).toBe('INVALID_CODE');
  const ofAdding = await newOptions(member.caller);
  expect(await refusal(member.accountId, passkey.get(ofAdding))).toBe('INVALID_CODE');
  const made = { challenge: randomBytes(54).toString('base64url') };
  expect(await refusal(member.accountId, passkey.get(made))).toBe('INVALID_CODE');
  // One that another user was given.
  const other = await makeMember();
  const foreign = new Authenticator().create(await newOptions(other.caller));
  expect(await member.caller.code(ADD, { input: { name: 'Foreign', response: foreign } })).toBe(
    'INVALID_CODE',
  );
  const wrongKind = new Authenticator().create({ ...ofAdding, challenge: (await signInOptions()).challenge });
  expect(await member.caller.code(ADD, { input: { name: 'Wrong', response: wrongKind } })).toBe(
    'INVALID_CODE',
  );
});

test('twenty sign-ins with one response at the same moment make one session', async () => {
  const member = await makeMember();
  const { passkey } = await added(member);
  const response = passkey.get(await signInOptions());
  const tries = Array.from({ length: 20 }, () =>
    app.anyone.graphql(ENTER, { input: { accountId: member.accountId, response } }),
  );
  const done = (await Promise.all(tries)).filter(({ data }) => data?.signInWithPasskey);
  expect(done).toHaveLength(1);
  const many = await Promise.all(
    Array.from({ length: 20 }, async () => {
      const other = await makeMember();
      const { passkey: own } = await added(other);
      return enter(other.accountId, own.get(await signInOptions()));
    }),
  );
  expect(new Set(many.map(({ key }) => key)).size).toBe(20);
});

test('another origin, no verification, a foreign account, handle, signature or an old counter are refused', async () => {
  const member = await makeMember();
  const { passkey } = await added(member);
  const stranger = await makeStudio(app);
  const other = await makeMember(stranger.accountId);
  const { passkey: others } = await added(other);
  const { accountId } = member;
  const refused = async (account: string, sent: (options: Data) => string) =>
    expect(await refusal(account, sent(await signInOptions()))).toBe('INVALID_CODE');
  await refused(accountId, (options) => passkey.get(options, { origin: 'https://evil.example' }));
  await refused(accountId, (options) => passkey.get(options, { origin: 'https://evil.play.example.com' }));
  await refused(accountId, (options) => passkey.get(options, { verified: false }));
  // The passkey of another account, also with this one's handle.
  await refused(accountId, (options) => others.get(options));
  await refused(accountId, (options) => others.get(options, { handle: passkey.handle }));
  await refused(stranger.accountId, (options) => passkey.get(options));
  await refused(accountId, (options) => passkey.get(options, { handle: others.handle }));
  await refused(accountId, (options) => passkey.get(options, { handle: '' }));
  await refused(accountId, (options) => new Authenticator().get(options, { handle: passkey.handle }));
  await refused(accountId, (options) => {
    const sent = JSON.parse(passkey.get(options));
    return JSON.stringify({
      ...sent,
      response: { ...sent.response, signature: JSON.parse(others.get(options)).response.signature },
    });
  });
  await enter(accountId, passkey.get(await signInOptions()));
  passkey.counter = 0;
  await refused(accountId, (options) => passkey.get(options));
  const unverified = new Authenticator();
  const options = await newOptions(member.caller);
  for (const fault of [{ verified: false }, { origin: 'http://play.example.com' }]) {
    const response = unverified.create(options, fault);
    expect(await member.caller.code(ADD, { input: { name: 'No', response } })).toBe('INVALID_CODE');
  }
});

test('what is no response of a browser is a fault of the request', async () => {
  const member = await makeMember();
  const junk = [
    '',
    'null',
    '[]',
    '{}',
    '"x"',
    '{"id":"a","response":{}}',
    '{"id":1}',
    `{"id":"${'a'.repeat(40_000)}"}`,
  ];
  const odd = JSON.stringify({
    id: 'a',
    response: {
      clientDataJSON: 'bm90IGpzb24',
      signature: 'a',
      authenticatorData: 'a',
      attestationObject: 'a',
    },
  });
  for (const response of [...junk, odd]) {
    expect(await refusal(member.accountId, response)).toBe('VALIDATION_FAILED');
    expect(await member.caller.code(ADD, { input: { name: 'Junk', response } })).toBe('VALIDATION_FAILED');
  }
  expect(await refusal('none', '{}')).toBe('VALIDATION_FAILED');
});

test('suspended users and accounts do not get in', async () => {
  const member = await makeMember();
  const { passkey } = await added(member);
  await change(studio.admin, 'User', member.user.id, { status: 'SUSPENDED' });
  expect(await refusal(member.accountId, passkey.get(await signInOptions()))).toBe('USER_SUSPENDED');
  await change(studio.admin, 'User', member.user.id, { deleted: true });
  expect(await refusal(member.accountId, passkey.get(await signInOptions()))).toBe('INVALID_CODE');
  const account = await makeAccount(app);
  const other = await makeMember(account.id);
  const { passkey: others } = await added(other);
  await change(app.superadmin, 'Account', account.id, { status: 'SUSPENDED' });
  expect(await refusal(account.id, others.get(await signInOptions()))).toBe('ACCOUNT_SUSPENDED');
});

test('passkeys are changed by their users alone, and reset by another administrator, with a mail', async () => {
  const member = await makeMember();
  const { passkey, record } = await added(member);
  const { key } = await enter(member.accountId, passkey.get(await signInOptions()));
  expect(await studio.admin.code(REMOVE, { id: record.id })).toBe('FORBIDDEN');
  expect(await studio.admin.code(RENAME, { input: { id: record.id, name: 'Mine' } })).toBe('FORBIDDEN');
  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(REMOVE, { id: record.id })).toBe('FORBIDDEN');
  expect(await stranger.admin.code(RESET, { id: member.user.id })).toBe('FORBIDDEN');
  expect(await member.caller.code(RESET, { id: member.user.id })).toBe('INVALID_TRANSITION');
  const root = (await app.superadmin.data('{ me { userId } }')).me.userId;
  expect(await studio.admin.code(RESET, { id: root })).toBe('FORBIDDEN');
  await studio.admin.data(RESET, { id: member.user.id });
  expect(await refusal(member.accountId, passkey.get(await signInOptions()))).toBe('INVALID_CODE');
  expect((await withKey(key).get('/v1/me')).body.code).toBe('INVALID_API_KEY');
  const [mail, ...more] = await mailsTo(app, member.user.email);
  expect([mail?.headers.get('subject'), more]).toEqual(['Your passkeys were reset', []]);
  const { body } = await studio.admin.get(`/v1/audit-entries?subject_id=${record.id}&action=record_deleted`);
  expect(body.data).toMatchObject([{ user_id: studio.userId }]);
});

describe('an account that demands passkeys', () => {
  const demands = (caller: Caller, id: string, demandsPasskeys: boolean) =>
    change(caller, 'Account', id, { demandsPasskeys });
  const byCode = async ({ email }: Data) => {
    app.clock.advance(21 * MINUTE);
    await app.anyone.post('/register/sign-in/code', { email });
    return app.anyone.post('/register/sign-in', { email, code: await codeFor(app, email) });
  };
  const RIGHTS = '{ me { rights needsPasskey } }';

  test('a mailed code adds the first one, for a day; all others need a session by a passkey', async () => {
    const own = await makeStudio(app);
    const { user, caller } = await makeMember(own.accountId);
    const before = await byCode(user);
    await demands(own.admin, own.accountId, true);
    // The session of before is limited with its next request; keys are as they were.
    const session = withKey(before.body.key);
    expect((await session.data(RIGHTS)).me).toEqual({ rights: ['OWN'], needsPasskey: true });
    const { body } = await session.get('/v1/games');
    expect(body).toMatchObject({ code: 'PASSKEY_REQUIRED', error: expect.stringContaining('Add one under') });
    expect((await caller.data(RIGHTS)).me.needsPasskey).toBe(false);
    await expect(added({ caller })).rejects.toThrow('PASSKEY_REQUIRED');
    const { passkey, record } = await added({ caller: session });
    await expect(added({ caller: session })).rejects.toThrow('PASSKEY_REQUIRED');
    expect(await session.code(REMOVE, { id: record.id })).toBe('PASSKEY_REQUIRED');
    expect((await byCode(user)).body).toMatchObject({ code: 'PASSKEY_REQUIRED' });
    const { key } = await enter(own.accountId, passkey.get(await signInOptions()));
    expect((await withKey(key).data(RIGHTS)).me.rights).toContain('PEOPLE');
    const second = await added({ caller: withKey(key) }, 'Second');
    await withKey(key).data(REMOVE, { id: second.record.id });
    expect(await withKey(key).code(REMOVE, { id: record.id })).toBe('INVALID_TRANSITION');
    // After a loss: a reset by a colleague gives another day.
    await own.admin.data(RESET, { id: user.id });
    const again = await byCode(user);
    expect(again.status).toBe(201);
    app.clock.advance(24 * 60 * MINUTE);
    const late = await byCode(user);
    expect(late.body).toMatchObject({ code: 'PASSKEY_REQUIRED', error: expect.stringContaining('is over') });
    await change(own.admin, 'Account', own.accountId, { passkeyHours: 48 });
    expect((await byCode(user)).status).toBe(201);
    await demands(own.admin, own.accountId, false);
    const free = await byCode(user);
    expect((await withKey(free.body.key).data(RIGHTS)).me.needsPasskey).toBe(false);
  });

  test('viewers are free until they become moderators; an invitation leads to a session that adds one', async () => {
    const own = await makeStudio(app);
    await demands(own.admin, own.accountId, true);
    const viewer = await makeUser(own.admin, own.accountId, {
      email: `viewer.${unique()}@example.com`,
      role: 'VIEWER',
    });
    app.clock.advance(48 * 60 * MINUTE);
    const { body } = await byCode(viewer);
    expect((await withKey(body.key).data(RIGHTS)).me).toEqual({
      rights: ['OWN', 'READ'],
      needsPasskey: false,
    });
    await change(own.admin, 'User', viewer.id, { role: 'MODERATOR' });
    const promoted = await byCode(viewer);
    expect((await withKey(promoted.body.key).data(RIGHTS)).me).toEqual({
      rights: ['OWN'],
      needsPasskey: true,
    });
    const email = `invited.${unique()}@example.com`;
    await own.admin.post('/register/invite', { email, role: 'moderator' });
    const { api_key: key } = await register(app, email);
    expect((await withKey(key).data(RIGHTS)).me.needsPasskey).toBe(true);
    await added({ caller: withKey(key) });
  });
});

test.each([undefined, 'http://127.0.0.1:4000', 'http://[::1]:4000'])(
  'without a host name they are off: %s',
  async (url) => {
    const bare = await startApp({ publicUiUrl: undefined, consoleUrl: url });
    try {
      expect(await bare.anyone.code('{ passkeySignInOptions }')).toBe('FORBIDDEN');
      expect(await bare.superadmin.code('{ newPasskeyOptions }')).toBe('FORBIDDEN');
    } finally {
      await bare.close();
    }
  },
);
