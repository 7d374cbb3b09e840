import { uuidOf } from '../../src/base/ids.js';
import { verifyBoard } from '../../src/rankings/upkeep/verify.js';
import { startApp, type TestApp } from '../support/app.js';
import { DAY, HOUR } from '../support/clock.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  change,
  makeBoard,
  makeGame,
  makeKey,
  makeStudio,
  type Studio,
  startSession,
} from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { expectSound } from '../support/standings.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

const imports = new ImportClient(() => studio.admin);
const begin = imports.begin.bind(imports);
const send = imports.send.bind(imports);
const read = imports.read.bind(imports);
const finish = imports.finish.bind(imports);
const bringIn = (boardId: string, ...chunks: string[]) => imports.bringIn(boardId, chunks);

const best = { keepStrategy: 'BEST', sortDirection: 'DESC' };
const LINES = `external_key,player_name,value,occurred_at
a,Ann,10,2020-01-02T00:00:00Z
b,Bob,10,2020-01-01T00:00:00Z
c,Cy,30,2020-01-03T00:00:00Z
a,Ann,5,2020-01-04T00:00:00Z
d,Di,10,2020-01-02T00:00:00Z
`;
const RANKED = ['1 Cy 30', '2 Bob 10', '3 Ann 10', '4 Di 10'];

test('a file becomes standings: ties in the order of time, then of lines, also on a closed board', async () => {
  const board = await makeBoard(studio, game.id, best);
  await change(studio.admin, 'Board', board.id, { isActive: false });
  const done = await bringIn(board.id, LINES);
  expect(done).toMatchObject({ rows: 5, written: 5, known: 0, players: 4, chunks: 1 });
  expect(await standings(studio.admin, board.id)).toEqual(RANKED);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
  const events = await studio.admin.get(`/v1/score-events?board_id=${board.id}`);
  expect(events.body.data.map(({ source, occurred_at: at }: Data) => `${source} ${at}`)).toContain(
    'import 2020-01-04T00:00:00.000Z',
  );
  const scores = await studio.admin.get(`/v1/scores?board_id=${board.id}`);
  expect(scores.body.data[0]).toMatchObject({ updated_at: '2020-01-03T00:00:00.000Z' });
});

test.each([
  ['RUN_IDENTITY', 'BEST'],
  ['RUN_IDENTITY', 'LAST'],
  ['RUN_RUNS', 'ALL'],
  ['COUNTER', 'ALL'],
])('the same file twice leaves the same standings: %s %s', async (boardType, keepStrategy) => {
  const board = await makeBoard(studio, game.id, { boardType, keepStrategy, sortDirection: 'DESC' });
  await bringIn(board.id, LINES);
  const once = await standings(studio.admin, board.id);
  expect(await bringIn(board.id, LINES)).toMatchObject({ written: 0, known: 5, players: 0 });
  expect(await standings(studio.admin, board.id)).toEqual(once);
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
});

test('a chunk sent again changes nothing, and its number keeps its content', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  for (let n = 0; n < 2; n += 1) expect((await send(id, 0, LINES)).status).toBe(200);
  expect(await read(id)).toMatchObject({ rows: 5, chunks: 1, status: 'open' });
  expect((await send(id, 0, 'external_key,value\na,1\n')).body.code).toBe('CONFLICT');
  expect(await standings(studio.admin, board.id)).toEqual([]);
  await finish(id);
  expect(await standings(studio.admin, board.id)).toEqual(RANKED);
  expect((await send(id, 1, LINES)).body.code).toBe('INVALID_TRANSITION');
  expect((await studio.admin.post(`/v1/imports/${id}/cancel`, {})).body.code).toBe('INVALID_TRANSITION');
});

