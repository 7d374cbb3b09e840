import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import pg from 'pg';
import { uuidOf } from '../../src/base/ids.js';
import { LEFT_TABLES, MOVED_TABLES } from '../../src/cells/move/tables.js';
import { MoveWatch } from '../../src/cells/move/watch.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { log, startCell, type TestCell, TestDirectory } from '../support/cells.js';
import type { Data } from '../support/http.js';
import { makeBoard, type Player } from '../support/make.js';
import { Load, makePlayed, moverOf, type PlayedAccount, Route, wrongAfter } from '../support/moves.js';
import { submit, takeNonce } from '../support/play.js';
import { until } from '../support/wait.js';

const REQUIRE = path.join(__dirname, '../support/ts-require.cjs');
const MOVER = path.join(__dirname, '../cells/account-mover.ts');

// An account moves between two cells while its players submit. Each test ends with everything compared.

let directory: TestDirectory;
let east: TestCell;
let west: TestCell;
let played: PlayedAccount;
let urls: Record<string, string>;

beforeAll(async () => {
  directory = await TestDirectory.make();
  east = await startCell(directory, 'east');
  west = await startCell(directory, 'west');
  urls = { east: east.database.connectionString, west: west.database.connectionString };
  played = await makePlayed(east, 4, true);
});
afterAll(async () => {
  await east.close();
  await west.close();
  await directory.close();
});

const step = async () =>
  (await directory.directory.database.knex('moves').orderBy('begun_at', 'desc').first()).step;

/** What the operator's command did, as the account's audit trail has it. */
async function movesIn(cell: TestCell, account: string) {
  const { rows } = await cell.database.pool.query(
    `select before, after from audit_entries
     where account_id = $1 and subject_id = 'acc_' || $1 and author = 'operator' and agent = 'accounts move' order by id`,
    [account],
  );
  return rows;
}

test('a move under load, taken back once and killed after every step: each acknowledged event once', async () => {
  const load = new Load(new Route(directory, { east, west }, played.account), played);
  const some = (more: number) => {
    const wanted = load.acknowledged.size + more;
    return until(() => load.acknowledged.size >= wanted || load.faults.length > 0);
  };
  await some(20);

  const stopAt = (wanted: string) => ({
    reached: (now: string) => {
      if (now === wanted) throw new Error(`stopped at ${now}`);
    },
  });
  // Frozen, then taken back: play goes on where it was.
  await expect(moverOf(directory, urls, stopAt('frozen')).move(played.account, 'west')).rejects.toThrow(
    'stopped',
  );
  const publicBoard = `query ($by: BoardKey!) { publicBoard(by: $by) { boardId } }`;
  const { id, shortCode } = played.boards[0];
  expect(await west.anyone.code(publicBoard, { by: { id } })).toBe('ACCOUNT_MOVED');
  await moverOf(directory, urls).back(played.account);
  expect(await step()).toBe('cancelled');
  await some(20);
  expect(await west.database.knex('accounts').where({ id: played.account }).first()).toBeUndefined();

  for (const stop of [
    'begun',
    'capturing',
    'copied',
    'compared',
    'freezing',
    'frozen',
    'same',
    'moved',
    'active',
  ]) {
    await expect(moverOf(directory, urls, stopAt(stop)).move(played.account, 'west')).rejects.toThrow(
      'stopped',
    );
  }
  await moverOf(directory, urls).move(played.account, 'west');
  expect(await step()).toBe('done');
  await some(20);
  // Runs that come too fast are held, also while they move.
  expect(await west.database.knex('held_runs').first()).toBeDefined();
  await load.stop();
  expect(await wrongAfter(load, played, west, [east, west])).toEqual([]);

  // The source answers that it does not have the account, and never that there is none.
  const { studio } = played;
  expect(await east.anyone.code(publicBoard, { by: { id } })).toBe('ACCOUNT_MOVED');
  expect(await east.anyone.code(publicBoard, { by: { shortCode } })).toBe('ACCOUNT_MOVED');
  for (const [caller, path] of [
    [east.anyone.with(studio.admin.headers), `/v1/boards/${id}`],
    [east.superadmin, `/v1/boards/${id}`],
    [east.superadmin, `/v1/accounts/${studio.accountId}`],
    [east.anyone.with(played.players[0]!.client.headers), '/v1/client/nonce'],
  ] as const) {
    const { status, body } = await caller.get(path);
    expect([path, status, body.code]).toEqual([path, 503, 'ACCOUNT_MOVED']);
  }
  await moverOf(directory, urls).clean(played.account);
  expect(await step()).toBe('cleaned');
  expect(await movesIn(west, played.account)).toEqual([
    { before: { cell: 'east' }, after: { cell: 'west' } },
    { before: { formerCell: 'east' }, after: { formerCell: null } },
  ]);
  expect((await east.database.pool.query('select from score_events')).rows).toEqual([]);
});

