import { startApp, type TestApp } from '../support/app.js';
import type { Caller, Data } from '../support/http.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { submit } from '../support/play.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let players: Player[];

/** Values of the players, best first; two are equal, and the first of them came first. */
const VALUES = [90, 80, 70, 70, 50, 40, 30, 20, 10];

beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
  board = await makeBoard(studio, game.id, { keepStrategy: 'BEST' });
  players = [];
  for (const [i, value] of VALUES.entries()) {
    const player = await startSession(app, game.id);
    players.push(player);
    await submit(player, board.id, value, { playerName: `P${i}` });
  }
});
afterAll(() => app.close());

const idOf = (player: Player): string => player.session.identityId;
const ids = (...places: number[]) => places.map((place) => idOf(players[place]!));
const stranger = async () => idOf(await startSession(app, game.id));

const ROWS =
  'edges { amongRank node { scoreId rank playerName value } } hypothetical { amongRank rank index }';
const AMONG = `query ($id: ID!, $among: AmongInput, $first: Int, $last: Int, $after: String, $around: AroundInput, $rank: Int, $of: ID) {
  board(by: { id: $id }) { ranking { entries(among: $among, first: $first, last: $last, after: $after, around: $around,
    startRank: $rank, identityId: $of) {
    totalCount pageInfo { hasNextPage hasPreviousPage endCursor } ${ROWS} } } } }`;

async function page(caller: Caller, variables: Data): Promise<Data> {
  return (await caller.data(AMONG, { id: board.id, ...variables })).board.ranking.entries;
}
/** Entries, with `?` for the hypothetical one. */
function rows({ edges, hypothetical }: Data): string[] {
  const shown = edges.map(({ amongRank, node }: Data) => `${amongRank}/${node.rank} ${node.playerName}`);
  if (hypothetical) shown.splice(hypothetical.index, 0, `${hypothetical.amongRank}/${hypothetical.rank} ?`);
  return shown;
}

