import { startApp, type TestApp } from '../support/app.js';
import { flag, review } from '../support/flags.js';
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

// Repeated GraphQL requests for pages are answered from memory: each caller gets the fields open to it, as of this moment.

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio, { antiCheatEnabled: false });
});
afterAll(() => app.close());

/** Until it is compiled, its page is kept, and so is its JSON. */
const OFTEN = 25;

interface Bytes {
  status: number;
  headers: string;
  body: string;
}

async function once(caller: Caller, query: string, variables: Data, headers: Data = {}): Promise<Bytes> {
  const answer = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...caller.headers,
      'service-request-id': 'same',
      ...headers,
    },
    body: JSON.stringify({ query, variables }),
  });
  const headersSent = [...answer.headers].filter(([name]) => name !== 'date');
  return { status: answer.status, headers: JSON.stringify(headersSent), body: await answer.text() };
}

/** Asks often, and expects the same answer each time, byte for byte. */
async function often(caller: Caller, query: string, variables: Data): Promise<Data> {
  const first = await once(caller, query, variables);
  for (let n = 1; n < OFTEN; n += 1) expect(await once(caller, query, variables)).toEqual(first);
  return JSON.parse(first.body);
}

async function playedBoard(): Promise<{ board: Data; players: Player[] }> {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', isPublished: true });
  const players: Player[] = [];
  for (const value of [10, 20, 30]) {
    const player = await startSession(app, game.id);
    await submit(player, board.id, value, { playerName: `Zoë "${value}" 日本` });
    players.push(player);
  }
  return { board, players };
}

const ENTRY = 'scoreId identityId rank displayRank percentile playerName value status metadata createdAt';
const TOP = `query Top($id: ID!, $first: Int = 2) {
  board(by: { id: $id }) { ranking { entries(first: $first) {
    nodes { ${ENTRY} } pageInfo { hasNextPage endCursor } totalCount } } }
}`;
const values = ({ data }: Data) => data.board.ranking.entries.nodes.map(({ value }: Data) => value);

test('a page has the same bytes as long as nothing changes, and new ones at once', async () => {
  const { board, players } = await playedBoard();
  const { client } = players[0]!;
  const variables = { id: board.id };
  const before = await often(client, TOP, variables);
  expect(values(before)).toEqual([30, 20]);
  expect(before.extensions).toEqual({ cost: { requested: 6, limit: 5_000 } });

  const { scoreEvent: event } = await submit(players[0]!, board.id, 40);
  expect(values(JSON.parse((await once(client, TOP, variables)).body))).toEqual([40, 30]);
  expect(values(await often(client, TOP, variables))).toEqual([40, 30]);

  const { id } = await flag(studio.admin, event.id);
  await review(studio.admin, id, { status: 'CONFIRMED_CHEAT' });
  expect(values(JSON.parse((await once(client, TOP, variables)).body))).toEqual([30, 20]);
  expect(values(await often(client, TOP, variables))).toEqual([30, 20]);

  await change(studio.admin, 'Board', board.id, { sortDirection: 'ASC' });
  expect(values(await often(client, TOP, variables))).toEqual([10, 20]);

  const { endCursor } = (await often(client, TOP, variables)).data.board.ranking.entries.pageInfo;
  const rest = await client.data(
    'query ($id: ID!, $after: String) { board(by: { id: $id }) { ranking { entries(after: $after) { nodes { value } } } } }',
    { id: board.id, after: endCursor },
  );
  expect(rest.board.ranking.entries.nodes).toEqual([{ value: 30 }]);
});

test('administrators and game clients get the fields that each may see', async () => {
  const { board, players } = await playedBoard();
  const variables = { id: board.id };
  const { client } = players[0]!;
  const withScore = TOP.replace(
    'totalCount',
    'totalCount edges { node { score { scoreEventId deviceId } } }',
  );
  const asAdmin = await often(studio.admin, withScore, variables);
  const asClient = await often(client, withScore, variables);
  const scoreOf = ({ data }: Data) => data.board.ranking.entries.edges[0].node.score;
  expect(scoreOf(asAdmin).scoreEventId).toMatch(/^sev_/);
  expect(scoreOf(asClient)).toEqual({ scoreEventId: null, deviceId: null });
  expect((await often(studio.admin, withScore, variables)).data).toEqual(asAdmin.data);
  const answered = async (caller: Caller) => JSON.parse((await once(caller, TOP, variables)).body);
  const refused = async (caller: Caller) => (await answered(caller)).errors[0].extensions.code;
  expect(await refused(app.anyone)).toMatch(/REQUIRED/);
  expect(await refused((await makeStudio(app)).admin)).toBe('FORBIDDEN');
  const elsewhere = await startSession(app, (await makeGame(studio)).id);
  expect((await answered(elsewhere.client)).data.board.ranking).toBeNull();
});

