import fc from 'fast-check';
import { uuid7, uuidOf } from '../../src/base/ids.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR } from '../support/clock.js';
import { makeCrowd } from '../support/crowd.js';
import { byHand } from '../support/follow-guard.js';
import type { Data } from '../support/http.js';
import { runsOf } from '../support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';

let app: TestApp;
let studio: Studio;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
});
afterAll(() => app.close());

interface Play {
  board: number;
  player: number;
  isTest: boolean;
  imported: boolean;
  flags: number;
  /** Hours before the test clock's start. */
  ago: number;
}

/** The next event of a board, as a batch writes it, with flags of checks. */
async function play(boards: string[], players: string[], { board, player, ...event }: Play): Promise<void> {
  const at = new Date(app.clock.now() - event.ago * HOUR);
  await byHand(app.database.knex, async (trx) => {
    const { rows } = await trx.raw(
      'update board_rankings set seq = seq + 1, version = version + 1, derived_version = version + 1 where board_id = ? returning seq',
      [boards[board]!],
    );
    const { seq } = rows[0];
    const id = uuid7();
    await trx.raw(
      `insert into score_events (board_id, seq, id, account_id, game_id, identity_id, is_test, amount, player_name,
        disposition, source, created_at)
       select b.id, ?, ?, b.account_id, b.game_id, ?, ?, 1, 'P', 'accepted', ?, ? from boards b where b.id = ?`,
      [seq, id, players[player]!, event.isTest, event.imported ? 'import' : 'admin', at, boards[board]!],
    );
    for (const type of ['rate_limit', 'velocity', 'manual'].slice(0, event.flags)) {
      await trx.raw(
        `insert into score_flags (board_id, event_seq, id, event_id, account_id, game_id, identity_id, is_test, flag_type,
          confidence, status,
           metadata, compared_events, created_at, updated_at)
         select b.id, ?, ?, ?, b.account_id, b.game_id, ?, ?, ?, 'low', 'pending', '{}', '{}', ?, ? from boards b where b.id = ?`,
        [seq, uuid7(), id, players[player]!, event.isTest, type, at, at, boards[board]!],
      );
    }
  });
}

/** Counts a portion of a board on its own connection; `killed`: the process ends before it commits. */
async function count(board: string, most: number, killed: boolean): Promise<void> {
  const trx = await app.database.knex.transaction();
  await trx.raw('select count_history(?, ?)', [board, most]);
  await (killed ? trx.rollback() : trx.commit());
}

const SUMS = `select span, board_id, is_test, at, submissions::int, flags::int, new_players::int, active_players::int
  from history where game_id = :game and (submissions, flags, new_players, active_players) <> (0, 0, 0, 0)
    order by span, board_id, is_test, at`;

/** The same, counted over all events. */
const PLAIN = `
  with run as (
    select e.*, s.board, u.span, date_trunc(u.span, e.created_at, 'UTC') as at from score_events e
    cross join lateral (values (e.board_id), ('00000000-0000-0000-0000-000000000000'::uuid)) s(board)
    cross join (values ('hour'), ('day'), ('month')) u(span)
    where e.game_id = :game and e.source <> 'import'
  ), first_here as (
    select distinct on (board_id, is_test, identity_id) board_id, is_test, identity_id, created_at from score_events
    where game_id = :game and source <> 'import' order by board_id, is_test, identity_id, seq
  ), first as (
    select board_id as board, is_test, created_at from first_here
    union all select '00000000-0000-0000-0000-000000000000', is_test, min(created_at) from first_here group by is_test, identity_id
  )
  select r.span, r.board as board_id, r.is_test, r.at, count(*)::int as submissions,
    sum((select count(*) from score_flags f where f.board_id = r.board_id and f.event_seq = r.seq
      and f.flag_type <> 'manual'))::int as flags,
    (select count(*) from first f where f.board = r.board and f.is_test = r.is_test
      and date_trunc(r.span, f.created_at, 'UTC') = r.at)::int as new_players,
    count(distinct r.identity_id)::int as active_players
  from run r group by r.span, r.board, r.is_test, r.at order by 1, 2, 3, 4`;

const rowsOf = async (sql: string, game: string) => (await app.database.knex.raw(sql, { game })).rows;

const PLAY = fc.record({
  board: fc.nat(1),
  player: fc.nat(3),
  isTest: fc.boolean(),
  imported: fc.nat(4).map((n) => n === 0),
  flags: fc.nat(3),
  ago: fc.oneof(fc.nat(5), fc.nat(1_600)),
});
const STEP = fc.oneof(
  { weight: 3, arbitrary: PLAY.map((event) => ({ event })) },
  {
    weight: 2,
    arbitrary: fc.record({ board: fc.nat(1), most: fc.integer({ min: 1, max: 3 }), killed: fc.boolean() }),
  },
);

