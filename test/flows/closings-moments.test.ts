import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { closeRankings } from '../../src/closings/job.js';
import { Changes } from '../../src/db/changes.js';
import { Ratios } from '../../src/rankings/upkeep/ratios.js';
import { Retirement } from '../../src/rankings/upkeep/retire.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR, MINUTE, SECOND } from '../support/clock.js';
import { flag, review, reviewRuns } from '../support/flags.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  change,
  changeFault,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';
import { until } from '../support/wait.js';

// Closings where something happens at the wrong moment: runs that wait, views that go, imports, days without the service, kills.

const LONG = 90 * 86_400;
let app: TestApp;
let studio: Studio;
let checked: Data;
let free: Data;
let ann: Player;
let bob: Player;
beforeAll(async () => {
  app = await startApp({ accessTokenSeconds: LONG, refreshTokenSeconds: LONG });
  studio = await makeStudio(app);
  checked = await makeGame(studio);
  free = await makeGame(studio, { antiCheatEnabled: false });
  [ann, bob] = [await startSession(app, free.id), await startSession(app, free.id)];
});
afterAll(() => app.close());
const imports = new ImportClient(() => studio.admin);

const DAILY = [{ name: 'daily', period: 'DAY' }];
const CLOSE = 'mutation($input: CloseBoardInput!) { closeBoard(input: $input) { board { id } } }';
const CLOSINGS = `query($id: ID!) { board(by: { id: $id }) { closings(first: 50) { nodes {
  id view period group status settlesAt totalCount openFlags heldRuns places { rank displayRank playerName value }
  undecided { scoreEventId identityId playerName value isHeld scoreEvent { id } identity { id } } } } } }`;

const closings = async ({ id }: Data): Promise<Data[]> =>
  (await studio.admin.data(CLOSINGS, { id })).board.closings.nodes.toSorted((a: Data, b: Data) =>
    `${a.period}` < `${b.period}` ? -1 : 1,
  );
const run = () => app.app.jobs.run('close-rankings');
const close = ({ id }: Data) => studio.admin.data(CLOSE, { input: { id } });
const alter = ({ id }: Data, input: Data) => change(studio.admin, 'Board', id, input);
const rows = (table: string, { id }: Data, order: string): Promise<Data[]> =>
  app.database.knex(table).where('board_id', uuidOf(id)).orderByRaw(order);
const freely = (input: Data = {}) => makeBoard(studio, free.id, input);
const midnight = () => app.clock.advance(DAY - (app.clock.now() % DAY));
const stored = async (of: Data) => [
  await rows('closings', of, 'id'),
  await rows('closing_places', of, 'closing_id, rank'),
];

/** A board with an honest player on 120, of whom a run of a million is held, and another one on 50 with an open flag. */
async function suspicious(reviewHours: number): Promise<Data> {
  const made = await makeBoard(studio, checked.id, {
    ...{ holdTop: 3, keepStrategy: 'BEST' },
    closingRules: [{ reviewTop: 2, reviewHours }],
  });
  const [first, second] = [await startSession(app, checked.id), await startSession(app, checked.id)];
  await submit(second, made.id, 50);
  for (const value of [100, 110, 120, 1_000_000]) {
    app.clock.advance(10 * SECOND);
    await submit(first, made.id, value);
  }
  const { rows: events } = await app.database.pool.query(
    'select id from score_events where board_id = $1 and amount = 50',
    [uuidOf(made.id)],
  );
  await flag(studio.admin, `sev_${events[0].id}`);
  await close(made);
  await run();
  return made;
}

const told = ({ undecided }: Data) => undecided.map(({ value, isHeld }: Data) => [value, isHeld]);

test('held runs and runs under review delay the freeze; at the longest time both are listed, and only the latter count', async () => {
  const made = await suspicious(5);
  const [waiting] = await closings(made);
  expect(waiting).toMatchObject({ status: 'SETTLING', places: [] });
  expect(told(waiting!)).toEqual([
    [50, false],
    [1_000_000, true],
  ]);
  app.clock.advance(5 * HOUR);
  await run();
  const [frozen] = await closings(made);
  expect(frozen).toMatchObject({ status: 'FROZEN', openFlags: 1, heldRuns: 1, totalCount: 2 });
  expect(frozen!.places.map(({ value }: Data) => value)).toEqual([120, 50]);
  expect(told(frozen!)).toEqual(told(waiting!));
  const [listed] = frozen!.undecided;
  expect(listed).toMatchObject({
    scoreEvent: { id: listed.scoreEventId },
    identity: { id: listed.identityId },
  });
  const rest = await studio.admin.get(`/v1/closings/${frozen!.id}`);
  expect(rest.body.undecided).toMatchObject([
    { value: 50, is_held: false },
    { value: 1_000_000, is_held: true },
  ]);
  const path = `/v1/boards/${made.id}/export?what=closings&format=ndjson`;
  const lines: Data[] = `${(await studio.admin.get(path)).body}`
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(lines).toMatchObject([
    { closing_id: frozen!.id, status: 'frozen', held_runs: 1, rank: 1, value: 120 },
    { closing_id: frozen!.id, status: 'frozen', held_runs: 1, rank: 2, value: 50 },
    { trailer: { what: 'closings', count: 2 } },
  ]);
  // What is decided afterwards changes neither.
  for (const { id } of await rows('score_flags', made, 'event_seq'))
    await review(studio.admin, `flg_${id}`, { status: 'FALSE_POSITIVE' });
  expect(await closings(made)).toEqual([frozen]);
  expect(await verifyBoard(app.database, made.id)).toEqual([]);
});

