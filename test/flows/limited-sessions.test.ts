import {
  type GraphQLInputType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { startApp, type TestApp } from '../support/app.js';
import { addPasskey, newOptions } from '../support/authenticator.js';
import { MINUTE } from '../support/clock.js';
import { type Caller, type Data, send } from '../support/http.js';
import { codeFor } from '../support/mail.js';
import { change, makeStudio, makeUser, type Studio, unique } from '../support/make.js';
import { operations } from '../support/rest-operations.js';
import { emptyDocument } from '../support/roles/documents.js';
import { TestSocket } from '../support/socket.js';

// Sign-ins by a mailed code: those that lack the passkey their account demands, and those that are not fresh any more.

let app: TestApp;
let studio: Studio;
let person: Data;
let session: Caller;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  person = await makeUser(app.superadmin, studio.accountId, { email: `person.${unique()}@example.com` });
  session = await byCode(person.email);
  await change(studio.admin, 'Account', studio.accountId, { demandsPasskeys: true });
});
afterAll(() => app.close());

async function byCode(email: string): Promise<Caller> {
  app.clock.advance(21 * MINUTE);
  await app.anyone.post('/register/sign-in/code', { email });
  const code = await codeFor(app, email);
  const { key } = await app.anyone.got(app.anyone.post('/register/sign-in', { email, code }));
  return app.anyone.with({ 'service-api-key': key });
}

/** What the type takes, as little as possible: enough to reach the resolver. */
function leastOf(type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return leastOf(type.ofType);
  if (isListType(type)) return [leastOf(type.ofType)];
  if (isEnumType(type)) return type.getValues()[0]!.name;
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    const given = type.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
    return Object.fromEntries(given.map((field) => [field.name, leastOf(field.type)]));
  }
  const json = { JSON: {}, JSONObject: {}, ConfigurationJSON: {} };
  const values: Record<string, unknown> = { Int: 1, Float: 1, Boolean: true, ...json };
  if (type.name === 'DateTime') return '2030-01-01T00:00:00.000Z';
  return values[type.name] ?? 'none';
}

interface Door {
  name: string;
  isLive: boolean;
  query: string;
  variables: Data;
}

/** Every root field, with the arguments it needs. */
function doors(): Door[] {
  const { schema } = app.app;
  return [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()]
    .filter(isObjectType)
    .flatMap((root) =>
      Object.values(root.getFields()).map((field) => {
        const args = field.args.filter(isRequiredArgument);
        const query = emptyDocument(schema, `${root.name}.${field.name}`, {
          given: args.map(({ name }) => name),
        });
        const variables = Object.fromEntries(args.map(({ name, type }) => [name, leastOf(type)]));
        return { name: field.name, isLive: root === schema.getSubscriptionType(), query, variables };
      }),
    );
}

const codeOf = ({ errors }: Data): string => errors?.[0]?.extensions?.code ?? 'ok';

const byHttp = async ({ query, variables }: Door) =>
  codeOf((await session.post('/graphql', { query, variables })).body);

/** The first event has the result, or the errors of what did not begin. */
async function byEvents({ query, variables }: Door): Promise<string> {
  const { body } = await session.with({ accept: 'text/event-stream' }).post('/graphql', { query, variables });
  return codeOf(JSON.parse(/^data: (.+)$/m.exec(body)![1]!));
}

async function bySocket(socket: TestSocket, { query, variables }: Door, id: string): Promise<string> {
  const { type, payload } = await socket.run(query, variables, id);
  if (type === 'next') await socket.next();
  return codeOf(type === 'error' ? { errors: payload } : payload);
}

/** The closed list; a field that joins it is added by hand. */
const OPEN_FIELDS = ['addPasskey', 'endConsoleSession', 'me', 'newPasskeyOptions', 'updateApiKey'];

test('a session that lacks its passkey has a closed list of operations: GraphQL over HTTP, events and sockets', async () => {
  const all = doors();
  expect(all.length).toBeGreaterThan(150);
  const socket = await TestSocket.connect(app.url, session.headers);
  const open: string[] = [];
  for (const door of all) {
    const codes = [
      ...(door.isLive ? [] : [await byHttp(door)]),
      await byEvents(door),
      await bySocket(socket, door, door.name),
    ];
    if (codes.some((code) => code !== 'PASSKEY_REQUIRED')) open.push(door.name);
  }
  await socket.close();
  expect(open.toSorted()).toEqual(OPEN_FIELDS);
});

/** They run no operation, and nobody needs a credential: a recording's address is signed for whom it was given to. */
const NO_OPERATION =
  /^GET \/(v1|v1\/health|health\/\w+|openapi.json|schema.graphql|metrics|v1\/score-events\/{event_id}\/recording)$/;
// The operation of `/v1/client/me` is `me`, too: without a token of a game client, it's TOKEN_REQUIRED.
const OPEN_ROUTES = ['GET /v1/client/me', 'GET /v1/me', 'PATCH /v1/api-keys/{key_id}'];

