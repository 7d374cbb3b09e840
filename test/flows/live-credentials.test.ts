import { uuidOf } from '../../src/base/ids.js';
import { SETTINGS, startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { begin, RANKS, WATCH } from '../support/live.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

/** Each way in which a credential ends, by its name: how the watcher comes, how its right ends, the code it gets. */
const ENDS: [string, string, () => Promise<{ headers: Data; end: () => Promise<unknown> }>][] = [
  [
    'a revoked key',
    'INVALID_API_KEY',
    () => keyed((id) => change(app.superadmin, 'ApiKey', id, { status: 'REVOKED' })),
  ],
  [
    'a deleted key',
    'INVALID_API_KEY',
    () => keyed((id) => change(app.superadmin, 'ApiKey', id, { deleted: true })),
  ],
  [
    'a key whose end was not announced',
    'INVALID_API_KEY',
    () => keyed((id) => app.database.knex('api_keys').where('id', uuidOf(id)).update({ status: 'revoked' })),
  ],
  [
    'a suspended user',
    'USER_SUSPENDED',
    async () => {
      const own = await makeStudio(app);
      const user = await own.admin.data(
        'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { id } } }',
        { input: { accountId: own.accountId, email: 'second@example.com', displayName: 'Second' } },
      );
      const { id } = user.createUser.user;
      const { key } = await makeKey(own.admin, own.accountId, id);
      const headers = { 'service-api-key': key, board: (await boardOf(own)).id };
      return { headers, end: () => change(own.admin, 'User', id, { status: 'SUSPENDED' }) };
    },
  ],
  [
    'a banned device',
    'DEVICE_BLOCKED',
    () => played((p) => change(studio.admin, 'Device', p.session.deviceId, { status: 'BANNED' })),
  ],
  [
    'a suspended device',
    'DEVICE_BLOCKED',
    () => played((p) => change(studio.admin, 'Device', p.session.deviceId, { status: 'SUSPENDED' })),
  ],
  [
    'a revoked session that was not announced',
    'INVALID_TOKEN',
    () =>
      played((p) =>
        app.database
          .knex('device_sessions')
          .where('device_id', uuidOf(p.session.deviceId))
          .update({ status: 'revoked', revoked_at: new Date() }),
      ),
  ],
  [
    'exchanged tokens',
    'INVALID_TOKEN',
    () =>
      played((p) =>
        app.anyone.data(
          'mutation ($token: String!) { refreshDeviceSession(input: { refreshToken: $token }) { expiresIn } }',
          { token: p.session.refreshToken },
        ),
      ),
  ],
  [
    'a deleted player',
    'INVALID_TOKEN',
    () => played((p) => change(studio.admin, 'Identity', p.session.identityId, { deleted: true })),
  ],
  [
    'a suspended account',
    'ACCOUNT_SUSPENDED',
    async () => {
      const own = await makeStudio(app);
      const board = await boardOf(own);
      const { client } = await startSession(app, board.gameId);
      const end = () => change(app.superadmin, 'Account', own.accountId, { status: 'SUSPENDED' });
      return { headers: { ...client.headers, board: board.id }, end };
    },
  ],
];

const boardOf = async (own: Studio) => makeBoard(own, (await makeGame(own)).id, {});

async function keyed(spoil: (keyId: string) => PromiseLike<unknown>) {
  const own = await makeStudio(app);
  const headers = { ...own.admin.headers, board: (await boardOf(own)).id };
  return { headers, end: async () => spoil(own.keyId) };
}

async function played(spoil: (player: Player) => PromiseLike<unknown>) {
  const player = await startSession(app, game.id);
  const { id } = await makeBoard(studio, game.id, {});
  return { headers: { ...player.client.headers, board: id }, end: async () => spoil(player) };
}

test.each(ENDS)(
  '%s is cut within a second, though nothing happens on the board',
  async (_name, code, make) => {
    const { headers, end } = await make();
    const { board, ...credential } = headers;
    const socket = await TestSocket.connect(app.url, credential);
    begin(socket, WATCH, { id: board }, 'one');
    begin(socket, RANKS, { id: board, identityIds: ['me'] }, 'two');
    const first = [await socket.next(), await socket.next()];
    const running = first.filter(({ type }) => type === 'next').length;
    await end();
    const ended = performance.now();
    for (let n = 0; n < running; n += 1) {
      const frame = await socket.next();
      expect([frame.type, frame.payload[0].extensions.code]).toEqual(['error', code]);
    }
    expect((await socket.closed).code).toBe(4401);
    expect(performance.now() - ended).toBeLessThan(2_500);
  },
);

test('a token that runs out while it watches is cut', async () => {
  const { id } = await makeBoard(studio, game.id, {});
  const player = await startSession(app, game.id);
  const socket = await TestSocket.connect(app.url, player.client.headers);
  begin(socket, WATCH, { id });
  await socket.next();
  app.clock.advance((SETTINGS.accessTokenSeconds + 1) * 1_000);
  expect((await socket.next()).payload[0].extensions.code).toBe('INVALID_TOKEN');
  await socket.closed;
});

test('visitors of a board whose account is suspended are cut; watchers of a deleted game, too', async () => {
  const own = await makeStudio(app);
  const board = await boardOf(own);
  const visitor = await TestSocket.connect(app.url);
  begin(visitor, WATCH, { id: board.id });
  await visitor.next();
  await change(app.superadmin, 'Account', own.accountId, { status: 'SUSPENDED' });
  expect((await visitor.next()).payload[0].extensions.code).toBe('NOT_FOUND');
  await visitor.close();
  const other = await makeGame(studio);
  const { id } = await makeBoard(studio, other.id, {});
  const admin = await TestSocket.connect(app.url, studio.admin.headers);
  begin(admin, WATCH, { id });
  await admin.next();
  await change(studio.admin, 'Game', other.id, { deleted: true });
  expect((await admin.next()).payload[0].extensions.code).toBe('NOT_FOUND');
  await admin.close();
});
