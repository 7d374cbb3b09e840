import { gzipSync } from 'node:zlib';
import type { FileOptions } from '../../src/imports/read.js';
import { columns, reads, reason, short } from '../support/read-file.js';

const utf16be = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16();

test.each<[string, string | Buffer, Partial<FileOptions>, string[], string]>([
  [
    'a table with commas',
    'player,score\nann,5\nbob,7\n',
    {},
    ['ann 5', 'bob 7'],
    'CSV, commas: external_key ← player, value ← score',
  ],
  [
    'semicolons, a mark of byte order, blank columns and rows, as Excel writes them',
    '\ufeffPlayer Name;Points;Date;;\r\n"Ann ""A""; B";5;2020-01-02;;\r\nbob;7;;;\r\n;;;;\r\n\r\n',
    columns('external_key=player name'),
    ['Ann "A"; B 5', 'bob 7'],
    'CSV, semicolons: external_key ← Player Name, value ← Points, occurred_at ← Date',
  ],
  [
    'UTF-16 with tabs, as Excel writes "Unicode Text"',
    Buffer.from('\ufeffUser\tTime\r\nÄnn\t5\r\n', 'utf16le'),
    {},
    ['Änn 5'],
    'CSV, UTF-16LE, tabs: external_key ← User, value ← Time',
  ],
  ['UTF-16 of the other order', utf16be('name,value\n名前,5\n'), {}, ['名前 5'], 'external_key ← name'],
  ['UTF-16 without a mark', Buffer.from('name,value\nann,5\n', 'utf16le'), {}, ['ann 5'], 'UTF-16LE'],
  ['a separator that the first line says', 'sep=|\nname|value\na,b|5\n', {}, ['a,b 5'], 'CSV, |'],
  ['commas in quotes', 'name;value\n"a,b,c";5\n', {}, ['a,b,c 5'], 'semicolons'],
  [
    'gzip',
    gzipSync('user_id,username,score\n1,Ann,5\n'),
    {},
    ['1 5'],
    'CSV, gzip, commas: external_key ← user_id, player_name ← username',
  ],
  [
    'a JSON list',
    '[{"id":"a","name":"Ann","score":5},{"id":"b","score":7}]',
    {},
    ['a 5', 'b 7'],
    'JSON: external_key ← id, player_name ← name',
  ],
  [
    'a JSON object with a list',
    '{"game":{"name":"Sky"},"tags":["x"],"top":{"entries":[{"user":"ann","points":5}]}}',
    {},
    ['ann 5'],
    'JSON: external_key ← user, value ← points',
  ],
  [
    'NDJSON',
    '{"player":"ann","score":5}\n{"player":"bob","score":7,"date":"2020-01-01"}\n',
    {},
    ['ann 5', 'bob 7'],
    'NDJSON: external_key ← player, value ← score, occurred_at ← date',
  ],
  [
    'columns in any case',
    'PLAYER-ID,Player Name,Score\nann,Ann,5\n',
    {},
    ['ann 5'],
    'external_key ← PLAYER-ID, player_name ← Player Name, value ← Score',
  ],
  [
    'a column # and players that begin with it',
    '#,Player,Score\n1,#1 Ann,5\n',
    {},
    ['#1 Ann 5'],
    'external_key ← Player',
  ],
  [
    'a decimal comma',
    'name;value\nann;1.234,5\nbob;7\ncy;0,25\n',
    { decimal: 'comma' },
    ['ann 1234.5', 'bob 7', 'cy 0.25'],
    '',
  ],
  [
    'commas between thousands',
    'name;value\nann;1,234.5\nbob;12,345\n',
    { decimal: 'point' },
    ['ann 1234.5', 'bob 12345'],
    '',
  ],
  ['columns of which two have one name, which is not read', 'name,x,x,value\nann,1,2,5\n', {}, ['ann 5'], ''],
  ['players alone', 'name\nann\n', { players: true }, ['ann undefined'], 'external_key ← name'],
])('%s is understood and said', async (_, content, options, rows, said) => {
  const read = await reads(content, options);
  expect(short(read)).toEqual(rows);
  expect(read.lines).toBe(rows.length);
  expect(read.said).toEqual([expect.stringContaining(said)]);
});