test('the figures equal a count over the events after kills and counts by two processes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), async (steps) => {
      const game: Data = await makeGame(studio);
      const boards = [await makeBoard(studio, game.id), await makeBoard(studio, game.id)].map(({ id }) =>
        uuidOf(id),
      );
      const players = await makeCrowd(app.database, studio.accountId, game.id, 4);
      for (const step of steps) {
        if ('event' in step) await play(boards, players, step.event);
        else {
          const { board, most, killed } = step;
          await Promise.all([count(boards[board]!, most, killed), count(boards[1 - board]!, most, false)]);
        }
      }
      await app.app.jobs.run('count-history');
      await app.app.jobs.run('count-history');
      const id = uuidOf(game.id);
      expect(await rowsOf(SUMS, id)).toEqual(await rowsOf(PLAIN, id));
    }),
    { numRuns: runsOf(60, 5) },
  );
});

const HISTORY = `query ($id: ID!, $account: ID!, $game: ID!) {
  board(by: { id: $id }) { history(by: DAY, last: 3) { ...H } }
  game(by: { id: $game }) { history(by: MONTH, last: 1) { ...H } }
  account(id: $account) { history(by: HOUR, last: 1) { ...H } } }
  fragment H on History { isComplete points { at submissions flags newPlayers activePlayers } }`;

test('boards, games and accounts show their history, and what is not yet counted from before an upgrade', async () => {
  const own = await makeStudio(app);
  const game = await makeGame(own);
  const [a, b] = [await makeBoard(own, game.id), await makeBoard(own, game.id)];
  const boards = [a, b].map(({ id }) => uuidOf(id));
  const players = await makeCrowd(app.database, own.accountId, game.id, 2);
  const run = { isTest: false, imported: false, flags: 0, ago: 0 };
  await play(boards, players, { ...run, board: 0, player: 0 });
  await play(boards, players, { ...run, board: 1, player: 0 });
  await play(boards, players, { ...run, board: 1, player: 1, flags: 1 });
  await app.database.knex.raw(
    'insert into counted_boards (board_id, game_id, seq, filling) values (?, ?, 0, true)',
    [boards[0]!, uuidOf(game.id)],
  );
  const wanted = { id: b.id, game: game.id, account: own.accountId };
  expect((await own.admin.data(HISTORY, wanted)).game.history.isComplete).toBe(false);
  await app.app.jobs.run('count-history');
  const shown = await own.admin.data(HISTORY, wanted);
  expect(shown.board.history.points.map((point: Data) => point.submissions)).toEqual([0, 0, 2]);
  expect(shown.board.history.points[2]).toMatchObject({ flags: 1, newPlayers: 2, activePlayers: 2 });
  const all = { submissions: 3, flags: 1, newPlayers: 2, activePlayers: 2 };
  expect(shown.game.history).toMatchObject({ isComplete: true, points: [all] });
  expect(shown.account.history).toMatchObject({ isComplete: true, points: [all] });

  const rest = own.admin;
  const read = async (path: string) => (await rest.get(path)).body;
  const restAll = { submissions: 3, flags: 1, new_players: 2, active_players: 2 };
  const whole = { is_complete: true, points: [restAll] };
  expect(await read(`/v1/accounts/${own.accountId}/history?by=month&spans=1`)).toMatchObject(whole);
  expect(await read(`/v1/games/${game.id}/history?by=hour&spans=1`)).toMatchObject(whole);
  const days = await read(`/v1/boards/${b.id}/history`);
  expect(days.points.map(({ submissions }: Data) => submissions).slice(-3)).toEqual([0, 0, 2]);
  expect(days.points).toHaveLength(30);
  expect(await rest.get(`/v1/boards/${b.id}/history?spans=745`)).toMatchObject({
    status: 422,
    body: { error: expect.stringContaining('spans must be from 1 to 744') },
  });
});

test('who was active long ago is forgotten when a game is counted, and hours after 400 days', async () => {
  const game = await makeGame(studio);
  const boards = [uuidOf((await makeBoard(studio, game.id)).id)];
  const players = await makeCrowd(app.database, studio.accountId, game.id, 1);
  const run = { board: 0, player: 0, isTest: false, imported: false, flags: 0 };
  await play(boards, players, { ...run, ago: (500 * DAY) / HOUR });
  const kept = async () =>
    (await rowsOf('select from active_players where game_id = :game', uuidOf(game.id))).length;
  await app.app.jobs.run('count-history');
  expect(await kept()).toBe(2);
  await play(boards, players, { ...run, ago: 0 });
  await app.app.jobs.run('tidy-history');
  // An event waits to be counted.
  expect(await kept()).toBe(2);
  await app.app.jobs.run('count-history');
  await app.app.jobs.run('tidy-history');
  expect(await kept()).toBe(2);
  await play(boards, players, { ...run, ago: (500 * DAY) / HOUR });
  await app.app.jobs.run('count-history');
  const figures = await rowsOf(
    `select span, sum(submissions)::int as submissions, sum(active_players)::int as active from history
     where game_id = :game and board_id <> '00000000-0000-0000-0000-000000000000' group by span order by span`,
    uuidOf(game.id),
  );
  expect(figures).toEqual([
    { span: 'day', submissions: 3, active: 2 },
    { span: 'hour', submissions: 2, active: 1 },
    { span: 'month', submissions: 3, active: 2 },
  ]);
});
