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
  `{ ${root} { ${sorts.map((sort, n) => `s${n}: scores(orderBy: {field: ${sort}}, first: 2) { nodes { playerName } }`).join(' ')} } }`;
const publicly = () => `publicBoard(by: { id: "${board.id}" })`;
const inside = () => `board(by: { id: "${board.id}" })`;

test('visitors read a board in its own order, from either end; other orders are not theirs', async () => {
  const ends = `{ ${publicly()} { ranking {
    top: entries(first: 1) { nodes { playerName } } bottom: entries(last: 1) { nodes { playerName } } } } }`;
  const { publicBoard } = await app.anyone.data(ends);
  expect(publicBoard.ranking).toEqual({
    top: { nodes: [{ playerName: 'Ann' }] },
    bottom: { nodes: [{ playerName: 'Zoe' }] },
  });
  expect(await app.anyone.code(scores(publicly(), ['PLAYER_NAME']))).toBe('BAD_REQUEST');
  const stranger = await startSession(app, (await makeGame(studio)).id);
  expect((await stranger.client.data(scores(inside(), ['PLAYER_NAME']))).board).toEqual({ s0: null });
});

test('administrators and game clients read one other order in an operation, which weighs a thousand records', async () => {
  for (const caller of [studio.admin, player.client]) {
    const { board: read } = await caller.data(scores(inside(), ['PLAYER_NAME, direction: DESC']));
    expect(read.s0.nodes.map(({ playerName }: Data) => playerName)).toEqual(['Zoe', 'Ann']);
    expect(await caller.code(scores(inside(), ['PLAYER_NAME, direction: DESC', 'UPDATED_AT']))).toBe(
      'BAD_REQUEST',
    );
  }
  const { extensions }: Data = await studio.admin.graphql(scores(inside(), ['PLAYER_NAME, direction: DESC']));
  expect(extensions.cost.requested).toBeGreaterThan(1_000);
});

test('scores are counted as their filter selects them; below a player it names no other one', async () => {
  const total = async (args: string) => {
    const list = `scores(${args}, first: 1) { totalCount { value isExact } }`;
    return (await studio.admin.data(`{ ${inside()} { ${list} } }`)).board.scores.totalCount;
  };
  const own = player.session.identityId;
  for (const order of ['CREATED_AT', 'VALUE']) {
    const counts = [];
    for (const filter of ['', 'isTest: false', 'isTest: true', `identityId: "${own}"`]) {
      counts.push(await total(`filter: {${filter}}, orderBy: {field: ${order}}`));
    }
    expect(counts.map(({ value, isExact }) => isExact && value)).toEqual([2, 2, 0, 1]);
  }
  expect(await total(`filter: {identityId: "${own}", isTest: false}`)).toEqual({ value: 1, isExact: true });
  const below = (filter: string) => `{ identity(id: "${own}") { scores(filter: {${filter}}) {
    nodes { value } totalCount { value } } } }`;
  expect((await studio.admin.data(below('isTest: false'))).identity.scores).toEqual({
    nodes: [{ value: 5 }],
    totalCount: { value: 1 },
  });
  const other = `identityId: "${(await startSession(app, board.gameId)).session.identityId}"`;
  expect(await studio.admin.code(below(other))).toBe('VALIDATION_FAILED');
});

test('an account reads one other order at a time, and holds up none of another', async () => {
  const other = await makeStudio(app);
  const its = await makeBoard(other, (await makeGame(other)).id, { keepStrategy: 'BEST' });
  const lock = await app.database.knex.transaction();
  await lock.raw('lock table entries in access exclusive mode');
  // Periodic work waits for the table, too.
  const held = async (order: string): Promise<number> => {
    const { rows } = await app.database.knex.raw(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query ~ ?`,
      [`order by ("e"[.])?"${order}"`],
    );
    return rows.length;
  };
  const read = (caller: Studio, id: string, sort: string) => {
    const answer = { code: '', nodes: undefined as Data[] | undefined };
    const sent = caller.admin
      .graphql(scores(`board(by: { id: "${id}" })`, [sort]))
      .then(({ data, errors }: Data) => {
        answer.code = errors?.[0].extensions.code ?? 'none';
        answer.nodes = data?.board?.s0.nodes;
      });
    return { answer, sent };
  };
  const reads = [read(studio, board.id, 'PLAYER_NAME')];
  try {
    await until(async () => (await held('player_name')) === 1);
    const second = read(studio, board.id, 'PLAYER_NAME, direction: DESC');
    const theirs = read(other, its.id, 'UPDATED_AT');
    reads.push(second, theirs);
    await until(async () => theirs.answer.code !== '' || (await held('updated_at')) === 1);
    expect(theirs.answer.code).toBe('');
    // What was sent later is answered by now.
    expect(await studio.admin.data(`{ board(by: { id: "${board.id}" }) { id } }`)).toEqual({
      board: { id: board.id },
    });
    expect(await held('player_name')).toBe(1);
  } finally {
    await lock.rollback();
    await Promise.all(reads.map(({ sent }) => sent));
  }
  expect(reads.map(({ answer }) => answer.nodes?.length)).toEqual([2, 2, 0]);
});

test('periods with podiums are read once in an operation by visitors, and weigh what they cost', async () => {
  const periods = (name: string) =>
    `${name}: view(name: "daily") { periods(first: 100) { nodes { key podium { value } } } }`;
  const { publicBoard } = await app.anyone.data(`{ ${publicly()} { ${periods('a')} } }`);
  expect(publicBoard.a.periods.nodes[0].podium).toEqual([{ value: 9 }, { value: 5 }]);
  expect(await app.anyone.code(`{ ${publicly()} { ${periods('a')} ${periods('b')} } }`)).toBe('BAD_REQUEST');
  const { extensions }: Data = await studio.admin.graphql(`{ ${inside()} { ${periods('a')} } }`);
  expect(extensions.cost.requested).toBeGreaterThan(2_000);
});