test.each([
  ['s', ['72.34', '72.34', '12.3', '3723.4', '3723.456', '72.34', '72.34', '72.34', '0.5', '72']],
  ['ms', ['72340', '72340', '12300', '3723400', '3723456', '72340', '72340', '72340', '500', '72000']],
])('clock times are numbers of %s, digit by digit', async (unit, values) => {
  const times = [
    '1:12.340',
    '1:12,340',
    '12.3',
    '1:02:03.4',
    '1h 2m 3s 456ms',
    `1'12"340`,
    'PT1M12.34S',
    '1m 12s 340ms',
    '0:00.5',
    '1:12',
  ];
  const lines = [...times, '1:72', 'DNF', '-1:12', '1:12:340', ''].map(
    (time) => `ann;"${time.replaceAll('"', '""')}"`,
  );
  const { rows, said } = await reads(`name;time\n${lines.join('\n')}\n`, columns(`value=time:${unit}`));
  expect(
    rows
      .slice(0, 10)
      .map(
        ({ value, fault }) => fault ?? String(value).replace(/0+$/, (zeros) => (unit === 's' ? '' : zeros)),
      ),
  ).toEqual(values);
  expect(rows.slice(10).map(({ fault }) => fault)).toEqual([
    ...['1:72', 'DNF', '-1:12', '1:12:340'].map(
      (time) => `value "${time}" is not a clock time like 1:12.340`,
    ),
    undefined,
  ]);
  expect(said[0]).toContain(`value ← time (clock times in ${unit})`);
});

test('a value that may be two numbers, and a clock time without a unit, are refused by line', async () => {
  expect(short(await reads('name;value\nann;1,5\nbob;1:12.340\ncy;3\n'))).toEqual([
    expect.stringMatching(/"1,5" has a comma\. .*--decimal comma .* --decimal point/),
    expect.stringContaining('"1:12.340" is a clock time. Use --column value=<column>:s'),
    'cy 3',
  ]);
  expect(short(await reads('name;value\nann;1.5\n', { decimal: 'comma' }))).toEqual([
    'value "1.5" is not a number with a decimal comma',
  ]);
});

test.each<[string, string | Buffer, Partial<FileOptions>, RegExp]>([
  ['nothing', '', {}, /is empty/],
  ['blanks', '\ufeff \n\n', {}, /is empty/],
  ['a compressed nothing', gzipSync(''), {}, /is empty/],
  ['a header alone', 'player,score\n', {}, /no lines/],
  ['an empty list', '[]', {}, /no column for the player|no lines/],
  [
    'xlsx',
    Buffer.from('PK\x03\x04\x14\0\x06\0', 'latin1'),
    {},
    /workbook \(xlsx, ods\).*Save the sheet as CSV/,
  ],
  ['a custom dump', Buffer.from('PGDMP\x01\x0e\0'), {}, /--format plain/],
  ['bytes', Buffer.from([1, 2, 0, 0, 5, 0]), {}, /not text/],
  ['HTML', '<!doctype html><table></table>', {}, /web page \(HTML\)/],
  ['two of gzip', gzipSync(gzipSync('a')), {}, /compressed twice/],
  ['a bomb', gzipSync(`[{"player":"a","score":1}${' '.repeat(65 * 2 ** 20)}]`), {}, /250 times/],
  ['gzip that ends early', gzipSync('player,score\nann,5\n').subarray(0, 30), {}, /cut off.*--partial/],
  [
    'a column that is not there',
    'who,pts\nann,5\n',
    columns('external_key=who', 'value=points'),
    /value=points: .*"who", "pts"/,
  ],
  ['no player', 'who,score\nann,5\n', {}, /no column for the player.*"who", "score"/],
  ['no value', 'player,result\nann,5\n', {}, /no column for the value.*"player", "result".*--players/],
  ['values all empty', 'player,score\nann,\nbob,\n', {}, /no line has a value in "score"/],
  ['two values', 'player,score,time\nann,5,6\n', {}, /value could be "score" or "time"/],
  ['two players', 'player,user,score\nann,b,6\n', {}, /external_key could be "player" or "user"/],
  ['an id that may be the run’s', 'id,player,score\n1,ann,5\n', {}, /external_key could be "id" or "player"/],
  ['a column twice', 'player,score,score\nann,5,6\n', {}, /value could be "score" or "score"/],
  ['two dates', 'player,score,date,created_at\na,1,,\n', {}, /occurred_at could be "date" or "created_at"/],
  ['two separators', 'player;score,date\n', {}, /separated by ";" or ","|separated by "," or ";"/],
  ['a quote in the names of its columns', 'player,"sc"ore\nann,5\n', {}, /^line 1, .*columns, has a quote/],
  ['JSON that ends early', '[{"player":"a","score":1},', {}, /not valid JSON, or is cut off/],
  ['a list of texts', '["a","b"]', {}, /no list of objects/],
  ['an object without a list', '{"ann":{"score":5},\n"bob":{"score":6}}', {}, /an object with "ann", "bob"/],
  [
    'two lists',
    '{"a":[{"player":"a","score":1}],\n"b":[{"player":"a","score":1}]}',
    {},
    /more than one list.*"a", "b"/,
  ],
  [
    'a further column that could be meant later',
    `${'{"player":"a","score":1}\n'.repeat(1_001)}{"player":"b","points":2}`,
    {},
    /value could be "score" or "points"/,
  ],
  [
    'a line without an end',
    `{"player":"${'a'.repeat(1_100_000)}`,
    { format: 'ndjson' },
    /longer than 1000000/,
  ],
])('a file with %s is refused with what was found', async (_, content, options, sentence) => {
  expect(await reason(content, options)).toMatch(sentence);
});

