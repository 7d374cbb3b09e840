import { uuidOf } from '../../src/base/ids.js';
import { makeLog } from '../../src/base/log.js';
import { NameWorker } from '../../src/rankings/upkeep/names.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { begin, lines, until as seen, WATCH } from '../support/live.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { standings, submit, submitFault } from '../support/play.js';
import { TestSocket } from '../support/socket.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let ann: Player;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());
beforeEach(async () => {
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  ann = await startSession(app, game.id);
});

const idOf = ({ session }: Player): string => session.identityId;
const names = (boardId: string) => standings(studio.admin, boardId);
const rename = async (player: Player, input: Data): Promise<Data> => {
  const rest = studio.admin;
  const { status, body } = await rest.patch(`/v1/identities/${idOf(player)}`, input);
  expect([status, body.code]).toEqual([200, undefined]);
  return body;
};
const version = async (boardId: string) =>
  (await app.database.knex('board_rankings').where('board_id', uuidOf(boardId)).first()).version;
const eventNames = async (boardId: string): Promise<string[]> =>
  app.database.knex('score_events').where('board_id', uuidOf(boardId)).orderBy('seq').pluck('player_name');

/** Until the pass over the boards of a player that has just had one. */
async function shows(boardId: string, lines: string[]): Promise<void> {
  app.clock.advance(8_000);
  await until(async () => JSON.stringify(await names(boardId)) === JSON.stringify(lines));
}

/** Another process of the same installation. */
const worker = () => new NameWorker(app.database, app.clock.now, makeLog('silent'), () => undefined);

const VIEWS = [{ name: 'weekly', period: 'WEEK' }];

test.each(['BEST', 'FIRST', 'LAST'])(
  'a production run renames its player on a board that keeps the %s',
  async (keepStrategy) => {
    const [board, other] = [
      await makeBoard(studio, game.id, { keepStrategy, views: VIEWS }),
      await makeBoard(studio, game.id, { keepStrategy: 'LAST' }),
    ];
    await submit(ann, board.id, 9, { playerName: 'Old' });
    await submit(ann, other.id, 5, { playerName: 'New' });
    await shows(board.id, ['1 New 9']);
    expect(await eventNames(board.id)).toEqual(['Old']);
    const weekly =
      'query ($id: ID!) { board(by: { id: $id }) { ranking(view: "weekly") { entries { nodes { playerName } } } } }';
    expect((await studio.admin.data(weekly, { id: board.id })).board.ranking.entries.nodes).toEqual([
      { playerName: 'New' },
    ]);
    const find =
      'query ($game: ID!) { game(by: { id: $game }) { findIdentities(name: "new") { id displayName } } }';
    expect((await studio.admin.data(find, { game: game.id })).game.findIdentities).toEqual([
      { id: idOf(ann), displayName: 'New' },
    ]);
    const rest = studio.admin;
    const { body } = await rest.get(`/v1/boards/${board.id}/export?format=csv`);
    expect(String(body)).toContain(',New,9');
    expect(String(body)).not.toContain('Old');
    await expectSound(app.database, board.id);
  },
);

test('a test run does not rename the player, and test entries keep the names of their runs', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await submit(ann, board.id, 9, { playerName: 'Ann' });
  const fingerprint = ann.session.clientFingerprint;
  const tester = await startSession(app, game.id, { clientFingerprint: fingerprint, testMode: true });
  expect(idOf(tester)).toBe(idOf(ann));
  expect((await submit(tester, board.id, 10, { playerName: 'Tester' })).score.playerName).toBe('Tester');
  const { identity } = await studio.admin.data(
    'query ($id: ID!) { identity(id: $id) { displayName nameLocked } }',
    {
      id: idOf(ann),
    },
  );
  expect(identity).toEqual({ displayName: 'Ann', nameLocked: false });
  expect(await names(board.id)).toEqual(['1 Ann 9']);
  await expectSound(app.database, board.id);
});

