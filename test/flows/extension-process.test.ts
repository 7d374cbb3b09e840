import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { Caller, type Data } from '../support/http.js';
import {
  DataDir,
  type Program,
  runProgram,
  settingsOn,
  startService,
  superadminOf,
} from '../support/process.js';

const ROOT = path.resolve(__dirname, '../..');
let clone: TestDatabase;
let dir: DataDir;
let service: Program | undefined;

beforeAll(async () => {
  clone = await cloneDatabase();
  clone.open();
  dir = new DataDir();
  mkdirSync(dir.path);
});
afterAll(async () => {
  if (service?.running) await service.kill('SIGKILL');
  await dir.remove();
  await clone.drop();
});

async function created(answer: Promise<{ status: number; body: Data }>): Promise<Data> {
  const { status, body } = await answer;
  expect([status, body]).toEqual([201, body]);
  return body;
}

test('the example: players mark boards in one of several processes, and every board shows how many did', async () => {
  const HOOKS_MODULE = path.join(ROOT, 'examples/favourites.mjs');
  const settings = { ...settingsOn(clone, dir), HOOKS_MODULE, LOG_LEVEL: 'warn', WORKERS: '2' };
  const { program, url } = await startService(settings);
  service = program;
  const root = superadminOf(url);
  const { id: account_id } = await created(root.post('/v1/accounts', { name: 'Favourites' }));
  const { id: game_id } = await created(root.post('/v1/games', { account_id, name: 'Favourites' }));
  const boards: Data[] = [];
  for (const name of ['One', 'Two', 'Three']) {
    boards.push(await created(root.post('/v1/boards', { account_id, game_id, name })));
  }
  const player = async (client_fingerprint: string) => {
    const session = { game_id, client_fingerprint };
    const { access_token } = await created(new Caller(url).post('/v1/client/sessions', session));
    return new Caller(url, { authorization: `Bearer ${access_token}` });
  };
  const [ann, ben] = [await player('ann'), await player('ben')];
  const MARK = `mutation ($board: ID!, $on: Boolean) {
    markFavourite(boardId: $board, isFavourite: $on) { name favouriteCount } }`;
  const mark = (caller: Caller, n: number, on?: boolean) => caller.data(MARK, { board: boards[n].id, on });
  expect((await mark(ann, 0)).markFavourite).toEqual({ name: 'One', favouriteCount: 1 });
  expect((await mark(ben, 0)).markFavourite).toEqual({ name: 'One', favouriteCount: 2 });
  expect((await mark(ann, 2)).markFavourite.favouriteCount).toBe(1);
  expect((await mark(ben, 0, false)).markFavourite.favouriteCount).toBe(1);
  const mine = '{ myFavourites { name favouriteCount } }';
  expect((await ann.data(mine)).myFavourites).toEqual([
    { name: 'Three', favouriteCount: 1 },
    { name: 'One', favouriteCount: 1 },
  ]);
  expect((await ben.data(mine)).myFavourites).toEqual([]);
  expect(await root.code(mine)).toBe('TOKEN_REQUIRED');
  expect(await new Caller(url).code(mine)).toBe('TOKEN_REQUIRED');
  expect(await ann.code(MARK, { board: game_id })).toBe('NOT_FOUND');
  expect(await ann.code('{ myFavourites(first: 51) { name } }')).toBe('VALIDATION_FAILED');
  const counts =
    'query ($game: ID!) { boards(filter: {gameId: $game}, first: 9) { nodes { name favouriteCount } } }';
  const { nodes } = (await root.data(counts, { game: game_id })).boards;
  const shown = nodes.map(({ name, favouriteCount }: Data) => `${name} ${favouriteCount}`);
  expect(shown.toSorted()).toEqual(['One 1', 'Three 1', 'Two 0']);
  const { status } = await root.get(`/v1/boards/${boards[0].id}`);
  expect(status).toBe(200);
  expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
  expect(program.stderr).toBe('');
});

test.each(['1', '2'])(
  'output of libraries and modules, and warnings of Node, are lines of the one log, with %s process(es)',
  async (WORKERS) => {
    const file = path.join(dir.root, 'talkative.mjs');
    const said = [
      "console.error('Retried 100 times, and still failed:', new Error('the connection was lost'))",
      "console.log('hello %s', 'there')",
      "process.emitWarning('11 abort listeners added', 'MaxListenersExceededWarning')",
      'export const preCreateGame = async () => {}',
    ];
    writeFileSync(file, said.join(';\n'));
    const settings = { ...settingsOn(clone, dir), LOG_LEVEL: 'info', HOOKS_MODULE: file, WORKERS };
    const { program } = await startService(settings);
    service = program;
    expect(await program.kill('SIGTERM')).toEqual({ code: 0, signal: null });
    expect(program.stderr).toBe('');
    const lines = program.stdout
      .split('\n')
      .flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
    expect(lines).toContainEqual(
      expect.objectContaining({
        level: 'warn',
        msg: 'Retried 100 times, and still failed:',
        err: expect.objectContaining({ message: 'the connection was lost' }),
      }),
    );
    expect(lines).toContainEqual(expect.objectContaining({ level: 'info', msg: 'hello there' }));
    expect(lines).toContainEqual(
      expect.objectContaining({ err: expect.objectContaining({ message: '11 abort listeners added' }) }),
    );
  },
);

test.each(['1', '2'])(
  'an extension that cannot be joined stops the start, with %s process(es)',
  async (WORKERS) => {
    const file = path.join(dir.root, 'extension.mjs');
    const typeDefs = 'extend type Query { guild: String } extend type Board { name: String }';
    writeFileSync(file, `export const typeDefs = ${JSON.stringify(typeDefs)};`);
    const settings = { ...settingsOn(clone, dir), HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'fatal', WORKERS };
    const { code, stdout, stderr } = await runProgram('src/main.ts', { ...settings, HOOKS_MODULE: file });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^The typeDefs of HOOKS_MODULE .* Board\.name, a field of the service\. .*\n$/);
  },
);

const SHAPES: [exported: string, said: RegExp][] = [
  ['export const typeDefs = 7', /exports typeDefs, which must be a string of GraphQL definitions or a list/],
  [
    'export const typeDefs = ["type A { b: Int }", null]',
    /exports typeDefs, which must be a string of GraphQL/,
  ],
  ['export const resolvers = { Query: {} }', /exports resolvers without typeDefs\. Export the definitions/],
  [
    'export const typeDefs = ""; export const resolvers = []',
    /exports resolvers, which must be an object of/,
  ],
  [
    'export const typeDefs = ""; export const resolvers = { A: 1 }',
    /exports resolvers, which must be an object of/,
  ],
];

test('exports of another shape are refused before anything is made', async () => {
  const names = SHAPES.map(([text], i) => {
    writeFileSync(path.join(dir.root, `shape-${i}.mjs`), text);
    return `./shape-${i}.mjs`;
  });
  const program = await runProgram('test/support/hooks/load-all.ts', {
    MODULES: JSON.stringify(names),
    FROM: dir.root,
  });
  const said: string[] = JSON.parse(program.stdout);
  expect(said).toEqual(SHAPES.map(([, pattern]) => expect.stringMatching(pattern)));
});