test('a line with a stray quote is refused alone, and whole records of several lines are read', async () => {
  const good = Array.from({ length: 40 }, (_, n) => `p${n},${n},x`);
  const notes = '"two\nlines, ""quoted"""';
  const stray = [
    '"ann" b,5,x',
    '"ann,5,x',
    'an"n,5,x',
    'ann,5,"',
    'ann,"5,x',
    '"a"",5,x',
    'ann,5,x"',
    ',"",""x',
  ];
  const lines = stray.flatMap((line, n) => [`${good[n]!.slice(0, -1)}${notes}`, line, good[n + 20]!]);
  for (const [newline, end] of [
    ['\n', ''],
    ['\r\n', '\r\n'],
    ['\n', '\n"'],
  ]) {
    const { rows } = await reads(`player,score,note\n${lines.join('\n')}`.replaceAll('\n', newline!) + end!);
    const faults = rows.filter(({ fault }) => fault !== undefined);
    // Each is the third line of four.
    const expected = [...stray.map((_, n) => 4 + 4 * n), ...(end === '\n"' ? [34] : [])];
    expect(faults.map(({ line }) => line)).toEqual(expected);
    expect(new Set(faults.map(({ fault }) => fault))).toEqual(
      new Set([expect.stringMatching(/^has a quote .*doubled, like "in ""quotes"""$/)]),
    );
    const read = rows.filter(({ fault }) => fault === undefined);
    expect(read.map(({ line, external_key: key, value }) => `${line} ${key} ${value}`)).toEqual(
      stray.flatMap((_, n) => [`${3 + 4 * n} p${n} ${n}`, `${5 + 4 * n} p${n + 20} ${n + 20}`]),
    );
  }
  const semicolons = await reads('sep=;\nplayer;score\n"ann;5\nbob;"6"\n');
  expect(semicolons.rows).toMatchObject([
    { line: 3, fault: expect.anything() },
    { line: 4, value: '6' },
  ]);
  // Carriage returns alone, and both ends of lines in one file.
  expect(short(await reads('player,score\rann,5\rbob,"6"\r'))).toEqual(['ann 5', 'bob 6']);
  expect(short(await reads('player,score\r\nann,5\nbob,"6"\n'))).toEqual(['ann 5', 'bob 6']);
});

const STANDINGS =
  'board_id,is_test,rank,score_id,identity_id,identity_kind,external_key,player_name,value,value_display,status,metadata,created_at,occurred_at,seq,display_rank';
const row = (board: string, key: string) =>
  `${board},false,1,scr_${key},ide_1,custom,${key},Ann,5,,accepted,,2020-01-01T00:00:00.000Z,2020-01-01T00:00:00.000Z,1,1`;
const trailer = (count: number, board = 'brd_1') =>
  `# trailer what=standings board_id=${board} seq=1 count=${count}`;
const asNdjson = (lines: string[]) =>
  lines
    .map((line) =>
      JSON.stringify(Object.fromEntries(line.split(',').map((cell, n) => [STANDINGS.split(',')[n], cell]))),
    )
    .join('\n');

