import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../support/make.js';
import { standings } from '../support/play.js';
import { Terminal } from '../support/terminal.js';

let app: TestApp;
let studio: Studio;
let game: Data;
let terminal: Terminal;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
  const key = studio.admin.headers['service-api-key'];
  terminal = new Terminal({
    LEADERBOARD_API: app.url,
    LEADERBOARD_API_KEY: key,
    LEADERBOARD_FROM_API_KEY: key,
  });
});
afterAll(async () => {
  terminal.close();
  await app.close();
});

const newBoard = () => makeBoard(studio, game.id, { keepStrategy: 'BEST', sortDirection: 'DESC' });
const fileOf = (name: string, text: string) => {
  const file = path.join(terminal.home, name);
  writeFileSync(file, text);
  return file;
};

const NAKAMA = `--
-- PostgreSQL database dump
--
SET client_encoding = 'UTF8';

COPY public.leaderboard_record (leaderboard_id, owner_id, username, score, subscore, num_score, max_num_score, metadata, create_time, update_time, expiry_time) FROM stdin;
weekly\t0d1a4c3e-7c1f-4f5f-9a2b-000000000001\tAnn\t120\t0\t1\t1000000\t{}\t2024-03-01 10:00:00.5+00\t2024-03-01 10:00:00.5+00\t1970-01-01 00:00:00+00
weekly\t0d1a4c3e-7c1f-4f5f-9a2b-000000000002\tBob\\\\tom\t200\t0\t2\t1000000\t{"car": "x\\ny"}\t2024-03-01 10:00:00+00\t2024-03-02 10:00:00+00\t1970-01-01 00:00:00+00
\\.
`.replace('x\\ny', 'x');

const STEAM_XML = `<?xml version="1.0" encoding="UTF-8"?><response><appID>440</appID><leaderboardID>7</leaderboardID>
<totalLeaderboardEntries>2</totalLeaderboardEntries><entries>
<entry><steamid>76561198000000001</steamid><score>9000</score><rank>1</rank><ugcid>-1</ugcid><details><![CDATA[]]></details></entry>
<entry><steamid>76561198000000002</steamid><score>8000</score><rank>2</rank><ugcid>-1</ugcid></entry></entries></response>`;

const STEAM_JSON = JSON.stringify({
  leaderboardEntryInformation: {
    appID: 440,
    leaderboardID: 7,
    totalLeaderBoardEntryCount: 1,
    leaderboardEntries: [{ steamID: '76561198000000001', score: 9000, rank: 1, ugcid: '-1' }],
  },
});

test.each([
  ['plain.csv', 'player,score\nann,5\nbob,7\n', [], ['1 bob 7', '2 ann 5']],
  ['bare.csv', 'ann,5\nbob,7\n', ['--no-header'], ['1 bob 7', '2 ann 5']],
  ['own.csv', 'who,pts\nann,5\n', ['--column', 'external_key=who', '--column', 'value=pts'], ['1 ann 5']],
  ['rows.ndjson', '{"external_key":"a","player_name":"Ann","value":3}\n', [], ['1 Ann 3']],
  ['nakama.sql', NAKAMA, ['--format', 'nakama'], ['1 Bob\\tom 200', '2 Ann 120']],
  ['steam.xml', STEAM_XML, [], ['1 76561198000000001 9000', '2 76561198000000002 8000']],
  ['steam.json', STEAM_JSON, [], ['1 76561198000000001 9000']],
])('a file of another kind is imported: %s', async (name, text, options, ranked) => {
  const board = await newBoard();
  const { code, stderr } = await terminal.run(['import', board.id, fileOf(name, text), ...options]);
  expect([code, stderr]).toEqual([0, '']);
  expect(await standings(studio.admin, board.id)).toEqual(ranked);
});

test('bad lines are named with their numbers, and stop an import unless they are skipped', async () => {
  const board = await newBoard();
  const file = fileOf('bad.csv', 'player,score\nann,5\nbob,many\ncy,7\n');
  for (const options of [[], ['--dry-run']]) {
    const { code, stderr } = await terminal.run(['import', board.id, file, ...options]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('line 3: value must be a finite number')]);
  }
  expect(await standings(studio.admin, board.id)).toEqual([]);
  expect((await terminal.run(['import', board.id, file, '--skip-bad'])).code).toBe(0);
  expect(await standings(studio.admin, board.id)).toEqual(['1 cy 7', '2 ann 5']);
});

test('a command that was killed goes on with its import', async () => {
  const board = await newBoard();
  const lines = Array.from({ length: 12_000 }, (_, n) => `p${n},${n}`);
  const file = fileOf('large.csv', `player,score\n${lines.join('\n')}\n`);
  const imports = async () => (await studio.admin.get(`/v1/boards/${board.id}/imports`)).body.data;
  const child = terminal.start(['import', board.id, file]);
  while ((await imports())[0]?.chunks !== 1) expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  expect((await terminal.run(['import', board.id, file])).code).toBe(0);
  const [only, ...others] = await imports();
  expect([only.rows, only.written, only.status, others]).toEqual([12_000, 12_000, 'finished', []]);
  expect((await standings(studio.admin, board.id))[0]).toBe('1 p11999 11999');
  expect(readdirSync(path.join(path.dirname(terminal.profilesFile), 'imports'))).toEqual([]);
});

test('imports of a board are listed, and an open one is cancelled', async () => {
  const board = await newBoard();
  const { body } = await studio.admin.post(`/v1/boards/${board.id}/imports`, {});
  expect(await terminal.out('imports', 'list', board.shortCode)).toMatch(`${body.id}\topen\t0\t0\t`);
  await terminal.out('imports', 'cancel', body.id);
  expect(await terminal.json('imports', 'show', body.id)).toMatchObject({ status: 'cancelled' });
});

test('a board of another service is imported by its address and key', async () => {
  const [board, copy] = [await newBoard(), await newBoard()];
  await terminal.run(['import', board.id, fileOf('src.csv', 'player,score\nann,5\nbob,5\ncy,7\n')]);
  expect((await terminal.run(['import', copy.id, board.id, '--from', app.url])).code).toBe(0);
  expect(await standings(studio.admin, copy.id)).toEqual(await standings(studio.admin, board.id));
});
