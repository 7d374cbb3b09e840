import { uuidOf } from '../../src/base/ids.js';
import { checkedGame } from '../support/checked-game.js';
import { DAY, HOUR, SECOND } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { change, type Player } from '../support/make.js';
import { post, standings } from '../support/play.js';
import { expectSound } from '../support/standings.js';

const { on, flags, events, session, board } = checkedGame();

const SETTINGS = {
  ...{ mode: 'REQUIRED', seed: 'NONE', view: null, attempts: null, advance: 0, hours: 24, content: '' },
  clock: { minSeconds: 0, maxPerSecond: null, slackSeconds: 3, pauses: false },
};
const DAILY = { seed: 'PERIOD', view: 'daily', attempts: 3 };
const TIMES = { sortDirection: 'ASC', format: { kind: 'TIME', decimals: 1 } };

function ticketed(input: Data, settings: Data = {}) {
  return board({ ...input, tickets: { ...SETTINGS, ...settings } });
}

const setTickets = (boardId: string, tickets: Data | null) =>
  change(on.studio.admin, 'Board', boardId, { tickets });

const ISSUE = `mutation ($input: IssueTicketsInput!) { issueTickets(input: $input) {
  tickets { ticket seed attempt expiresAt } attemptsLeft } }`;

async function issue(player: Player, boardId: string, input: Data = {}): Promise<Data> {
  return (await player.client.data(ISSUE, { input: { boardId, ...input } })).issueTickets;
}
const issueFault = (player: Player, boardId: string, input: Data = {}) =>
  player.client.code(ISSUE, { input: { boardId, ...input } });

/** Plays a run of `seconds` that takes `real` ones. @returns status or code, held value, flags */
async function run(player: Player, boardId: string, value: number, real: number, more: Data = {}) {
  const { tickets } = await issue(player, boardId, { gameVersion: '1.4.2' });
  on.app.clock.advance(Math.round(real * SECOND));
  return send(player, boardId, value, tickets[0].ticket, more);
}

async function send(
  player: Player,
  boardId: string,
  value: number,
  ticket: string,
  more: Data = {},
  headers: Data = {},
) {
  const before = await flags(boardId);
  const { status, body } = await post(
    player,
    { board_id: boardId, value, ...more },
    { ...headers, 'service-client-nonce': ticket },
  );
  const raised = (await flags(boardId)).slice(before.length);
  const names = raised.map(
    ({ flag_type, confidence, metadata }) =>
      `${flag_type}/${confidence}${metadata.fault ? `/${metadata.fault}` : ''}`,
  );
  return [
    status === 201 ? body.status : body.code,
    ...(body.held ? [`held at ${body.held.rank}`] : []),
    ...names,
  ].join(' ');
}

test('issuing writes nothing; the ticket is the nonce of one submission, and its run is stored', async () => {
  const { id } = await ticketed(TIMES, { seed: 'RUN' });
  const player = await session();
  const log = async () =>
    (await on.app.database.pool.query('select pg_current_wal_insert_lsn() as lsn')).rows[0].lsn;
  let [before, after] = [await log(), ''];
  let tickets: Data[] = [];
  let attemptsLeft: number | null = 0;
  // Other databases of the cluster write, too.
  for (let i = 0; i < 50 && before !== after; i += 1) {
    before = await log();
    ({ tickets, attemptsLeft } = await issue(player, id, { gameVersion: '1.4.2' }));
    after = await log();
  }
  expect(after).toBe(before);
  expect([tickets.length, attemptsLeft, typeof tickets[0].seed]).toEqual([1, null, 'number']);
  on.app.clock.advance(62 * SECOND);
  const key = { 'idempotency-key': 'run-1' };
  expect(await send(player, id, 60, tickets[0].ticket, {}, key)).toBe('active');
  // A retry is the first result again; another submission is refused.
  expect(await send(player, id, 60, tickets[0].ticket, { idle_ms: 5_000 }, key)).toBe('active');
  expect(await send(player, id, 59, tickets[0].ticket)).toBe('TICKET_USED');
  expect(await events(id)).toHaveLength(1);
  const { rows: stored } = await on.app.database.pool.query('select * from runs where board_id = $1', [
    uuidOf(id),
  ]);
  expect(stored).toMatchObject([
    {
      event_seq: 1,
      elapsed_ms: 62_000,
      idle_ms: 0,
      advance: false,
      attempt: 0,
      seed: tickets[0].seed,
      game_version: '1.4.2',
    },
  ]);
  await expectSound(on.app.database, id);
});

test('a ticket is good for its device, board and population only, and no other write takes it', async () => {
  const [one, other] = [await ticketed(TIMES), await ticketed(TIMES)];
  const player = await session();
  const { tickets } = await issue(player, one.id);
  const { ticket } = tickets[0];
  expect(await send(player, other.id, 60, ticket)).toBe('TICKET_INVALID');
  expect(await send(await session(), one.id, 60, ticket)).toBe('TICKET_INVALID');
  const tests = await session(undefined, {
    clientFingerprint: player.session.clientFingerprint,
    testMode: true,
  });
  expect(await send(tests, one.id, 60, ticket)).toBe('TICKET_INVALID');
  const spoilt = `${ticket.slice(0, -1)}${ticket.endsWith('A') ? 'B' : 'A'}`;
  expect(await send(player, one.id, 60, spoilt)).toBe('TICKET_INVALID');
  expect((await post(player, { board_id: one.id, value: 60 })).body.code).toBe('TICKET_REQUIRED');
  const free = await board();
  expect(await issueFault(player, free.id)).toBe('BAD_REQUEST');
  expect(await send(player, free.id, 60, ticket)).toBe('TICKET_INVALID');
  on.app.clock.advance(DAY);
  const again = await session(undefined, { clientFingerprint: player.session.clientFingerprint });
  expect(await send(again, one.id, 60, ticket)).toBe('TICKET_EXPIRED');
});

