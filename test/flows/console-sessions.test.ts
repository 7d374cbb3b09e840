import { type App, makeApp } from '../../src/app.js';
import { makeLog } from '../../src/base/log.js';
import { type Database, openDatabase } from '../../src/db/pool.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import { DAY, MINUTE } from '../support/clock.js';
import { Caller, type Data } from '../support/http.js';
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
import { aSecond } from '../support/wait.js';

// Two services on one database: each has its own connections, caches and sockets.
let app: TestApp;
let pools: Database;
let second: App;
let elsewhere: Caller;
let studio: Studio;
let board: Data;
beforeAll(async () => {
  app = await startApp({ trustedProxies: ['127.0.0.1'] });
  pools = openDatabase(app.database.connectionString, { records: 2, scores: 2 });
  const log = makeLog('fatal');
  const { clock, dataDir } = app;
  const settings = { ...SETTINGS, dataDir };
  second = await makeApp({ settings, database: pools, clock: clock.now, log, wakeJobs: false });
  elsewhere = new Caller(`http://127.0.0.1:${await second.listen(0, '127.0.0.1')}`);
  studio = await makeStudio(app);
  board = await makeBoard(studio, (await makeGame(studio)).id, {});
});
afterAll(async () => {
  await second.close();
  await pools.close();
  await app.close();
});

const LIST = `{ me { user { id consoleSessions {
  id method ipAddress userAgent isCurrent createdAt expiresAt lastUsedAt } } } }`;
const END = 'mutation ($id: ID!) { endConsoleSession(input: { id: $id }) { consoleSession { id } } }';
const OTHERS = 'query ($id: ID!) { user(id: $id) { consoleSessions { id } } }';

interface SignedIn {
  user: Data;
  id: string;
  caller: Caller;
}

async function member(of = studio): Promise<Data> {
  return makeUser(app.superadmin, of.accountId, { email: `member.${unique()}@example.com` });
}

async function signIn(user: Data, ip: string, agent: string): Promise<SignedIn> {
  app.clock.advance(21 * MINUTE);
  const from = app.anyone.with({ 'x-forwarded-for': ip, 'user-agent': agent });
  await from.post('/register/sign-in/code', { email: user.email });
  const { body } = await from.post('/register/sign-in', {
    email: user.email,
    code: await codeFor(app, user.email),
  });
  return { user, id: body.api_key.id, caller: app.anyone.with({ 'service-api-key': body.key }) };
}

const sessionsOf = async (caller: Caller): Promise<Data[]> => {
  const { me } = await caller.data(LIST);
  return me.user.consoleSessions;
};

/** A live connection of the session on the other process. */
async function watching({ caller }: SignedIn): Promise<TestSocket> {
  const socket = await TestSocket.connect(elsewhere.url, caller.headers);
  begin(socket, WATCH, { id: board.id });
  await socket.next();
  return socket;
}

/** Fails unless the key is refused everywhere now, and its connection on the other process within a second or so. */
async function expectOut(session: SignedIn, socket: TestSocket): Promise<void> {
  const since = performance.now();
  expect((await elsewhere.with(session.caller.headers).get('/v1/me')).body.code).toBe('INVALID_API_KEY');
  expect((await session.caller.get('/v1/me')).body.code).toBe('INVALID_API_KEY');
  expect((await socket.closed).code).toBe(4401);
  expect(performance.now() - since).toBeLessThan(aSecond());
}

test('sessions say where, how and since when; each user sees its own, and those with the right to people all', async () => {
  const user = await member();
  const first = await signIn(user, '203.0.113.7', 'Mozilla/5.0 Firefox/128.0');
  const second = await signIn(user, '203.0.113.8', `Long ${'x'.repeat(2_000)}`);
  const listed = await sessionsOf(second.caller);
  expect(listed).toMatchObject([
    { id: second.id, method: 'CODE', ipAddress: '203.0.113.8', isCurrent: true },
    { id: first.id, ipAddress: '203.0.113.7', userAgent: 'Mozilla/5.0 Firefox/128.0', isCurrent: false },
  ]);
  expect(listed[0]!.userAgent).toHaveLength(400);
  const left = Date.parse(listed[0]!.expiresAt) - Date.parse(listed[0]!.createdAt);
  expect(left).toBe(12 * 60 * MINUTE);
  const seen = async (caller: Caller) =>
    (await caller.data(OTHERS, { id: user.id })).user?.consoleSessions?.map(({ id }: Data) => id);
  expect(await seen(studio.admin)).toEqual([second.id, first.id]);
  expect(await seen(app.superadmin)).toEqual([second.id, first.id]);
  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(OTHERS, { id: user.id })).toBe('FORBIDDEN');
  const root = (await app.superadmin.data('{ me { userId } }')).me.userId;
  expect(await app.superadmin.data(OTHERS, { id: root })).toMatchObject({ user: { consoleSessions: [] } });
  // A key that somebody pasted is no session.
  expect(await sessionsOf(studio.admin)).toEqual([]);
});

