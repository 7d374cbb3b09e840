import { randomBytes } from 'node:crypto';
import { uuidOf } from '../../src/base/ids.js';
import { compareNames } from '../../src/cells/held-names.js';
import { CLIENT, type Issuer, openIssuer } from '../fixtures/issuer.js';
import { type TestCell, TestDirectory } from '../support/cells.js';
import { startGateway, startGatewayCell, type TestGateway } from '../support/gateway.js';
import type { Data } from '../support/http.js';
import { begin, WATCH } from '../support/live.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { moverOf } from '../support/moves.js';
import { TestSocket } from '../support/socket.js';
import { aSecond, until } from '../support/wait.js';

// The installation's issuer does not know on which cell a person is; the directory does.

const CONSOLE = 'https://console.example.com';

let issuer: Issuer;
let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let gateway: TestGateway;
let studios: Record<'east' | 'west', Studio>;
beforeAll(async () => {
  issuer = await openIssuer(`${CONSOLE}/console/signed-in`);
  const settings = {
    ...{ consoleUrl: CONSOLE, oidcAllowHttp: true, oidcAllowNetworks: ['127.0.0.0/8', '::1'] },
    ...{ oidcIssuer: issuer.url, oidcClientId: CLIENT.id, oidcClientSecret: CLIENT.secret },
  };
  directory = await TestDirectory.make();
  east = await startGatewayCell(directory, 'east', {}, settings);
  west = await startGatewayCell(directory, 'west', {}, settings);
  gateway = await startGateway(directory.database.connectionString, { east, west });
  studios = { east: await makeStudio(east), west: await makeStudio(west) };
  for (const [name, { accountId }] of Object.entries(studios)) {
    const { status } = await gateway.superadmin.post('/v1/identity-providers', {
      ...{ account_id: accountId, kind: 'installation', domains: [`${name}.example.com`] },
    });
    expect(status).toBe(201);
  }
});
afterAll(async () => {
  await gateway.close();
  await east.close();
  await west.close();
  await directory.close();
  await issuer.close();
});

async function signIn(sub: string): Promise<Data> {
  const browserToken = randomBytes(24).toString('base64url');
  issuer.next = sub;
  const { startProviderSignIn } = await gateway.anyone.data(
    'mutation ($input: StartProviderSignInInput!) { startProviderSignIn(input: $input) { url } }',
    { input: { browserToken } },
  );
  const response = await issuer.visit(startProviderSignIn.url);
  const { redeemProviderCode } = await gateway.anyone.data(
    'mutation ($input: RedeemProviderCodeInput!) { redeemProviderCode(input: $input) { ticket subject domain } }',
    { input: { browserToken, response } },
  );
  const { signInWithProvider } = await gateway.anyone.data(
    'mutation ($input: SignInWithProviderInput!) { signInWithProvider(input: $input) { key apiKey { id userId } } }',
    { input: redeemProviderCode },
  );
  return signInWithProvider;
}

const me = async (key: string) =>
  (await gateway.anyone.with({ 'service-api-key': key }).get('/v1/me')) as Data;

test('people are found on their cell, new ones by the domain, also after a move; a logout reaches all cells', async () => {
  const keys: string[] = [];
  for (const name of ['east', 'west'] as const) {
    const sub = `person-${name}`;
    issuer.people.set(sub, { email: `${name}@${name}.example.com`, email_verified: true });
    const { key } = await signIn(sub);
    expect((await me(key)).body).toMatchObject({ account_id: studios[name].accountId });
    // The address is another one; the subject is known.
    issuer.people.set(sub, { email: 'somebody@elsewhere.example', email_verified: true });
    // The gateway remembers for a second that nobody had this name.
    await until(async () => {
      const again = await signIn(sub).catch(() => undefined);
      if (again) keys.push(again.key);
      return again !== undefined;
    }, 200);
  }
  const taken = await gateway.superadmin.post('/v1/identity-providers', {
    ...{ account_id: studios.west.accountId, kind: 'installation', domains: ['east.example.com'] },
  });
  expect(taken.body.code).toBe('CONFLICT');
  const urls = { east: east.database.connectionString, west: west.database.connectionString };
  await moverOf(directory, urls).move(uuidOf(studios.west.accountId), 'east');
  const moved = await signIn('person-west');
  expect((await me(moved.key)).body).toMatchObject({ account_id: studios.west.accountId });
  for (const [name, cell] of Object.entries({ east, west })) {
    expect(await compareNames(directory.directory, name, cell.database.pool)).toEqual({
      withoutName: [],
      withoutRecord: [],
    });
  }
  issuer.logoutUrl = `${gateway.url}/v1/single-sign-on/logout`;
  const client = (await issuer.provider.Client.find(CLIENT.id)) as unknown as {
    backchannelLogout(sub: string, sid?: string): Promise<void>;
  };
  const { rows } = await east.database.pool.query('select sid from provider_sessions');
  // What they watch through the gateway ends with them.
  const watching = async (key: string, boardId: string) => {
    const socket = await TestSocket.connect(gateway.url, { 'service-api-key': key });
    begin(socket, WATCH, { id: boardId });
    await socket.next();
    return socket;
  };
  const board = await makeBoard(studios.east, (await makeGame(studios.east)).id);
  const west2 = { ...studios.west, admin: gateway.anyone.with(studios.west.admin.headers) };
  const moved2 = await makeBoard(west2, (await makeGame(west2)).id);
  const person = await signIn('person-east');
  const [ended, loggedOut] = [await watching(person.key, board.id), await watching(keys[1]!, moved2.id)];
  await gateway.anyone
    .with({ 'service-api-key': keys[0]! })
    .data('mutation ($id: ID!) { endConsoleSession(input: { id: $id }) { consoleSession { id } } }', {
      id: person.apiKey.id,
    });
  const since = performance.now();
  expect((await ended.closed).code).toBe(4401);
  expect(performance.now() - since).toBeLessThan(aSecond());
  expect((await me(keys[1]!)).status).toBe(200);
  for (const { sid } of rows) await client.backchannelLogout('person-west', sid);
  expect((await loggedOut.closed).code).toBe(4401);
  expect([(await me(keys[0]!)).status, (await me(keys[1]!)).status, (await me(moved.key)).status]).toEqual([
    200, 401, 401,
  ]);
});
