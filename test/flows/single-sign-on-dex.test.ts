import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import pg from 'pg';
import { startApp, type TestApp } from '../support/app.js';
import { MINUTE } from '../support/clock.js';
import { emptyDatabase, type TestDatabase } from '../support/database.js';
import { codeFor } from '../support/mail.js';
import { makeStudio, type Studio } from '../support/make.js';
import { SCRATCH } from '../support/scratch.js';
import { until } from '../support/wait.js';

// A foreign issuer: Dex. `DEX_BIN=/usr/local/bin/dex npm run prove:oidc`; without DEX_BIN these tests are skipped.

const { DEX_BIN } = process.env;
const RETURN = 'https://play.example.com/console/signed-in';
const CLIENT = { id: 'leaderboards', secret: 'a-secret-of-the-client' };
const START = 'mutation ($input: StartProviderSignInInput!) { startProviderSignIn(input: $input) { url } }';
const REDEEM = `mutation ($input: RedeemProviderCodeInput!) {
  redeemProviderCode(input: $input) { ticket subject domain } }`;
const START_LINK = 'mutation ($input: StartProviderLinkInput!) { startProviderLink(input: $input) { url } }';
const LINK =
  'mutation ($input: AddProviderLinkInput!) { addProviderLink(input: $input) { providerLink { id } } }';
const ENTER = `mutation ($input: SignInWithProviderInput!) {
  signInWithProvider(input: $input) { key apiKey { id } expiresAt } }`;