test('a decision ends the wait, and is in the places', async () => {
  const made = await suspicious(100);
  for (const { id } of await rows('score_flags', made, 'event_seq'))
    await review(studio.admin, `flg_${id}`, { status: 'FALSE_POSITIVE' });
  app.clock.advance(MINUTE);
  await run();
  const [frozen] = await closings(made);
  expect(frozen).toMatchObject({ status: 'FROZEN', openFlags: 0, heldRuns: 0, undecided: [] });
  expect(frozen!.places.map(({ value }: Data) => value)).toEqual([1_000_000, 50]);
});

test('a ratio board is closed through a view with periods, once its sources are counted', async () => {
  const source = { boardType: 'COUNTER', views: DAILY };
  const [kills, deaths] = [await freely(source), await freely(source)];
  const made = await freely({
    ...{ boardType: 'RATIO', views: DAILY },
    ratioConfig: { numeratorBoardId: kills.id, denominatorBoardId: deaths.id },
  });
  const prizes = { lines: [{ name: 'one', title: 'One', firstRank: 1 }] };
  for (const rule of [{}, { prizes }])
    expect(await changeFault(studio.admin, 'Board', made.id, { closingRules: [rule] })).toBe(
      'WRONG_BOARD_TYPE',
    );
  midnight();
  await alter(made, { closingRules: [{ view: 'daily', prizes }] });
  await submit(ann, kills.id, 6, { playerName: 'Ann' });
  await submit(ann, deaths.id, 4, { playerName: 'Ann' });
  const { database, clock } = app;
  const ratios = new Ratios(database, clock.now, makeLog('fatal'), new Changes(), () => undefined);
  await until(async () => (await ratios.followAll()) === 0);
  clock.advance(DAY);
  const { knex } = database;
  const at = new Date(clock.now());
  // As if the ratio had not followed the last of its sources.
  let behind: unknown;
  await knex
    .transaction(async (trx) => {
      await trx.raw('select begin_due_closings(board_id, view_name, ended_at, ?) from closings_to_begin(?)', [
        ...[at, at],
      ]);
      const { id } = await trx('closings').where('board_id', uuidOf(made.id)).first();
      await trx('board_rankings').where('board_id', uuidOf(made.id)).decrement('numerator_seq', 1);
      const { rows: found } = await trx.raw('select freeze_closing(?, ?, ?) as state', [
        uuidOf(made.id),
        id,
        at,
      ]);
      behind = found[0].state;
      await trx.rollback();
    })
    .catch(() => undefined);
  expect(behind).toBe('waiting');
  await run();
  expect(await closings(made)).toMatchObject([
    { view: 'daily', status: 'FROZEN', totalCount: 1, places: [{ rank: 1, playerName: 'Ann', value: 1.5 }] },
  ]);
  expect(await rows('rewards', made, 'id')).toMatchObject([
    { line: 'one', rank: 1, identity_id: uuidOf(ann.session.identityId) },
  ]);
  await ratios.close();
});

test('a view that is declared again, and an import into a closed period, close nothing twice', async () => {
  midnight();
  const made = await freely({ views: DAILY, closingRules: [{ view: 'daily' }] });
  await submit(ann, made.id, 10, { playerName: 'Ann' });
  const played = new Date(app.clock.now()).toISOString();
  app.clock.advance(DAY);
  await run();
  const before = await stored(made);
  expect(before[0]).toMatchObject([{ status: 'frozen' }]);
  await imports.bringIn(made.id, [`external_key,value,occurred_at\nold,99,${played}`]);
  await run();
  expect(await stored(made)).toEqual(before);
  expect(await verifyBoard(app.database, made.id)).toEqual([]);
  await alter(made, { views: [], closingRules: [] });
  await alter(made, { views: DAILY, closingRules: [{ view: 'daily' }] });
  const live = async () =>
    (await rows('board_views', made, 'view_no')).every(({ status }) => status === 'live');
  await until(live);
  await run();
  expect(await stored(made)).toEqual(before);
  // The period that runs is closed as ever.
  await submit(bob, made.id, 7, { playerName: 'Bob' });
  app.clock.advance(DAY);
  await run();
  expect(await closings(made)).toMatchObject([
    { places: [{ playerName: 'Ann', value: 10 }] },
    { places: [{ playerName: 'Bob', value: 7 }] },
  ]);
});

