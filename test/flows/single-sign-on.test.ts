import { randomBytes } from 'node:crypto';
import { CLIENT, type Issuer, openIssuer } from '../fixtures/issuer.js';
import { startApp, type TestApp } from '../support/app.js';
import { addPasskey } from '../support/authenticator.js';
import { DAY, HOUR, MINUTE } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { full, quick } from '../support/lane.js';
import { begin, WATCH } from '../support/live.js';
import { codeFor } from '../support/mail.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Studio,
  unique,
} from '../support/make.js';
import { TestSocket } from '../support/socket.js';
import { until } from '../support/wait.js';

// A real provider on this machine; a browser that follows its redirects.

const CONSOLE = 'https://play.example.com';
const RETURN = `${CONSOLE}/console/signed-in`;
const LOCAL = { oidcAllowHttp: true, oidcAllowNetworks: ['127.0.0.0/8', '::1'] };

let issuer: Issuer;
/** Of accounts. */
let other: Issuer;
let app: TestApp;
let studio: Studio;
let domain: string;
beforeAll(async () => {
  issuer = await openIssuer(RETURN);
  other = await openIssuer(RETURN);
  app = await startApp({
    ...LOCAL,
    consoleUrl: CONSOLE,
    oidcIssuer: issuer.url,
    oidcClientId: CLIENT.id,
    oidcClientSecret: CLIENT.secret,
  });
  studio = await makeStudio(app);
  domain = `studio${unique()}.example.com`;
  await allow(studio.accountId, { kind: 'INSTALLATION', domains: [domain] });
});
afterAll(async () => {
  await app.close();
  await issuer.close();
  await other.close();
});
afterEach(() => {
  for (const one of [issuer, other])
    Object.assign(one, { ahead: 0, refreshes: true, isDown: false, isSilent: false });
});

const START = 'mutation ($input: StartProviderSignInInput!) { startProviderSignIn(input: $input) { url } }';
const START_LINK = 'mutation ($input: StartProviderLinkInput!) { startProviderLink(input: $input) { url } }';
const REDEEM = `mutation ($input: RedeemProviderCodeInput!) {
  redeemProviderCode(input: $input) { ticket subject domain } }`;
const ENTER = `mutation ($input: SignInWithProviderInput!) {
  signInWithProvider(input: $input) { key apiKey { id userId } expiresAt } }`;
const LINK =
  'mutation ($input: AddProviderLinkInput!) { addProviderLink(input: $input) { providerLink { id } } }';
const UNLINK = 'mutation ($id: ID!) { removeProviderLink(input: { id: $id }) { providerLink { id } } }';
const ALLOW = `mutation ($input: CreateIdentityProviderInput!) {
  createIdentityProvider(input: $input) { identityProvider { id } } }`;
const UPDATE = `mutation ($input: UpdateIdentityProviderInput!) {
  updateIdentityProvider(input: $input) { identityProvider { id issuer groupRoles { group role } } } }`;
const ME =
  '{ me { user { id email emailVerifiedAt role displayName consoleSessions { method isCurrent } } } }';

const token = () => randomBytes(24).toString('base64url');
const withKey = (key: string) => app.anyone.with({ 'service-api-key': key });

const allow = async (accountId: string, input: Data): Promise<string> =>
  (await app.superadmin.data(ALLOW, { input: { accountId, ...input } })).createIdentityProvider
    .identityProvider.id;

/** Allows an account its own issuer, which its administrator sets up. */
async function ownIssuer(of: Studio, input: Data = {}): Promise<string> {
  const id = await allow(of.accountId, { kind: 'OWN' });
  const client = { clientId: CLIENT.id, clientSecret: CLIENT.secret };
  await of.admin.data(UPDATE, { input: { id, issuer: other.url, ...client, ...input } });
  return id;
}

/** A person whom an issuer knows. */
function person(at: Issuer, facts: Data = {}): string {
  const sub = `sub-${unique()}`;
  at.people.set(sub, { email: `${sub}@${domain}`, email_verified: true, name: 'Ann Smith', ...facts });
  return sub;
}

interface Way {
  at?: Issuer;
  slug?: string;
  verificationToken?: string;
}

