import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Command } from 'commander';
import stringWidth from 'string-width';
import type { Data } from '../../../../test/support/http.js';
import { browserCommand } from '../../src/boards/open.js';
import { jsonValue, optionName } from '../../src/input.js';
import { documentInputs } from '../../src/nouns/document.js';
import { inUnit } from '../../src/nouns/noun.js';
import { groupOf } from '../../src/output/help.js';
import { jsonText, printable, shownText } from '../../src/output/output.js';
import { inTableOrder, sameInAllRows, TextTable } from '../../src/output/table.js';
import { makeProgram, nouns } from '../../src/program.js';
import { profilesPath } from '../../src/session.js';

const document: Data = JSON.parse(
  readFileSync(path.resolve(__dirname, '../../../../schema/openapi.json'), 'utf8'),
);

test('profiles lie where the system keeps such files', () => {
  expect(profilesPath({}, 'linux', '/home/ann')).toBe('/home/ann/.config/leaderboard/profiles.json');
  expect(profilesPath({ XDG_CONFIG_HOME: '/etc/ann' }, 'darwin', '/Users/ann')).toBe(
    '/etc/ann/leaderboard/profiles.json',
  );
  expect(profilesPath({ APPDATA: 'C:\\Users\\ann\\AppData\\Roaming' }, 'win32', 'C:\\Users\\ann')).toBe(
    'C:\\Users\\ann\\AppData\\Roaming\\leaderboard\\profiles.json',
  );
  expect(profilesPath({}, 'win32', 'C:\\Users\\ann')).toBe(
    'C:\\Users\\ann\\.config\\leaderboard\\profiles.json',
  );
  expect(profilesPath({ APPDATA: '/elsewhere' }, 'linux', '/home/ann')).toMatch(/^\/home\/ann\//);
});

/** A stream of events is for programs that stay. */
const isStream = ({ responses }: Data) => 'text/event-stream' in (responses[200]?.content ?? {});

test('the reference has every command on records in its table', () => {
  const page = readFileSync(path.resolve(__dirname, '../../../../docs/reference/terminal.md'), 'utf8');
  const rows = page.split('\n').filter((line) => line.startsWith('| `'));
  const missing = nouns.flatMap(({ name }) => {
    const row = rows.find((line) => line.split('|')[1]!.includes(`\`${name}\``));
    const { commands } = makeProgram().commands.find((command) => command.name() === name)!;
    return commands
      .map((command) => command.name())
      .filter(
        (act) => !['list', 'show'].includes(act) && !new RegExp(`\`(${name} )?${act}\\b`).test(row ?? ''),
      )
      .map((act) => `${name} ${act}`);
  });
  expect(missing).toEqual([]);
});

test('every operation for administrators has its command', () => {
  const lists = new Map(nouns.map((noun) => [noun.list, noun]));
  const items = new Map(nouns.map((noun) => [noun.item, noun]));
  const acts = nouns.flatMap((noun) => noun.acts ?? []).map(({ at }) => `post ${at}`);
  const elsewhere = new Set([
    ...acts,
    'get /v1/me',
    'get /v1/accounts/{account_id}/configuration',
    ...['plan', 'apply'].map((word) => `post /v1/configuration/${word}`),
    'get /v1/audit-entries/export',
    'post /v1/score-events',
    'post /v1/score-events/batch',
    ...['accounts/{account_id}', 'games/{game_id}', 'boards/{board_id}'].flatMap((at) =>
      ['export', 'history'].map((word) => `get /v1/${at}/${word}`),
    ),
    'post /v1/scores/among',
    ...['views', 'views/{view}/periods', 'views/{view}/groups', 'standing', 'standings'].map(
      (at) => `get /v1/boards/{board_id}/${at}`,
    ),
    ...['get', 'post', 'patch'].map((word) => `${word} /v1/identities/{identity_id}/friends`),
    'post /v1/identities/{identity_id}/friends/remove',
    ...['get', 'patch'].map((word) => `${word} /v1/identities/{identity_id}/tags`),
    'get /v1/identities/{identity_id}/export',
    'get /v1/identities/{identity_id}/erasure',
    'post /v1/identities/{identity_id}/erase',
    ...['logo', 'cover'].flatMap((kind) =>
      ['put', 'delete'].map((word) => `${word} /v1/games/{game_id}/${kind}`),
    ),
    'post /v1/boards/{board_id}/imports',
    'get /v1/boards/{board_id}/closing-preview',
    // A verifier's, and passes, whose commands are those of boards.
    'post /v1/score-events/{event_id}/verdicts',
    'get /v1/boards/{board_id}/verification-passes',
    ...['apply', 'undo'].map((word) => `post /v1/verification-passes/{pass_id}/${word}`),
    // A game server's.
    'post /v1/rewards/acknowledge',
    ...['chunks', 'finish'].map((step) => `post /v1/imports/{import_id}/${step}`),
    'post /v1/webhook-endpoints/{endpoint_id}/redeliver',
    'post /v1/devices/{device_id}/reset',
    'post /v1/api-keys',
    'post /register/invite',
  ]);
  const missing = Object.entries<Data>(document.paths).flatMap(([at, item]) =>
    Object.entries<Data>(item)
      .filter(([, operation]) => operation.security[0]?.apiKey && !isStream(operation))
      .map(([method]) => `${method} ${at}`)
      .filter((name) => {
        const [method = '', address = ''] = name.split(' ');
        if (elsewhere.has(name)) return false;
        const noun = lists.get(address) ?? items.get(address);
        const made = method === 'post' && noun?.without?.includes('create');
        const changed = method === 'patch' && noun?.without?.includes('update') && !noun.acts;
        return noun === undefined || made || changed;
      }),
  );
  expect(missing).toEqual([]);
});

/** Every command with its words, e.g. `boards create`. */
function* commandsOf(command: Command, way: string[] = []): Generator<[string, Command]> {
  for (const below of command.commands) {
    const name = [...way, below.name()];
    yield [name.join(' '), below];
    yield* commandsOf(below, name);
  }
}

test('no command calls two options by one name, or one by a name that all commands have', () => {
  const program = makeProgram();
  const common = program.options.map((option) => option.long);
  const commands = [...commandsOf(program)];
  expect(commands.length).toBeGreaterThan(60);
  for (const [name, { options }] of commands) {
    const longs = options.map((option) => option.long);
    expect([name, new Set(longs).size]).toEqual([name, longs.length]);
    expect([name, longs.filter((long) => common.includes(long))]).toEqual([name, []]);
  }
});

test('every member of a body has an option of its own', () => {
  for (const { item, list } of nouns) {
    for (const [method, at] of [['post', list] as const, ['patch', item] as const]) {
      if (!document.paths[at]?.[method]) continue;
      const names = documentInputs(method, at).map(optionName);
      expect([at, new Set(names).size]).toEqual([at, names.length]);
    }
  }
  const ratio = documentInputs('post', '/v1/boards').find(({ name }) => name === 'numerator_board_id');
  expect(ratio).toMatchObject({ way: ['ratio_config', 'numerator_board_id'], required: false });
});

describe('words become values', () => {
  const of = (at: string, name: string) => documentInputs('post', at).find((input) => input.name === name)!;
  const value = of('/v1/score-events', 'value');

  test('numbers', () => {
    expect(jsonValue(value, '-1.5e3')).toBe(-1500);
    for (const text of ['', ' ', 'x', 'Infinity', 'NaN', '1,5']) {
      expect(() => jsonValue(value, text)).toThrow('It must be a number.');
    }
    const decimals = of('/v1/boards', 'decimals');
    expect(() => jsonValue(decimals, '1.5')).toThrow('It must be an integer.');
  });

  test('lists, objects, times and repeated words', () => {
    expect(() => jsonValue(of('/v1/boards', 'keep_strategy'), 'BEST')).toThrow('all, best, first, last');
    expect(jsonValue(of('/v1/score-events', 'metadata'), '{"a_b": [1]}')).toEqual({ a_b: [1] });
    for (const text of ['[1]', 'null', '{', '1', '"x"']) {
      expect(() => jsonValue(of('/v1/score-events', 'metadata'), text)).toThrow('JSON object');
    }
    const start = of('/v1/boards', 'starts_at');
    expect(jsonValue(start, '2026-03-01')).toBe('2026-03-01T00:00:00Z');
    expect(jsonValue(start, '2026-03-01T18:00+01:00')).toBe('2026-03-01T18:00+01:00');
    const tags = of('/v1/games', 'tags');
    expect(jsonValue(tags, 'b, c', jsonValue(tags, 'a'))).toEqual(['a', 'b, c']);
  });
});

test('a table fits its room: long cells are cut, numbers stand right, wide characters count double', () => {
  const columns = [
    { title: 'RANK', right: true },
    { title: 'PLAYER', cut: true },
    { title: 'ID' },
    { title: 'NOTE', cut: true },
  ];
  const id = 'ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c43';
  const rows = [
    ['1', '闪电闪电闪电闪电闪电闪电闪电闪电闪电', id, 'a very long note about nothing'],
    ['1000', 'Ann 👩‍👩‍👧', id, '-'],
  ];
  const table = new TextTable(columns, 80);
  const lines = [...table.lines(rows), table.line(table.titles)];
  for (const line of lines) expect(stringWidth(line)).toBeLessThanOrEqual(80);
  expect(lines[0]).toMatch(/^ {3}1 {2}闪电.*… +ide_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0c43 {2}a very.*…$/);
  expect(lines[1]).toContain(`1000  Ann 👩‍👩‍👧`);
  const starts = lines.map((line) => stringWidth(line.split(/ide_|ID/)[0]!));
  expect(new Set(starts).size).toBe(1);
  const narrow = new TextTable(columns, 20).lines(rows);
  expect(narrow[0]).toContain(id);
});

test('names of records are cut last, and names by ids before them', () => {
  const columns = [
    { title: 'NAME', cut: true, weight: 2 },
    { title: 'GAME', cut: true, weight: 1 },
    { title: 'NOTE', cut: true },
  ] as const;
  const row = ['Summer cup', 'Sky Race of Clouds', 'a note that is long'];
  expect(new TextTable([...columns], 36).lines([row])).toEqual(['Summer cup  Sky Race of C…  a note …']);
  expect(new TextTable([...columns], 22).lines([row])).toEqual(['Summer …  Sky Rac…  a note …']);
});

test('a table begins with numbers and names, ends with ids, and leaves out what is the same in all rows', () => {
  const titles = (name: string) =>
    inTableOrder(nouns.find((noun) => noun.name === name)!.columns).map(({ title }) => title);
  expect(titles('scores')).toEqual(['RANK', 'PLAYER', 'VALUE', 'STATUS', 'REACHED (UTC)']);
  expect(titles('players')).toEqual(['NAME', 'GAME', 'KIND', 'TIER', 'ID']);
  expect(titles('boards').slice(0, 3)).toEqual(['NAME', 'CODE', 'GAME']);
  const columns = [
    { title: 'RANK', right: true },
    { title: 'NAME', weight: 2 },
    { title: 'STATUS' },
    { title: 'KIND' },
  ] as const;
  const rows = [
    ['1', 'Ann', 'active', 'a'],
    ['1', 'Ann', 'active', 'b'],
  ];
  expect(sameInAllRows([...columns], rows)).toEqual([false, false, true, false]);
  expect(sameInAllRows([...columns], rows.slice(1))).toEqual([false, false, false, false]);
  const kinds = [{ title: 'KIND' }];
  expect(sameInAllRows(kinds, [['a'], ['a']])).toEqual([false]);
});

test('values of a table are those of the board, and of a pipe the numbers', () => {
  const scores = nouns.find(({ name }) => name === 'scores')!.columns;
  const [plain, points] = [scores, inUnit(scores, 'points')].map(
    (columns) => columns.find(({ title }) => title === 'VALUE')!,
  );
  const record = { value: 1234567.5, value_display: null };
  expect(plain!.value(record)).toBe(1234567.5);
  expect(plain!.shown!(record)).toBe('1,234,567.5');
  expect(points!.shown!(record)).toBe('1,234,567.5 points');
  expect(points!.shown!({ value: 72.34, value_display: '1:12.340' })).toBe('1:12.340');
});

test('every command has a place in the help, and the groups name no others', () => {
  const program = makeProgram();
  const names = program.commands.map((command) => command.name());
  // `complete` is for scripts of shells.
  const without = names.filter((name) => groupOf(name) === undefined);
  expect(without).toEqual(['complete']);
  const help = program.helpInformation();
  expect(help).toMatch(/\nStart:\n {2}register [\s\S]*\nGames and boards:\n {2}games [\s\S]*\nShell:\n/);
  expect(help).not.toContain('\nCommands:\n');
});

/** What a mistyped command line is answered with. */
function guessFor(line: string): string | undefined {
  const said: string[] = [];
  const program = makeProgram();
  for (const [, command] of [['', program] as const, ...commandsOf(program)])
    command.configureOutput({ writeErr: (text) => said.push(text) });
  expect(() => program.parse(line.split(' '), { from: 'user' })).toThrow();
  return /\(Did you mean (.*)\?\)/.exec(said.join(''))?.[1] ?? /\((A key .*)\)/.exec(said.join(''))?.[1];
}

test.each([
  ['board list', 'boards'],
  ['leaderboards list', 'boards'],
  ['list boards', 'boards list'],
  ['ban dev_1', 'devices ban'],
  ['scoers list X --limit 2', 'scores'],
  ['create', 'one of games create, boards create, templates create'],
  ['games new X', 'create'],
  ['games remove X', 'delete'],
  ['boards ls', 'list'],
  ['scores list X --top 3', '--limit'],
  ['boards list --lmit 3', '--limit'],
  ['boards create g B --keep best', '--keep-strategy'],
  ['boards update X --is-active', '--active'],
  ['games list --acount x', '--account'],
  ['games list --api-key svc_x', 'A key is no option. Run "leaderboard login", or set LEADERBOARD_API_KEY.'],
  ['nonsense', undefined],
  ['games list --nonsense', undefined],
])('"%s" gets a guess', (line, guess) => {
  expect(guessFor(line)).toBe(guess);
});

test('a browser is started where the machine has a screen', () => {
  expect(browserCommand({}, 'linux')).toBeUndefined();
  expect(browserCommand({ DISPLAY: ':0' }, 'linux')).toEqual(['xdg-open']);
  expect(browserCommand({ WAYLAND_DISPLAY: 'wayland-0' }, 'linux')).toEqual(['xdg-open']);
  expect(browserCommand({}, 'darwin')).toEqual(['open']);
  expect(browserCommand({ SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }, 'darwin')).toBeUndefined();
  expect(browserCommand({ BROWSER: 'firefox' }, 'linux')).toEqual(['firefox']);
  expect(browserCommand({}, 'win32')).toEqual(['rundll32', 'url.dll,FileProtocolHandler']);
});

test('control characters for a terminal are shown, not sent', () => {
  expect(printable('a\u001b[2Jb\u0007\u009bc\u202ed')).toBe('a\\u001b[2Jb\\u0007\\u009bc\\u202ed');
  expect(shownText({ text: '\u001b]0;x\u0007' })).not.toMatch(/\p{Cc}/u);
  const value = { text: 'line\nnext\u007f\u009b\u001b' };
  expect(jsonText(value)).not.toMatch(/\p{Cc}/u);
  expect(JSON.parse(jsonText(value, 2))).toEqual(value);
});