test('a view that is dropped before its places are fixed withdraws its closing', async () => {
  midnight();
  const made = await freely({ views: DAILY, closingRules: [{ view: 'daily', settleMinutes: 60 }] });
  await submit(ann, made.id, 10);
  app.clock.advance(DAY);
  await run();
  await alter(made, { views: [], closingRules: [] });
  app.clock.advance(HOUR);
  await run();
  expect(await closings(made)).toMatchObject([{ status: 'WITHDRAWN', places: [] }]);
  await alter(made, { views: DAILY, closingRules: [{ view: 'daily', settleMinutes: 60 }] });
  await run();
  expect(await closings(made)).toMatchObject([{ status: 'WITHDRAWN' }]);
});

test('after days without the service, what was missed closes in order, with what counted then', async () => {
  midnight();
  const made = await freely({
    views: DAILY,
    closingRules: [{ view: 'daily', settleMinutes: (4 * DAY) / MINUTE }],
  });
  for (const value of [1, 2, 3, 4]) {
    await submit(ann, made.id, value, { playerName: `Day ${value}` });
    app.clock.advance(DAY);
  }
  // Each closing is a transaction of its own, whose number its row has.
  const order = async () =>
    (await rows('closings', made, 'xmin::text::bigint')).map(({ ended_at }) => ended_at.getTime());
  await run();
  const ends = await order();
  expect(ends).toHaveLength(4);
  expect(ends).toEqual(ends.toSorted());
  app.clock.advance(4 * DAY);
  await run();
  expect((await order()).filter((at) => ends.includes(at))).toEqual(ends);
  expect((await closings(made)).slice(0, 4).map(({ places }) => places[0].playerName)).toEqual(
    [1, 2, 3, 4].map((n) => `Day ${n}`),
  );
});

test('an end that is brought forward closes then, one that is put off closes later', async () => {
  const inHours = (hours: number) => new Date(app.clock.now() + hours * HOUR).toISOString();
  const [sooner, later] = [
    await freely({ endsAt: inHours(10), closingRules: [{}] }),
    await freely({ endsAt: inHours(1), closingRules: [{}] }),
  ];
  await alter(sooner, { endsAt: inHours(1) });
  await alter(later, { endsAt: inHours(10) });
  const expire = async () => {
    await app.app.jobs.run('expire-boards');
    await run();
    return [(await closings(sooner)).length, (await closings(later)).length];
  };
  expect(await expire()).toEqual([0, 0]);
  app.clock.advance(HOUR);
  expect(await expire()).toEqual([1, 0]);
  app.clock.advance(9 * HOUR);
  expect(await expire()).toEqual([1, 1]);
  // A season whose end is brought forward, too: the job is woken for it.
  const season = (hours: number) => [
    { name: 'season', seasons: [{ name: 'first', startsAt: inHours(1), endsAt: inHours(hours) }] },
  ];
  const seasonal = await freely({ views: season(100), closingRules: [{ view: 'season' }] });
  await alter(seasonal, { views: season(3) });
  app.clock.advance(2 * HOUR);
  await submit(ann, seasonal.id, 5);
  app.clock.advance(HOUR);
  await run();
  expect(await closings(seasonal)).toMatchObject([{ status: 'FROZEN', period: 'first', totalCount: 1 }]);
});

test('rankings that are no longer kept stay until their places are fixed', async () => {
  midnight();
  const made = await freely({
    ...{ views: [{ ...DAILY[0], keepPeriods: 1 }] },
    closingRules: [{ view: 'daily', settleMinutes: (4 * DAY) / MINUTE }],
  });
  await submit(ann, made.id, 8, { playerName: 'Ann' });
  app.clock.advance(3 * DAY);
  await submit(ann, made.id, 3, { playerName: 'Ann' });
  await run();
  const { database, clock } = app;
  const retirement = new Retirement(database, clock.now, makeLog('fatal'), () => undefined);
  const first = async () =>
    (await rows('rankings', made, 'period_number')).find(({ view_no }) => view_no > 0)!.status;
  await retirement.retire();
  expect(await first()).toBe('live');
  clock.advance(2 * DAY);
  await run();
  expect((await closings(made))[0]).toMatchObject({
    status: 'FROZEN',
    places: [{ playerName: 'Ann', value: 8 }],
  });
  await retirement.retire();
  expect(await first()).toBe('dropped');
  await retirement.close();
});

