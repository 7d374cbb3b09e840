import { randomBytes } from 'node:crypto';
import { CLIENT } from '../fixtures/issuer.js';
import { type Manners, type OddIssuer, openOddIssuers } from '../fixtures/odd-issuer.js';
import { startApp, type TestApp } from '../support/app.js';
import { MINUTE } from '../support/clock.js';
import type { Caller, Data } from '../support/http.js';
import { codeFor } from '../support/mail.js';
import { makeStudio, type Studio, unique } from '../support/make.js';

// What real issuers send, by their documents: each row of the table in docs/guides/single-sign-on.md.

const CONSOLE = 'https://play.example.com';
const DOMAIN = 'corp.example.com';
/** Each setting has an address of its own in place of this one. */
const KIM = { email: `kim@${DOMAIN}`, email_verified: true, name: 'Kim Corp' };
const MODS = [
  { group: 'mods', role: 'MODERATOR' },
  { group: '/teams/leads', role: 'ADMIN' },
];

let app: TestApp;
let odd: Awaited<ReturnType<typeof openOddIssuers>>;
beforeAll(async () => {
  odd = await openOddIssuers();
  app = await startApp({
    consoleUrl: CONSOLE,
    oidcAllowHttp: true,
    oidcAllowNetworks: ['127.0.0.0/8', '::1'],
  });
});
afterAll(async () => {
  await app.close();
  await odd.close();
});

const ALLOW = `mutation ($input: CreateIdentityProviderInput!) {
  createIdentityProvider(input: $input) { identityProvider { id } } }`;
const UPDATE = `mutation ($input: UpdateIdentityProviderInput!) {
  updateIdentityProvider(input: $input) { identityProvider { id } } }`;
const START = 'mutation ($input: StartProviderSignInInput!) { startProviderSignIn(input: $input) { url } }';
const START_LINK = 'mutation ($input: StartProviderLinkInput!) { startProviderLink(input: $input) { url } }';
const REDEEM = 'mutation ($input: RedeemProviderCodeInput!) { redeemProviderCode(input: $input) { ticket } }';
const ENTER = 'mutation ($input: SignInWithProviderInput!) { signInWithProvider(input: $input) { key } }';
const LINK = `mutation ($input: AddProviderLinkInput!) {
  addProviderLink(input: $input) { providerLink { id } } }`;

/** A studio with an issuer of its own. */
interface Setting {
  issuer: OddIssuer;
  studio: Studio;
  slug: string;
  providerId: string;
}

async function setUp(
  manners: Manners,
  input: Data = {},
  named: Parameters<typeof odd.open>[1] = {},
): Promise<Setting> {
  const { idToken, userInfo } = manners;
  const email = `kim${unique()}@${DOMAIN}`;
  const own = <T>(claims: T): T =>
    (claims as typeof KIM | undefined)?.email === KIM.email ? { ...claims, email } : claims;
  const issuer = odd.open({ ...manners, idToken: own(idToken), userInfo: own(userInfo) }, named);
  const studio = await makeStudio(app);
  const allowed = await app.superadmin.data(ALLOW, { input: { accountId: studio.accountId, kind: 'OWN' } });
  const providerId = allowed.createIdentityProvider.identityProvider.id;
  const client = { clientId: issuer.client.id, clientSecret: issuer.client.secret };
  const usual = { id: providerId, issuer: issuer.url, ...client, domains: [DOMAIN], groupRoles: MODS };
  await studio.admin.data(UPDATE, { input: { ...usual, ...input } });
  const { account } = await studio.admin.data('query ($id: ID!) { account(id: $id) { slug } }', {
    id: studio.accountId,
  });
  return { issuer, studio, slug: account.slug, providerId };
}

const token = () => randomBytes(24).toString('base64url');

interface Outcome {
  /** The code of the error; undefined: signed in. */
  code?: string;
  message?: string;
  caller?: Caller;
  role?: string;
}

const failed = ({ errors }: Data): Outcome => ({
  code: errors[0].extensions.code,
  message: errors[0].message,
});