test('bad lines refuse a chunk by number and reason, or are left out when that is requested', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  const bad = 'external_key,value,occurred_at\na,1,\nb,x,\n,2,\nc,3,2999-01-01T00:00:00Z\n';
  const refused = await send(id, 0, bad);
  expect(refused.status).toBe(422);
  expect(refused.body.details.map(({ loc, msg }: Data) => [loc.at(-1), msg])).toEqual([
    [3, 'value must be a finite number, not "x"'],
    [4, 'external_key is empty: every line needs the key of its player'],
    [5, 'occurred_at must not be in the future, as 2999-01-01T00:00:00.000Z is'],
  ]);
  expect((await send(id, 0, bad, { dry_run: true })).body).toMatchObject({ accepted: 1, bad: { length: 3 } });
  expect(await read(id)).toMatchObject({ rows: 0, chunks: 0 });
  const taken = await send(id, 0, bad, { skip_bad: true });
  expect(taken.body).toMatchObject({ accepted: 1, bad: [{ line: 3 }, { line: 4 }, { line: 5 }] });
  const many = `external_key,value\n${'a,1\n'.repeat(5_001)}`;
  expect((await send(id, 1, many)).body.details[0].type).toBe('lines');
  expect((await send(id, 1, 'external_key,"value\na')).body.details[0].type).toBe('csv');
});

test('nothing of a cancelled import remains', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  await send(id, 0, 'external_key,value\nnew player,1\n');
  expect((await studio.admin.post(`/v1/imports/${id}/cancel`, {})).body.status).toBe('cancelled');
  const left = (table: string) => app.database.knex(table).where('import_id', uuidOf(id));
  await until(async () => (await left('import_rows')).length + (await left('import_chunks')).length === 0);
  expect(await app.database.knex('identities').where('external_key', 'new player')).toEqual([]);
  expect(await standings(studio.admin, board.id)).toEqual([]);
});

test('a board takes submissions meanwhile, and imported players and live ones are ranked together', async () => {
  const board = await makeBoard(studio, game.id, best);
  const player = await startSession(app, game.id);
  await submit(player, board.id, 20, { playerName: 'Live' });
  const id = await begin(board.id);
  await send(id, 0, LINES);
  const ended = finish(id);
  await submit(player, board.id, 40, { playerName: 'Live' });
  await ended;
  expect(await standings(studio.admin, board.id)).toEqual([
    '1 Live 40',
    '2 Cy 30',
    '3 Bob 10',
    '4 Ann 10',
    '5 Di 10',
  ]);
  await submit(player, board.id, 41, { playerName: 'Live' });
  expect(await verifyBoard(app.database, board.id)).toEqual([]);
});

test.each([
  ['RUN_IDENTITY', 'BEST'],
  ['RUN_RUNS', 'ALL'],
  ['COUNTER', 'ALL'],
])('an exported board is imported rank by rank: %s', async (boardType, keepStrategy) => {
  const board = await makeBoard(studio, game.id, { boardType, keepStrategy, sortDirection: 'DESC' });
  await bringIn(board.id, LINES, 'external_key,value\ne,10\nf,10\n');
  for (const what of ['standings', 'events']) {
    const exported = await studio.admin.get(`/v1/boards/${board.id}/export?what=${what}`);
    const copy = await makeBoard(studio, game.id, { boardType, keepStrategy, sortDirection: 'DESC' });
    await bringIn(copy.id, exported.body);
    expect(await standings(studio.admin, copy.id)).toEqual(await standings(studio.admin, board.id));
  }
});

test('a file may hold players alone', async () => {
  const board = await makeBoard(studio, game.id, best);
  const players = 'external_key,player_name,identity_kind\nalone,Alone,platform\nalone,Other,custom\n';
  expect(await bringIn(board.id, players)).toMatchObject({ players: 2, written: 0 });
  expect(await standings(studio.admin, board.id)).toEqual([]);
  const { body } = await studio.admin.get(`/v1/identities?game_id=${game.id}&kind=platform`);
  expect(body.data).toMatchObject([{ external_key: 'alone', display_name: 'Alone' }]);
  await bringIn(board.id, 'external_key,value,identity_kind\nalone,3,platform\n');
  expect(await standings(studio.admin, board.id)).toEqual(['1 Alone 3']);
});