test('an export is known by its columns, and complete by its trailer', async () => {
  const whole = [STANDINGS, row('brd_1', 'a'), row('brd_1', 'b'), trailer(2)];
  expect(short(await reads(whole.join('\n')))).toEqual(['a 5', 'b 5']);
  expect((await reads(whole.join('\n'))).said[0]).toContain(
    'status ← status, seq ← seq, score_id ← score_id',
  );
  // As a spreadsheet saves it.
  const saved = whole
    .map((line, n) => line.replaceAll(',', ';') + (n === 3 ? ';'.repeat(15) : ''))
    .join('\r\n');
  expect(short(await reads(saved))).toEqual(['a 5', 'b 5']);
  expect((await reads([STANDINGS, trailer(0)].join('\n'))).rows).toEqual([]);
  expect(
    (await reads('{"trailer":{"what":"standings","board_id":"brd_1","seq":0,"count":0}}\n')).rows,
  ).toEqual([]);

  const cut = whole.slice(0, 3).join('\n');
  expect(await reason(cut)).toMatch(/incomplete: .*trailer.*--partial/);
  expect(await reason(STANDINGS)).toMatch(/trailer\) is missing/);
  expect(await reason(asNdjson(whole.slice(1, 3)))).toMatch(/trailer\) is missing/);
  expect(await reason([STANDINGS, row('brd_1', 'a'), trailer(2)].join('\n'))).toMatch(
    /has 1 lines, but should have 2/,
  );
  expect(short(await reads(cut, { partial: true }))).toEqual(['a 5', 'b 5']);
  const two = [STANDINGS, row('brd_1', 'a'), trailer(1), row('brd_2', 'a'), trailer(1, 'brd_2')];
  expect(await reason(two.join('\n'))).toMatch(/more than one board/);
  expect(
    await reason(
      'board_id,flag_id,is_test,identity_id,score_event_id,flag_type,confidence,status,explanation,metadata\n',
    ),
  ).toMatch(/export of flags/);
});

const PAGE = '{"data":[{"player":"a","value":1}],\n"pagination":{"has_next":true}}';
const STEAM =
  '<response><totalLeaderboardEntries>2</totalLeaderboardEntries><entries><entry><steamid>7656</steamid><score>5</score></entry></entries></response>';
const COPY =
  'COPY public.leaderboard_record (leaderboard_id, owner_id, username, score, update_time) FROM ' +
  'stdin;\nw\ta\tAnn\t5\t2020-01-01 00:00:00+00\n';
test.each<[string, string, RegExp, Partial<FileOptions>]>([
  ['one page of several', PAGE, /one of several pages/, {}],
  [
    'fewer entries than it says',
    '{"total":3,\n"runs":[{"player":"a","value":1}]}',
    /says 3 entries but has 1/,
    {},
  ],
  ['fewer entries than Steam says', STEAM, /has 2 entries, but the file only 1/, {}],
  ['XML without its end', STEAM.replace('>2<', '>1<').slice(0, -11), /cut off before <\/response>/, {}],
  [
    'fewer entries of Steam than it says',
    '{"leaderboardEntryInformation":{"totalLeaderBoardEntryCount":2,"leaderboardEntries":[{"steamID":"1","score":5}]}}',
    /has 2 entries, but the file only 1/,
    {},
  ],
  ['a dump without its end', COPY, /last line .* is missing/, {}],
  [
    'a service without a trailer',
    '{"external_key":"a","value":1}\n',
    /trailer\) is missing/,
    { from: 'http://localhost' },
  ],
])('%s is incomplete', async (_, content, sentence, options) => {
  expect(await reason(content, options)).toMatch(sentence);
  expect((await reads(content, { ...options, partial: true })).rows).toHaveLength(1);
});

test('lines that the user leaves out are counted, and a leaderboard that is not there is said', async () => {
  const dump = `${COPY}v\tb\tBob\t6\t2020-01-01 00:00:00+00\n\\.\n`;
  expect((await reads(dump, { leaderboard: 'w' })).rows).toEqual([
    expect.objectContaining({ external_key: 'a', value: '5' }),
    { line: 3, external_key: 'b', counts: false },
  ]);
  expect(await reason(dump, { leaderboard: 'x' })).toMatch(/no leaderboard "x"\. It has w, v/);
});

test('numbers beyond what a double holds are passed on as they are, for the service to refuse', async () => {
  const [first] = (await reads('[{"id":76561198000000001,"score":9007199254740993}]')).rows;
  expect(first).toMatchObject({ external_key: '\0' + '76561198000000001', value: '\0' + '9007199254740993' });
});
