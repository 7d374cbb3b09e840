import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Player, type Studio, startSession } from '../support/make.js';
import { submit } from '../support/play.js';
import { until } from '../support/wait.js';

// A board in other orders than its own costs a look at all of its entries.

let app: TestApp;
let studio: Studio;
let board: Data;
let player: Player;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  const game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, {
    isPublished: true,
    keepStrategy: 'BEST',
    views: [{ name: 'daily', period: 'DAY' }],
  });
  player = await startSession(app, game.id);
  await submit(player, board.id, 5, { playerName: 'Zoe' });
  await submit(await startSession(app, game.id), board.id, 9, { playerName: 'Ann' });
});
afterAll(() => app.close());

const scores = (root: string, sorts: string[]) =>
  `{ ${root} { ${sorts.map((sort, n) => `s${n}: scores(sort: "${sort}", first: 2) { nodes { playerName } }`).join(' ')} } }`;
const publicly = () => `publicBoard(id: "${board.id}")`;
const inside = () => `board(id: "${board.id}")`;

test('visitors read a board in its own order or the reverse; other orders are refused', async () => {
  const { publicBoard } = await app.anyone.data(scores(publicly(), ['value:desc', 'value:asc']));
  expect(
    Object.values(publicBoard).map((list) => (list as Data).nodes.map(({ playerName }: Data) => playerName)),
  ).toEqual([
    ['Ann', 'Zoe'],
    ['Zoe', 'Ann'],
  ]);
  for (const sort of ['player_name:asc', 'created_at:desc', 'value:desc,player_name:asc', 'id:asc'])
    expect(await app.anyone.code(scores(publicly(), [sort]))).toBe('INVALID_SORT');
  const stranger = await startSession(app, (await makeGame(studio)).id);
  expect(await stranger.client.code(scores(publicly(), ['player_name:asc']))).toBe('INVALID_SORT');
});

test('administrators and game clients read one other order in an operation, which weighs a thousand records', async () => {
  for (const caller of [studio.admin, player.client]) {
    const { board: read } = await caller.data(
      scores(inside(), ['player_name:desc', 'value:asc', 'value:desc']),
    );
    expect(read.s0.nodes.map(({ playerName }: Data) => playerName)).toEqual(['Zoe', 'Ann']);
    expect(await caller.code(scores(inside(), ['player_name:desc', 'updated_at:asc']))).toBe('BAD_REQUEST');
  }
  const { extensions }: Data = await studio.admin.graphql(scores(inside(), ['player_name:desc']));
  expect(extensions.cost.requested).toBeGreaterThan(1_000);
});

test('other orders of one account hold up none of another', async () => {
  const other = await makeStudio(app);
  const its = await makeBoard(other, (await makeGame(other)).id, { keepStrategy: 'BEST' });
  const byName = (id: string) => scores(`board(id: "${id}")`, ['player_name:asc']);
  const lock = await app.database.knex.transaction();
  await lock.raw('lock table entries in access exclusive mode');
  // Periodic work waits for the table, too.
  const held = async (): Promise<string[]> => {
    const waiting = "datname = current_database() and wait_event_type = 'Lock'";
    const sorts = `select pid, query_start from pg_stat_activity where ${waiting} and query ~ 'order by .*player_name'`;
    const { rows } = await app.database.knex.raw(sorts);
    return rows.map(({ pid, query_start }: Data) => `${pid} ${query_start.toISOString()}`);
  };
  const mine = studio.admin.data(byName(board.id));
  await until(async () => (await held()).length === 1);
  const [first] = await held();
  const theirs = other.admin.data(byName(its.id));
  let both: string[] = [];
  await until(async () => {
    both = await held();
    return both.length === 2;
  }).finally(() => lock.rollback());
  // A wait that was given up is no longer among them.
  expect(both).toContain(first);
  expect((await mine).board.s0.nodes).toHaveLength(2);
  expect((await theirs).board.s0.nodes).toEqual([]);
});

test('periods with podiums are read once in an operation by visitors, and weigh what they cost', async () => {
  const periods = (name: string) =>
    `${name}: viewPeriods(view: "daily", first: 100) { nodes { key podium { value } } }`;
  const { publicBoard } = await app.anyone.data(`{ ${publicly()} { ${periods('a')} } }`);
  expect(publicBoard.a.nodes[0].podium).toEqual([{ value: 9 }, { value: 5 }]);
  expect(await app.anyone.code(`{ ${publicly()} { ${periods('a')} ${periods('b')} } }`)).toBe('BAD_REQUEST');
  const many = Array.from({ length: 4 }, (_, n) => periods(`p${n}`).replace('viewPeriods', 'periods')).join(
    ' ',
  );
  expect(await studio.admin.code(`{ ${inside()} { ${many} } }`)).toBe('BAD_REQUEST');
});