test('device players keep their keys to themselves: no name is made of one, and a shortened one is refused', async () => {
  const [board, copy] = [await makeBoard(studio, game.id, best), await makeBoard(studio, game.id, best)];
  const keys = ['text of a phone', 'text of a tablet'];
  const lines = keys.map((key, index) => `${key},${index + 1},device`).join('\n');
  await bringIn(board.id, `external_key,value,identity_kind\n${lines}\n`);
  expect(await standings(studio.admin, board.id)).toEqual(['1  2', '2  1']);
  const exported = async (scopes: string[]) => {
    const { key } = await makeKey(app.superadmin, studio.accountId, studio.userId, { scopes });
    const caller = app.anyone.with({ 'service-api-key': key });
    return (await caller.get(`/v1/boards/${board.id}/export`)).body as string;
  };
  const file = await exported(['READ']);
  expect(file).toContain('text of …');
  for (const key of keys) expect(file).not.toContain(key);
  const refused = await send(await begin(copy.id), 0, file);
  expect(refused.status).toBe(422);
  expect(JSON.stringify(refused.body)).toContain('is shortened: export again');
  await bringIn(copy.id, await exported(['READ', 'MODERATE']));
  expect(await standings(studio.admin, copy.id)).toEqual(['1  2', '2  1']);
  const { rows } = await app.database.knex.raw(
    'select count(*)::int as players from identities where external_key = any(?)',
    [keys],
  );
  expect(rows).toEqual([{ players: 2 }]);
});

test('ratio boards take no imports, and other accounts no part in them', async () => {
  const counter = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const tries = await makeBoard(studio, game.id, { boardType: 'COUNTER' });
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: counter.id, denominatorBoardId: tries.id },
  });
  expect((await studio.admin.post(`/v1/boards/${ratio.id}/imports`, {})).body.code).toBe('WRONG_BOARD_TYPE');
  const rival = await makeStudio(app);
  const id = await begin(counter.id);
  expect((await rival.admin.get(`/v1/imports/${id}`)).body.code).toBe('FORBIDDEN');
  expect((await rival.admin.get(`/v1/boards/${counter.id}/imports`)).body.code).toBe('FORBIDDEN');
  const { board } = await studio.admin.data(
    'query ($id: ID!) { board(by: {id: $id}) { scoreImports { nodes { id status } } } }',
    { id: counter.id },
  );
  expect(board.scoreImports.nodes).toEqual([{ id, status: 'OPEN' }]);
});

test('a chunk of 100,000 short lines is refused', async () => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const { status, body } = await send(id, 0, `external_key,value\n${'a\n'.repeat(100_000)}`);
  expect([status, body.details[0].type]).toEqual([422, 'lines']);
  expect(await read(id)).toMatchObject({ chunks: 0, lines: 0 });
});

test.each([
  ['NUL', 'external_key,value\na\0b,1\n', 'must not contain NUL or an unpaired surrogate'],
  ['half a character', 'external_key,value\na\ud800,1\n', 'must not contain NUL or an unpaired surrogate'],
  ['a number beyond the range', 'external_key,value\na,1e999\n', 'value must be a finite number'],
  ['a number that is none', 'external_key,value\na,0x10\n', 'value must be a finite number'],
  ['a column twice', 'external_key,value,value\na,1,2\n', 'the column "value" appears twice'],
  ['no key', 'player,value\na,1\n', 'there is no column "external_key"'],
  ['a cell too many', 'external_key,value\na,1,2\n', 'has 3 cells for 2 columns'],
  ['a cell too few', 'external_key,value\na\n', 'has 1 cells for 2 columns'],
  ['an open quote', 'external_key,value\n"a,1\n', 'has a quote that is not closed'],
  ['an open quote in its first line', 'external_key,"value\na,1\n', 'is not CSV: line 1 has a quote'],
  ['a key too long', `external_key,value\n${'k'.repeat(129)},1\n`, 'external_key must not be longer'],
  ['a name of blanks', 'external_key,player_name,value\na,"  ",1\n', 'player_name must be 1 to 64'],
  ['metadata that is a list', 'external_key,value,metadata\na,1,[]\n', 'metadata must be a JSON object'],
  [
    'a line number beyond the range',
    'line,external_key,value\n3000000000,a,1\n',
    'line must be a whole number',
  ],
  [
    'an impossible day',
    'external_key,value,occurred_at\na,1,2020-02-31\n',
    'occurred_at must be an ISO 8601',
  ],
])('a chunk with %s is refused and leaves nothing', async (_, content, reason) => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  const { status, body } = await send(id, 0, content);
  expect([status, JSON.stringify(body.details)]).toEqual([
    422,
    expect.stringContaining(JSON.stringify(reason).slice(1, -1)),
  ]);
  expect(await read(id)).toMatchObject({ chunks: 0, rows: 0 });
});

