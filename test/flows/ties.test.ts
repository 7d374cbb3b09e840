import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { begin, until as seen } from '../support/live.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { post, submit, takeNonce } from '../support/play.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let players: Player[];

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  players = [];
  for (let i = 0; i < 5; i += 1) players.push(await startSession(app, game.id));
});
afterAll(() => app.close());

/** Values in the order of submission, one player each: P1 and P2 are equal, P3 and P4 are. */
const VALUES = [9, 7, 7, 5, 5];

async function played(input: Data): Promise<Data> {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', ...input });
  for (const [i, value] of VALUES.entries())
    await submit(players[i]!, board.id, value, { playerName: `P${i}` });
  return board;
}

const shown = (rows: Data[]) => rows.map((s) => `${s.rank}/${s.display_rank} ${s.player_name}`);

async function listed(board: Data, query = ''): Promise<string[]> {
  const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}&limit=100${query}`);
  return shown(body.data);
}

const EARLIEST = ['1/1 P0', '2/2 P1', '3/3 P2', '4/4 P3', '5/5 P4'];
const LATEST = ['1/1 P0', '2/2 P2', '3/3 P1', '4/4 P4', '5/5 P3'];
const COMPETITION = ['1/1 P0', '2/2 P1', '3/2 P2', '4/4 P3', '5/4 P4'];
const DENSE = ['1/1 P0', '2/2 P1', '3/2 P2', '4/3 P3', '5/3 P4'];

test('a policy decides the order and the shown ranks of equal values, in lists, of own scores and in answers', async () => {
  for (const [tiePolicy, expected] of [
    ['EARLIEST', EARLIEST],
    ['LATEST', LATEST],
    ['COMPETITION', COMPETITION],
    ['DENSE', DENSE],
  ] as const) {
    const board = await played({ tiePolicy });
    expect(await listed(board)).toEqual(expected);
    expect(await listed(board, '&sort=value:asc')).toEqual(expected.toReversed());
    const [, , middle] = (await studio.admin.get(`/v1/scores?board_id=${board.id}`)).body.data;
    expect(await listed(board, `&around_score_id=${middle.id}`)).toEqual(expected);
    expect(shown([(await studio.admin.get(`/v1/scores/${middle.id}`)).body])).toEqual([expected[2]]);
    const own = await players[4]!.client.get(`/v1/client/scores?board_id=${board.id}&identity_id=me`);
    expect(shown(own.body.data)).toEqual(expected.filter((row) => row.endsWith('P4')));
    // The third of equal values.
    const { body } = await post(players[4]!, { board_id: board.id, value: 7, player_name: 'P4' });
    expect([tiePolicy, body.rank, body.display_rank]).toEqual([
      tiePolicy,
      ...{ EARLIEST: [4, 4], LATEST: [2, 2], COMPETITION: [4, 2], DENSE: [4, 2] }[tiePolicy],
    ]);
    const page = await app.anyone.get(`/b/${board.shortCode}`);
    const ranks = [...String(page.body).matchAll(/class="rank">(\d+)</g)].map(([, rank]) => Number(rank));
    expect(ranks).toEqual(
      { COMPETITION: [1, 2, 2, 2, 5], DENSE: [1, 2, 2, 2, 3] }[tiePolicy as string] ?? [1, 2, 3, 4, 5],
    );
  }
});

test('a policy changes on a live board', async () => {
  const board = await played({});
  const at = async (tiePolicy: string) => {
    await change(studio.admin, 'Board', board.id, { tiePolicy });
    return listed(board);
  };
  expect(await at('COMPETITION')).toEqual(COMPETITION);
  const generation = async () =>
    (await app.database.knex('board_rankings').where('board_id', board.id.slice(4)).first()).generation;
  expect(await generation()).toBe(1);
  expect(await at('LATEST')).toEqual(LATEST);
  expect(await generation()).toBe(2);
  expect(await at('DENSE')).toEqual(DENSE);
  expect(await generation()).toBe(3);
  expect(await at('COMPETITION')).toEqual(COMPETITION);
  expect(await at('EARLIEST')).toEqual(EARLIEST);
  expect((await studio.admin.get(`/v1/boards/${board.id}`)).body.tie_policy).toBe('earliest');
});

test('dense ranks follow submissions, rulings and removals, of test runs apart, by REST and GraphQL', async () => {
  const made = await studio.admin.post('/v1/boards', {
    ...{ account_id: game.accountId, game_id: game.id, name: 'Dense', keep_strategy: 'best' },
    tie_policy: 'dense',
  });
  expect([made.status, made.body.tie_policy]).toEqual([201, 'dense']);
  const board = made.body;
  const player = (i: number) => players[i]!.session.identityId;
  for (const [i, value] of VALUES.entries()) {
    const { body } = await post(players[i]!, { board_id: board.id, value, player_name: `P${i}` });
    expect(`${body.rank}/${body.display_rank} P${i}`).toBe(DENSE[i]);
    const tested = { board_id: board.id, identity_id: player(i), player_name: `P${i}`, is_test: true };
    await studio.admin.post('/v1/score-events', { ...tested, value: i % 2 });
  }
  expect(await listed(board, '&is_test=true')).toEqual(['1/1 P1', '2/1 P3', '3/2 P0', '4/2 P2', '5/2 P4']);
  // 9 goes with its only holder, 7 stays with one of two.
  await post(players[0]!, { board_id: board.id, value: 11, player_name: 'P0' });
  await post(players[1]!, { board_id: board.id, value: 8, player_name: 'P1' });
  expect(await listed(board)).toEqual(['1/1 P0', '2/2 P1', '3/3 P2', '4/4 P3', '5/4 P4']);
  expect(await listed(board, '&around_score_value=6')).toEqual([
    ...['1/1 P0', '2/2 P1', '3/3 P2', '4/4 ', '4/4 P3', '5/4 P4'],
  ]);
  await change(studio.admin, 'Identity', player(2), { deleted: true });
  expect(await listed(board)).toEqual(['1/1 P0', '2/2 P1', '3/3 P3', '4/3 P4']);
  await change(studio.admin, 'Identity', player(2), { deleted: false });
  expect(await listed(board)).toEqual(['1/1 P0', '2/2 P1', '3/3 P2', '4/4 P3', '5/4 P4']);
  const data = await studio.admin.data(
    'query ($id: ID!) { board(by: { id: $id }) { tiePolicy ranking { entries(first: 2, startRank: 4) { nodes { rank displayRank } } } } }',
    { id: board.id },
  );
  expect(data.board).toEqual({
    tiePolicy: 'DENSE',
    ranking: { entries: { nodes: [4, 5].map((rank) => ({ rank, displayRank: 4 })) } },
  });
});

test.each([
  ['COMPETITION', COMPETITION],
  ['DENSE', DENSE],
])('live windows show the ranks of %s', async (tiePolicy, expected) => {
  const board = await played({ tiePolicy });
  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const { payload } = await socket.run(
    'subscription ($id: ID!) { boardChanged(boardId: $id, first: 5) { entries { nodes { rank displayRank playerName } } } }',
    { id: board.id },
  );
  await socket.close();
  const rows = payload.data.boardChanged.entries.nodes as Data[];
  expect(rows.map((s) => `${s.rank}/${s.displayRank} ${s.playerName}`)).toEqual(expected);
});

test('a view has a policy of its own, and friends in it', async () => {
  const board = await played({
    tiePolicy: 'LATEST',
    views: [
      { name: 'weekly', period: 'WEEK', tiePolicy: 'COMPETITION' },
      { name: 'daily', period: 'DAY', tiePolicy: 'LATEST' },
      { name: 'monthly', period: 'MONTH', tiePolicy: 'DENSE' },
    ],
  });
  const view = async (name: string, more = '') =>
    shown(
      (await studio.admin.get(`/v1/scores?board_id=${board.id}&view=${name}&limit=100${more}`)).body.data,
    );
  expect(await listed(board)).toEqual(LATEST);
  expect(await view('weekly')).toEqual(COMPETITION);
  expect(await view('daily')).toEqual(LATEST);
  expect(await view('monthly')).toEqual(DENSE);
  expect(await view('weekly', '&around_score_value=7')).toEqual(['1/1 P0', '2/2 ', ...COMPETITION.slice(1)]);
  expect(await view('monthly', '&around_score_value=6')).toEqual([
    ...DENSE.slice(0, 3),
    '4/3 ',
    ...DENSE.slice(3),
  ]);
  const body = { board_id: board.id, player_ids: [2, 1, 4].map((i) => players[i]!.session.identityId) };
  const among = async (name: string, more: Data = {}) => {
    const sent = await players[0]!.client.post(`/v1/client/scores/among?view=${name}`, { ...body, ...more });
    return sent.body.data.map((s: Data) => `${s.among_rank} ${s.rank}/${s.display_rank} ${s.player_name}`);
  };
  expect(await among('weekly')).toEqual(['1 2/2 P1', '2 3/2 P2', '3 5/4 P4']);
  expect(await among('monthly')).toEqual(['1 2/2 P1', '2 3/2 P2', '3 5/3 P4']);
  expect(await among('monthly', { around_score_value: 6, limit: 3 })).toEqual([
    '2 3/2 P2',
    '3 4/3 ',
    '3 5/3 P4',
  ]);
  expect(await among('daily')).toEqual(['1 2/2 P2', '2 3/3 P1', '3 4/4 P4']);
  expect(await among('daily', { around_score_value: 6, limit: 3 })).toEqual([
    '2 3/3 P1',
    '3 4/4 ',
    '3 4/4 P4',
  ]);
  const friends = await players[1]!.client.get(
    `/v1/client/scores?board_id=${board.id}&view=weekly&among=friends`,
  );
  expect(friends.body.data.map((s: Data) => `${s.among_rank} ${s.rank} ${s.player_name}`)).toEqual([
    '1 2 P1',
  ]);
  const built = [
    { name: 'monthly', period: 'MONTH', tiePolicy: 'DENSE' },
    { name: 'yearly', period: 'YEAR', tiePolicy: 'DENSE' },
  ];
  await change(studio.admin, 'Board', board.id, { views: built });
  expect(await view('yearly')).toEqual(DENSE);
  const refused = await studio.admin.code(
    'mutation ($input: UpdateBoardInput!) { updateBoard(input: $input) { board { id } } }',
    { input: { id: board.id, views: [{ name: 'yearly', period: 'YEAR', tiePolicy: 'EARLIEST' }] } },
  );
  expect(refused).toBe('INVALID_VIEW');
});

test('of equal runs the first stands for its player, in the board and in a view, alone and among friends', async () => {
  const board = await makeBoard(studio, game.id, {
    ...{ keepStrategy: 'ALL', tiePolicy: 'LATEST' },
    views: [{ name: 'daily', period: 'DAY', tiePolicy: 'LATEST' }],
  });
  const [ann, bob] = [players[0]!, players[1]!];
  for (const player of [ann, bob, ann]) await submit(player, board.id, 7, { playerName: 'P' });
  for (const view of ['', '&view=daily']) {
    const body = { board_id: board.id, player_ids: [ann.session.identityId] };
    const among = await ann.client.post(`/v1/client/scores/among?${view}`, body);
    const read =
      'query ($id: ID!, $player: ID!, $view: String) { board(by: { id: $id }) { ranking(view: $view) ' +
      '{ entry(identityId: $player) { rank } } } }';
    const shownOf = await studio.admin.data(read, {
      ...{ id: board.id, player: ann.session.identityId },
      view: view ? 'daily' : null,
    });
    const entry = shownOf.board.ranking.entry;
    expect([view, entry.rank, among.body.data[0].rank]).toEqual([view, 3, 3]);
  }
});

test('the shown ranks of views are in answers of submissions, batches, exports and live ranks', async () => {
  const views = [
    { name: 'weekly', period: 'WEEK', tiePolicy: 'COMPETITION' },
    { name: 'monthly', period: 'MONTH', tiePolicy: 'DENSE' },
    { name: 'daily', period: 'DAY', tiePolicy: 'LATEST' },
  ];
  const board = await played({ views });
  const places = (standings: Data[]) => standings.map((s) => `${s.view} ${s.rank}/${s.display_rank}`);
  // P4 stands fifth, with the value of the fourth.
  const { client } = players[4]!;
  const { body } = await client
    .with({ 'service-client-nonce': await takeNonce(client) })
    .post('/v1/client/scores?standings=all', { board_id: board.id, value: 5, player_name: 'P4' });
  expect(places(body.standings)).toEqual(['weekly 5/4', 'monthly 5/3', 'daily 4/4']);
  const identity_id = players[3]!.session.identityId;
  const item = { board_id: board.id, identity_id, value: 7, player_name: 'P3' };
  const batch = await studio.admin.post('/v1/score-events/batch?standings=weekly,monthly', {
    items: [item, item],
  });
  expect(batch.body.results.map(({ standings }: Data) => places(standings))).toEqual([
    ['weekly 4/2', 'monthly 4/2'],
    ['weekly 4/2', 'monthly 4/2'],
  ]);
  const field = 'ranks { view rank displayRank }';
  const { createScoreEvent } = await studio.admin.data(
    `mutation ($input: CreateScoreEventInput!) { createScoreEvent(input: $input) { submission { ${field} } } }`,
    { input: { boardId: board.id, identityId: identity_id, value: 1, playerName: 'P3' } },
  );
  expect(createScoreEvent.submission.ranks[1]).toEqual({ view: 'monthly', rank: 4, displayRank: 2 });

  for (const [view, ranks] of Object.entries({
    weekly: ['1/1', '2/2', '3/2', '4/2', '5/5'],
    monthly: ['1/1', '2/2', '3/2', '4/2', '5/3'],
    daily: ['1/1', '2/2', '3/3', '4/4', '5/5'],
  })) {
    const { body } = await studio.admin.get(`/v1/boards/${board.id}/export?format=ndjson&view=${view}`);
    const lines: Data[] = String(body)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.slice(0, -1).map((line) => `${line.rank}/${line.display_rank}`)).toEqual(ranks);
  }

  const socket = await TestSocket.connect(app.url, studio.admin.headers);
  const ids = [players[4]!.session.identityId];
  const watch = `subscription ($id: ID!, $ids: [ID!]!, $view: String) {
    rankChanged(boardId: $id, identityIds: $ids, view: $view) { version entry { rank displayRank } nextAbove { rank displayRank } } }`;
  begin(socket, watch, { id: board.id, ids, view: 'monthly' });
  const first = await seen(socket, ({ entry }) => entry.displayRank === 3);
  expect(first).toMatchObject({ entry: { rank: 5 }, nextAbove: { rank: 4, displayRank: 2 } });
  // The unique ranks stay: one more value stands before the fourth and the fifth.
  await submit(players[1]!, board.id, 8, { playerName: 'P1' });
  expect(await seen(socket, ({ entry }) => entry.displayRank === 4)).toMatchObject({
    entry: { rank: 5 },
    nextAbove: { rank: 4, displayRank: 3 },
  });
  await socket.close();
});

test.each([
  ['COMPETITION', 4, 3],
  ['DENSE', 3, 4],
])(
  'live ranks of a board with %s follow the shown rank, also while the unique one stays',
  async (tiePolicy, before, after) => {
    const board = await played({ tiePolicy });
    const socket = await TestSocket.connect(app.url, studio.admin.headers);
    const ids = [players[4]!.session.identityId];
    const watch = `subscription ($id: ID!, $ids: [ID!]!) {
    rankChanged(boardId: $id, identityIds: $ids) { version entry { rank displayRank } nextAbove { displayRank } } }`;
    begin(socket, watch, { id: board.id, ids });
    const shownAs = (rank: number) => seen(socket, ({ entry }) => entry.displayRank === rank);
    expect(await shownAs(before)).toMatchObject({ entry: { rank: 5 }, nextAbove: { displayRank: before } });
    if (tiePolicy === 'DENSE') await submit(players[1]!, board.id, 8, { playerName: 'P1' });
    else await change(studio.admin, 'Identity', players[2]!.session.identityId, { deleted: true });
    expect(await shownAs(after)).toMatchObject({ nextAbove: { displayRank: after } });
    await change(studio.admin, 'Identity', players[2]!.session.identityId, { deleted: false });
    await change(studio.admin, 'Board', board.id, { tiePolicy: 'EARLIEST' });
    expect(await shownAs(5)).toMatchObject({ entry: { rank: 5 }, nextAbove: { displayRank: 4 } });
    await socket.close();
  },
);