test('a ranking among players has places among them, ranks on the board, and pages', async () => {
  const { admin } = studio;
  const identityIds = [...ids(6, 3, 0, 2), await stranger()];
  const first = await page(admin, { among: { identityIds }, first: 3 });
  expect(rows(first)).toEqual(['1/1 P0', '2/3 P2', '3/4 P3']);
  expect(first).toMatchObject({ totalCount: 9, pageInfo: { hasNextPage: true, hasPreviousPage: false } });
  const after = first.pageInfo.endCursor;
  const next = await page(admin, { among: { identityIds: [...identityIds].reverse() }, first: 3, after });
  expect(rows(next)).toEqual(['4/7 P6']);
  expect(next.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  const of = (more: Data) => admin.code(AMONG, { id: board.id, first: 3, after, ...more });
  expect(await of({ among: { identityIds: ids(0, 1) } })).toBe('CURSOR_MISMATCH');
  expect(await of({})).toBe('CURSOR_MISMATCH');

  const among = { identityIds: ids(0, 2, 3, 6, 8) };
  const shown = async (more: Data) => rows(await page(admin, { among, ...more }));
  expect(await shown({ last: 2 })).toEqual(['4/7 P6', '5/9 P8']);
  expect(await shown({ rank: 3, first: 2 })).toEqual(['3/4 P3', '4/7 P6']);
  expect(await shown({ around: { scoreId: first.edges[1].node.scoreId }, first: 3 })).toEqual([
    '1/1 P0',
    '2/3 P2',
    '3/4 P3',
  ]);
  // A score of none of them, and a value between two of them.
  const [other] = (await page(admin, { of: ids(4)[0] })).edges;
  expect(await shown({ around: { scoreId: other.node.scoreId }, first: 2 })).toEqual(['3/4 P3', '4/7 P6']);
  expect(await shown({ around: { identityId: ids(4)[0] }, first: 2 })).toEqual(['3/4 P3', '4/7 P6']);
  expect(await shown({ around: { value: 70 }, first: 4 })).toEqual(['1/1 P0', '2/3 ?', '2/3 P2', '3/4 P3']);
  expect(await shown({ around: { value: -1 }, first: 1 })).toEqual(['6/10 ?']);
  expect(await shown({ of: ids(6)[0] })).toEqual(['4/7 P6']);
  expect(await shown({ of: ids(4)[0] })).toEqual([]);
  expect(rows(await page(admin, { first: 1 }))).toEqual(['null/1 P0']);
});

test('callers name as many players as their credential allows, and none of other games', async () => {
  const { client } = players[0]!;
  const many = (count: number) => [
    ...ids(1),
    ...Array.from(
      { length: count - 1 },
      (_, i) => `ide_${`${i}`.padStart(8, '0')}-0000-7000-8000-000000000000`,
    ),
  ];
  const PUBLIC = `query ($code: String, $among: AmongInput) {
    publicBoard(by: { shortCode: $code }) { ranking { entries(among: $among) { ${ROWS} } } } }`;
  const visit = (identityIds: string[]) =>
    app.anyone.graphql(PUBLIC, { code: board.shortCode, among: { identityIds } });
  for (const [caller, most] of [
    [studio.admin, 1_000],
    [client, 500],
  ] as const) {
    expect(rows(await page(caller, { among: { identityIds: many(most) } }))).toEqual(['1/2 P1']);
    expect(await caller.code(AMONG, { id: board.id, among: { identityIds: many(most + 1) } })).toBe(
      'VALIDATION_FAILED',
    );
  }
  expect(rows((await visit(many(50))).data.publicBoard.ranking.entries)).toEqual(['1/2 P1']);
  expect((await visit(many(51))).errors![0]!.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['among', 'identityIds'], msg: 'must be at most 50 ids here' }],
  });
  // Each named player weighs one record, a stored list as much as the longest.
  const cost = async (among?: Data) =>
    (await client.post('/graphql', { query: AMONG, variables: { id: board.id, first: 1, among } })).body
      .extensions.cost.requested;
  const plain = await cost();
  expect([await cost({ identityIds: many(40) }), await cost({ friendsOf: 'me' })]).toEqual([
    plain + 40,
    plain + 1_000,
  ]);

  const rival = await makeStudio(app);
  const foreign = idOf(await startSession(app, (await makeGame(rival)).id));
  const sibling = idOf(await startSession(app, (await makeGame(studio)).id));
  const named = (caller: Caller, id: string) =>
    caller.graphql(AMONG, { id: board.id, among: { identityIds: [...ids(1), id] } });
  const code = async (caller: Caller, id: string) => (await named(caller, id)).errors?.[0]?.extensions.code;
  expect([await code(studio.admin, foreign), await code(client, foreign)]).toEqual([
    'FORBIDDEN',
    'FORBIDDEN',
  ]);
  expect([await code(studio.admin, sibling), await code(client, sibling)]).toEqual([undefined, 'FORBIDDEN']);
  expect(rows((await visit([...ids(1), foreign])).data.publicBoard.ranking.entries)).toEqual(['1/2 P1']);
  for (const among of [
    { identityIds: ids(1), friendsOf: 'me' },
    {},
    { identityIds: ['me'] },
    { identityIds: [] },
    { friendsOf: 'me' },
  ])
    expect([among, await studio.admin.code(AMONG, { id: board.id, among })]).toEqual([
      among,
      'VALIDATION_FAILED',
    ]);
  const fault = await client.post('/v1/client/scores/among', { board_id: board.id, player_ids: ['x'] });
  expect([fault.status, fault.body.details[0].loc]).toEqual([422, ['body', 'player_ids']]);
});

test('visitors wait for each other as in searches', async () => {
  const query = `query ($code: String, $among: AmongInput) { publicBoard(by: { shortCode: $code }) { ranking { entries(among:
    $among) { nodes { rank } } } } }`;
  const variables = { code: board.shortCode, among: { identityIds: ids(1) } };
  const sent = await Promise.all(Array.from({ length: 60 }, () => app.anyone.graphql(query, variables)));
  const codes = new Set(sent.map(({ errors }) => errors?.[0]?.extensions.code ?? 'OK'));
  expect([...codes].filter((code) => code !== 'OK' && code !== 'UNAVAILABLE')).toEqual([]);
  expect(codes.has('OK')).toBe(true);
});