test('a line with a stray quote is skipped alone, and blanks around keys are cut', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  const rows = ['" q1 ",1', '"ann" b,2', 'q2\u00a0,3', '"ann,4', '"q3",5', 'a"nn,6', ' q1,7'];
  const { body } = await send(id, 0, `external_key,value\n${rows.join('\n')}\n`, { skip_bad: true });
  expect([body.accepted, body.bad.map(({ line }: Data) => line)]).toEqual([4, [3, 5, 7]]);
  const done = await finish(id);
  expect(done).toMatchObject({ lines: 7, rows: 4, refused: 3, players: 3 });
  expect(await standings(studio.admin, board.id)).toEqual(['1 q1 7', '2 q3 5', '3 q2 3']);
});

test('a name is refused by the characters that people count', async () => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const line = (name: string) => `{"external_key":"g","player_name":"${name}","value":1}`;
  const content = [line('👨‍👩‍👧'.repeat(51)), line('👍🏽'.repeat(65)), line('x'.repeat(65))].join('\n');
  const { body } = await send(id, 0, content, { format: 'ndjson', skip_bad: true });
  const reason = 'player_name must be 1 to 64 visible characters without control characters, not 65';
  expect(body).toMatchObject({
    accepted: 1,
    bad: [
      { line: 2, reason },
      { line: 3, reason },
    ],
  });
  expect(await finish(id)).toMatchObject({ rows: 1, written: 1 });
});

test('a mark of byte order, carriage returns, quotes and names in any script are read', async () => {
  const board = await makeBoard(studio, game.id, best);
  const csv =
    '\ufeffexternal_key,player_name,value,metadata\r\n"a,1","Ann ""A""",3,"{""car"":""x""}"\r\n"b\n2",名前,-0,\r\n';
  await bringIn(board.id, csv.replace('b\n2', 'b 2'));
  expect(await standings(studio.admin, board.id)).toEqual(['1 Ann "A" 3', '2 名前 0']);
  const id = await begin(board.id);
  const content = '\ufeff{"external_key":"c","value":"4"}\r\n\n{"external_key":5,"value":1}\nnull\n';
  const { body } = await send(id, 0, content, { format: 'ndjson', skip_bad: true });
  expect(body).toMatchObject({ accepted: 2, bad: [{ line: 4, reason: 'is not a JSON object' }] });
});

test('lines that are not UTF-8 and bodies that are too large are refused', async () => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const post = (body: string | Buffer) =>
    fetch(`${app.url}/v1/imports/${id}/chunks`, {
      method: 'POST',
      headers: { ...studio.admin.headers, 'content-type': 'application/json' },
      body,
    });
  const latin = Buffer.from('{"number":0,"format":"csv","content":"external_key,value\\n\xe9,1"}', 'latin1');
  const refused = await post(latin);
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('is not UTF-8')]);
  const large = (bytes: number) => JSON.stringify({ number: 0, format: 'csv', content: 'x'.repeat(bytes) });
  expect((await post(large(2 ** 21 + 1))).status).toBe(422);
  expect((await post(large(2 ** 22))).status).toBe(413);
  expect(await read(id)).toMatchObject({ chunks: 0 });
});

