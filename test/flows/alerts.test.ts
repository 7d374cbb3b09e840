import { uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { HOUR, MINUTE } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  makeUser,
  type Studio,
  startSession,
  unique,
} from '../support/make.js';
import { post } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

const DAY = 24 * HOUR;

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio);
});

const notice = () => app.app.jobs.run('notice-unusual');
const ALERTS = `query ($filter: AlertFilter) { alerts(filter: $filter) { nodes {
  id kind status explanation metadata gameId boardId board { id } game { id } } } }`;
const alerts = async (filter: Data = {}): Promise<Data[]> =>
  (await studio.admin.data(ALERTS, { filter: { gameId: game.id, ...filter } })).alerts.nodes;

/** New devices with a run of each of these values. */
async function devices(boardId: string, values: number[]): Promise<void> {
  await Promise.all(
    values.map(async (value) => {
      const player = await startSession(app, game.id, {});
      expect((await post(player, { board_id: boardId, value })).status).toBe(201);
    }),
  );
}

const HONEST = Array.from({ length: 31 }, (_, i) => 900 + 5 * i);
const FAKES = Array.from({ length: 35 }, (_, i) => 10 + i / 100);

/** Known to the service for an hour. */
async function played(input: Data = {}, values = HONEST): Promise<string> {
  const { id } = await makeBoard(studio, game.id, input);
  await devices(id, values);
  await notice();
  app.clock.advance(50 * MINUTE);
  return id;
}

test('a median that jumps within an hour is one alert, which colleagues see everywhere and one of them dismisses', async () => {
  const board = await played({ keepStrategy: 'BEST', unit: 'm' });
  const quiet = await played({ keepStrategy: 'BEST' });
  expect(await alerts()).toEqual([]);
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const query =
    'subscription ($game: ID) { alertRaised(gameId: $game) { cursor alert { id kind boardId } } }';
  socket.send({ type: 'subscribe', id: 'w', payload: { query, variables: { game: game.id } } });
  await devices(board, FAKES);
  await devices(quiet, [1_000, 1_010]);
  await notice();
  const [alert, ...more] = await alerts();
  expect(more).toEqual([]);
  expect(alert).toMatchObject({
    ...{ kind: 'MEDIAN_JUMP', status: 'OPEN', boardId: board, board: { id: board }, game: { id: game.id } },
    metadata: { previous_median: 975, previous_entries: 31, entries: 66, median: expect.any(Number) },
    explanation: expect.stringMatching(
      /^The median score went from 975 m to 10\.\d+ m within an hour, with 35 more entries\.$/,
    ),
  });
  expect(alert!.metadata.deviations).toBeLessThan(-2);
  const { payload } = await socket.nextMessage();
  expect(payload.data.alertRaised.alert).toEqual({ id: alert!.id, kind: 'MEDIAN_JUMP', boardId: board });
  await socket.close();

  // What stays is no further jump.
  app.clock.advance(10 * MINUTE);
  await devices(board, FAKES.slice(0, 2));
  await notice();
  expect(await alerts()).toHaveLength(1);

  const { status, body } = await studio.admin.get(`/v1/alerts?board_id=${board}&status=open`);
  expect([status, body.data.map(({ id }: Data) => id)]).toEqual([200, [alert!.id]]);
  const stranger = (await makeStudio(app)).admin;
  expect((await stranger.get(`/v1/alerts/${alert!.id}`)).status).toBe(403);
  const viewer = await makeUser(app.superadmin, studio.accountId, { role: 'VIEWER' });
  const { key } = await makeKey(app.superadmin, studio.accountId, viewer.id);
  const onlooker = app.anyone.with({ 'service-api-key': key });
  expect((await onlooker.get(`/v1/alerts/${alert!.id}`)).body.status).toBe('open');
  const dismissal = { status: 'dismissed' };
  expect((await onlooker.patch(`/v1/alerts/${alert!.id}`, dismissal)).status).toBe(403);
  expect((await studio.admin.patch(`/v1/alerts/${alert!.id}`, { status: 'gone' })).status).toBe(422);
  expect((await studio.admin.patch(`/v1/alerts/${alert!.id}`, dismissal)).body.status).toBe('dismissed');
  expect(await alerts({ status: 'OPEN' })).toEqual([]);
  const { auditEntries } = await studio.admin.data(
    'query ($id: ID!) { auditEntries(filter: { subjectId: $id }) { nodes { action before after } } }',
    { id: alert!.id },
  );
  expect(auditEntries.nodes).toEqual([
    { action: 'RECORD_CHANGED', before: { status: 'open' }, after: { status: 'dismissed' } },
  ]);
  await studio.admin.data(`mutation { deleteBoard(input: { id: "${board}" }) { deletedId } }`);
  expect(await alerts()).toEqual([]);
});