test('ending a session ends it on every process and cuts its live connections', async () => {
  const user = await member();
  const here = await signIn(user, '203.0.113.7', 'Here');
  const there = await signIn(user, '203.0.113.8', 'There');
  const socket = await watching(there);
  await here.caller.data(END, { id: there.id });
  await expectOut(there, socket);
  expect((await sessionsOf(here.caller)).map(({ id }) => id)).toEqual([here.id]);
  // Again: nothing changes, and it is no fault.
  await here.caller.data(END, { id: there.id });
  const { body } = await studio.admin.get(`/v1/audit-entries?subject_id=${there.id}&action=record_changed`);
  expect(body.data).toMatchObject([{ user_id: user.id, after: { status: 'revoked' } }]);
  const own = await watching(here);
  await here.caller.data(END, { id: here.id });
  await expectOut(here, own);
});

test('others end a session only with the right to people in its account; keys of another kind are none', async () => {
  const user = await member();
  const session = await signIn(user, '203.0.113.7', 'Here');
  const stranger = await makeStudio(app);
  expect(await stranger.admin.code(END, { id: session.id })).toBe('FORBIDDEN');
  expect(await app.anyone.code(END, { id: session.id })).toBe('API_KEY_REQUIRED');
  expect(await studio.admin.code(END, { id: studio.keyId })).toBe('NOT_FOUND');
  expect(await studio.admin.code(END, { id: 'none' })).toBe('VALIDATION_FAILED');
  const socket = await watching(session);
  await studio.admin.data(END, { id: session.id });
  await expectOut(session, socket);
});

test.each<[string, Data]>([
  ['suspension', { status: 'SUSPENDED' }],
  ['deletion', { deleted: true }],
])('%s ends all sessions of a user everywhere, and undoing it brings none back', async (_name, input) => {
  const user = await member();
  const session = await signIn(user, '203.0.113.7', 'Here');
  const socket = await watching(session);
  await change(studio.admin, 'User', user.id, input);
  await expectOut(session, socket);
  const undo = input.deleted ? { deleted: false } : { status: 'ACTIVE' };
  await change(studio.admin, 'User', user.id, undo);
  expect((await session.caller.get('/v1/me')).body.code).toBe('INVALID_API_KEY');
});

test('a change of the name or address ends no session', async () => {
  const user = await member();
  const session = await signIn(user, '203.0.113.7', 'Here');
  await change(studio.admin, 'User', user.id, { displayName: 'Renamed' });
  expect((await session.caller.get('/v1/me')).status).toBe(200);
});

test('where sessions came from is forgotten after SESSION_ADDRESS_DAYS', async () => {
  const user = await member();
  const session = await signIn(user, '203.0.113.7', 'Here');
  const row = () => app.database.knex('api_keys').where('id', session.id.slice(4)).first();
  app.clock.advance(90 * DAY - MINUTE);
  await app.app.jobs.run('forget-audit-entries');
  expect(await row()).toMatchObject({ signed_in_from: '203.0.113.7', signed_in_agent: 'Here' });
  app.clock.advance(2 * MINUTE);
  await app.app.jobs.run('forget-audit-entries');
  expect(await row()).toMatchObject({ signed_in_from: null, signed_in_agent: null, signed_in_with: 'code' });
});

test('twenty sign-ins with one code at the same moment make one session', async () => {
  const user = await member();
  app.clock.advance(21 * MINUTE);
  await app.anyone.post('/register/sign-in/code', { email: user.email });
  const code = await codeFor(app, user.email);
  const tries = Array.from({ length: 20 }, () =>
    app.anyone.post('/register/sign-in', { email: user.email, code }),
  );
  const done = (await Promise.all(tries)).filter(({ status }) => status === 201);
  expect(done).toHaveLength(1);
  expect(await sessionsOf(app.anyone.with({ 'service-api-key': done[0]!.body.key }))).toHaveLength(1);
});

test('demoted in the middle of work: what begins after the answer to it is refused, in both processes', async () => {
  const user = await makeUser(studio.admin, studio.accountId, { role: 'DEVELOPER' });
  const { key } = await makeKey(studio.admin, studio.accountId, user.id);
  const callers = [app.anyone, elsewhere].map((one) => one.with({ 'service-api-key': key }));
  const RENAME =
    'mutation ($id: ID!, $name: String!) { updateBoard(input: { id: $id, name: $name }) { board { id } } }';
  let demoted = false;
  const work = callers.flatMap((caller) =>
    Array.from({ length: 4 }, async (_, n) => {
      const after: (string | undefined)[] = [];
      while (after.length < 2) {
        const began = demoted;
        const { errors } = await caller.graphql(RENAME, { id: board.id, name: `Renamed ${n}` });
        if (began) after.push(errors?.[0]?.extensions.code as string | undefined);
      }
      return after;
    }),
  );
  await change(studio.admin, 'User', user.id, { role: 'MODERATOR' });
  demoted = true;
  expect(new Set((await Promise.all(work)).flat())).toEqual(new Set(['FORBIDDEN']));
});
