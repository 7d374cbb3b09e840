import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { uuidOf } from '../../src/base/ids.js';
import { CellPlacement } from '../../src/cells/gateway/placement.js';
import { type TestCell, TestDirectory } from '../support/cells.js';
import {
  GATEWAY_KEY,
  startGateway,
  startGatewayCell,
  type TestGateway,
  through,
} from '../support/gateway.js';
import { type Data, send } from '../support/http.js';
import { register } from '../support/mail.js';
import {
  makeAccount,
  makeBoard,
  makeGame,
  makeStudio,
  makeUser,
  type Player,
  type Studio,
  startSession,
  unique,
  walk,
} from '../support/make.js';
import { moverOf } from '../support/moves.js';
import { PNG } from '../support/pictures.js';
import { submit } from '../support/play.js';
import { answerToHead } from '../support/raw-http.js';
import { TestSocket } from '../support/socket.js';
import { Terminal } from '../support/terminal.js';

// Two cells behind one gateway.

let directory: TestDirectory;
let cells: { east: TestCell; west: TestCell };
let gateway: TestGateway;
let studios: Record<Name, Ground>;
type Name = 'east' | 'west';
const NAMES = ['east', 'west'] as const;

interface Ground {
  studio: Studio;
  game: Data;
  board: Data;
  player: Player;
}

/** New accounts go to this cell alone. */
async function openOnly(name: Name): Promise<void> {
  const { knex } = directory.directory.database;
  await knex('cells').update({ state: 'full' });
  await knex('cells').where('id', name).update({ state: 'open' });
}

async function makeGround(name: Name): Promise<Ground> {
  await openOnly(name);
  const app = through(gateway, cells[name]);
  const studio = await makeStudio(app);
  const game = await makeGame(studio);
  const board = await makeBoard(studio, game.id, { isPublished: true });
  return { studio, game, board, player: await startSession(app, game.id) };
}

beforeAll(async () => {
  directory = await TestDirectory.make();
  const [east, west] = [await startGatewayCell(directory, 'east'), await startGatewayCell(directory, 'west')];
  cells = { east, west };
  gateway = await startGateway(directory.database.connectionString, cells);
  studios = { east: await makeGround('east'), west: await makeGround('west') };
});
afterAll(async () => {
  await gateway.close();
  for (const name of NAMES) {
    expect(await cells[name].disagreement()).toEqual({ withoutName: [], withoutRecord: [] });
    await cells[name].close();
  }
  await directory.close();
});

test('accounts of two cells live beside each other, and no row of one is on the other', async () => {
  for (const name of NAMES) {
    const other = cells[name === 'east' ? 'west' : 'east'];
    const { studio, game, board, player } = studios[name];
    await submit(player, board.id, 10, { playerName: `Ada of ${name}` });
    const page = await gateway.anyone.get(`/b/${board.shortCode}`);
    expect([page.status, page.body]).toEqual([200, expect.stringContaining(`Ada of ${name}`)]);
    expect((await gateway.anyone.get(`/games/${game.slug}`)).status).toBe(200);
    expect((await studio.admin.get('/v1/boards')).body.data.map(({ id }: Data) => id)).toEqual([board.id]);
    expect((await gateway.superadmin.get(`/v1/boards/${board.id}`)).status).toBe(200);
    const rows = await other.database.knex('boards').where('id', board.id.slice(4));
    expect(rows).toEqual([]);
  }
});

test("sockets and streams are those of the board's cell, with and without a credential", async () => {
  const watch = 'subscription ($id: ID!) { boardChanged(boardId: $id) { entries { nodes { value } } } }';
  const visitor = await TestSocket.connect(gateway.url);
  for (const name of NAMES) {
    const { board, player } = studios[name];
    const authorization = player.client.headers.authorization!;
    const owner = await TestSocket.connect(gateway.url, { authorization });
    for (const socket of [visitor, owner]) {
      const frame = await socket.run(watch, { id: board.id }, name);
      expect([frame.type, frame.payload.data.boardChanged.entries.nodes.length]).toEqual(['next', 1]);
    }
    const live = await gateway.anyone.get(`/v1/boards/${board.id}/live`);
    expect(live.status).toBe(200);
    owner.socket.close();
    await owner.closed;
  }
  visitor.socket.close();
  await visitor.closed;
});