(DEX_BIN ? describe : describe.skip)('Dex', () => {
  const dir = mkdtempSync(path.join(SCRATCH, `leaderboard-test-${process.pid}-`));
  let url: string;
  let dex: ChildProcess;
  let app: TestApp;
  let studio: Studio;
  let store: TestDatabase;

  async function start(): Promise<void> {
    dex = spawn(DEX_BIN!, ['serve', path.join(dir, 'dex.json')], { stdio: 'ignore' });
    await until(() =>
      fetch(`${url}/.well-known/openid-configuration`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
  }

  async function stop(): Promise<void> {
    const gone = once(dex, 'exit');
    dex.kill();
    await gone;
  }

  /** Its connector for tests knows one person, and asks nothing. @returns the query with which the browser comes back */
  async function visit(address: string): Promise<string> {
    for (let at = address, steps = 0; steps < 10; steps += 1) {
      const { headers } = await fetch(at, { redirect: 'manual' });
      at = new URL(headers.get('location')!, at).href;
      if (at.startsWith(RETURN)) return new URL(at).search.slice(1);
    }
    throw new Error('Dex never sent the browser back');
  }

  beforeAll(async () => {
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const address = `127.0.0.1:${(free.address() as AddressInfo).port}`;
    free.close();
    url = `http://${address}/dex`;
    // With its storage in memory, Dex waits for itself when a token is refreshed.
    store = await emptyDatabase();
    const { host, port, user, password, database } = new pg.Client(store.connectionString);
    const config = { host, port, user, password, database, ssl: { mode: 'disable' } };
    const configuration = {
      ...{ issuer: url, storage: { type: 'postgres', config }, web: { http: address } },
      oauth2: { skipApprovalScreen: true },
      staticClients: [{ ...CLIENT, name: 'Leaderboards', redirectURIs: [RETURN] }],
      connectors: [{ type: 'mockCallback', id: 'mock', name: 'Mock' }],
    };
    writeFileSync(path.join(dir, 'dex.json'), JSON.stringify(configuration));
    await start();
    app = await startApp({
      ...{ consoleUrl: new URL(RETURN).origin, oidcAllowHttp: true, oidcAllowNetworks: ['127.0.0.0/8'] },
      ...{ oidcIssuer: url, oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret },
      oidcScopes: 'openid email profile groups offline_access',
    });
    studio = await makeStudio(app);
    await app.superadmin.post('/v1/identity-providers', {
      ...{ account_id: studio.accountId, kind: 'installation', domains: ['kilgore.trout'] },
      group_roles: [{ group: 'authors', role: 'moderator' }],
    });
  });
  afterAll(async () => {
    await app.close();
    await stop();
    await store.drop();
    rmSync(dir, { recursive: true });
  });

  const startedAt = async (input: object) => {
    const browserToken = randomBytes(24).toString('base64url');
    const { startProviderSignIn } = await app.anyone.data(START, { input: { browserToken, ...input } });
    const returned = { browserToken, response: await visit(startProviderSignIn.url) };
    return { returned, ...(await app.anyone.data(REDEEM, { input: returned })).redeemProviderCode };
  };
  const ofCaller = (key: string) => app.anyone.with({ 'service-api-key': key });
  const ME = '{ me { accountId user { email role } } }';

  test('a person signs in, has the role of its groups, is confirmed, and is out when Dex refuses', async () => {
    const { returned, ...ticket } = await startedAt({});
    expect(await app.anyone.code(REDEEM, { input: returned })).toBe('INVALID_CODE');
    const { signInWithProvider } = await app.anyone.data(ENTER, { input: ticket });
    const caller = ofCaller(signInWithProvider.key);
    const { me } = await caller.data(ME);
    expect(me).toEqual({
      accountId: studio.accountId,
      user: { email: 'kilgore@kilgore.trout', role: 'MODERATOR' },
    });
    // Confirmed with a refresh token, twice: it changes each time.
    for (const _turn of [1, 2]) {
      app.clock.advance(16 * MINUTE);
      expect((await caller.get('/v1/me')).status).toBe(200);
    }
    await stop();
    app.clock.advance(16 * MINUTE);
    expect((await caller.get('/v1/me')).body.code).toBe('UNAVAILABLE');
    await start();
    app.clock.advance(MINUTE);
    expect((await caller.get('/v1/me')).status).toBe(200);
    await store.open().knex('refresh_token').delete();
    app.clock.advance(16 * MINUTE);
    expect((await caller.get('/v1/me')).body.code).toBe('INVALID_API_KEY');
  });

  /** An account with Dex as its own issuer, which is asked for these scopes. */
  async function ownDex(scopes: string, more: object = {}) {
    const own = await makeStudio(app);
    const of = { account_id: own.accountId, kind: 'own', domains: ['kilgore.trout'] };
    const client = { client_id: CLIENT.id, client_secret: CLIENT.secret };
    const provider = await app.superadmin.post('/v1/identity-providers', {
      ...{ ...of, issuer: `${url}/`, ...client, scopes, ...more },
    });
    expect(provider.status).toBe(201);
    const { body } = await own.admin.get(`/v1/accounts/${own.accountId}`);
    return { own, slug: body.slug as string, providerId: provider.body.id as string };
  }

  /** Invites the person of Dex, who accepts. @returns the role */
  async function invitedTo({ admin, accountId }: Studio): Promise<string> {
    const email = `${accountId}@elsewhere.example`;
    await admin.post('/register/invite', { email, role: 'viewer' });
    const verified = await app.anyone.post('/register/verify', { email, code: await codeFor(app, email) });
    const verificationToken = verified.body.verification_token;
    const { returned: _of, ...ticket } = await startedAt({ verificationToken });
    const entered = await app.anyone.data(ENTER, { input: { ...ticket, verificationToken } });
    const { me } = await ofCaller(entered.signInWithProvider.key).data(ME);
    expect(me.user.email).toBe(email);
    return me.user.role;
  }

  test('without an address, invited and connected people get in, and others are told what is missing', async () => {
    const group_roles = [{ group: '/authors', role: 'moderator' }];
    const { own, slug, providerId } = await ownDex('openid groups', { group_roles });
    const { returned: _by, ...stranger } = await startedAt({ accountSlug: slug });
    const { errors } = await app.anyone.graphql(ENTER, { input: stranger });
    expect(errors?.[0]?.message).toMatch(/claim email/);
    const trail = await own.admin.get(`/v1/audit-entries?subject_id=${providerId}&action=sign_in_refused`);
    expect(trail.body.data).toMatchObject([{ reason: errors![0]!.message }]);

    expect(await invitedTo(own)).toBe('MODERATOR');

    const other = await ownDex('openid');
    const browserToken = randomBytes(24).toString('base64url');
    const { startProviderLink } = await other.own.admin.data(START_LINK, { input: { browserToken } });
    const response = await visit(startProviderLink.url);
    const { redeemProviderCode } = await app.anyone.data(REDEEM, { input: { browserToken, response } });
    await other.own.admin.data(LINK, { input: { ticket: redeemProviderCode.ticket } });
    const { returned: _again, ...known } = await startedAt({ accountSlug: other.slug });
    expect((await app.anyone.data(ENTER, { input: known })).signInWithProvider.key).toBeDefined();

    // Dex sends no groups unless it is asked for them.
    const silent = await ownDex('openid', { group_roles, default_role: 'developer' });
    expect(await invitedTo(silent.own)).toBe('DEVELOPER');
  });
});