/** Signs in as far as it goes. */
async function signIn({ issuer, slug }: Setting, verificationToken?: string): Promise<Outcome> {
  const browserToken = token();
  const input = { browserToken, ...(verificationToken ? { verificationToken } : { accountSlug: slug }) };
  const begun = await app.anyone.graphql(START, { input });
  if (begun.errors) return failed(begun);
  const response = await issuer.visit(begun.data.startProviderSignIn.url);
  const redeemed = await app.anyone.graphql(REDEEM, { input: { browserToken, response } });
  if (redeemed.errors) return failed(redeemed);
  const { ticket } = redeemed.data.redeemProviderCode;
  const entered = await app.anyone.graphql(ENTER, { input: { ticket, verificationToken } });
  if (entered.errors) return failed(entered);
  const caller = app.anyone.with({ 'service-api-key': entered.data.signInWithProvider.key });
  return { caller, role: await roleOf(caller) };
}

const roleOf = async (caller: Caller): Promise<string> =>
  (await caller.data('{ me { user { role } } }')).me.user.role;

const idOf = async (caller: Caller): Promise<string> =>
  (await caller.data('{ me { user { id } } }')).me.user.id;

/** Connects the owner of the studio. */
async function connect({ issuer, studio }: Setting): Promise<void> {
  const browserToken = token();
  const { startProviderLink } = await studio.admin.data(START_LINK, { input: { browserToken } });
  const response = await issuer.visit(startProviderLink.url);
  const { redeemProviderCode } = await app.anyone.data(REDEEM, { input: { browserToken, response } });
  await studio.admin.data(LINK, { input: redeemProviderCode });
}

async function invited({ studio }: Setting): Promise<string> {
  const email = `invited${unique()}@elsewhere.example`;
  await studio.admin.post('/register/invite', { email, role: 'developer' });
  const code = await codeFor(app, email);
  return (await app.anyone.post('/register/verify', { email, code })).body.verification_token;
}

const trailOf = async ({ studio }: Setting, query: string): Promise<Data[]> =>
  (await studio.admin.get(`/v1/audit-entries?${query}`)).body.data;

const reasonsFor = async (setting: Setting): Promise<string[]> =>
  (await trailOf(setting, `subject_id=${setting.providerId}&action=sign_in_refused`)).map(
    ({ reason }) => reason,
  );

const SAID = { ...KIM, groups: ['mods'] };

interface Row {
  manners: Manners;
  role: string;
  input?: Data;
  /** Requests to the userinfo endpoint at the first sign-in by the domain, and at the next one. */
  asked?: [number, number];
}

