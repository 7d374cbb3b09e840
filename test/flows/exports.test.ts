import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { parse } from 'csv-parse/sync';
import { markedText, withoutMarks } from '../../src/base/transfer/marked-text.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import {
  change,
  makeBoard,
  makeGame,
  makeStudio,
  type Player,
  type Studio,
  startSession,
} from '../support/make.js';
import { standings, submit } from '../support/play.js';
import { Terminal } from '../support/terminal.js';
import { until } from '../support/wait.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let board: Data;
let players: Player[];
let terminal: Terminal;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  board = await makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'DESC' });
  players = await Promise.all(Array.from({ length: 6 }, () => startSession(app, game.id)));
  for (const [index, player] of players.entries()) {
    await submit(player, board.id, 10 * index, { playerName: `P${index}`, metadata: { text: 'a "b",\nc' } });
    await submit(player, board.id, 5, { playerName: `P${index}` });
  }
  terminal = new Terminal({
    LEADERBOARD_API: app.url,
    LEADERBOARD_API_KEY: studio.admin.headers['service-api-key'],
  });
});
afterAll(async () => {
  terminal.close();
  await app.close();
});

const read = async (path: string): Promise<string> => {
  const { status, body } = await studio.admin.get(path);
  expect(status).toBe(200);
  return body;
};
const linesOf = (text: string): Data[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Readers of whole exports keep the last line of each player. */
function ranking(lines: Data[]): string[] {
  const last = new Map<string, Data>();
  for (const line of lines) if (!line.trailer) last.set(`${line.is_test} ${line.score_id}`, line);
  const rows = [...last.values()].filter(({ status, is_test: test }) => status !== 'removed' && !test);
  rows.sort((a, b) => b.value - a.value || a.seq - b.seq);
  return rows.map((row, index) => `${index + 1} ${row.player_name} ${row.value}`);
}

test('standings come in their order, with a trailer that names number and count', async () => {
  const lines = linesOf(await read(`/v1/boards/${board.id}/export?format=ndjson`));
  expect(ranking(lines)).toEqual(await standings(studio.admin, board.id));
  expect(lines.slice(0, 6).map(({ rank }) => rank)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(lines.at(-1)).toEqual({ trailer: { what: 'standings', board_id: board.id, seq: 12, count: 6 } });
});

test('whoever takes only text gets the same lines as text', async () => {
  const typeOf = async (accept: string) => {
    const { headers } = await studio.admin
      .with({ accept })
      .get(`/v1/identities/${players[0]!.session.identityId}/export`);
    return headers.get('content-type');
  };
  expect(await typeOf('text/plain')).toBe('text/plain; charset=utf-8');
  expect(await typeOf('*/*')).toMatch(/^application\/x-ndjson/);
  expect(await typeOf('application/json')).toMatch(/^application\/x-ndjson/);
});

test('CSV is quoted where a value would be split', async () => {
  const text = await read(`/v1/boards/${board.id}/export?what=events`);
  const lines = text.split('\n');
  expect(lines[0]).toMatch(/^board_id,seq,event_id,/);
  expect(text).toContain('"{""text"":""a \\""b\\"",\\nc""}"');
  expect(lines.at(-2)).toBe(`# trailer what=events board_id=${board.id} seq=12 count=12`);
});

test('for spreadsheets no text is a formula, and an import gives every text back', async () => {
  const names = ['=1+1', '+49', '-1', '@me', "'=1+1", "'quoted'", 'plain, "x"'];
  const hostile = await makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'DESC' });
  for (const [index, playerName] of names.entries()) {
    const player = await startSession(app, game.id);
    await submit(player, hostile.id, -index, { playerName, valueDisplay: `-${index}` });
  }
  const text = await read(`/v1/boards/${hostile.id}/export?format=spreadsheet`);
  const cells = (parse(text, { comment: '#' }) as string[][]).slice(1).flat();
  expect(cells.filter((cell) => /^[=+\-@\t\r]/.test(cell) && !Number.isFinite(Number(cell)))).toEqual([]);
  expect(text).toMatch(/,cells_marked\n/);
  expect(text).toMatch(/\n# trailer what=standings .* cells_marked=true\n$/);
  const plain = (of: Data) => read(`/v1/boards/${of.id}/export?format=ndjson`).then(linesOf);
  const texts = (lines: Data[]) =>
    lines.map(({ player_name, value_display }) => [player_name, value_display]);
  const before = texts(await plain(hostile));

  const copies = await Promise.all(
    [1, 2].map(() => makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'DESC' })),
  );
  const file = path.join(terminal.home, 'standings.csv');
  writeFileSync(file, text);
  await terminal.out('import', copies[0]!.shortCode, file);
  await new ImportClient(() => studio.admin).bringIn(copies[1]!.id, [text]);
  for (const board of copies) expect(texts(await plain(board))).toEqual(before);
  for (const { id } of [hostile, ...copies]) await change(studio.admin, 'Board', id, { deleted: true });
  for (const text of ['=', '\t', '\r', "''=x", "'", 'x=', ''])
    expect(withoutMarks({ text: markedText(text), cells_marked: 'TRUE' })).toEqual({ text });
});