test('sums that grow, imports, other rules, a slow drift and boards without checks are no jump', async () => {
  const counter = await played({ boardType: 'COUNTER' }, HONEST.slice(0, 30));
  const imported = await played({ keepStrategy: 'BEST' }, HONEST.slice(0, 30));
  const { rows } = await app.database.pool.query('select identity_id from entries where board_id = $1', [
    uuidOf(counter),
  ]);
  for (const { identity_id } of rows) {
    const event = { board_id: counter, identity_id: `ide_${identity_id}`, value: 5_000 };
    expect((await studio.admin.post('/v1/score-events', event)).status).toBe(201);
  }
  const lines = FAKES.map((value) => `${unique()},${value}`);
  await new ImportClient(() => studio.admin).bringIn(imported, [['external_key,value', ...lines].join('\n')]);
  await devices(imported, [1_000]);
  await notice();
  expect(await alerts()).toEqual([]);
  // New players with next to nothing make the median worse.
  await devices(
    counter,
    Array.from({ length: 40 }, () => 1),
  );
  app.clock.advance(20 * MINUTE);
  await notice();
  expect((await alerts()).map(({ boardId }) => boardId)).toEqual([counter]);
});

test('far more new devices than usual are an alert of the game, once a day while it is dismissed', async () => {
  const start = (count: number) =>
    Promise.all(Array.from({ length: count }, () => startSession(app, game.id, {})));
  await start(60);
  await notice();
  // A game that is younger than a day.
  expect(await alerts()).toEqual([]);
  app.clock.advance(DAY + MINUTE);
  await start(49);
  await notice();
  expect(await alerts()).toEqual([]);
  await start(1);
  await notice();
  await notice();
  const [alert, ...more] = await alerts({ kind: 'NEW_PLAYERS' });
  expect([alert, more]).toEqual([
    expect.objectContaining({
      boardId: null,
      metadata: { players: 50, usual: expect.closeTo(60 / 23, 0) },
      explanation: expect.stringMatching(
        /^50 new players within an hour; in the week before, 2\.\d an hour\.$/,
      ),
    }),
    [],
  ]);
  await studio.admin.patch(`/v1/alerts/${alert!.id}`, { status: 'dismissed' });
  app.clock.advance(HOUR + MINUTE);
  await start(60);
  await notice();
  expect(await alerts({ status: 'OPEN' })).toEqual([]);
  app.clock.advance(DAY);
  // Usual by now is 169 in 48 hours.
  await start(50);
  await notice();
  expect(await alerts({ status: 'OPEN' })).toHaveLength(1);
  app.clock.advance(91 * DAY);
  await notice();
  expect(await alerts()).toEqual([]);
});

test('many new devices are no alert of an old game that always gets so many', async () => {
  await app.database.pool.query(
    `insert into identities (id, account_id, game_id, kind, external_key, display_name, created_at, updated_at)
     select gen_random_uuid(), g.account_id, g.id, 'device', gen_random_uuid()::text, '', at.at, at.at from games g
     cross join generate_series(1, 50) cross join generate_series(1, 168) hour
     cross join lateral (select $2::timestamptz - hour * interval '1 hour' as at) at where g.id = $1`,
    [uuidOf(game.id), new Date(app.clock.now())],
  );
  await app.database.pool.query(
    `update games set created_at = created_at - interval '30 days' where id = $1`,
    [uuidOf(game.id)],
  );
  await Promise.all(Array.from({ length: 50 }, () => startSession(app, game.id, {})));
  await notice();
  expect(await alerts()).toEqual([]);
});