test('clock: too fast, slow motion and late runs, as flags that hold the top', async () => {
  const { id } = await ticketed({ ...TIMES, holdTop: 3 });
  const player = () => session();
  expect(await run(await player(), id, 60, 61)).toBe('active');
  expect(await run(await player(), id, 59, 20)).toBe('provisional held at 1 clock/high/fast');
  for (const [factor, expected] of [
    [0.9, 'provisional held at 1 clock/medium/slow'],
    [0.8, 'provisional held at 1 clock/medium/slow'],
    [0.5, 'provisional held at 1 clock/medium/slow'],
    [0.97, 'active'],
  ] as const)
    expect(await run(await player(), id, 58, 58 / factor)).toBe(expected);
  // Without a connection for ten minutes after the run: the device says how long.
  expect(await run(await player(), id, 57, 657, { idle_ms: 600_000 })).toBe('active');
  expect(await standings(on.studio.admin, id)).toEqual(['1 Ann 57', '2 Ann 58', '3 Ann 60']);
  const { data } = await on.studio.admin.got(
    on.studio.admin.get(`/v1/score-flags?board_id=${id}&sort=created_at:asc`),
  );
  expect(data.map(({ explanation }: Data) => explanation)).toEqual([
    'A run of 0:59.0, sent 0:20.0 after it started.',
    'A run of 0:58.0 took 1:04.4: the game ran slower than the clock.',
    'A run of 0:58.0 took 1:12.5: the game ran slower than the clock.',
    'A run of 0:58.0 took 1:56.0: the game ran slower than the clock.',
  ]);
  await expectSound(on.app.database, id);
});

test('clock: points per second and the shortest run', async () => {
  const clock = { minSeconds: 10, maxPerSecond: 100, slackSeconds: 2, pauses: true };
  const { id } = await ticketed({}, { clock });
  const player = () => session();
  expect(await run(await player(), id, 5_000, 60)).toBe('active');
  expect(await run(await player(), id, 6_201, 60)).toBe('under_review clock/high/rate');
  expect(await run(await player(), id, 10, 9)).toBe('under_review clock/high/short');
  const strict = await ticketed({}, { clock: { ...clock, pauses: false } });
  // On boards of points the run's length comes with it.
  expect(await run(await player(), strict.id, 3_000, 60, { run_ms: 30_000 })).toBe(
    'under_review clock/medium/slow',
  );
  expect(await run(await player(), strict.id, 3_000, 60, { run_ms: 30_000, idle_ms: 29_500 })).toBe('active');
  expect(await run(await player(), strict.id, 3_000, 60, { run_ms: 90_000 })).toBe(
    'under_review clock/high/fast',
  );
});

test('attempts are limited by day, a repeated request takes none, and content changes make tickets stale', async () => {
  const views = [{ name: 'daily', period: 'DAY' }];
  const { id } = await ticketed({ ...TIMES, views, timeZone: 'Europe/Berlin' }, DAILY);
  const player = await session();
  const first = await issue(player, id, { idempotencyKey: 'a' });
  expect([first.tickets[0].attempt, first.attemptsLeft]).toEqual([1, 2]);
  on.app.clock.advance(SECOND);
  expect(await issue(player, id, { idempotencyKey: 'a' })).toEqual(first);
  const second = await issue(player, id);
  expect([second.tickets[0].attempt, second.tickets[0].seed]).toEqual([2, first.tickets[0].seed]);
  await issue(player, id);
  expect(await issueFault(player, id)).toBe('ATTEMPTS_USED_UP');
  const other = await issue(await session(), id);
  expect([other.tickets[0].seed, other.attemptsLeft]).toEqual([first.tickets[0].seed, 2]);
  on.app.clock.advance(30 * SECOND);
  expect(await send(player, id, 30, first.tickets[0].ticket)).toBe('active');
  const end = new Date(first.tickets[0].expiresAt).getTime();
  expect(new Date(end).toLocaleTimeString('en-GB', { timeZone: 'Europe/Berlin' })).toBe('00:00:00');
  on.app.clock.advance(end - on.app.clock.now() - SECOND);
  const fingerprint = { clientFingerprint: player.session.clientFingerprint };
  let again = await session(undefined, fingerprint);
  expect(await send(again, id, 29, second.tickets[0].ticket, { idle_ms: 80_000_000 })).toMatch(/^active/);
  on.app.clock.advance(SECOND);
  again = await session(undefined, fingerprint);
  const next = await issue(again, id);
  expect([next.tickets[0].attempt, next.tickets[0].seed === first.tickets[0].seed]).toEqual([1, false]);
  await setTickets(id, { ...SETTINGS, ...DAILY, content: 'map 2' });
  on.app.clock.advance(HOUR);
  expect(await send(again, id, 28, next.tickets[0].ticket)).toBe('TICKET_STALE');
});

test('tickets for later runs keep the first comparison only', async () => {
  const { id } = await ticketed(TIMES, { advance: 20 });
  const player = await session();
  expect(await issueFault(player, id, { count: 21 })).toBe('BAD_REQUEST');
  const { tickets } = await issue(player, id, { count: 20 });
  expect(new Set(tickets.map(({ ticket }: Data) => ticket)).size).toBe(20);
  on.app.clock.advance(5 * HOUR);
  expect(await send(player, id, 60, tickets[0].ticket)).toBe('active');
});
