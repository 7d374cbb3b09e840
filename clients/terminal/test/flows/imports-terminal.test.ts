import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { startApp, type TestApp } from '../../../../test/support/app.js';
import type { Data } from '../../../../test/support/http.js';
import { full, quick } from '../../../../test/support/lane.js';
import { makeBoard, makeGame, makeStudio, type Studio } from '../../../../test/support/make.js';
import { standings } from '../../../../test/support/play.js';
import { Terminal } from '../../../../test/support/terminal.js';

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
const fileOf = (name: string, text: string | Buffer) => {
  const file = path.join(terminal.home, name);
  writeFileSync(file, text);
  return file;
};

/** As pg_dump 15 and psql write a table that has the columns of Nakama's migrations. */
const NAKAMA = String.raw`--
-- PostgreSQL database dump
--

\restrict FHs5Udmxd7EtDImUDcayLIUCpUuzY3NiPTZ1w0q0GLMICWLDgfTUXV9VeecgljK

SET client_encoding = 'UTF8';

COPY public.leaderboard_record (leaderboard_id, owner_id, username, score, subscore, num_score, metadata, create_time, update_time, expiry_time, max_num_score) FROM stdin;
weekly	0d1a4c3e-7c1f-4f5f-9a2b-000000000001	Ann	120	0	1	{}	2024-03-01 10:00:00.5+00	2024-03-01 10:00:00.5+00	1970-01-01 00:00:00+00	1000000
weekly	0d1a4c3e-7c1f-4f5f-9a2b-000000000002	Bob\\tom	200	0	2	{"car": "a\\\\tb", "said": "\\"hi\\\\\\\\there\\""}	2024-03-01 10:00:00+00	2024-03-02 10:00:00.123456+00	1970-01-01 00:00:00+00	1000000
weekly	0d1a4c3e-7c1f-4f5f-9a2b-000000000003	\N	7	0	2	{}	2024-03-01 10:00:00+00	2024-03-02 15:30:00+05:30	1970-01-01 00:00:00+00	1000000
daily	0d1a4c3e-7c1f-4f5f-9a2b-000000000003	Cy, "the" cat	9	0	2	{"a": "x,y"}	2024-03-01 10:00:00+00	2024-03-02 10:00:00+00	2024-03-03 00:00:00+00	1000000
\.

\unrestrict FHs5Udmxd7EtDImUDcayLIUCpUuzY3NiPTZ1w0q0GLMICWLDgfTUXV9VeecgljK
`;
const NAKAMA_CSV = String.raw`leaderboard_id,owner_id,username,score,subscore,num_score,metadata,create_time,update_time,expiry_time,max_num_score
weekly,0d1a4c3e-7c1f-4f5f-9a2b-000000000002,Bob\tom,200,0,2,"{""car"": ""a\\tb"", ""said"": ""\""hi\\\\there\""""}",2024-03-01 10:00:00+00,2024-03-02 10:00:00.123456+00,1970-01-01 00:00:00+00,1000000
weekly,0d1a4c3e-7c1f-4f5f-9a2b-000000000003,,7,0,2,{},2024-03-01 10:00:00+00,2024-03-02 10:00:00+00,1970-01-01 00:00:00+00,1000000
daily,0d1a4c3e-7c1f-4f5f-9a2b-000000000003,"Cy, ""the"" cat",9,0,2,"{""a"": ""x,y""}",2024-03-01 10:00:00+00,2024-03-02 10:00:00+00,2024-03-03 00:00:00+00,1000000
`;
const WEEKLY = ['--leaderboard', 'weekly'];

/** Two pages of Steam's, one after the other. */
const steamPage = (entries: string) =>
  `<?xml version="1.0" encoding="UTF-8" standalone="yes"?><response><appID>457210</appID><appFriendlyName>457210</appFriendlyName><leaderboardID>4906378</leaderboardID><totalLeaderboardEntries>2</totalLeaderboardEntries><entryStart>0</entryStart><entryEnd>1</entryEnd><nextRequestURL><![CDATA[https://steamcommunity.com/stats/457210/leaderboards/4906378/?xml=1&start=2]]></nextRequestURL><resultCount>1</resultCount><entries>${entries}</entries></response>\n`;