test('an administrator takes a name off every board: the answer comes when they show the new one, and the lock holds', async () => {
  const best = await makeBoard(studio, game.id, { keepStrategy: 'BEST', views: VIEWS });
  const runs = await makeBoard(studio, game.id, { boardType: 'RUN_RUNS', views: VIEWS });
  await submit(ann, best.id, 9, { playerName: 'Rude' });
  await submit(ann, runs.id, 3, { playerName: 'Bob' });
  await submit(ann, runs.id, 4, { playerName: 'Rude' });
  await submit(ann, runs.id, 5, { playerName: 'Rude' });
  // A pass between may have shown Bob; the next one is some seconds later.
  await shows(best.id, ['1 Rude 9']);
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  begin(socket, WATCH, { id: best.id });
  await seen(socket, (event) => lines(event)[0] === '1 Rude 9');

  expect(await rename(ann, { display_name: 'Player 7' })).toMatchObject({
    display_name: 'Player 7',
    name_locked: true,
  });
  expect(await names(best.id)).toEqual(['1 Player 7 9']);
  expect(await names(runs.id)).toEqual(['1 Player 7 5', '2 Player 7 4', '3 Bob 3']);
  await seen(socket, (event) => lines(event)[0] === '1 Player 7 9');
  expect(await eventNames(runs.id)).toEqual(['Bob', 'Rude', 'Rude']);

  // The lock: names of later runs stay in their events, refused ones too.
  expect((await submit(ann, best.id, 10, { playerName: 'Rude' })).score.playerName).toBe('Player 7');
  expect((await submit(ann, runs.id, 6, { playerName: 'Rude' })).score.playerName).toBe('Player 7');
  expect(await eventNames(best.id)).toEqual(['Rude', 'Rude']);

  await rename(ann, { display_name: 'Player 8', all_runs: true, name_locked: false });
  expect(await names(runs.id)).toEqual(['1 Player 8 6', '2 Player 8 5', '3 Player 8 4', '4 Player 8 3']);
  await expectSound(app.database, runs.id);
  await expectSound(app.database, best.id);
  expect((await submit(ann, runs.id, 7, { playerName: 'Zoe' })).score.playerName).toBe('Zoe');
  await shows(best.id, ['1 Zoe 10']);

  // Ranked anew by other rules: the names are derived, too.
  const rest = studio.admin;
  await rest.patch(`/v1/boards/${best.id}`, { keep_strategy: 'all' });
  await until(async () => (await names(best.id)).length === 2);
  expect(await names(best.id)).toEqual(['1 Player 8 10', '2 Player 8 9']);
  await socket.close();
});

test.each(['BEST', 'ALL'])(
  'the podium of a period that is no longer ranked shows the name (%s)',
  async (keepStrategy) => {
    const board = await makeBoard(studio, game.id, {
      keepStrategy,
      views: [{ name: 'daily', period: 'DAY', keepPeriods: 2 }],
    });
    await submit(ann, board.id, 9, { playerName: 'Rude' });
    const { knex } = app.database;
    // As after two further days.
    const podium = [{ rank: 1, identityId: idOf(ann), playerName: 'Rude', value: 9 }];
    const dropped = {
      status: 'dropped',
      podium: JSON.stringify(podium),
      total_at_drop: 1,
      dropped_at: new Date(app.clock.now()),
    };
    const daily = knex('rankings').where({ board_id: uuidOf(board.id), view_no: 1 });
    expect(await daily.clone().update(dropped)).toBe(1);
    await rename(ann, { display_name: 'Player 7' });
    const [shown] = await daily.clone().pluck('podium');
    expect(shown).toEqual([{ ...podium[0], playerName: 'Player 7' }]);
  },
);

test('a ratio board and its views show the name', async () => {
  const [kills, rounds] = [
    await makeBoard(studio, game.id, { boardType: 'COUNTER', views: VIEWS }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER', views: VIEWS }),
  ];
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    views: VIEWS,
    ratioConfig: { numeratorBoardId: kills.id, denominatorBoardId: rounds.id },
  });
  await submit(ann, kills.id, 6, { playerName: 'Rude' });
  await submit(ann, rounds.id, 3, { playerName: 'Rude' });
  await until(async () => (await names(ratio.id)).length === 1);
  await rename(ann, { display_name: 'Player 7' });
  expect(await names(ratio.id)).toEqual(['1 Player 7 2']);
  const weekly =
    'query ($id: ID!) { board(by: { id: $id }) { ranking(view: "weekly") { entries { nodes { playerName } } } } }';
  expect((await studio.admin.data(weekly, { id: ratio.id })).board.ranking.entries.nodes).toEqual([
    { playerName: 'Player 7' },
  ]);
  await expectSound(app.database, ratio.id);
});