const ROWS: Record<string, Row> = {
  'ADFS: texts for booleans, one group as a text': {
    manners: { idToken: { ...KIM, email_verified: 'true', role: 'mods' }, userInfo: 401 },
    ...{ role: 'MODERATOR', input: { groupsClaim: 'role' } },
  },
  'ADFS: no group, and a userinfo endpoint that takes no token of a client': {
    ...{ manners: { idToken: KIM, userInfo: 401 }, role: 'VIEWER', asked: [1, 1] },
  },
  'Entra ID: roles of the application, and the owner of the domain': {
    manners: { idToken: { email: KIM.email, xms_edov: '1', roles: ['mods'] } },
    ...{ role: 'MODERATOR', input: { groupsClaim: 'roles' } },
  },
  'Keycloak: roles of the realm': {
    manners: { idToken: { ...KIM, realm_access: { roles: ['offline_access', 'mods'] } } },
    ...{ role: 'MODERATOR', input: { groupsClaim: 'realm_access.roles' } },
  },
  'Keycloak: roles of a client whose name has a dot': {
    manners: { idToken: { ...KIM, resource_access: { 'my.client': { roles: ['mods'] } } } },
    ...{ role: 'MODERATOR', input: { groupsClaim: 'resource_access.my.client.roles' } },
  },
  'Keycloak: paths of groups': { manners: { idToken: { ...KIM, groups: ['/teams/leads'] } }, role: 'ADMIN' },
  'Keycloak: paths where names are configured': {
    ...{ manners: { idToken: { ...KIM, groups: ['/mods'] } }, role: 'MODERATOR' },
  },
  'names where paths are configured': {
    ...{ manners: { idToken: { ...KIM, groups: ['teams/leads'] } }, role: 'ADMIN' },
  },
  'a group below another one is another group': {
    ...{ manners: { idToken: { ...KIM, groups: ['/teams/mods', 'leads'] } }, role: 'VIEWER' },
  },
  'a claim whose name is an address': {
    manners: { idToken: { ...KIM, 'https://corp.example.com/roles': ['mods'] } },
    ...{ role: 'MODERATOR', input: { groupsClaim: 'https://corp.example.com/roles' } },
  },
  'Okta: everything at the userinfo endpoint': {
    ...{ manners: { userInfo: SAID }, role: 'MODERATOR', asked: [1, 1] },
  },
  'Okta: groups in the ID token, the address at the userinfo endpoint': {
    ...{ manners: { idToken: { groups: ['mods'] }, userInfo: KIM }, role: 'MODERATOR', asked: [1, 0] },
  },
  'Dex, Entra ID and Okta: no claim for who is in no group': {
    ...{ manners: { idToken: KIM }, role: 'VIEWER', asked: [1, 1] },
  },
  'a userinfo endpoint that signs': {
    ...{ manners: { userInfo: SAID, userInfoSigned: true }, role: 'MODERATOR', asked: [1, 1] },
  },
  'a userinfo endpoint that fails and is not needed': {
    ...{ manners: { idToken: SAID, userInfo: 503 }, role: 'MODERATOR' },
  },
  'a userinfo endpoint about somebody else, where it is not needed': {
    ...{ manners: { idToken: SAID, userInfo: { sub: 'other' } }, role: 'MODERATOR' },
  },
  'texts that cannot be stored, where they are not needed': {
    manners: { idToken: { ...SAID, sid: '\ud800', name: '\0', groups: ['mods', '\ud800', '\0', 7, null] } },
    role: 'MODERATOR',
  },
  ES256: { manners: { idToken: SAID, alg: 'ES256' }, role: 'MODERATOR' },
  PS256: { manners: { idToken: SAID, alg: 'PS256' }, role: 'MODERATOR' },
  EdDSA: { manners: { idToken: SAID, alg: 'EdDSA' }, role: 'MODERATOR' },
  'Authentik without a signing key: HS256': { manners: { idToken: SAID, alg: 'HS256' }, role: 'MODERATOR' },
  'several audiences, with this client as the authorized party': {
    ...{ manners: { idToken: { ...SAID, aud: [CLIENT.id, 'other'], azp: CLIENT.id } }, role: 'MODERATOR' },
  },
  'a digest of the access token, which is not used': {
    ...{ manners: { idToken: { ...SAID, at_hash: 'x' } }, role: 'MODERATOR' },
  },
  'no endpoints but those of the flow': {
    manners: { idToken: SAID, metadata: { userinfo_endpoint: undefined, jwks_uri: undefined } },
    role: 'MODERATOR',
  },
  'a client that has to send its secret in the body': {
    ...{ manners: { idToken: SAID, secretIn: 'post' }, role: 'MODERATOR' },
  },
  'a client that has to send its secret in the header': {
    ...{ manners: { idToken: SAID, secretIn: 'basic' }, role: 'MODERATOR' },
  },
};

test.each(Object.entries(ROWS))('%s', async (_name, { manners, role, input, asked = [0, 0] }) => {
  // Characters that the header has to escape.
  const client = { id: CLIENT.id, secret: 'a+/%&:=~b' };
  const setting = await setUp(manners, input, manners.alg === 'HS256' ? {} : { client });
  const counts: number[] = [];
  for (const _turn of asked) {
    const before = setting.issuer.userInfos;
    expect(await signIn(setting)).toMatchObject({ role });
    counts.push(setting.issuer.userInfos - before);
  }
  expect(counts).toEqual(asked);
});

test.each<[string, Manners]>([
  ['Entra ID and ADFS: nothing about an address', { userInfo: 401 }],
  ['no word on whether it is verified', { idToken: { email: KIM.email } }],
  ['Authentik: not verified', { idToken: { ...KIM, email_verified: false } }],
  ['a userinfo endpoint that fails', { userInfo: 503 }],
])('what an invitation or a session has proven needs no word of the issuer: %s', async (_name, manners) => {
  const setting = await setUp(manners, { groupRoles: [] });
  const { issuer, studio } = setting;
  expect(await signIn(setting, await invited(setting))).toMatchObject({ role: 'DEVELOPER' });
  issuer.manners = { ...manners, idToken: { ...manners.idToken, sub: 'lee' } };
  await connect(setting);
  const { caller } = await signIn(setting);
  expect(await idOf(caller!)).toBe(studio.userId);
  expect(issuer.userInfos).toBe(0);
});