const STEAM_XML =
  steamPage(
    '<entry><steamid>76561198000000001</steamid><score>9000</score><rank>1</rank><ugcid>18446744073709551615</ugcid><details><![CDATA[]]></details></entry>',
  ) +
  steamPage(
    '<entry>\n<steamid>76561198000000002</steamid>\n<score>-8000</score>\n<rank>2</rank>\n<ugcid>18446744073709551615</ugcid>\n<details>\n<![CDATA[ ]]>\n</details>\n</entry>',
  );

const STEAM_JSON = JSON.stringify({
  leaderboardEntryInformation: {
    appID: 440,
    leaderboardID: 7,
    totalLeaderBoardEntryCount: 1,
    leaderboardEntries: [{ steamID: '76561198000000001', score: 9000, rank: 1, ugcid: '-1' }],
  },
});

quick.each([
  ['plain.csv', 'player,score\nann,5\nbob,7\n', [], ['1 bob 7', '2 ann 5']],
  ['bare.csv', 'ann,5\nbob,7\n', ['--no-header'], ['1 bob 7', '2 ann 5']],
  ['own.csv', 'who,pts\nann,5\n', ['--column', 'external_key=who', '--column', 'value=pts'], ['1 ann 5']],
  [
    'excel.csv',
    Buffer.from(
      '\ufeffPlayer;Time;Date;\r\n"Ann ""A""";1:12,340;2020-01-02;\r\nBob;59.5;;\r\n;;;\r\n',
      'utf16le',
    ),
    ['--column', 'value=time:ms'],
    ['1 Ann "A" 72340', '2 Bob 59500'],
  ],
  ['list.json.gz', gzipSync('{"runs":[{"id":"a","name":"Ann","score":3}]}'), [], ['1 Ann 3']],
  ['rows.ndjson', '{"external_key":"a","player_name":"Ann","value":3}\n', [], ['1 Ann 3']],
  [
    'nakama.sql',
    NAKAMA,
    ['--format', 'nakama', ...WEEKLY],
    ['1 Bob\\tom 200', '2 Ann 120', '3 0d1a4c3e-7c1f-4f5f-9a2b-000000000003 7'],
  ],
  [
    'nakama.csv',
    NAKAMA_CSV,
    ['--format', 'nakama-csv', ...WEEKLY],
    ['1 Bob\\tom 200', '2 0d1a4c3e-7c1f-4f5f-9a2b-000000000003 7'],
  ],
  ['steam.xml', STEAM_XML, [], ['1 76561198000000001 9000', '2 76561198000000002 -8000']],
  ['steam.json', STEAM_JSON, [], ['1 76561198000000001 9000']],
])('a file of another kind is imported: %s', async (name, text, options, ranked) => {
  const board = await newBoard();
  const file = fileOf(name, text);
  const { code, stderr } = await terminal.run(['import', board.id, file, ...options]);
  expect([code, stderr]).toEqual([0, '']);
  expect(await standings(studio.admin, board.id)).toEqual(ranked);
  if (!name.startsWith('nakama')) return;
  const { body } = await studio.admin.get(`/v1/scores?board_id=${board.id}`);
  expect(body.data[0]).toMatchObject({
    updated_at: '2024-03-02T10:00:00.123Z',
    metadata: { car: 'a\\tb', said: '"hi\\\\there"' },
  });
  const { code: refused, stderr: reason } = await terminal.run([
    'import',
    board.id,
    file,
    ...options.slice(0, 2),
  ]);
  expect([refused, reason]).toEqual([2, expect.stringContaining('more than one leaderboard')]);
});