/** Begins in a browser and visits the issuer. */
async function visited(sub: string, { at = issuer, slug, verificationToken }: Way = {}) {
  const browserToken = token();
  at.next = sub;
  const input = { browserToken, accountSlug: slug, verificationToken };
  const { startProviderSignIn } = await app.anyone.data(START, { input });
  return { browserToken, response: await at.visit(startProviderSignIn.url) };
}

const redeemed = async (returned: { browserToken: string; response: string }): Promise<Data> =>
  (await app.anyone.data(REDEEM, { input: returned })).redeemProviderCode;

async function byCode(email: string): Promise<Caller> {
  await app.anyone.post('/register/sign-in/code', { email });
  const code = await codeFor(app, email);
  return withKey((await app.anyone.post('/register/sign-in', { email, code })).body.key);
}

/** @returns what the last step answers */
async function tried(sub: string, way: Way = {}) {
  const { ticket } = await redeemed(await visited(sub, way));
  return app.anyone.graphql(ENTER, { input: { ticket, verificationToken: way.verificationToken } });
}

async function entered(sub: string, way: Way = {}): Promise<{ key: string; caller: Caller; made: Data }> {
  const { data, errors } = await tried(sub, way);
  expect(errors).toBeUndefined();
  const made = data.signInWithProvider;
  return { key: made.key, caller: withKey(made.key), made };
}

async function refusal(sub: string, way: Way = {}): Promise<string | undefined> {
  return (await tried(sub, way)).errors?.[0]?.extensions.code;
}

const slugOf = async ({ admin, accountId }: Studio): Promise<string> =>
  (await admin.data('query ($id: ID!) { account(id: $id) { slug } }', { id: accountId })).account.slug;

quick('the domain of a verified address lets a new user in, who is known from then on', async () => {
  const sub = person(issuer, { name: 'Ann Smith' });
  const { caller, made } = await entered(sub);
  const { me } = await caller.data(ME);
  expect(me.user).toMatchObject({
    email: `${sub}@${domain}`,
    emailVerifiedAt: expect.any(String),
    role: 'VIEWER',
    displayName: 'Ann Smith',
    consoleSessions: [{ method: 'PROVIDER', isCurrent: true }],
  });
  expect(Date.parse(made.expiresAt) - app.clock.now()).toBe(12 * HOUR);
  issuer.people.set(sub, { email: 'changed@elsewhere.example', email_verified: false });
  const again = await entered(sub);
  expect(again.made.apiKey.userId).toBe(me.user.id);
  const { body } = await studio.admin.get(`/v1/audit-entries?subject_id=${made.apiKey.id}&action=signed_in`);
  expect(body.data).toMatchObject([{ user_id: me.user.id, after: { method: 'provider' } }]);
  issuer.refreshes = false;
  const short = await entered(sub);
  expect(Date.parse(short.made.expiresAt) - app.clock.now()).toBe(HOUR);
});

quick('an address that is not verified, of another domain or of another user is refused', async () => {
  const unverified = person(issuer, { email_verified: false });
  expect(await refusal(unverified)).toBe('FORBIDDEN');
  const { body } = await studio.admin.get('/v1/audit-entries?action=sign_in_refused');
  expect(body.data).toMatchObject([
    {
      by: 'job',
      after: { person: `${unverified}@${domain}` },
      reason: expect.stringMatching(/email_verified/),
    },
  ]);
  expect(await refusal(person(issuer, { email: undefined }))).toBe('FORBIDDEN');
  expect(await refusal(person(issuer, { email: `x${unique()}@elsewhere.example` }))).toBe('FORBIDDEN');
  // Claimed at the issuer: the address of a user here, whoever proved it.
  const taken = `taken${unique()}@${domain}`;
  const user = await makeUser(app.superadmin, studio.accountId, { email: taken });
  expect(await refusal(person(issuer, { email: taken.toUpperCase() }))).toBe('CONFLICT');
  await app.database.knex('users').where('id', user.id.slice(4)).update({ email_verified_at: new Date() });
  expect(await refusal(person(issuer, { email: taken }))).toBe('CONFLICT');
});