test('renames of a player are coalesced, and a submission without a new name notes nothing', async () => {
  const [board, other] = [
    await makeBoard(studio, game.id, { keepStrategy: 'BEST' }),
    await makeBoard(studio, game.id),
  ];
  await submit(ann, board.id, 9, { playerName: 'A' });
  await shows(board.id, ['1 A 9']);
  await worker().followDue();
  const due = () =>
    app.database
      .knex('renames_due')
      .where('identity_id', uuidOf(idOf(ann)))
      .first();
  // The board had the name at once: the app's own pass may still run, and would show a later one.
  await until(async () => {
    const present = await due();
    return !present || present.followed === present.ticket;
  });
  const before = await due();
  const at = await version(board.id);
  await submit(ann, other.id, 1, { playerName: 'A' });
  expect((await due())?.ticket).toBe(before?.ticket);
  for (const playerName of ['B', 'C', 'D', 'E']) await submit(ann, other.id, 1, { playerName });
  await worker().followDue();
  expect(await names(board.id)).toEqual(['1 A 9']);
  await shows(board.id, ['1 E 9']);
  expect(await version(board.id)).toBe(at + 1);
  // The second look finds nothing and ends the work. It comes a minute after the pass that showed the name, which may still run.
  await until(async () => {
    app.clock.advance(60_000);
    return (await due()) === undefined;
  });
});

test('an import names new players and those whose name is still their key, and all of them with rename', async () => {
  const imports = new ImportClient(() => studio.admin);
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  const player = async (externalKey: string, displayName: string): Promise<void> => {
    const input = { game_id: game.id, kind: 'custom', external_key: externalKey, display_name: displayName };
    expect((await studio.admin.post('/v1/identities', input)).status).toBe(201);
  };
  await player('k1', 'k1');
  await player('k2', 'Known');
  const other = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  await imports.bringIn(other.id, ['external_key,player_name,value\nk2,Known,7\n']);
  const file = 'external_key,player_name,value,occurred_at,is_test\n';
  const rows =
    'k1,Kim,5,2020-01-01,false\nk2,Kay,4,2020-01-01,false\nk3,Old,3,2020-01-01,false\nk3,New,1,2020-01-02,false\nk4,Test,2,2020-01-01,true\n';
  const dated = rows.replaceAll(/(2020-01-0\d)/g, '$1T00:00:00Z');
  await imports.bringIn(board.id, [file + dated]);
  await shows(board.id, ['1 Kim 5', '2 Known 4', '3 New 3']);
  const { rows: stored } = await app.database.knex.raw(
    `select external_key, display_name from identities where game_id = ? and kind = 'custom' order by 1`,
    [uuidOf(game.id)],
  );
  expect(stored.map((one: Data) => one.display_name)).toEqual(['Kim', 'Known', 'New', 'k4']);
  await imports.bringIn(board.id, ['external_key,player_name,value\nk2,Kay,1\nk1,,1\n'], { rename: true });
  await shows(board.id, ['1 Kim 5', '2 Kay 4', '3 New 3']);
  await shows(other.id, ['1 Kay 7']);
  await expectSound(app.database, board.id);
});

test('boards from before are compared with the present names, and processes that work at once lose no rename', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'FIRST' });
  const players = await Promise.all(Array.from({ length: 6 }, () => startSession(app, game.id)));
  for (const [n, one] of players.entries()) await submit(one, board.id, 9 - n, { playerName: `Old ${n}` });
  const { knex } = app.database;
  // As the version before left it, with a lease of a process that was killed.
  const ids = players.map((one) => uuidOf(idOf(one)));
  await knex('renames_due').whereIn('identity_id', ids).delete();
  for (const [n, id] of ids.entries())
    await knex('identities')
      .where({ id })
      .update({ display_name: `New ${n}` });
  await knex('renames_due').insert({ identity_id: ids[0], due_at: new Date(app.clock.now() + 30_000) });
  await knex('names_due').insert({ board_id: uuidOf(board.id) });
  app.clock.advance(30_000);
  await until(async () => {
    await Promise.all([worker().followDue(), worker().followDue(), worker().followDue()]);
    return (
      JSON.stringify(await names(board.id)) ===
      JSON.stringify(ids.map((_, n) => `${n + 1} New ${n} ${9 - n}`))
    );
  });
  expect(await knex('names_due').where('board_id', uuidOf(board.id))).toEqual([]);
  await expectSound(app.database, board.id);
});

test('pages find a name however it was typed, and refuse an invisible one', async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', isPublished: true });
  await submit(ann, board.id, 5, { playerName: 'Zoe\u0308' });
  const page = async (name: string) =>
    (await fetch(`${app.url}/b/${board.shortCode}?player=${encodeURIComponent(name)}`)).text();
  expect(await page('zo\u00eb')).toContain('Zoe\u0308');
  const input = { game_id: game.id, kind: 'custom', external_key: 'x', display_name: '\u3164\u2800' };
  expect((await studio.admin.post('/v1/identities', input)).status).toBe(422);
  expect(await submitFault(ann, board.id, 6, { playerName: '\u3164' })).toBe('VALIDATION_FAILED');
  expect(
    (await submit(ann, board.id, 7, { playerName: 'Ann', valueDisplay: '\u2800' })).score.valueDisplay,
  ).toBeNull();
});