test('an account with tickets arrives once no process without them runs there, with its attempts and open tickets', async () => {
  const moved = await makePlayed(east, 1, false);
  const [player] = moved.players as [Player];
  const tickets = { mode: 'REQUIRED', attempts: 3 };
  const { id } = await makeBoard(moved.studio, moved.boards[0]!.gameId, { keepStrategy: 'BEST', tickets });
  const start = async (cell: TestCell, key: string) => {
    const caller = cell.anyone.with({ ...player.client.headers, 'idempotency-key': key });
    return (await caller.post('/v1/client/tickets', { board_id: id })).body;
  };
  const send = async (cell: TestCell, { tickets: [one] }: Data, value: number, key: string) => {
    const headers = { 'service-client-nonce': one.ticket, 'idempotency-key': key };
    const caller = cell.anyone.with({ ...player.client.headers, ...headers });
    const { status, body } = await caller.post('/v1/client/scores', {
      board_id: id,
      player_name: 'Ann',
      value,
    });
    return body.code ?? status;
  };
  const [first, second] = [await start(east, 'one'), await start(east, 'two')];
  expect(await send(east, first, 10, 'a')).toBe(201);

  const { database } = west;
  await database.pool.query(
    `insert into migration_checksums (name, checksum) values ('oldest-known', '060_x.sql')
     on conflict (name) do update set checksum = excluded.checksum`,
  );
  const old = new pg.Client({
    connectionString: database.connectionString,
    application_name: 'leaderboard changes',
  });
  await old.connect();
  try {
    await expect(moverOf(directory, urls).move(moved.account, 'west')).rejects.toThrow('older release');
  } finally {
    await old.end();
  }
  const sessions = `select from pg_stat_activity where datname = current_database() and application_name = 'leaderboard changes'`;
  await until(async () => (await database.pool.query(sessions)).rows.length === 0);
  expect((await start(east, 'one')).tickets).toEqual(first.tickets);

  await moverOf(directory, urls).move(moved.account, 'west');
  const oldest = await database.knex('migration_checksums').where('name', 'oldest-known').first();
  expect(oldest.checksum >= '115_runs.sql').toBe(true);
  const attempts = await west.anyone.with(player.client.headers).get(`/v1/client/boards/${id}/attempts`);
  expect(attempts.body.attempts).toMatchObject({ used: 2, left: 1 });
  // The same start is the same ticket, each is used once, and the third attempt is the last.
  expect((await start(west, 'two')).tickets).toEqual(second.tickets);
  expect(await send(west, first, 11, 'b')).toBe('TICKET_USED');
  expect(await send(west, first, 10, 'a')).toBe(201);
  expect(await send(west, second, 20, 'c')).toBe(201);
  expect((await start(west, 'three')).attempts_left).toBe(0);
  expect((await start(west, 'four')).code).toBe('ATTEMPTS_USED_UP');
  const { rows } = await database.pool.query(
    'select attempt from runs where board_id = $1 order by event_seq',
    [uuidOf(id)],
  );
  expect(rows).toEqual([{ attempt: 1 }, { attempt: 2 }]);
});

test('a board moves while its writers follow a build, and the build ends where it is served', async () => {
  const moved = await makePlayed(east, 3, false);
  const board = uuidOf(moved.boards[0]!.id);
  const phase = async ({ database }: TestCell) =>
    (await database.knex('board_rankings').where('board_id', board).first('build'))?.build?.phase;
  const load = new Load(new Route(directory, { east, west }, moved.account), moved);
  const some = (more: number) => {
    const wanted = load.acknowledged.size + more;
    return until(() => load.acknowledged.size >= wanted || load.faults.length > 0);
  };
  await some(15);
  const holder = await east.database.pool.connect();
  // The cell's own work finds the board busy.
  await holder.query('select pg_advisory_lock(7100002, hashtext($1))', [board]);
  await holder.query(`update boards set keep_strategy = 'last', sort_direction = 'asc' where id = $1`, [
    board,
  ]);
  await holder.query('select apply_rules($1, now(), 0)', [board]);
  for (let n = 0; (await phase(east)) !== 'follow' && n < 200; n += 1) {
    await holder.query('select advance_build($1, now(), 20, false)', [board]);
    await some(1);
  }
  await some(15);
  expect(await phase(east)).toBe('follow');
  await moverOf(directory, urls).move(moved.account, 'west');
  holder.release(true);
  await some(15);
  await until(async () => (await phase(west)) === undefined);
  await load.stop();
  expect(await west.database.knex('board_rankings').where('board_id', board).first()).toMatchObject({
    keep_strategy: 'last',
    sort_direction: 'asc',
  });
  expect(await wrongAfter(load, moved, west, [east, west])).toEqual([]);
});