quick('a user connects itself from its session, and only itself', async () => {
  const user = await makeUser(app.superadmin, studio.accountId, { email: `bob${unique()}@example.com` });
  const { key } = await makeKey(app.superadmin, studio.accountId, user.id);
  const caller = withKey(key);
  const sub = person(issuer, { email: `bob.at.work${unique()}@corp.example` });
  const connect = async (by: Caller, who = sub) => {
    const browserToken = token();
    issuer.next = who;
    const { startProviderLink } = await by.data(START_LINK, { input: { browserToken } });
    return redeemed({ browserToken, response: await issuer.visit(startProviderLink.url) });
  };
  const { ticket } = await connect(caller);
  // A ticket to connect does not sign in, and connects nobody else.
  expect(await app.anyone.code(ENTER, { input: { ticket } })).toBe('INVALID_CODE');
  expect(await studio.admin.code(LINK, { input: { ticket } })).toBe('INVALID_CODE');
  const { addProviderLink } = await caller.data(LINK, { input: { ticket } });
  expect(await caller.code(LINK, { input: { ticket } })).toBe('INVALID_CODE');
  expect((await entered(sub)).made.apiKey.userId).toBe(user.id);
  // The same person as another user; a key for servers. An address needs no word of the issuer.
  expect(
    await studio.admin.code(LINK, { input: await connect(studio.admin).then(({ ticket }) => ({ ticket })) }),
  ).toBe('CONFLICT');
  const unverified = await connect(caller, person(issuer, { email_verified: false }));
  await caller.data(LINK, { input: { ticket: unverified.ticket } });
  const { key: part } = await makeKey(app.superadmin, studio.accountId, user.id, { scopes: ['READ'] });
  expect(await withKey(part).code(START_LINK, { input: { browserToken: token() } })).toBe('FORBIDDEN');
  expect(await studio.admin.code(UNLINK, { id: addProviderLink.providerLink.id })).toBe('FORBIDDEN');
  await caller.data(UNLINK, { id: addProviderLink.providerLink.id });
  expect(await refusal(sub)).toBe('FORBIDDEN');
});

quick(
  'a session by an issuer satisfies a demand of passkeys, connects and disconnects; a key or a mailed code does neither',
  async () => {
    const own = await makeStudio(app);
    const mail = `work${unique()}.example`;
    await allow(own.accountId, { kind: 'INSTALLATION', domains: [mail], defaultRole: 'ADMIN' });
    const { caller } = await entered(person(issuer, { email: `carol@${mail}` }));
    const before = await byCode(`carol@${mail}`);
    await change(own.admin, 'Account', own.accountId, { demandsPasskeys: true });
    const browserToken = token();
    const start = (by: Caller) => by.graphql(START_LINK, { input: { browserToken } });
    const { data } = await start(caller);
    issuer.next = person(issuer, { email: `carol2@${mail}` });
    const response = await issuer.visit(data.startProviderLink.url);
    const { ticket } = await redeemed({ browserToken, response });
    const { addProviderLink } = await caller.data(LINK, { input: { ticket } });
    const { id } = addProviderLink.providerLink;
    for (const by of [before, own.admin]) {
      expect((await start(by)).errors?.[0]?.extensions.code).toBe('PASSKEY_REQUIRED');
      expect(await by.code(UNLINK, { id })).toBe('PASSKEY_REQUIRED');
    }
    await caller.data(UNLINK, { id });
  },
);

quick('an invitation that is opened in the browser is accepted with single sign-on', async () => {
  const email = `invited${unique()}@example.com`;
  await studio.admin.post('/register/invite', { email, role: 'moderator' });
  const code = await codeFor(app, email);
  const { body } = await app.anyone.post('/register/verify', { email, code });
  const sub = person(issuer, { email: `work${unique()}@corp.example`, email_verified: undefined });
  expect(await refusal(sub)).toBe('FORBIDDEN');
  const { caller } = await entered(sub, { verificationToken: body.verification_token });
  expect((await caller.data(ME)).me.user).toMatchObject({ email, role: 'MODERATOR' });
  const late = await visited(sub);
  const { ticket } = await redeemed(late);
  const again = { ticket, verificationToken: body.verification_token };
  expect(await app.anyone.code(ENTER, { input: again })).toBe('INVALID_TOKEN');
  await entered(sub);
});