test('imported scores count at their times: the last of a player is the last in time', async () => {
  const [last, first] = await Promise.all(
    ['LAST', 'FIRST'].map((keepStrategy) =>
      makeBoard(studio, game.id, { keepStrategy, sortDirection: 'DESC' }),
    ),
  );
  const { id: identityId } = (
    await studio.admin.post('/v1/identities', {
      game_id: game.id,
      kind: 'custom',
      external_key: 'timed',
      display_name: 'Timed',
    })
  ).body;
  const history =
    'external_key,value,occurred_at\ntimed,5,2020-01-02T00:00:00Z\ntimed,9,2020-01-01T00:00:00Z\n';
  for (const board of [last!, first!]) {
    await studio.admin.post('/v1/score-events', { board_id: board.id, identity_id: identityId, value: 7 });
    await bringIn(board.id, history);
    await expectSound(app.database, board.id);
  }
  expect(await standings(studio.admin, last!.id)).toEqual(['1 Timed 7']);
  expect(await standings(studio.admin, first!.id)).toEqual(['1 Timed 9']);
});

test("where a board's clock was set back, its own events keep their order, and imported ones come before them", async () => {
  const board = await makeBoard(studio, game.id, { keepStrategy: 'LAST', sortDirection: 'DESC' });
  const player = await startSession(app, game.id);
  const { body: identity } = await studio.admin.get(`/v1/identities/${player.session.identityId}`);
  app.clock.advance(HOUR);
  await submit(player, board.id, 7);
  app.clock.advance(-HOUR);
  await submit(player, board.id, 8);
  const columns = 'external_key,identity_kind,value,occurred_at';
  await bringIn(
    board.id,
    `${columns}\n${identity.external_key},${identity.kind},5,${new Date(app.clock.now()).toISOString()}`,
  );
  expect((await standings(studio.admin, board.id)).map((line) => line.split(' ').at(-1))).toEqual(['8']);
  await expectSound(app.database, board.id);
});

test('ratio boards follow an import into their sources', async () => {
  const [kills, deaths] = [
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
    await makeBoard(studio, game.id, { boardType: 'COUNTER' }),
  ];
  const ratio = await makeBoard(studio, game.id, {
    boardType: 'RATIO',
    ratioConfig: { numeratorBoardId: kills.id, denominatorBoardId: deaths.id },
  });
  await bringIn(deaths.id, 'external_key,value\nr1,2\nr2,5\n');
  await bringIn(kills.id, 'external_key,value\nr1,6\nr2,10\n');
  await until(async () => (await standings(studio.admin, ratio.id)).join() === '1 r1 3,2 r2 2');
  expect(await verifyBoard(app.database, ratio.id)).toEqual([]);
});

test('the checks of fair play run on an import when that is requested', async () => {
  const board = await makeBoard(studio, game.id, best);
  const lines = [
    'external_key,value,occurred_at',
    ...[
      'x,10,2020-01-01T00:00:00Z',
      'x,11,2020-01-01T00:00:01Z',
      'x,12,2020-01-01T00:10:00Z',
      'y,3,2020-01-01T00:00:00Z',
    ],
    ...Array.from({ length: 60 }, (_, n) => `z,${n},2020-01-01T00:${String(n).padStart(2, '0')}:30Z`),
  ].join('\n');
  expect(await bringIn(board.id, lines)).toMatchObject({ checked: false, flags: 0 });
  expect(await standings(studio.admin, board.id)).toEqual(['1 z 59', '2 x 12', '3 y 3']);

  const checked = await makeBoard(studio, game.id, best);
  const done = await imports.bringIn(checked.id, [lines], { checked: true });
  const flags = (await studio.admin.get(`/v1/score-flags?board_id=${checked.id}&limit=100`)).body.data;
  expect(done).toMatchObject({ checked: true, written: 64, flags: flags.length });
  const types = new Set(flags.map(({ flag_type: type }: Data) => type));
  expect([...types].sort()).toEqual(['rate_limit', 'velocity']);
  // The hour's limit of the tier is 50: what came after counts no more.
  expect(await standings(studio.admin, checked.id)).toEqual(['1 z 49', '2 x 12', '3 y 3']);
  await expectSound(app.database, checked.id);
});