quick('bad lines are named with their numbers, and stop an import unless they are skipped', async () => {
  const board = await newBoard();
  const file = fileOf('bad.csv', 'player,score\nann,5\nbob,many\ncy,7\n');
  for (const options of [[], ['--dry-run']]) {
    const { code, stderr } = await terminal.run(['import', board.id, file, ...options]);
    expect([code, stderr]).toEqual([1, expect.stringContaining('line 3: value must be a finite number')]);
  }
  expect(await standings(studio.admin, board.id)).toEqual([]);
  // Done, without a line that was refused.
  expect((await terminal.run(['import', board.id, file, '--skip-bad'])).code).toBe(4);
  expect(await standings(studio.admin, board.id)).toEqual(['1 cy 7', '2 ann 5']);
});

quick('a reason is said once, with its lines and the way out', async () => {
  const board = await newBoard();
  const lines = Array.from({ length: 300 }, (_, n) => `p${n};${n};${n < 5 ? '2024-03-01' : '01.03.2024'}`);
  const file = fileOf('dates.csv', `player;score;date\n${lines.join('\n')}\n`);
  const checked = await terminal.run(['import', board.id, file, '--dry-run']);
  expect(checked.stderr.split('\n')).toEqual([
    expect.stringMatching(
      /^line 7: occurred_at must be an ISO 8601 .*, not "01\.03\.2024"\. To import without this column: --column occurred_at= \(the same in lines 8–301\)$/,
    ),
    '300 lines: 5 valid, 295 invalid, 0 skipped. Nothing was imported.',
    expect.stringContaining('invalid lines'),
    '',
  ]);
  expect((await terminal.run(['import', board.id, file, '--column', 'occurred_at='])).code).toBe(0);
  const { code, stderr } = await terminal.run(['import', board.id, terminal.home]);
  expect([code, stderr]).toEqual([2, expect.stringContaining('it is a directory')]);
});

quick('every line is accounted for: in print, in the record and in the exit status', async () => {
  const board = await newBoard();
  const head = 'score_id,external_key,value,status\n';
  const lines = ['s1,ann,5,', 's1,ann,6,', 's2,bob,x,', 's3,cy,9,rejected', 's4,di,,', 's5,7.6561E+16,1,'];
  const file = fileOf('account.csv', `${head}${lines.join('\n')}\n`);
  const { code, stdout, stderr } = await terminal.run(['import', board.id, file, '--skip-bad']);
  expect(stdout).toContain(
    'Reading CSV, commas: external_key ← external_key, value ← value, status ← status',
  );
  expect(stdout).toContain('Imported 2 of 6 lines; 1 replaced by later lines, 1 skipped, 2 refused.');
  expect([code, stderr]).toEqual([4, expect.stringMatching(/line 4: value .*\nline 7: .*write ids as text/)]);
  const { body } = await studio.admin.get(`/v1/boards/${board.id}/imports`);
  const sums = { lines: 6, rows: 2, replaced: 1, skipped: 1, refused: 2 };
  expect(body.data).toMatchObject([{ ...sums, written: 1 }]);
  const quiet = await terminal.run(['import', board.id, file, '--skip-bad', '--json']);
  expect(JSON.parse(quiet.stdout)).toMatchObject({ ...sums, written: 0, known: 1, players: 0 });
  expect(quiet.stderr).toContain('Reading CSV, commas: external_key ← external_key');
});