quick('tickets, codes and states work once, in their browser, for their issuer, for a while', async () => {
  const sub = person(issuer);
  const first = await visited(sub);
  const { ticket } = await redeemed(first);
  const spent = () => app.anyone.code(REDEEM, { input: first });
  expect(await spent()).toBe('INVALID_CODE');
  await app.anyone.data(ENTER, { input: { ticket } });
  expect(await app.anyone.code(ENTER, { input: { ticket } })).toBe('INVALID_CODE');
  const refused = async (input: Data) =>
    expect(await app.anyone.code(REDEEM, { input })).toBe('INVALID_CODE');
  const [one, two] = [await visited(sub), await visited(sub)];
  // Another browser; the code of another flow of the same person; another issuer's answer; a state that was made up.
  await refused({ ...one, browserToken: token() });
  const mixed = new URLSearchParams(one.response);
  mixed.set('code', new URLSearchParams(two.response).get('code')!);
  await refused({ ...one, response: mixed.toString() });
  const elsewhere = new URLSearchParams(two.response);
  elsewhere.set('iss', other.url);
  await refused({ ...two, response: elsewhere.toString() });
  for (const response of ['', 'code=x&state=x', `code=x&state=${'a'.repeat(300)}`]) {
    await refused({ response, browserToken: token() });
  }
  const denied = new URLSearchParams({
    error: 'access_denied',
    state: new URLSearchParams(two.response).get('state')!,
  });
  await refused({ ...two, response: denied.toString() });
  const late = await visited(sub);
  app.clock.advance(10 * MINUTE);
  await refused(late);
  const old = await redeemed(await visited(sub));
  app.clock.advance(10 * MINUTE);
  expect(await app.anyone.code(ENTER, { input: { ticket: old.ticket } })).toBe('INVALID_CODE');
  expect(await app.anyone.code(REDEEM, { input: { ...two, browserToken: 'short' } })).toBe(
    'VALIDATION_FAILED',
  );
});

quick('the issuer sends browsers back to the console alone', async () => {
  const { startProviderSignIn } = await app.anyone.data(START, { input: { browserToken: token() } });
  const url = new URL(startProviderSignIn.url);
  expect(url.origin).toBe(issuer.url);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({
    redirect_uri: RETURN,
    response_type: 'code',
    code_challenge_method: 'S256',
    state: expect.any(String),
    nonce: expect.any(String),
  });
  expect(
    await app.anyone.code(START, { input: { browserToken: token(), accountSlug: 'no-such-studio' } }),
  ).toBe('FORBIDDEN');
});

full('twenty sign-ins at once, of one new person and of many', async () => {
  const sub = person(issuer);
  const tickets: string[] = [];
  for (let n = 0; n < 20; n += 1) tickets.push((await redeemed(await visited(sub))).ticket);
  const made = await Promise.all(
    tickets.map((ticket) =>
      app.anyone.data(ENTER, { input: { ticket } }).then((data) => data.signInWithProvider),
    ),
  );
  expect(new Set(made.map(({ apiKey }) => apiKey.userId)).size).toBe(1);
  const same = (await redeemed(await visited(sub))).ticket;
  const tries = await Promise.all(
    Array.from({ length: 20 }, () => app.anyone.graphql(ENTER, { input: { ticket: same } })),
  );
  expect(tries.filter(({ data }) => data?.signInWithProvider)).toHaveLength(1);
  const returned = [];
  for (let n = 0; n < 20; n += 1) returned.push(await visited(person(issuer)));
  const many = await Promise.all(returned.map((input) => redeemed(input)));
  expect(new Set(many.map(({ subject }) => subject)).size).toBe(20);
});

full(
  'an issuer that never answers keeps nobody else waiting, and no connection of the database',
  async () => {
    const tenant = await makeStudio(app);
    await ownIssuer(tenant, { domains: [domain] });
    const way = { at: other, slug: await slugOf(tenant) };
    const returned = [];
    for (let n = 0; n < 20; n += 1) returned.push(await visited(person(other), way));
    other.isSilent = true;
    let settled = 0;
    const codes = returned.map(async (input) => {
      const code = await app.anyone.code(REDEEM, { input });
      settled += 1;
      return code;
    });
    await until(async () => other.waiting === 10);
    const { rows } = await app.database.pool.query(
      "select from pg_stat_activity where datname = current_database() and state like 'idle in transaction%'",
    );
    expect(rows).toEqual([]);
    await entered(person(issuer));
    const reads = await Promise.all(Array.from({ length: 50 }, () => tenant.admin.get('/v1/games')));
    expect(reads.every(({ status }) => status === 200)).toBe(true);
    expect(settled).toBe(0);
    expect(new Set(await Promise.all(codes))).toEqual(new Set(['UNAVAILABLE']));
  },
);