test.each<[string, Manners, string, RegExp]>([
  ['Entra ID: no address', {}, 'FORBIDDEN', /sent no email address.*claim email/],
  [
    'no word on whether it is verified',
    { idToken: { email: KIM.email } },
    'FORBIDDEN',
    /email_verified.*xms_edov/,
  ],
  ['Authentik: not verified', { idToken: { ...KIM, email_verified: false } }, 'FORBIDDEN', /email_verified/],
  [
    'verified is another address than that of the ID token',
    { idToken: { email: KIM.email }, userInfo: { email: 'kim@elsewhere.example', email_verified: true } },
    ...(['FORBIDDEN', /No account lets people/] as const),
  ],
  [
    'verified without an address',
    { idToken: { email: KIM.email }, userInfo: { email_verified: true } },
    ...(['FORBIDDEN', /email_verified/] as const),
  ],
  ['a userinfo endpoint that fails', { userInfo: 503 }, 'UNAVAILABLE', /your email address/],
  ['groups at a userinfo endpoint that fails', { idToken: KIM, userInfo: 503 }, 'UNAVAILABLE', /your groups/],
  [
    'Entra ID: more groups than a token lists',
    { idToken: { ...KIM, _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } } },
    ...(['FORBIDDEN', /too many groups.*limit the claim/] as const),
  ],
  [
    'more groups than are read',
    { idToken: { ...KIM, groups: Array.from({ length: 2_000 }, (_, n) => `group-of-people-${n}`) } },
    ...(['FORBIDDEN', /2000 groups/] as const),
  ],
  [
    'an authorized party that is another client',
    { idToken: { ...SAID, aud: [CLIENT.id, 'other'], azp: 'other' } },
    ...(['INVALID_CODE', /not valid/] as const),
  ],
  ['another audience', { idToken: { ...SAID, aud: 'other' } }, 'INVALID_CODE', /not valid/],
  [
    'an algorithm that the metadata does not list',
    { idToken: SAID, metadata: { id_token_signing_alg_values_supported: ['ES256'] } },
    'INVALID_CODE',
    /not valid/,
  ],
  ['a subject that cannot be stored', { idToken: { ...SAID, sub: 'kim\0' } }, 'INVALID_CODE', /not valid/],
  [
    'an address that cannot be stored',
    { idToken: { ...SAID, email: 'kim\0@x.example', sid: '\ud800' } },
    'FORBIDDEN',
    /no email address/,
  ],
  ['a secret that has expired', { idToken: SAID, secretIn: 'neither' }, 'INVALID_CODE', /invalid_client/],
])(
  'by the domain it is refused, and whoever runs it finds out why: %s',
  async (_name, manners, code, message) => {
    const setting = await setUp(manners);
    const refused = await signIn(setting);
    expect([refused.code, refused.message]).toEqual([code, expect.stringMatching(message)]);
    const [entry, ...others] = await reasonsFor(setting);
    expect(entry).toContain(refused.message);
    // A second try says nothing new.
    expect(others).toEqual([]);
    expect((await signIn(setting)).code).toBe(code);
    expect(await reasonsFor(setting)).toHaveLength(1);
  },
);