test('a request of several accounts is refused, and one of the superadmin needs a cell', async () => {
  const [east, west] = [studios.east.board.id, studios.west.board.id];
  const both = await gateway.anyone.graphql(
    'query ($east: ID!, $west: ID!) { east: board(by: { id: $east }) { id } west: board(by: { id: $west }) { id } }',
    { east, west },
  );
  expect(both).toMatchObject({ errors: [{ extensions: { code: 'SEVERAL_ACCOUNTS' } }] });
  const { status, body } = await gateway.superadmin.get('/v1/me');
  expect([status, body.code]).toEqual([400, 'CELL_REQUIRED']);
  const tags = `mutation { createJamCode(input: { code: "X1", description: "X" }) { jamCode { id } } }`;
  for (const query of ['{ jobs { name } }', '{ accounts { nodes { id } } users { nodes { id } } }', tags]) {
    expect(await gateway.superadmin.graphql(query)).toMatchObject({
      errors: [{ extensions: { code: 'CELL_REQUIRED' } }],
    });
  }
  for (const name of NAMES) {
    const { body } = await gateway.superadmin.with({ 'service-cell': name }).get('/v1/accounts');
    const ids = body.data.map(({ id }: Data) => id);
    expect(ids).toContain(studios[name].studio.accountId);
  }
});

test('a text that no record can have as its name does not pass for a directory that is away', async () => {
  const find = 'query ($code: String!) { publicBoard(by: { shortCode: $code }) { name } }';
  for (const [name, text] of Object.entries({ nul: '\0', control: 'A\u0007', long: 'A'.repeat(100_000) })) {
    const [asked, alone] = await Promise.all(
      [gateway, cells.east].map(({ anyone }) => anyone.post('/v1/register/verify', { code: text })),
    );
    expect([name, asked!.status, asked!.body.code]).toEqual([name, alone!.status, alone!.body.code]);
    expect([name, await gateway.anyone.code(find, { code: `N${unique()}` })]).toEqual([name, 'NOT_FOUND']);
  }
});