quick(
  'a file that is incomplete or not understood is refused with a sentence, and nothing of it remains',
  async () => {
    const [board, copy] = [await newBoard(), await newBoard()];
    await terminal.run(['import', board.id, fileOf('whole.csv', 'player,score\nann,5\nbob,7\n')]);
    const exported = await terminal.out('export', board.id);
    const cut = fileOf('cut.csv', exported.replace(/# trailer.*\n/, ''));
    const ids = '[{"id":76561198000000001,"score":1},{"id":76561198000000002,"score":2}]';
    for (const [file, status, reason] of [
      [cut, 2, /the file is incomplete: .*trailer.*--partial/],
      [fileOf('book.csv', Buffer.from('PK\x03\x04\x14\0', 'latin1')), 2, /workbook/],
      [fileOf('ids.json', ids), 1, /write ids as text(.*\n)*.*invalid lines\. Nothing was imported/],
    ] as const) {
      const { code, stderr } = await terminal.run(['import', copy.id, file]);
      expect([code, stderr]).toEqual([status, expect.stringMatching(reason)]);
    }
    const imports = async () => (await studio.admin.get(`/v1/boards/${copy.id}/imports`)).body.data;
    expect((await imports()).filter(({ status }: Data) => status !== 'cancelled')).toEqual([]);
    expect(await standings(studio.admin, copy.id)).toEqual([]);
    expect((await terminal.run(['import', copy.id, cut, '--partial'])).code).toBe(0);
    expect(await standings(studio.admin, copy.id)).toEqual(await standings(studio.admin, board.id));
  },
);

full('a command that was killed goes on with its import', async () => {
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

quick('imports of a board are listed, and an open one is cancelled', async () => {
  const board = await newBoard();
  const { body } = await studio.admin.post(`/v1/boards/${board.id}/imports`, {});
  expect(await terminal.out('imports', 'list', board.shortCode)).toMatch(`${body.id}\topen\t0\t0\t`);
  await terminal.out('imports', 'cancel', body.id, '--yes');
  expect(await terminal.json('imports', 'show', body.id)).toMatchObject({ status: 'cancelled' });
});

quick(
  'views by country, platform and tags are copied, by --from and by files; --column leaves one out',
  async () => {
    const input = {
      ...{ keepStrategy: 'BEST', sortDirection: 'DESC', dimensions: [{ name: 'class' }] },
      views: ['country', 'platform', 'class'].map((tag) => ({ name: tag, by: [tag] })),
    };
    const [board, copy, again] = [
      await makeBoard(studio, game.id, input),
      await makeBoard(studio, game.id, input),
      await makeBoard(studio, game.id, input),
    ];
    const groups = async ({ id }: Data) =>
      Promise.all(
        ['country:DE', 'platform:iOS', 'class:mage'].map(async (where) => {
          const query = `board_id=${id}&view=${where.split(':')[0]}&where=${where}`;
          const { body } = await studio.admin.get(`/v1/scores?${query}`);
          return body.data.map((row: Data) => row.player_name);
        }),
      );
    const file = fileOf(
      'tags.csv',
      'Player,Score,Country,Platform,Tags\nann,5,DE,iOS,"{""class"":""mage""}"\n',
    );
    const { stdout } = await terminal.run(['import', board.id, file]);
    expect(stdout).toContain('country ← Country, platform ← Platform, tags ← Tags');
    expect(await groups(board)).toEqual([['ann'], ['ann'], ['ann']]);
    const from = await terminal.run(['import', copy.id, board.id, '--from', app.url]);
    expect([from.code, from.stdout]).toEqual([0, expect.stringContaining('tags ← tags')]);
    const exported = fileOf('events.csv.gz', gzipSync(await terminal.out('export', board.id, '--events')));
    expect((await terminal.run(['import', again.id, exported])).code).toBe(0);
    for (const one of [copy, again]) expect(await groups(one)).toEqual([['ann'], ['ann'], ['ann']]);
    const names = fileOf('names.csv', 'player,score,country\nbob,3,Germany\n');
    const refused = await terminal.run(['import', board.id, names]);
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('two-letter ISO country code'),
    ]);
    const { code } = await terminal.run(['import', board.id, names, '--column', 'country=']);
    expect(code).toBe(0);
  },
);

quick('a board of another service is imported by its address and key', async () => {
  const [board, copy] = [await newBoard(), await newBoard()];
  await terminal.run(['import', board.id, fileOf('src.csv', 'player,score\nann,5\nbob,5\ncy,7\n')]);
  expect((await terminal.run(['import', copy.id, board.id, '--from', app.url])).code).toBe(0);
  expect(await standings(studio.admin, copy.id)).toEqual(await standings(studio.admin, board.id));
});