quick('the clock of an issuer may be off by minutes, and no more', async () => {
  const sub = person(issuer);
  await entered(sub);
  for (const ahead of [-4 * MINUTE, 4 * MINUTE]) {
    issuer.ahead = ahead;
    await entered(sub);
  }
  issuer.ahead = -8 * MINUTE;
  expect(await app.anyone.code(REDEEM, { input: await visited(sub) })).toBe('INVALID_CODE');
});

quick('an account’s issuer speaks for its own users, and for no superadmin', async () => {
  const tenant = await makeStudio(app);
  const slug = await slugOf(tenant);
  const way = { at: other, slug };
  expect(await app.anyone.code(START, { input: { browserToken: token(), accountSlug: slug } })).toBe(
    'FORBIDDEN',
  );
  const input = { accountId: tenant.accountId, kind: 'OWN' };
  expect(await tenant.admin.code(ALLOW, { input })).toBe('SUPERADMIN_REQUIRED');
  const id = await ownIssuer(tenant, { domains: [domain] });
  // Its people become users of the tenant, with an address that nobody proved here.
  const sub = person(other);
  const { caller } = await entered(sub, way);
  const { me } = await caller.data('{ me { accountId user { id emailVerifiedAt } } }');
  expect(me).toMatchObject({ accountId: tenant.accountId, user: { emailVerifiedAt: null } });
  // It claims the address of a user of another account, and of a superadmin.
  const user = await makeUser(app.superadmin, studio.accountId, { email: `victim${unique()}@${domain}` });
  expect(await refusal(person(other, { email: user.email }), way)).toBe('CONFLICT');
  expect(await refusal(person(other, { email: 'root@example.com' }), way)).toBe('FORBIDDEN');
  // The subject of a person at the installation's issuer is somebody else here.
  const known = person(issuer);
  await entered(known);
  other.people.set(known, { email: `same${unique()}@${domain}`, email_verified: true });
  expect((await entered(known, way)).made.apiKey.userId).not.toBe(me.user.id);
  await app.superadmin.data(
    'mutation ($input: UpdateUserInput!) { updateUser(input: $input) { user { id } } }',
    {
      input: { id: me.user.id, role: 'ADMIN' },
    },
  );
  await change(app.superadmin, 'User', me.user.id, { superAdmin: true });
  expect(await refusal(sub, way)).toBe('FORBIDDEN');
  await change(app.superadmin, 'User', me.user.id, { superAdmin: false });
  // The secret is nowhere to be read.
  const read = await tenant.admin.get(`/v1/identity-providers/${id}`);
  expect(read.body).toMatchObject({ issuer: other.url, domains: [domain] });
  const trail = await tenant.admin.get(`/v1/audit-entries?subject_id=${id}`);
  const row = await app.database.knex('identity_providers').where('id', id.slice(4)).first();
  expect(JSON.stringify([read.body, trail.body, row])).not.toContain(CLIENT.secret);
  // Another issuer does not get the secret of the one before.
  await tenant.admin.data(UPDATE, { input: { id, issuer: issuer.url } });
  expect(await app.anyone.code(START, { input: { browserToken: token(), accountSlug: slug } })).toBe(
    'FORBIDDEN',
  );
});

quick('issuers in private networks and those that are none are refused', async () => {
  const tenant = await makeStudio(app);
  const id = await allow(tenant.accountId, { kind: 'OWN' });
  const set = (issuerUrl: string) => tenant.admin.graphql(UPDATE, { input: { id, issuer: issuerUrl } });
  for (const url of [
    'http://169.254.169.254',
    'http://10.0.0.1',
    'http://[::ffff:127.0.0.1]',
    `${app.url}/v1`,
    'ftp://x',
    'https://user@x.example',
  ]) {
    const { errors } = await set(url);
    expect([url, errors?.[0]?.extensions.code]).toEqual([url, 'VALIDATION_FAILED']);
  }
  const strict = await startApp({ consoleUrl: CONSOLE, oidcAllowHttp: true });
  try {
    const made = await makeStudio(strict);
    // A name in a private network reads as one that does not exist.
    const textOf = async (host: string) => {
      const input = { accountId: made.accountId, kind: 'OWN', issuer: `http://${host}` };
      const { errors } = await strict.superadmin.graphql(ALLOW, { input });
      expect(errors?.[0]?.extensions.code).toBe('VALIDATION_FAILED');
      return errors![0]!.message.replaceAll(host, 'host');
    };
    expect(await textOf('localhost')).toBe(await textOf('nobody.invalid'));
  } finally {
    await strict.close();
  }
});