/** Look-ups of the directory by one gateway so far. */
async function lookups({ url }: TestGateway): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = [...text.matchAll(/^directory_lookups_total\{.*outcome="read".*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

test('a request has at most 20 names looked up, and a refused one none', async () => {
  const limited = await startGateway(directory.database.connectionString, cells, {
    httpRateLimit: 4,
    corsOrigins: ['https://*.itch.zone'],
  });
  try {
    const game = () => `gam_${randomUUID()}`;
    const many = () => Array.from({ length: 1_400 }, game);
    const query = 'query ($of: [ID!]!) { a: nodes(ids: $of) { id } }';
    const before = await lookups(limited);
    await limited.anyone.post('/graphql', { query, variables: { of: many() } });
    await limited.anyone.post('/v1/client/sessions', { game_id: game(), metadata: { of: many() } });
    expect((await lookups(limited)) - before).toBe(40);
    // A name in the path decides: the body is not looked at.
    await limited.anyone.post(`/v1/boards/brd_${randomUUID()}/imports`, { game_id: game() });
    expect((await lookups(limited)) - before).toBe(41);
    await limited.anyone.get('/games/nowhere');
    const at = await lookups(limited);
    for (const head of [
      'POST /graphql',
      'POST /v1/client/sessions',
      `POST /v1/boards/brd_${randomUUID()}/imports`,
    ]) {
      const refused = await answerToHead(limited.url, head);
      expect([head, refused.status, refused.code]).toEqual([head, 429, 'RATE_LIMITED']);
    }
    const page = await limited.anyone.get(`/b/N${unique()}`);
    expect([page.status, page.body]).toEqual([429, expect.stringContaining('Too many requests')]);
    const socket = await TestSocket.connect(limited.url);
    const frame = await socket.run(query, { of: many() });
    expect(frame.payload[0].extensions.code).toBe('RATE_LIMITED');
    await socket.close();
    expect(await lookups(limited)).toBe(at);

    // A key with the public part of the superadmin's has no body read.
    const forged = `service-api-key: ${GATEWAY_KEY.slice(0, 20)}`;
    expect((await answerToHead(limited.url, 'POST /v1/games', [forged])).code).toBe('INVALID_API_KEY');
    // Pages of other origins: as at a service of its own.
    const origin = 'https://html.itch.zone';
    const { headers } = await limited.anyone.with({ origin }).get('/v1/me');
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    const foreign = await limited.anyone.with({ origin: 'https://itch.zone' }).get('/v1/me');
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
  } finally {
    await limited.close();
  }
});

test('lists of the superadmin are those of all cells, in one order, forwards and backwards', async () => {
  const { superadmin } = gateway;
  for (const [index, name] of ['Zebra', 'apple', 'Äpfel', '𝒳 marks', 'Ωmega', 'Apple'].entries()) {
    await openOnly(NAMES[index % 2]!);
    const { id } = await makeAccount(gateway as never, { name });
    await makeUser(superadmin, id, { displayName: 'Same name' });
  }
  const whole = async (field: string, args: string, by: (node: Data) => string) => {
    const query = `{ ${field}(first: 100, ${args}) { nodes { id name: ${field === 'users' ? 'displayName' : 'name'} createdAt } } }`;
    const lists = await Promise.all(
      NAMES.map(async (name) => (await superadmin.with({ 'service-cell': name }).data(query))[field].nodes),
    );
    return lists
      .flat()
      .map((node: Data) => [Buffer.from(`${by(node)} ${node.id}`), node.id] as const)
      .sort(([a], [b]) => Buffer.compare(a, b))
      .map(([, id]) => id);
  };
  const named = await whole('accounts', 'orderBy: {field: NAME}', ({ name }) => name);
  expect(await walk(superadmin, 'accounts', 'orderBy: {field: NAME}', 3)).toEqual(named);
  const users = await whole('users', 'orderBy: {field: DISPLAY_NAME}', ({ name }) => name);
  expect(await walk(superadmin, 'users', 'orderBy: {field: DISPLAY_NAME}', 2)).toEqual(users);
  expect(new Set(await walk(superadmin, 'accounts', '', 4))).toEqual(new Set(named));

  // The same in REST.
  const pages: string[][] = [];
  for (let path = '/v1/accounts?sort=name:asc&limit=3'; ; ) {
    const { status, body } = await superadmin.get(path);
    expect([status, body.pagination.count]).toEqual([200, body.data.length]);
    pages.push(body.data.map(({ id }: Data) => id));
    if (!body.pagination.has_next) break;
    path = `/v1/accounts?sort=name:asc&limit=3&cursor=${body.pagination.next_cursor}`;
  }
  expect(pages.flat()).toEqual(named);
  const edges = `{ accounts(orderBy: {field: NAME}, first: 2) { __typename edges { cursor node { id } } } }`;
  const { accounts } = await superadmin.data(edges);
  expect(accounts.edges.map(({ node }: Data) => node.id)).toEqual(named.slice(0, 2));
  const after = `{ accounts(orderBy: {field: NAME}, first: 2, after: "${accounts.edges[0].cursor}") { nodes { id } } }`;
  expect((await superadmin.data(after)).accounts.nodes.map(({ id }: Data) => id)).toEqual(named.slice(1, 3));

  // A filter that one cell alone knows, and faults as they are.
  const slug = 'zebra';
  expect((await superadmin.get(`/v1/accounts?slug=${slug}`)).body.data).toMatchObject([{ slug }]);
  expect((await superadmin.get('/v1/accounts?slug=nowhere')).body.code).toBe('NOT_FOUND');
  expect((await superadmin.get('/v1/accounts?sort=size:asc')).body.code).toBe('INVALID_SORT');
  expect(await superadmin.code('{ accounts(after: "x") { nodes { id } } }')).toBe('INVALID_CURSOR');
  for (const path of ['users', 'api-keys', 'games', 'boards', 'audit-entries', 'jam-codes', 'devices']) {
    expect([path, (await superadmin.get(`/v1/${path}`)).status]).toEqual([path, 200]);
  }
});

test('a registration stays on the cell that its address was given', async () => {
  await openOnly('west');
  const app = through(gateway, cells.west);
  await gateway.anyone.post('/register/initiate', { email: 'ada@example.com' });
  await openOnly('east');
  const { account_id } = await register(app, 'ada@example.com', { account_name: 'Ada' });
  expect(await cells.west.database.knex('accounts').where('id', account_id.slice(4))).toHaveLength(1);
});

test('new accounts go to open cells by their weight, and none to others', async () => {
  const { knex } = directory.directory.database;
  const before = await knex('cells').select();
  const shares = async (down: string[] = []) => {
    let quantile = 0.5;
    const draw = () => quantile++ / 100;
    const placement = new CellPlacement(
      directory.directory,
      'a secret',
      (cell) => !down.includes(cell),
      draw,
    );
    const counts: Record<string, number> = {};
    for (let n = 0; n < 100; n += 1) {
      const cell = await placement.choose();
      counts[cell] = (counts[cell] ?? 0) + 1;
    }
    return counts;
  };
  await knex('cells').insert([
    { id: 'leaving', state: 'draining', weight: 9 },
    { id: 'none', state: 'open', weight: 0 },
  ]);
  await knex('cells').where('id', 'east').update({ state: 'open', weight: 1 });
  await knex('cells').where('id', 'west').update({ state: 'open', weight: 3 });
  expect(await shares()).toEqual({ east: 25, west: 75 });
  expect(await shares(['west'])).toEqual({ east: 100 });
  await knex('cells').where('id', 'west').update({ state: 'full' });
  expect(await shares()).toEqual({ east: 100 });
  await expect(shares(['east'])).rejects.toMatchObject({ code: 'UNAVAILABLE' });
  // Through the gateway as well.
  await openOnly('west');
  const { body } = await gateway.superadmin.post('/v1/accounts', { name: 'Placed' });
  expect(await cells.west.database.knex('accounts').where('id', uuidOf(body.id))).toHaveLength(1);
  await knex('cells').whereIn('id', ['leaving', 'none']).delete();
  for (const { id, state, weight } of before) await knex('cells').where({ id }).update({ state, weight });
});

test('every figure of a gateway is on the page of monitoring', async () => {
  const { body } = await send(`${gateway.url}/metrics`);
  const page = readFileSync(path.resolve(__dirname, '../../docs/operations/monitoring.md'), 'utf8');
  const names = [...(body as string).matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name!);
  expect(names).toEqual(expect.arrayContaining(['cell_up', 'misdirected_requests_total']));
  const missing = names.filter((name) => !/^(process|nodejs)_/.test(name) && !page.includes(`\`${name}\``));
  expect(missing).toEqual([]);
});

test('an account that has moved is found by a gateway that believes it where it was', async () => {
  const { studio, board, player } = studios.east;
  const urls = { east: cells.east.database.connectionString, west: cells.west.database.connectionString };
  // Without announcements a gateway looks again after a minute.
  await directory.directory.database.knex.raw('alter table accounts disable trigger accounts_changed');
  const { game } = studios.east;
  const headers = { ...studio.admin.headers, 'content-type': 'image/png' };
  await send(`${gateway.url}/v1/games/${game.id}/logo`, {
    method: 'PUT',
    headers,
    body: new Uint8Array(PNG),
  });
  const { body: read } = await studio.admin.get(`/v1/games/${game.id}`);
  const formerly = gateway.superadmin.with({ 'service-cell': 'east' });
  for (const request of [
    // The superadmin names the cell that the account has left.
    () => formerly.get(`/v1/boards/${board.id}`),
    () => formerly.get(`/v1/score-flags?account_id=${studio.accountId}`),
    async () => ({ status: (await fetch(gateway.url + new URL(read.logo_url).pathname)).status, body: {} }),
    () => studio.admin.get(`/v1/boards/${board.id}`),
    () => player.client.get('/v1/client/nonce'),
    () => gateway.anyone.get(`/b/${board.shortCode}`),
    () => studio.admin.post('/graphql', { query: `{ board(by: { id: "${board.id}" }) { name } }` }),
  ]) {
    const home = (await cells.east.database.knex('accounts').where('id', uuidOf(studio.accountId)).first())
      .status;
    await moverOf(directory, urls).move(uuidOf(studio.accountId), home === 'moved' ? 'east' : 'west');
    const { status, body } = (await request()) as { status: number; body: Data };
    expect([status, body.errors]).toEqual([200, undefined]);
    await moverOf(directory, urls).clean(uuidOf(studio.accountId));
  }
  await directory.directory.database.knex.raw('alter table accounts enable trigger accounts_changed');
});

test('cells are added, drained and listed from the terminal', async () => {
  const run = promisify(execFile);
  const command = async (...words: string[]) => {
    const preload = path.resolve(__dirname, '../support/ts-require.cjs');
    const script = path.resolve(__dirname, '../../src/operator/cells.ts');
    const env = { ...process.env, DIRECTORY_URL: directory.database.connectionString };
    return (await run(process.execPath, ['-r', preload, script, ...words], { env })).stdout;
  };
  expect(await command('add', '--weight=3', '--', 'north')).toMatch(
    /^north +open +weight 3, 0 accounts, not started yet\n$/,
  );
  expect(await command('drain', 'north')).toMatch(/^north +draining /);
  expect((await command('list')).split('\n').map((line) => line.split(' ')[0])).toEqual([
    'east',
    'north',
    'west',
    '',
  ]);
  const terminal = new Terminal({ LEADERBOARD_API: gateway.url, LEADERBOARD_API_KEY: GATEWAY_KEY });
  expect((await terminal.run(['whoami'])).stderr).toContain('the header service-cell');
  const known = await terminal.run(['login', '--cell', 'west']);
  expect([known.code, known.stderr]).toEqual([0, '']);
  expect(terminal.profiles().default.cell).toBe('west');
  for (const [name, words] of [
    ['west', []],
    ['east', ['--cell', 'east']],
  ] as const) {
    const me = JSON.parse((await terminal.run(['whoami', '--json', ...words])).stdout);
    const { knex } = cells[name].database;
    expect(await knex('users').where('id', uuidOf(me.user.id)).first('super_admin')).toEqual({
      super_admin: true,
    });
  }
  terminal.close();
  await expect(command('drain', 'nowhere')).rejects.toThrow('The directory has no cell nowhere');
});
