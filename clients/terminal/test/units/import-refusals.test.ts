import { gzipSync } from 'node:zlib';
import { BadLines } from '../../src/imports/bad-lines.js';
import type { FileOptions } from '../../src/imports/read.js';
import { columns, reads, reason } from '../support/read-file.js';

/** Files as people bring them, each with the true cause and the way out. */
test.each<[string, string | Buffer, string[], (Partial<FileOptions> & { name?: string })?]>([
  ['nothing', '', ['the file is empty']],
  ['names of columns alone', 'player,score\n', ['only names of columns']],
  [
    'a page to sign in',
    '<!DOCTYPE html><html><head><title>Sign in · PlayFab</title></head></html>',
    ['a web page, "Sign in · PlayFab"', 'sign in and try again'],
  ],
  ['a feed', '<?xml version="1.0"?><rss></rss>', ['XML, but not a Steam', 'as CSV']],
  ['Steam without scores', '<response><entries></entries></response>', ['without scores']],
  ['a workbook', Buffer.from('PK\x03\x04\x14\0', 'latin1'), ['workbook', 'Save the sheet as CSV']],
  ['an old workbook', Buffer.from('\xd0\xcf\x11\xe0', 'latin1'), ['workbook (xls)', 'as CSV']],
  ['zip in gzip', gzipSync(Buffer.from('PK\x03\x04', 'latin1')), ['zip file', 'unzip']],
  [
    'a refusal',
    '{"code":401,"status":"Unauthorized","error":"NotAuthenticated"}',
    ['"NotAuthenticated"', 'download'],
  ],
  [
    'a refusal with a list',
    '{"error":{"message":"Bad token"},\n"items":[]}',
    ['"Bad token"', 'Repeat the download'],
  ],
  ['a refusal over lines', '{\n"message": "Not Found"\n}', ['"Not Found"', 'Repeat the download']],
  ['errors of GraphQL', '{"errors":[{"message":"FORBIDDEN"}]}', ['"FORBIDDEN"', 'Repeat the download']],
  ['JSON cut off', '[{"player":"a","score":1}', ['cut off', 'Download it again']],
  [
    'two documents of JSON',
    '[{"player":"a","score":1}]\n[{"player":"b","score":1}]',
    ['several JSON documents', 'NDJSON'],
  ],
  [
    'pages by line',
    '{"items":[{"player":"a","score":1}],"n":1}\n{"items":[],"n":2}\n',
    ['list in "items"', 'one per line'],
  ],
  ['CSV called NDJSON', 'player,score\nann,5\n', ['line 1 is not JSON', '--format'], { name: 'a.ndjson' }],
  [
    'two lists',
    '{"a":[{"player":"a","score":1}],\n"b":[{"player":"a","score":1}]}',
    ['"a", "b"', 'in a file of its own'],
  ],
  ['no names of columns', 'ann,5\nbob,7\n', ['"ann", "5"', 'use --no-header']],
  [
    'a title above',
    'Leaderboard of May\nplayer,score\nann,5\n',
    ['"Leaderboard of May"', 'first line must have the names'],
  ],
  [
    'names in German',
    'Spieler;Punkte\nann;5\n',
    [
      'player and none for the value',
      '"Spieler", "Punkte"',
      '--column external_key=<column> --column value=<column>',
    ],
  ],
  ['no value', 'player,result\nann,5\n', ['no column for the value', '--column value=<column>', '--players']],
  ['no values', 'player,score\nann,\n', ['no line has a value in "score"', '--players']],
  [
    'a column that is not there',
    'who,score\na,1\n',
    ['no such column', '"who", "score"'],
    columns('external_key=whom'),
  ],
  [
    'another name of a column',
    'who,score\na,1\n',
    ['is not one of external_key=<name>'],
    columns('player=who'),
  ],
  ['two values', 'player,score,time\na,1,2\n', ['"score" or "time"', '--column value=<column>']],
  ['two separators', 'player;score,date\n', ['cannot tell', '"," or ";"']],
  [
    'a dump of all leaderboards',
    'COPY public.leaderboard_record (leaderboard_id, owner_id, score) FROM stdin;\na\tx\t1\nb\tx\t1\n\\.\n',
    ['--leaderboard <id>'],
  ],
  [
    'a dump of another table',
    '--\n-- PostgreSQL database dump\n--\nCOPY public.users (id) FROM stdin;\n\\.\n',
    ['no table leaderboard_record', '--data-only'],
  ],
  [
    'a page of Steam',
    '<response><totalLeaderboardEntries>2</totalLeaderboardEntries><entries><entry><steamid>7</steamid><score>5</score></entry></entries></response>',
    ['2 entries', 'start=2', '--partial'],
  ],
])('%s is refused with cause and way out', async (_, content, words, { name, ...options } = {}) => {
  const sentence = await reason(content, options, name);
  for (const word of words) expect(sentence).toContain(word);
  expect(sentence).not.toMatch(/^was read|undefined|\[object/);
});

/** Reasons by line, of the first line. */
test.each<[string, string, string[], Partial<FileOptions>?]>([
  ['a comma in a value', 'player;score\nann;1,5\n', ['"1,5" has a comma', '--decimal comma']],
  [
    'two points in a value',
    'player;score\nann;1.234.567\n',
    ['"1.234.567" has several points', '--decimal comma'],
  ],
  ['blanks between thousands', 'player;score\nann;1 234,5\n', ['--decimal comma'], undefined],
  ['a clock time', 'player;score\nann;1:12.3\n', ['clock time', '--column value=<column>:s']],
  ['a comma without quotes', 'player,score\nann,1,5\n', ['3 cells for 2 columns', 'in quotes']],
  ['a stray quote', 'player,score\nan"n,1\nbob,2\n', ['has a quote', 'doubled']],
  [
    'a value that is a list',
    '[{"player":"a","Scores":["5"]}]',
    ['"Scores" is a list', '--column value=Scores.0'],
    columns('value=Scores'),
  ],
  [
    'a player that is an object',
    '[{"who":{"id":"a"},"score":5}]',
    ['"who" is an object', 'external_key=who.id'],
    columns('external_key=who'),
  ],
])('a line with %s is refused with cause and way out', async (_, content, words, options = {}) => {
  const { rows } = await reads(content, options);
  for (const word of words) expect(rows[0]!.fault).toContain(word);
});

test('decimal commas are read with any mark between thousands', async () => {
  const values = ['1 234,5', '1\u00a0234', '1\u202f234\u202f567,25', '1.234,5', '12,5'];
  const { rows } = await reads(`player;score\n${values.map((value) => `ann;${value}`).join('\n')}\n`, {
    decimal: 'comma',
  });
  expect(rows.map(({ value, fault }) => fault ?? value)).toEqual([
    '1234.5',
    '1234',
    '1234567.25',
    '1234.5',
    '12.5',
  ]);
});

test('a reason is said once, with the lines it has and the way out', () => {
  const bad = new BadLines();
  for (let line = 2; line <= 5_001; line += 1) {
    bad.take({ line, reason: `value "${line},5" has a comma` });
    if (line % 2 === 0) bad.take({ line, reason: `occurred_at must be a date, not "${line}.1.2024"` });
  }
  bad.take({ line: 9_000, reason: 'external_key is empty' });
  const texts = bad.texts();
  expect(texts).toEqual([
    'line 2: value "2,5" has a comma (the same in lines 3–5001)',
    expect.stringMatching(
      /^line 2: occurred_at .* To import without this column: --column occurred_at= \(the same in lines 4, 6, .*, 2399 more\)$/,
    ),
    'line 9000: external_key is empty',
  ]);
});