quick('groups give roles at each sign-in, and never take the last administrator', async () => {
  const tenant = await makeStudio(app);
  const way = { at: other, slug: await slugOf(tenant) };
  const groupRoles = [
    { group: 'devs', role: 'DEVELOPER' },
    { group: 'mods', role: 'MODERATOR' },
    { group: 'leads', role: 'ADMIN' },
  ];
  await ownIssuer(tenant, { domains: [domain], groupRoles });
  const sub = person(other, { groups: ['mods', 'devs', 'unknown'] });
  const first = await entered(sub, way);
  const roleIn = async (caller: Caller) => (await caller.data(ME)).me.user.role;
  expect(await roleIn(first.caller)).toBe('DEVELOPER');
  const groups = (...names: string[]) => other.people.set(sub, { ...other.people.get(sub), groups: names });
  groups();
  const second = await entered(sub, way);
  expect(await roleIn(second.caller)).toBe('VIEWER');
  // A change of role ends the sessions before.
  expect((await first.caller.get('/v1/me')).status).toBe(401);
  groups('leads');
  const lead = await entered(sub, way);
  expect(await roleIn(lead.caller)).toBe('ADMIN');
  // Without the owner it would be the last one.
  await app.database.knex('users').where('id', tenant.userId.slice(4)).update({ status: 'suspended' });
  groups('mods');
  const kept = await entered(sub, way);
  expect(await roleIn(kept.caller)).toBe('ADMIN');
  const keptRoles = async () =>
    (await tenant.admin.with(lead.caller.headers).get('/v1/audit-entries?action=role_kept')).body.data;
  const userId = kept.made.apiKey.userId as string;
  expect(await keptRoles()).toMatchObject([{ subject_id: userId, after: { role: 'moderator' } }]);

  // The same whenever the issuer confirms a session, told once.
  app.clock.advance(16 * MINUTE);
  expect(await roleIn(kept.caller)).toBe('ADMIN');
  expect(await keptRoles()).toHaveLength(1);
  await app.database.knex('users').where('id', tenant.userId.slice(4)).update({ status: 'active' });
  const userInfo = other.userInfo;
  other.userInfo = false;
  app.clock.advance(16 * MINUTE);
  expect(await roleIn(kept.caller)).toBe('ADMIN');
  other.userInfo = userInfo;
  app.clock.advance(2 * MINUTE);
  // A change of role ends the sessions, this one among them.
  expect((await kept.caller.get('/v1/me')).body).toMatchObject({ code: 'INVALID_API_KEY' });
  const { user } = await tenant.admin.data('query ($id: ID!) { user(id: $id) { role } }', { id: userId });
  expect(user.role).toBe('MODERATOR');
  const trail = await tenant.admin.get(`/v1/audit-entries?subject_id=${userId}&action=record_changed`);
  expect(trail.body.data[0]).toMatchObject({
    by: 'job',
    agent: 'single-sign-on',
    after: { role: 'moderator' },
  });
});