test('and of routes: REST with its streams, exports and pictures', async () => {
  const open: string[] = [];
  for (const { method, path } of operations) {
    const door = `${method} ${path}`;
    if (NO_OPERATION.test(door)) continue;
    const init = { method, headers: { 'content-type': 'application/json', ...session.headers } };
    const body = method === 'GET' || method === 'DELETE' ? {} : { body: '{}' };
    const answer = await send(app.url + path.replace(/{\w+}/g, 'none'), { ...init, ...body });
    if (answer.body.code !== 'PASSKEY_REQUIRED') open.push(door);
  }
  expect(open.toSorted()).toEqual(OPEN_ROUTES);
});

const END = 'mutation ($id: ID!) { endConsoleSession(input: { id: $id }) { consoleSession { id } } }';
const ME = '{ me { userId apiKeyId needsPasskey rights account { name } } }';
const LIST =
  '{ me { account { games { nodes { id } } users { nodes { id } } history { points { at } } } user { passkeys { id } } } }';

test('it reads itself, adds the first passkey and ends itself, and no other session', async () => {
  const other = await byCode(person.email);
  const { me } = await session.data(ME);
  expect(me).toMatchObject({ userId: person.id, needsPasskey: true, rights: ['OWN'] });
  const { data, errors } = await session.graphql(LIST);
  expect(data.me.user).toEqual({ passkeys: [] });
  expect(data.me.account).toEqual({ games: null, users: null, history: null });
  expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(new Set(['PASSKEY_REQUIRED']));
  const others = (await other.data(ME)).me.apiKeyId;
  expect(await session.code(END, { id: others })).toBe('PASSKEY_REQUIRED');
  const revoke = (id: string) => session.patch(`/v1/api-keys/${id}`, { status: 'revoked' });
  expect((await revoke(others)).body.code).toBe('PASSKEY_REQUIRED');
  await addPasskey(other);
  await other.data(END, { id: others });
  expect((await other.get('/v1/me')).body.code).toBe('INVALID_API_KEY');
  expect((await revoke(me.apiKeyId)).status).toBe(200);
  expect((await session.get('/v1/me')).body.code).toBe('INVALID_API_KEY');
});

const START = 'mutation ($input: StartProviderLinkInput!) { startProviderLink(input: $input) { url } }';

test('a sign-in by code that is not fresh gives no lasting access: no key, address, passkey, person or issuer', async () => {
  const own = await makeStudio(app);
  const admin = await makeUser(app.superadmin, own.accountId, { email: `admin.${unique()}@example.com` });
  const fresh = await byCode(admin.email);
  const endpoint = await own.admin.got(
    own.admin.post('/v1/webhook-endpoints', {
      ...{
        account_id: own.accountId,
        name: 'Sheet',
        url: 'https://example.com/',
        events: ['ranking.closed'],
      },
    }),
  );
  const refused = async (caller: Caller): Promise<string[]> => {
    const { accountId } = own;
    const name = `n${unique()}`;
    const rest = [
      caller.post('/v1/api-keys', { account_id: accountId, user_id: admin.id, name }),
      caller.patch(`/v1/users/${admin.id}`, { email: `moved.${name}@example.com` }),
      caller.post('/v1/users', {
        account_id: accountId,
        email: `new.${name}@example.com`,
        display_name: 'New',
      }),
      caller.post('/register/invite', { email: `invited.${name}@example.com` }),
      caller.patch(`/v1/users/${own.userId}`, { role: 'admin' }),
      caller.post('/v1/webhook-endpoints', {
        ...{ account_id: accountId, name, url: 'https://example.com/', events: ['ranking.closed'] },
      }),
      caller.patch(`/v1/webhook-endpoints/${endpoint.id}`, { url: `https://example.com/${name}` }),
    ].map(async (answer) => (await answer).body.code ?? 'ok');
    const options = caller.graphql('{ newPasskeyOptions }');
    const link = caller.graphql(START, { input: { browserToken: 'b'.repeat(22) } });
    return Promise.all([...rest, ...[options, link].map(async (answer) => codeOf(await answer))]);
  };
  app.clock.advance(14 * MINUTE);
  // No issuer is set up: the last one is refused by that alone.
  expect(await refused(fresh)).toEqual([...Array(8).fill('ok'), 'FORBIDDEN']);
  await change(app.superadmin, 'User', admin.id, { email: admin.email });
  app.clock.advance(MINUTE);
  expect(new Set(await refused(fresh))).toEqual(new Set(['PASSKEY_REQUIRED']));
  // What ends access, or concerns nothing else, works as before.
  expect((await fresh.patch(`/v1/users/${admin.id}`, { display_name: 'Renamed' })).status).toBe(200);
  const again = await byCode(admin.email);
  await addPasskey(again);
  expect((await newOptions(again)).excludeCredentials).toHaveLength(1);
  // The keys of programs are none of this.
  expect(await refused(own.admin)).not.toContain('PASSKEY_REQUIRED');
});

test('where passkeys are demanded, connecting and disconnecting an issuer takes a passkey or that issuer', async () => {
  const whole = studio.admin;
  expect(await whole.code(START, { input: { browserToken: 'b'.repeat(22) } })).toBe('PASSKEY_REQUIRED');
});