test('roles have their reason in the audit trail, and are kept where the issuer does not list groups', async () => {
  const setting = await setUp({ idToken: SAID });
  const next = (idToken: Data) => {
    setting.issuer.manners = { idToken };
    app.clock.advance(1_000);
  };
  const { caller } = await signIn(setting);
  const id = await idOf(caller!);
  const newest = async (action: string) => (await trailOf(setting, `subject_id=${id}&action=${action}`))[0];
  expect(await newest('record_created')).toMatchObject({
    after: { role: 'moderator' },
    reason: expect.stringMatching(/corp\.example\.com.*mods/),
  });
  next({ ...KIM, _claim_names: { groups: 'src1' } });
  expect(await signIn(setting)).toMatchObject({ role: 'MODERATOR' });
  expect(await newest('role_kept')).toMatchObject({
    ...{ before: { role: 'moderator' }, after: { role: 'moderator' } },
    reason: expect.stringContaining('too many groups'),
  });
  next({ ...KIM, groups: ['others', 'mine'] });
  expect(await signIn(setting)).toMatchObject({ role: 'VIEWER' });
  expect((await newest('record_changed'))?.reason).toMatch(/None of the user's groups.*lists 2 groups/);
  next(SAID);
  expect(await signIn(setting)).toMatchObject({ role: 'MODERATOR' });
  expect((await newest('record_changed'))?.reason).toBe('Groups of single sign-on: mods.');
  next(KIM);
  expect(await signIn(setting)).toMatchObject({ role: 'VIEWER' });
  expect((await newest('record_changed'))?.reason).toMatch(/sent no claim "groups"/);
  next(SAID);
  await signIn(setting);
  next({ ...KIM, groups: { mods: {} } });
  expect(await signIn(setting)).toMatchObject({ role: 'VIEWER' });
  expect((await newest('record_changed'))?.reason).toMatch(/is an object/);
});

test.each<[string, Partial<Manners>, string]>([
  ['no ID token', { refresh: 'bare' }, 'MODERATOR'],
  ['no ID token, groups at the userinfo endpoint', { refresh: 'bare', userInfo: SAID }, 'MODERATOR'],
  ['an ID token with less, and a userinfo endpoint that takes no token', { userInfo: 401 }, 'MODERATOR'],
  ['an ID token with less, and a userinfo endpoint that fails', { userInfo: 503 }, 'MODERATOR'],
  ['more groups than are listed', { refresh: { _claim_names: { groups: 'src1' } } }, 'MODERATOR'],
  ['no group any more', { refresh: {} }, 'INVALID_API_KEY'],
  ['Entra ID: a rule of access', { refresh: { error: 'interaction_required' } }, 'INVALID_API_KEY'],
  ['Okta: a rule of access', { refresh: { error: 'access_denied' } }, 'INVALID_API_KEY'],
  ['Keycloak: the session has ended', { refresh: { error: 'invalid_grant' } }, 'INVALID_API_KEY'],
])('a session that is confirmed with %s', async (_name, manners, outcome) => {
  const setting = await setUp({ idToken: SAID });
  const { caller } = await signIn(setting);
  Object.assign(setting.issuer.manners, manners);
  app.clock.advance(16 * MINUTE);
  const { status, body } = await caller!.get('/v1/me');
  expect(status === 200 ? await roleOf(caller!) : body.code).toBe(outcome);
});

test('an address with or without a slash is one issuer, and one of all tenants is none', async () => {
  for (const slash of ['', '/']) {
    const setting = await setUp({ idToken: SAID }, {}, { slash });
    const { issuer, studio, providerId } = setting;
    const clientSecret = issuer.client.secret;
    const other = slash ? issuer.url.slice(0, -1) : `${issuer.url}/`;
    await studio.admin.data(UPDATE, { input: { id: providerId, issuer: other, clientSecret } });
    expect(await signIn(setting)).toMatchObject({ role: 'MODERATOR' });
  }
  const setting = await setUp({ idToken: SAID });
  const { issuer, studio, providerId } = setting;
  const faultOf = async (address: string) =>
    (await studio.admin.graphql(UPDATE, { input: { id: providerId, issuer: address } })).errors?.[0]?.message;
  const place = issuer.url;
  issuer.url = `${place}/other`;
  expect(await faultOf(`${place}/`)).toMatch(/names the issuer .*\/other/);
  const input = { id: providerId, issuer: `${place}/.well-known/openid-configuration` };
  await studio.admin.data(UPDATE, { input: { ...input, clientSecret: issuer.client.secret } });
  expect(await signIn(setting)).toMatchObject({ role: 'MODERATOR' });
  issuer.url = 'https://login.example.com/{tenantid}/v2.0';
  expect(await faultOf(place)).toMatch(/all tenants/);
});