quick(
  'with single sign-on alone, codes and pasted keys open no console; passkeys of administrators do',
  async () => {
    const tenant = await makeStudio(app);
    const way = { at: other, slug: await slugOf(tenant) };
    const id = await ownIssuer(tenant, { domains: [domain] });
    const only = (value: boolean, by = tenant.admin) =>
      by.graphql(UPDATE, { input: { id, onlyProvider: value } });
    expect((await only(true)).errors?.[0]?.extensions.code).toBe('INVALID_TRANSITION');
    const passkeyOf = async (by: Caller) => {
      const { passkey } = await addPasskey(by);
      return async () => {
        const { passkeySignInOptions: options } = await app.anyone.data('{ passkeySignInOptions }');
        const given = {
          accountId: tenant.accountId,
          response: passkey.get(JSON.parse(options)),
        };
        return app.anyone.graphql(
          'mutation ($input: SignInWithPasskeyInput!) { signInWithPasskey(input: $input) { key } }',
          { input: given },
        );
      };
    };
    const member = await makeUser(app.superadmin, tenant.accountId, { role: 'DEVELOPER' });
    const { key: memberKey } = await makeKey(app.superadmin, tenant.accountId, member.id);
    const [adminEnters, memberEnters] = [await passkeyOf(tenant.admin), await passkeyOf(withKey(memberKey))];
    expect((await memberEnters()).errors).toBeUndefined();
    await only(true, app.superadmin);
    expect((await adminEnters()).errors).toBeUndefined();
    expect((await memberEnters()).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    const { me } = await tenant.admin.data('{ me { user { email } } }');
    const email = me.user.email as string;
    await app.anyone.post('/register/sign-in/code', { email });
    await app.app.jobs.run('send-mails');
    expect(await app.database.knex('mails').where({ recipient: email, status: 'sent' })).toEqual([]);
    const browser = tenant.admin.with({ 'sec-fetch-site': 'same-origin' });
    expect((await browser.get('/v1/me')).body.code).toBe('FORBIDDEN');
    // The same over a WebSocket of a page of this service, whatever its first message says.
    const watched = async (by: Caller, origin?: string): Promise<string> => {
      const socket = await TestSocket.connect(app.url, { ...by.headers, 'sec-fetch-site': 'none' }, origin);
      const answer = JSON.stringify(await socket.run('{ me { kind } }'));
      await socket.close();
      return answer;
    };
    expect(await watched(tenant.admin, app.url)).toContain('FORBIDDEN');
    expect(await watched(tenant.admin)).toContain('"ADMIN"');
    // Servers go on, and so does whoever signed in.
    expect((await tenant.admin.get('/v1/me')).status).toBe(200);
    const { caller } = await entered(person(other), way);
    expect((await caller.with({ 'sec-fetch-site': 'same-origin' }).get('/v1/me')).status).toBe(200);
    expect(await watched(caller, app.url)).toContain('"ADMIN"');
    expect((await app.superadmin.with({ 'sec-fetch-site': 'same-origin' }).get('/v1/me')).status).toBe(200);
    await only(false, app.superadmin);
    expect((await browser.get('/v1/me')).status).toBe(200);
  },
);

quick(
  'keys of users who have not signed in for the days that the account sets stop, until they do',
  async () => {
    const tenant = await makeStudio(app);
    const way = { at: other, slug: await slugOf(tenant) };
    await ownIssuer(tenant, { domains: [domain], keyDays: 30, defaultRole: 'DEVELOPER' });
    const sub = person(other);
    const { made } = await entered(sub, way);
    const { key } = await makeKey(tenant.admin, tenant.accountId, made.apiKey.userId);
    app.clock.advance(30 * DAY - 1);
    expect((await withKey(key).get('/v1/me')).status).toBe(200);
    app.clock.advance(1);
    expect((await withKey(key).get('/v1/me')).body.code).toBe('INVALID_API_KEY');
    expect((await tenant.admin.get('/v1/me')).status).toBe(200);
    await entered(sub, way);
    expect((await withKey(key).get('/v1/me')).status).toBe(200);
  },
);

const statusOf = async (caller: Caller) => (await caller.get('/v1/me')).status;
const checkDue = async (id: string): Promise<number> =>
  (await app.database.knex('api_keys').where('id', id.slice(4)).first()).check_due_at.getTime();

quick(
  'a session is confirmed by its issuer every quarter of an hour while it is used, and ends where that refuses',
  async () => {
    const sub = person(issuer);
    const { caller, made } = await entered(sub);
    const { id } = made.apiKey;
    app.clock.advance(14 * MINUTE - 1);
    const before = issuer.exchanges;
    expect(await statusOf(caller)).toBe(200);
    expect(issuer.exchanges).toBe(before);
    // Requests do not wait for the issuer, but later than a minute.
    app.clock.advance(1);
    expect(await statusOf(caller)).toBe(200);
    await until(async () => (await checkDue(id)) === app.clock.now() + 14 * MINUTE);
    expect(issuer.exchanges).toBe(before + 1);
    // Whoever was away for hours is asked about before anything is answered; twenty requests ask once.
    app.clock.advance(3 * HOUR);
    const statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(caller)));
    expect([new Set(statuses), issuer.exchanges]).toEqual([new Set([200]), before + 2]);
    // An issuer that is away ends nothing, and lets nobody in unconfirmed.
    app.clock.advance(15 * MINUTE);
    issuer.isDown = true;
    expect(await statusOf(caller)).toBe(503);
    issuer.isDown = false;
    expect(await statusOf(caller)).toBe(503);
    app.clock.advance(11_000);
    expect(await statusOf(caller)).toBe(200);
    const person2 = issuer.people.get(sub)!;
    issuer.people.delete(sub);
    app.clock.advance(14 * MINUTE);
    expect(await statusOf(caller)).toBe(200);
    await until(async () => (await statusOf(caller)) === 401);
    issuer.people.set(sub, person2);
    expect(await statusOf(caller)).toBe(401);
    const { body } = await studio.admin.get(`/v1/audit-entries?subject_id=${id}&action=record_changed`);
    expect(body.data).toMatchObject([{ by: 'job', agent: 'single-sign-on', after: { status: 'revoked' } }]);
    const kept = await app.database.knex('provider_sessions').where('key_id', id.slice(4)).first();
    // Tokens are long words; a seal of them has none.
    expect(kept.sealed_refresh.toString('latin1')).not.toMatch(/[\w-]{20}/);
    app.clock.advance(13 * HOUR);
    await app.app.jobs.run('tidy-provider-sessions');
    expect(await app.database.knex('provider_sessions').where('key_id', id.slice(4))).toEqual([]);
  },
);