/** A mover in a process of its own, which ends by SIGKILL after a step. */
async function killedMover(account: string, stop: string): Promise<void> {
  const { connectionString } = directory.database;
  const orders = JSON.stringify({ directory: connectionString, urls, account, step: stop });
  const child = spawn(process.execPath, ['-r', REQUIRE, MOVER, orders], { stdio: 'ignore' });
  expect((await once(child, 'exit'))[1]).toBe('SIGKILL');
}

const watchOf = (cell: TestCell, name: string) =>
  new MoveWatch({ cell: name, directory: directory.directory, log, ...cell.database });

test('an account whose mover was killed is served again: where it was, or behind the turn where it is', async () => {
  const { account, studio, boards } = await makePlayed(east, 1, false);
  const route = `/v1/boards/${boards[0]!.id}`;
  const served = async (cell: TestCell) => {
    const { status, body } = await cell.anyone.with(studio.admin.headers).get(route);
    return status === 200 ? true : body.code;
  };
  const [atEast, atWest] = [watchOf(east, 'east'), watchOf(west, 'west')];

  await killedMover(account, 'same');
  expect([await served(east), await served(west)]).toEqual(['ACCOUNT_MOVED', 'ACCOUNT_MOVED']);
  expect(await atWest.look()).toBe(0);
  await until(async () => (await atEast.look()) === 1);
  expect([await served(east), await served(west), await step()]).toEqual([true, 'ACCOUNT_MOVED', 'copied']);
  expect(await atEast.look()).toBe(0);

  // A mover that lives on, though its session on the source was cut, cannot turn the account over any more.
  const cut = {
    reached: async (now: string) => {
      if (now !== 'same') return;
      expect(await atEast.look()).toBe(0);
      await east.database.pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and application_name = 'leaderboard move'`,
      );
      await until(async () => (await atEast.look()) === 1);
    },
  };
  await expect(moverOf(directory, urls, cut).move(account, 'west')).rejects.toThrow('taken over this move');
  expect([await served(east), await step()]).toEqual([true, 'copied']);

  await killedMover(account, 'moved');
  expect([await served(east), await served(west)]).toEqual(['ACCOUNT_MOVED', 'ACCOUNT_MOVED']);
  expect(await atEast.look()).toBe(0);
  await until(async () => (await atWest.look()) === 1);
  expect([await served(east), await served(west), await step()]).toEqual(['ACCOUNT_MOVED', true, 'done']);
  expect(await west.disagreement()).toEqual({ withoutName: [], withoutRecord: [] });
  await moverOf(directory, urls).clean(account);
  expect(await movesIn(west, account)).toHaveLength(2);
  await Promise.all([atEast.close(), atWest.close()]);
});

test('rewards move with their account: what was claimed stays so, and what was open is claimed once', async () => {
  const { studio, boards, players, account } = await makePlayed(east, 2, false);
  const lines = [{ name: 'all', title: 'For all' }];
  const season = await makeBoard(studio, boards[0]!.gameId, { closingRules: [{ prizes: { lines } }] });
  for (const player of players) await submit(player, season.id, 5);
  await studio.admin.post(`/v1/boards/${season.id}/close`, {});
  await east.app.jobs.run('close-rankings');
  const at = (cell: TestCell, { client }: Player) => cell.anyone.with(client.headers);
  const rewardAt = async (cell: TestCell, player: Player) =>
    (await at(cell, player).get('/v1/client/rewards')).body.data[0];
  const claimAt = async (cell: TestCell, player: Player, { id }: Data) => {
    const caller = at(cell, player);
    const nonce = await takeNonce(caller);
    return (await caller.with({ 'service-client-nonce': nonce }).post(`/v1/client/rewards/${id}/claim`, {}))
      .body;
  };
  const [first, second] = [players[0]!, players[1]!];
  const [mine, other] = [await rewardAt(east, first), await rewardAt(east, second)];
  const claimed = await claimAt(east, first, mine);
  expect(claimed.status).toBe('claimed');
  await moverOf(directory, urls).move(account, 'west');
  expect(await claimAt(west, first, mine)).toEqual(claimed);
  expect(await rewardAt(west, second)).toEqual(other);
  expect((await at(east, second).get('/v1/client/rewards')).body.code).toBe('ACCOUNT_MOVED');
  const late = await claimAt(west, second, other);
  west.clock.advance(60_000);
  expect(await claimAt(west, second, other)).toEqual(late);
  expect(await verifyBoard(west.database, season.id)).toEqual([]);
});

test('every table of a cell moves or stays, with a reason', async () => {
  const { rows } = await east.database.pool.query<{ name: string }>(
    `select relname::text as name from pg_class where relkind in ('r', 'p') and relnamespace = 'public'::regnamespace order by 1`,
  );
  const listed = [...Object.keys(MOVED_TABLES), ...Object.keys(LEFT_TABLES)];
  expect(listed.toSorted()).toEqual(rows.map(({ name }) => name));
});