test('a board has ten open imports at most, and one that gets no chunk for a week is cancelled', async () => {
  const board = await makeBoard(studio, game.id, best);
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) ids.push(await begin(board.id));
  await send(ids[0]!, 0, LINES);
  expect((await studio.admin.post(`/v1/boards/${board.id}/imports`, {})).body.code).toBe('CONFLICT');
  app.clock.advance(8 * DAY);
  await until(async () => (await read(ids[0]!)).status === 'cancelled');
  await until(
    async () => (await app.database.knex('import_rows').where('import_id', uuidOf(ids[0]!))).length === 0,
  );
  await begin(board.id);
});

test.each([
  ['NUL', '{"a":"\\u0000"}', 'metadata must not contain NUL'],
  ['half a character', '{"a":["\\ud800"]}', 'metadata must not contain NUL or an unpaired surrogate'],
  ['a name with half a character', '{"\\udc00":1}', 'metadata must not contain NUL or an unpaired surrogate'],
  ['65 levels', `{"a":${'['.repeat(65)}${']'.repeat(65)}}`, 'metadata must not be nested deeper than 64'],
  ['30,000 levels', `{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 'metadata must not be nested deeper'],
  ['500,000 levels', `{"a":${'['.repeat(500_000)}${']'.repeat(500_000)}}`, 'is longer than 65536 characters'],
  [
    'a member __proto__',
    '{"__proto__":{"admin":true}}',
    'metadata must not have a member named __proto__, constructor or prototype',
  ],
  ['a number that would be rounded', '{"seed":12345678901234567890}', 'metadata holds a number with more'],
])('metadata given as text with %s refuses the line', async (_, metadata, reason) => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const content = JSON.stringify({ external_key: 'a', value: 1, metadata });
  const { status, body } = await send(id, 0, content, { format: 'ndjson' });
  expect([status, body.details]).toEqual([
    422,
    [expect.objectContaining({ msg: expect.stringContaining(reason) })],
  ]);
});

test.each([
  'line',
  'fault',
  'counts',
  'is_test',
  'external_key',
  'player_name',
  'value',
  'occurred_at',
  'metadata',
])('a value of %s that is nested deeply, or has half a character, refuses the line', async (name) => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const line = (value: string) => `{"external_key":"a","value":1,"${name}":${value}}`;
  const deep = line(`${'['.repeat(30_000)}${']'.repeat(30_000)}`);
  const content = `${name === 'line' ? '' : deep}\n${line('"\\ud800"')}\n`;
  const { status, body } = await send(id, 0, content, { format: 'ndjson' });
  expect([status, body.details?.length]).toEqual([422, name === 'line' ? 1 : 2]);
});

test('numbers that lose digits are refused as keys, values and in lines of every kind', async () => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const reasons = async (format: string, content: string) =>
    (await send(id, 0, content, { format, dry_run: true })).body.bad.map(({ reason }: Data) => reason);
  const ids = [
    '{"external_key":76561198000000001,"value":1}',
    '{"external_key":76561198000000002,"value":1}',
    '{"external_key":7.656119e16,"value":1}',
    '{"external_key":1.5,"value":1}',
    '{"external_key":"7,65612E+16","value":1}',
    '{"external_key":"a","player_name":76561198000000001,"value":1}',
  ];
  expect(await reasons('ndjson', ids.join('\n'))).toEqual(
    Array.from({ length: 6 }, () => expect.stringContaining('write ids as text')),
  );
  expect(await reasons('csv', 'external_key,value\n7.65612E+16,1\n76561198000000001,1\n12e4567,1\n')).toEqual(
    [expect.stringContaining('write ids as text')],
  );
  const values = ['9007199254740993', '"9007199254740993"', '0.123456789012345678', '-9007199254740993'];
  const kept = ['9007199254740992', '1e20', '0.30000000000000004', '147573952589676410000', '"1.50"', '0'];
  const lines = [...values, ...kept].map((value) => `{"external_key":"a","value":${value},"seq":1}`);
  expect(await reasons('ndjson', lines.join('\n'))).toEqual(
    values.map(() => 'value has more digits than a double keeps'),
  );
});

test('a line whose value has another name is refused, and one that the sender could not read', async () => {
  const id = await begin((await makeBoard(studio, game.id, best)).id);
  const csv = await send(id, 0, 'external_key,score\na,1\n');
  expect(csv.body.details[0].msg).toContain('has no "value", but "score"');
  const content =
    '{"external_key":"a","score":1}\n{"line":7,"fault":"is torn"}\n{"external_key":"b","trust_tier":"a"}';
  expect((await send(id, 0, content, { format: 'ndjson', skip_bad: true })).body).toMatchObject({
    accepted: 1,
    bad: [
      { line: 1, reason: expect.stringContaining('has no "value", but "score"') },
      { line: 7, reason: 'is torn' },
    ],
  });
});

test('the record of an import accounts for every line', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  // Players of no other test, which would keep the names that they have.
  const head = 'external_key,value,score_id,status\n';
  await send(id, 0, `${head}one,1,s1,accepted\none,2,s1,accepted\ntwo,3,s2,accepted\nthree,x,s3,accepted\n`, {
    skip_bad: true,
  });
  await send(id, 1, `${head}two,,s2,removed\nfour,4,s4,rejected\none,5,s1,accepted\nfive,6,s5,accepted\n`);
  const sums = { lines: 8, rows: 2, replaced: 3, skipped: 2, refused: 1 };
  expect(await finish(id)).toMatchObject({ ...sums, written: 2 });
  expect(await standings(studio.admin, board.id)).toEqual(['1 five 6', '2 one 5']);
});

test('a removed line without a record withdraws the earlier lines of its player, in its chunk, too', async () => {
  const board = await makeBoard(studio, game.id, best);
  const id = await begin(board.id);
  const head = 'external_key,value,score_id,status\n';
  await send(id, 0, `${head}away,1,,\nback,2,,\n`);
  await send(id, 1, `${head}away,3,,\nother,4,,\naway,,,removed\nback,5,,\nback,,,removed\nback,6,,\n`);
  expect(await finish(id)).toMatchObject({ lines: 8, rows: 2, replaced: 4, skipped: 2, written: 2 });
  expect(await standings(studio.admin, board.id)).toEqual(['1 back 6', '2 other 4']);
});

test('times are dates, date-times, and seconds and milliseconds since 1970', async () => {
  const board = await makeBoard(studio, game.id, best);
  const times = ['2020-01-02', '1577923200', '1577923200000', '1577923200.5', '2020-01-02T01:00:00+01:00'];
  const lines = times.map((time, n) => `p${n},${n},${time}`).join('\n');
  await bringIn(board.id, `external_key,value,occurred_at\n${lines}\n`);
  const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}`);
  const found = body.data.map(({ updated_at: at }: Data) => at).sort();
  expect(found).toEqual([...Array(4).fill('2020-01-02T00:00:00.000Z'), '2020-01-02T00:00:00.500Z']);
  const id = await begin(board.id);
  const unclear = ['20200102', '202001021200', '43832.5', '2020-02-31', '02/01/2020', '32503680000'];
  const refused = unclear.map((time) => `{"external_key":"a","value":1,"occurred_at":"${time}"}`).join('\n');
  expect((await send(id, 0, refused, { format: 'ndjson', dry_run: true })).body.bad).toHaveLength(6);
});