test('variables, aliases, fragments and several boards work in one operation', async () => {
  const [one, two] = [await playedBoard(), await playedBoard()];
  await submit(two.players[0]!, two.board.id, 50);
  const { client } = one.players[0]!;
  for (const first of [1, 2, 3]) {
    const { data } = await often(client, TOP, { id: one.board.id, first });
    expect(data.board.ranking.entries.nodes).toHaveLength(first);
  }
  const query = `query ($a: ID!, $b: ID!, $code: String) {
    first: board(by: { id: $a }) { name ranking { page: entries(first: 1) { ...P } } }
    second: board(by: { id: $b }) { ranking { page: entries(first: 1) { ...P totalCount } rest: entries(first: 1, startRank: 2) { ...P } } }
    open: publicBoard(by: { shortCode: $code }) { ranking { entries(first: 2) { __typename nodes { value } } } }
  }
  fragment P on EntryConnection { edges { cursor node { best: value ...N } } }
  fragment N on Entry { __typename rank }`;
  const { data } = await often(client, query, {
    a: one.board.id,
    b: two.board.id,
    code: two.board.shortCode,
  });
  const best = (page: Data) => page.edges.map(({ node }: Data) => [node.rank, node.best]);
  const { page, rest } = data.second.ranking;
  expect([data.first.ranking.page, page, rest].map(best)).toEqual([[[1, 30]], [[1, 50]], [[2, 30]]]);
  expect(data.open.ranking.entries).toEqual({
    __typename: 'EntryConnection',
    nodes: [{ value: 50 }, { value: 30 }],
  });
});

test('results of resolvers and directives are read each time', async () => {
  const { board, players } = await playedBoard();
  const { client } = players[2]!;
  const query = `query ($id: ID!, $names: Boolean!) {
    board(by: { id: $id }) { ranking { entries(first: 1) {
      nodes { value playerName @include(if: $names) percentile identity { displayName } } } } }
  }`;
  const shown = async (names: boolean) =>
    (await often(client, query, { id: board.id, names })).data.board.ranking.entries.nodes;
  expect(await shown(true)).toMatchObject([{ value: 30, percentile: 100, playerName: expect.anything() }]);
  expect((await shown(false))[0]).not.toHaveProperty('playerName');
  const { identityId } = players[2]!.session;
  await change(studio.admin, 'Identity', identityId, { displayName: 'Renamed' });
  expect((await shown(false))[0].identity).toEqual({ displayName: 'Renamed' });
});

test('an error beside a page and a faulty repeated request are answered as uncached', async () => {
  const { board, players } = await playedBoard();
  const { client } = players[0]!;
  const beside = `query ($id: ID!, $none: ID!) { board(by: { id: $id }) { ranking { entries(first: 1) { nodes { value } } } }
    game(by: { id: $none }) { id } }`;
  const none = 'gam_00000000-0000-0000-0000-000000000000';
  const answer = await often(client, beside, { id: board.id, none });
  expect(answer).toMatchObject({ errors: [{ path: ['game'], extensions: { requestId: 'same' } }] });

  await often(client, TOP, { id: board.id });
  const fault = async (variables: Data) => {
    const { status, body } = await once(client, TOP, variables);
    return [status, JSON.parse(body).errors[0].extensions.code];
  };
  expect(await fault({})).toEqual([400, 'VALIDATION_FAILED']);
  expect(await fault({ id: board.id, first: 'many' })).toEqual([400, 'VALIDATION_FAILED']);
  expect(await fault({ id: board.id, first: 1e6 })).toEqual([400, 'BAD_REQUEST']);
  expect(await fault({ id: 'brd_1' })).toEqual([200, 'VALIDATION_FAILED']);
  const newer = await once(client, TOP, { id: board.id }, { accept: 'application/graphql-response+json' });
  expect(newer.headers).toContain('application/graphql-response+json; charset=utf-8');
  expect(newer.body).toBe((await once(client, TOP, { id: board.id })).body);
});