test('a game server stores lists of friends; the player and its clients read rankings among them', async () => {
  const rest = studio.admin;
  const path = `/v1/identities/${ids(4)[0]}/friends`;
  const { client } = players[4]!;
  const set = async (list: string[]) => (await rest.patch(path, { ids: list })).body;
  expect(await set(ids(0, 2, 8))).toEqual({ identity_id: ids(4)[0], count: 3 });
  expect((await rest.post(path, { ids: ids(8, 6) })).body.count).toBe(4);
  expect((await rest.post(`${path}/remove`, { ids: ids(8, 1) })).body.count).toBe(3);
  const listed = await rest.get(`${path}?sort=display_name:asc&limit=2`);
  expect(listed.body.data.map((one: Data) => one.display_name)).toEqual(['P0', 'P2']);
  const rest2 = await rest.get(
    `${path}?sort=display_name:asc&limit=2&cursor=${listed.body.pagination.next_cursor}`,
  );
  expect(rest2.body.data.map((one: Data) => one.display_name)).toEqual(['P6']);

  const shown = ({ body }: { body: Data }) =>
    body.data.map((s: Data) => `${s.among_rank}/${s.rank} ${s.player_name}`);
  const expected = ['1/1 P0', '2/3 P2', '3/5 P4', '4/7 P6'];
  expect(shown(await client.get(`/v1/client/scores?board_id=${board.id}&among=friends`))).toEqual(expected);
  const own = `board_id=${board.id}&among=friends&identity_id=me`;
  expect(shown(await client.get(`/v1/client/scores?${own}`))).toEqual(['3/5 P4']);
  const ofAdmin = `board_id=${board.id}&among=friends&friends_of=${ids(4)[0]}`;
  expect(shown(await rest.get(`/v1/scores?${ofAdmin}&limit=2`))).toEqual(expected.slice(0, 2));
  const body = { board_id: board.id, player_ids: ids(6, 0, 2), limit: 2 };
  const first = await client.post('/v1/client/scores/among', body);
  expect([first.status, shown(first)]).toEqual([200, ['1/1 P0', '2/3 P2']]);
  const cursor = first.body.pagination.next_cursor;
  const second = await client.post('/v1/client/scores/among', { ...body, cursor });
  expect([shown(second), second.body.pagination.has_next]).toEqual([['3/7 P6'], false]);
  const back = await client.post('/v1/client/scores/among', {
    ...body,
    cursor: second.body.pagination.prev_cursor,
  });
  expect(shown(back)).toEqual(['1/1 P0', '2/3 P2']);
  expect(shown(await rest.post('/v1/scores/among', { ...body, account_id: studio.accountId }))).toEqual([
    '1/1 P0',
    '2/3 P2',
  ]);
  const mine = await client.get('/v1/client/friends?sort=display_name:asc');
  expect(mine.body.data.map((one: Data) => [one.display_name, 'external_key' in one])).toEqual([
    ['P0', false],
    ['P2', false],
    ['P6', false],
  ]);

  // No other client has it.
  const other = players[5]!.client;
  const LIST = 'friends { nodes { displayName externalKey } }';
  const OWN = `{ me { identity { ${LIST} } } }`;
  const OF_SCORES = `query ($id: ID!) { board(by: {id: $id}) { ranking { entries(first: 1) { nodes { identity { id ${LIST} } } } } } }`;
  expect((await other.data(OWN)).me.identity.friends.nodes).toEqual([]);
  const [{ identity: winner }] = (await other.data(OF_SCORES, { id: board.id })).board.ranking.entries.nodes;
  expect([winner.id === idOf(players[5]!), winner.friends]).toEqual([false, null]);
  expect(await other.code(AMONG, { id: board.id, among: { friendsOf: ids(4)[0] } })).toBe('FORBIDDEN');
  expect((await client.data(OWN)).me.identity.friends.nodes[0]).toMatchObject({ externalKey: null });
  expect((await client.post(path, { ids: ids(1) })).status).toBe(401);

  const refused = async (list: string[]) => (await rest.patch(path, { ids: list })).body.code;
  const foreign = idOf(await startSession(app, (await makeGame(studio)).id));
  expect(await refused([foreign])).toBe('NOT_FOUND');
  expect(await refused(ids(4))).toBe('VALIDATION_FAILED');
  expect(await refused(Array.from({ length: 1_001 }, () => ids(1)[0]!))).toBe('VALIDATION_FAILED');
  expect((await rest.get(path)).body.data.length).toBe(3);
  expect((await set([])).count).toBe(0);
});