test('a process that is killed at any statement of a closing leaves nothing behind, and two others close once', async () => {
  midnight();
  const lines = [
    { name: 'gold', title: 'Gold', firstRank: 1 },
    { name: 'all', title: 'All' },
  ];
  const closingRules = [{ view: 'daily', places: 2, prizes: { lines } }];
  const made = await freely({ views: DAILY, closingRules });
  await studio.admin.post('/v1/webhook-endpoints', {
    ...{ account_id: studio.accountId, name: 'Prizes', url: 'https://hooks.example.com' },
    ...{ events: ['ranking.settling', 'ranking.closed', 'reward.granted'], board_ids: [made.id] },
  });
  await submit(ann, made.id, 8, { playerName: 'Ann' });
  await submit(bob, made.id, 9, { playerName: 'Bob' });
  app.clock.advance(DAY);
  const { knex } = app.database;
  await knex.raw(`create function killed() returns trigger language plpgsql as $$
    begin perform pg_terminate_backend(pg_backend_pid()); return null; end $$`);
  const events = () =>
    knex('webhook_events').where('board_id', uuidOf(made.id)).orderBy('type').select('type');
  const state = async () => [
    await stored(made),
    await events(),
    await rows('closing_rules', made, 'view_name'),
    await rows('rewards', made, 'id'),
  ];
  const call = () => ({
    ...{ db: knex, now: new Date(app.clock.now()), payload: {}, log: makeLog('fatal') },
    signal: new AbortController().signal,
  });
  const closed = () => closeRankings(call(), () => undefined, { grantsPerClosing: 1_000 });
  const begin = [
    'insert on closings',
    'update on closing_rules',
    'update on board_rankings',
    'insert on webhook_events',
  ];
  const freeze = [
    'update on closings',
    'insert on closing_places',
    'update on board_rankings',
    'insert on webhook_events',
  ];
  const BEGIN = 'select begin_due_closings(board_id, view_name, ended_at, $1) from closings_to_begin($1)';
  const FREEZE = `select freeze_closing(board_id, id, $1) from closings where status = 'settling' and settles_at <= $1`;
  const killed = async (sql: string, statements: string[]) => {
    const before = await state();
    for (const statement of statements) {
      await knex.raw(`create trigger killed after ${statement} for each row execute function killed()`);
      const client = new pg.Client(app.database.pool.options as pg.ClientConfig);
      client.on('error', () => undefined);
      await client.connect();
      const outcome = await client.query(sql, [call().now]).then(
        () => 'done',
        ({ message }) => message,
      );
      await client.end().catch(() => undefined);
      expect(outcome).toMatch(/terminat/);
      await knex.raw(`drop trigger killed on ${statement.split(' ').at(-1)}`);
      expect(await state()).toEqual(before);
    }
  };
  await killed(BEGIN, begin);
  await knex.raw(BEGIN.replaceAll('$1', '?'), [call().now, call().now]);
  await killed(FREEZE, freeze);
  await knex.raw(FREEZE.replaceAll('$1', '?'), [call().now, call().now]);
  const given = ['insert on rewards', 'update on closings', 'insert on webhook_events'];
  await killed(
    `select grant_prizes(board_id, id, 5000, 1000, $1) from closings where prizes_status = 'granting'`,
    given,
  );
  await Promise.all([closed(), closed()]);
  const ended = ['ranking.closed', 'ranking.settling', 'reward.granted'];
  expect((await events()).map(({ type }) => type)).toEqual(ended);
  const lineOf = ({ line, identity_id }: Data) =>
    `${line} ${identity_id === uuidOf(bob.session.identityId) ? 'Bob' : 'Ann'}`;
  const rewards = async () => (await rows('rewards', made, 'line, rank')).map(lineOf);
  expect(await rewards()).toEqual(['all Bob', 'all Ann', 'gold Bob']);
  // Bob is banned: what is missing is granted after the close, once.
  await reviewRuns(studio.admin, { identityId: bob.session.identityId, decision: 'CONFIRMED_CHEAT' });
  const REISSUE = `select reissue_prizes(board_id, id, 10, 1000, $1) from closings where prizes_status = 'granted'`;
  await killed(REISSUE, given);
  const again = () => knex.raw(REISSUE.replaceAll('$1', '?'), [call().now]);
  await Promise.all([again(), again()]);
  await again();
  expect((await rewards()).toSorted()).toEqual(['all Ann', 'all Bob', 'gold Ann', 'gold Bob']);
  expect((await events()).map(({ type }) => type)).toEqual([...ended, 'reward.granted']);
  expect(await verifyBoard(app.database, made.id)).toEqual([]);
  expect(await closings(made)).toMatchObject([
    { status: 'FROZEN', places: [{ playerName: 'Bob' }, { playerName: 'Ann' }] },
  ]);
});