test('events are those of the lists, and say which of them count', async () => {
  const lines = linesOf(await read(`/v1/boards/${board.id}/export?what=events&format=ndjson`));
  expect(lines.slice(0, -1).map(({ seq, value }) => [seq, value])).toEqual(
    players.flatMap((_, index) => [
      [2 * index + 1, 10 * index],
      [2 * index + 2, 5],
    ]),
  );
  expect(lines[0]).toMatchObject({ counts: true, source: 'client', metadata: { text: 'a "b",\nc' } });
});

test('a game and an account are exported board by board', async () => {
  const other = await makeBoard(studio, game.id, {});
  const lines = linesOf(await read(`/v1/games/${game.id}/export?what=players&format=ndjson`));
  const ends = lines.filter(({ trailer }) => trailer).map(({ trailer }) => trailer);
  expect(ends).toEqual([
    { what: 'players', board_id: board.id, seq: 12, count: 6 },
    { what: 'players', board_id: other.id, seq: 0, count: 0 },
    { what: 'players', boards: 2, count: 6 },
  ]);
  expect(lines.filter(({ external_key: key }) => key)).toHaveLength(6);
  const account = await read(`/v1/accounts/${studio.accountId}/export?what=flags`);
  expect(account.split('\n').at(-2)).toBe('# trailer what=flags boards=2 count=6');
});

test('wrong parameters get 422, and every fault is named', async () => {
  const { status, body } = await studio.admin.get(`/v1/boards/brd_1/export?what=all&format=xml`);
  expect(status).toBe(422);
  expect(body.details.map(({ loc }: Data) => loc.join('.'))).toEqual([
    'path.board_id',
    'query.what',
    'query.format',
  ]);
});

/** Opens an export of which nothing is read. */
async function hold(path = `/v1/boards/${board.id}/export`): Promise<http.IncomingMessage> {
  const request = http.get(`${app.url}${path}`, { headers: studio.admin.headers });
  const [response] = await once(request, 'response');
  return response;
}

test('players who change during an export are written again, and a reader may leave', async () => {
  const { pool } = app.database;
  const real = pool.query.bind(pool) as (query: Data) => Promise<Data>;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let waiting = 0;
  // Chunks wait, as they do behind a slow reader.
  pool.query = (async (query: Data) => {
    const result = await real(query);
    if (query?.name === 'export_standings' && !query.values[2]) {
      waiting += 1;
      await gate;
    }
    return result;
  }) as never;
  try {
    const changing = read(`/v1/boards/${board.id}/export?format=ndjson`);
    await until(() => waiting === 1);
    await submit(players[0]!, board.id, 35, { playerName: 'P0' });
    await change(studio.admin, 'Identity', players[4]!.session.identityId, { deleted: true });
    open();
    // Exports of one account take turns, so that this one begins when the first goes on.
    const left = await hold();
    left.destroy();
    const lines = linesOf(await changing);
    expect(ranking(lines)).toEqual(await standings(studio.admin, board.id));
    expect(
      lines
        .filter(({ identity_id: id }) => id === players[4]!.session.identityId)
        .map(({ status }) => status),
    ).toEqual(['active', 'removed']);
    expect(lines.at(-1).trailer).toMatchObject({ seq: 14, count: 8 });
  } finally {
    pool.query = real as never;
    open();
  }
  // The place of the reader that left is free.
  await until(async () => {
    const answers = await Promise.all([1, 2].map(() => studio.admin.get(`/v1/boards/${board.id}/export`)));
    return answers.every(({ status }) => status === 200);
  });
});

test('an export that names its account goes on while its credential is checked', async () => {
  const { pool } = app.database;
  const real = pool.query.bind(pool) as (query: Data) => Promise<Data>;
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  let waits = false;
  let checks = 0;
  pool.query = (async (query: Data) => {
    const result = await real(query);
    if (waits && query.text?.includes('from api_keys where prefix')) checks += 1;
    if (query?.name === 'export_standings') {
      waits = true;
      await gate;
    }
    return result;
  }) as never;
  try {
    const exported = read(`/v1/boards/${board.id}/export?account_id=${studio.accountId}`);
    await until(() => checks >= 2);
    open();
    expect(await exported).toMatch(/\n# trailer .*\n$/);
  } finally {
    pool.query = real as never;
    open();
  }
});

test('boards of every run are exported run by run', async () => {
  const runs = await makeBoard(studio, game.id, { boardType: 'RUN_RUNS', keepStrategy: 'ALL' });
  for (const value of [3, 1, 2]) await submit(players[1]!, runs.id, value, { playerName: 'Runner' });
  const lines = linesOf(await read(`/v1/boards/${runs.id}/export?format=ndjson`));
  expect(ranking(lines)).toEqual(await standings(studio.admin, runs.id));
});

test('the terminal writes an export to standard output', async () => {
  const text = await terminal.out('export', board.id, '--events');
  expect(text).toBe(await read(`/v1/boards/${board.id}/export?what=events`));
  const whole = await terminal.out('export', '--game', game.slug, '--format', 'ndjson');
  expect(linesOf(whole).at(-1).trailer).toMatchObject({ what: 'standings' });
  expect(await terminal.run(['export'])).toMatchObject({ code: 2 });
});