test('a board may take friends from the game server alone', async () => {
  const closed = await makeBoard(studio, game.id, { keepStrategy: 'BEST', friendsFrom: 'SERVER' });
  await submit(players[0]!, closed.id, 1, { playerName: 'P0' });
  const { client } = players[0]!;
  const ask = (caller: Caller, among: Data) => caller.graphql(AMONG, { id: closed.id, among });
  expect((await ask(client, { identityIds: ids(0) })).errors![0]!.extensions.code).toBe('FORBIDDEN');
  expect(rows((await ask(client, { friendsOf: 'me' })).data.board.ranking.entries)).toEqual(['1/1 P0']);
  expect(rows((await ask(studio.admin, { identityIds: ids(0) })).data.board.ranking.entries)).toEqual([
    '1/1 P0',
  ]);
  const PUBLIC = `query ($code: String, $among: AmongInput) { publicBoard(by: { shortCode: $code }) { ranking {
    entries(among: $among) { nodes { rank } } } } }`;
  expect(await app.anyone.code(PUBLIC, { code: closed.shortCode, among: { identityIds: ids(0) } })).toBe(
    'FORBIDDEN',
  );
  await change(studio.admin, 'Board', closed.id, { friendsFrom: 'CLIENT' });
  expect(rows((await ask(client, { identityIds: ids(0) })).data.board.ranking.entries)).toEqual(['1/1 P0']);
});

test('deleted players leave lists, erased ones for ever; an export has the list', async () => {
  const [me, gone, back] = [await stranger(), await stranger(), await stranger()];
  const rest = studio.admin;
  await rest.patch(`/v1/identities/${me}/friends`, { ids: [gone, back] });
  await rest.patch(`/v1/identities/${gone}/friends`, { ids: [me] });
  const friends = async () =>
    (await rest.get(`/v1/identities/${me}/friends`)).body.data.map(({ id }: Data) => id).sort();
  await change(studio.admin, 'Identity', back, { deleted: true });
  expect(await friends()).toEqual([gone]);
  await change(studio.admin, 'Identity', back, { deleted: false });
  expect(await friends()).toEqual([gone, back].sort());
  const lines = String((await rest.get(`/v1/identities/${me}/export`)).body)
    .trim()
    .split('\n');
  expect(
    lines
      .map((line) => JSON.parse(line) as Data)
      .filter((one: Data) => one.record === 'friend')
      .map((one: Data) => [one.identity_id, one.friend_id])
      .sort(),
  ).toEqual(
    [
      [me, gone],
      [me, back],
    ].sort(),
  );
  const { identityErasure } = await studio.admin.data(
    'query ($id: ID!) { identityErasure(identityId: $id) { records { friends } } }',
    { id: me },
  );
  expect(identityErasure.records.friends).toBe(3);
  await rest.post(`/v1/identities/${gone}/erase`, {});
  expect(await friends()).toEqual([back]);
  const left = await app.database.knex('friend_lists').whereIn(
    'identity_id',
    [me, gone].map((id) => id.slice(4)),
  );
  expect(left.map(({ friend_id }) => `ide_${friend_id}`)).toEqual([back]);
});