quick('back-channel logout ends the sessions that the issuer names, with what they watch', async () => {
  issuer.logoutUrl = `${app.url}/v1/single-sign-on/logout`;
  const sub = person(issuer);
  const [one, two, stranger] = [await entered(sub), await entered(sub), await entered(person(issuer))];
  const sids = await app.database
    .knex('provider_sessions')
    .whereIn(
      'key_id',
      [one, two].map(({ made }) => made.apiKey.id.slice(4)),
    )
    .orderBy('key_id');
  const client = (await issuer.provider.Client.find(CLIENT.id)) as unknown as {
    backchannelLogout(sub: string, sid: string): Promise<void>;
  };
  await client.backchannelLogout(sub, sids[0].sid);
  expect([await statusOf(one.caller), await statusOf(two.caller)].toSorted()).toEqual([200, 401]);
  // Again, changed, for another receiver, and what is none.
  const send = (token: string, place = '') =>
    fetch(`${issuer.logoutUrl}${place}`, {
      method: 'POST',
      body: new URLSearchParams({ logout_token: token }),
    });
  expect((await send(issuer.logoutToken)).status).toBe(200);
  const [head, claims, signature] = issuer.logoutToken.split('.');
  const other = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(claims!, 'base64url').toString()), sid: sids[1].sid }),
  );
  for (const token of [
    `${head}.${other.toString('base64url')}.${signature}`,
    'x',
    issuer.logoutToken.slice(0, -4),
  ]) {
    expect((await send(token)).status).toBe(400);
  }
  expect((await send(issuer.logoutToken, `/${studio.accountId}`)).status).toBe(403);
  const json = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
  expect((await fetch(issuer.logoutUrl, json)).status).toBe(415);
  expect((await fetch(issuer.logoutUrl)).status).toBe(405);
  expect(await statusOf(stranger.caller)).toBe(200);
  const board = await makeBoard(studio, (await makeGame(studio)).id);
  const [left] = [one, two].filter(({ made }) => made.apiKey.id.slice(4) === sids[1].key_id);
  const socket = await TestSocket.connect(app.url, left!.caller.headers);
  begin(socket, WATCH, { id: board.id });
  await socket.next();
  await client.backchannelLogout(sub, sids[1].sid);
  expect((await socket.closed).code).toBe(4401);
  expect([await statusOf(one.caller), await statusOf(two.caller)]).toEqual([401, 401]);
});

quick.each([undefined, 'http://127.0.0.1:4000'])('without a host name it is off: %s', async (consoleUrl) => {
  const bare = await startApp({ publicUiUrl: undefined, consoleUrl });
  try {
    expect(await bare.anyone.code(START, { input: { browserToken: token() } })).toBe('FORBIDDEN');
    expect(await bare.superadmin.code(START_LINK, { input: { browserToken: token() } })).toBe('FORBIDDEN');
  } finally {
    await bare.close();
  }
});
