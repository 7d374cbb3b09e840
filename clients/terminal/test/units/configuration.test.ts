import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  getNamedType,
  isListType,
  isNonNullType,
  isNullableType,
  parse,
  validate,
} from 'graphql';
import { listQuery, writeMutation } from '../../src/configuration/api.js';
import { FileChecks } from '../../src/configuration/check.js';
import { defaultFor } from '../../src/configuration/defaults.js';
import { readContent } from '../../src/configuration/desired.js';
import {
  FILTERS,
  fileName,
  type Kind,
  MADE_BY_SERVICE,
  REFERENCES,
  restName,
  SHAPES,
  type Values,
} from '../../src/configuration/fields.js';
import { YamlFile } from '../../src/configuration/file.js';
import { Matching } from '../../src/configuration/match.js';
import type { StoredRecord } from '../../src/configuration/stored.js';
import { isReached, Targets } from '../../src/configuration/target.js';
import { schemaText } from '../../src/contract/package.js';
import type { FileError } from '../../src/output/failure.js';

const ROOT = path.resolve(__dirname, '../../../..');
const schema = buildSchema(schemaText('schema.graphql'));
const jsonSchema = JSON.parse(schemaText('leaderboards.schema.json'));

const KINDS = ['game', 'board', 'template', 'ratio', 'webhook'] as const;
type ShapeName = (typeof KINDS)[number];

/** Fields of the file's records that are no fields of the API. */
const OWN: Record<ShapeName, string[]> = {
  game: ['renamed_from', 'boards', 'templates'],
  board: ['renamed_from'],
  template: ['renamed_from'],
  ratio: [],
  webhook: ['renamed_from'],
};

function inputFields(kind: ShapeName) {
  const { type } = SHAPES[kind];
  const inputs = [`Create${type}Input`, `Update${type}Input`].map((name) =>
    (schema.getType(name) as GraphQLInputObjectType).getFields(),
  );
  return inputs.flatMap((fields) => Object.values(fields));
}

const inFile = (kind: ShapeName): string[] =>
  Object.keys(jsonSchema.definitions[kind === 'ratio' ? 'ratio_config' : kind].properties);

test.each(KINDS)('every field of the inputs of a %s is in the file, or left out with a reason', (kind) => {
  const { leftOut } = SHAPES[kind];
  // REST deletes by a change.
  const more = kind === 'ratio' ? [] : ['deleted'];
  const names = new Set([...inputFields(kind).map(({ name }) => restName(name)), ...more]);
  const wanted = [...names].filter((name) => !(name in leftOut)).map(fileName);
  expect(inFile(kind).toSorted()).toEqual([...wanted, ...OWN[kind]].toSorted());
  // An entry that stands for nothing would hide a later field of its name.
  expect(Object.keys(leftOut).filter((name) => !names.has(name))).toEqual([]);
  // An id means nothing in another account.
  const ids = inputFields(kind).filter(({ type }) => getNamedType(type).name === 'ID');
  const unknown = ids
    .map(({ name }) => restName(name))
    .filter((name) => !(name in leftOut || name in REFERENCES || name in FILTERS));
  expect(unknown).toEqual([]);
});

test.each(KINDS)('every field of a %s that is never null has a value where the file gives none', (kind) => {
  const { type, leftOut, required } = SHAPES[kind];
  const shown = (schema.getType(type) as GraphQLObjectType).getFields();
  const without = inputFields(kind).filter(({ name }) => {
    const field = fileName(restName(name));
    const made = kind !== 'ratio' && MADE_BY_SERVICE[kind].includes(field);
    const ruled = field === 'board_type' || field === 'keep_strategy';
    if (restName(name) in leftOut || required.includes(field) || made || ruled) return false;
    const output = shown[name]!.type;
    const list = isNonNullType(output) && isListType(output.ofType);
    return !isNullableType(output) && !list && defaultFor(kind, field) === undefined;
  });
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('queries and mutations fit the schema', () => {
  const kinds: Kind[] = ['game', 'board', 'template', 'webhook'];
  const texts = kinds.flatMap((kind) => [
    listQuery(kind),
    writeMutation('Create', kind),
    writeMutation('Update', kind),
  ]);
  for (const text of texts) expect(validate(schema, parse(text))).toEqual([]);
});

test('the JSON Schema is one, and the example of the guide fits it', () => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false });
  expect(ajv.validateSchema(jsonSchema)).toBe(true);
  const guide = readFileSync(path.join(ROOT, 'docs/guides/configuration-as-code.md'), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(guide)!;
  const file = new YamlFile('leaderboards.yaml', example);
  const content = readContent(file);
  new FileChecks(file).content(content);
  file.refuseFaults();
  expect(content.webhooks).toHaveLength(2);
  expect(content.games[0]!.boards!.length).toBeGreaterThan(2);
});

/** The faults of a file as `line:column message`. */
function faultsOf(content: string): string[] {
  try {
    const file = new YamlFile('f', content);
    new FileChecks(file).content(readContent(file));
    file.refuseFaults();
    return [];
  } catch (error) {
    return (error as FileError).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
}

test.each<[string, string, string[]]>([
  ['no content', '', ['1:1 the file is empty. It must start with "games:"']],
  [
    'no YAML',
    'games: [',
    ['1:9 Flow sequence in block collection must be sufficiently indented and end with a ]'],
  ],
  ['a key twice', 'games:\n  - name: A\n    name: B', ['3:5 Map keys must be unique']],
  [
    'unknown keys and values of other types',
    'games:\n  - name: 2048\n    tag: x\n    boards:\n      - name: A\n        sort_direction: up\n       ' +
      ' ends_at: soon\n        short_code: A-1',
    [
      '2:11 must be a text. Put it in quotes',
      '3:5 unknown field "tag"',
      '6:25 must be one of asc, desc',
      '7:18 must be a date or a time, like 2030-01-31 or 2030-01-31T18:00:00Z',
      '8:21 is not valid: Short code, unique among all boards, case-insensitive. 3 to 16 letters and digits. Generated if absent.',
    ],
  ],
  [
    'two records of one name',
    'games:\n  - name: A\n  - name: A\n    boards:\n      - {name: B, slug: b1}\n      - {name: B}\n      - {name: C, slug: b1}',
    [
      '3:11 another game has the name "A"',
      '6:16 another board has the name "B"',
      '7:25 another board has the slug "b1"',
    ],
  ],
  [
    'boards that share a name, with a slug each',
    'games:\n  - name: A\n    boards:\n      - {name: B, slug: b1}\n      - {name: B, slug: c1}',
    [],
  ],
  [
    'rules that contradict each other, and moments',
    'games:\n  - name: A\n    boards:\n      - {name: B, board_type: counter, keep_strategy: best}\n      ' +
      '- {name: C, starts_at: 2026-03-02, ends_at: 2026-03-01T10:00:00+02:00}\n      - {name: D, starts_at: ' +
      '2026-02-30}',
    [
      '4:55 must be all when board_type is counter',
      '5:51 must be after starts_at',
      '6:30 is not a valid date or time',
    ],
  ],
  [
    'formats that their boards cannot have',
    'games:\n  - name: A\n    boards:\n      - {name: B, format: {kind: number, time_unit: seconds}}\n    ' +
      '  - {name: C, board_type: ratio, format: {kind: time}}',
    [
      '4:42 is only allowed with kind: time',
      '5:31 a ratio board needs ratio_config',
      '5:38 is not allowed with board_type: ratio. Use ratio_config',
    ],
  ],
  [
    'names of records that are not there',
    'games:\n  - name: A\n    default_board: X\n    boards:\n      - {name: B, board_type: ratio, ' +
      'ratio_config: {numerator_board: C, denominator_board: Y}}\n      - {name: C}',
    [
      '3:20 the file has no board "X" in this game',
      '5:70 C is not a counter board',
      '5:92 the file has no board "Y" in this game',
    ],
  ],
  [
    'a fault behind an alias, where it is written',
    'games:\n  - name: A\n    anti_cheat_settings: &strict\n      rate_limit: {a: none}\n  - name: B\n    anti_cheat_settings: *strict',
    [
      '4:23 must be "off"',
      '4:23 must be a whole number',
      '4:23 must be "off"',
      '4:23 must be a whole number',
    ],
  ],
  [
    'webhooks that its JSON Schema does not permit',
    `games: []
webhooks:
  - {name: A, url: 'https://x.test', events: [board.closed], format: mail}
  - {name: B, url: x.test, events: [], boards: [{game: A}]}`,
    [
      '3:70 must be one of json, discord, slack',
      `4:20 is not valid: Where requests are sent: https://…, or an environment variable that has it, \${NAME}. ` +
        `If that is not set, a stored address is kept. Addresses of chats and those with a query are secrets, ` +
        `so they must be in a variable.`,
      '4:36 must NOT have fewer than 1 items',
      '4:49 board is missing',
    ],
  ],
  [
    'secrets and names that are not there in webhooks',
    `games: [{name: G}]
webhooks:
  - {name: A, url: 'https://x.test/?token=1', events: [board.closed]}
  - {name: A, url: 'https://discord.com/1', events: [board.closed], format: discord}
  - {name: C, url: '\${NONE}', events: [board.closed], format: slack, ordered: true, games: [X], boards: [{game: G, board: B}]}`,
    [
      `3:20 is a secret. Put it in an environment variable and name that here, like \${CHAT_URL}`,
      '4:12 another webhook has the name "A"',
      `4:20 is a secret. Put it in an environment variable and name that here, like \${CHAT_URL}`,
      '5:70 is only allowed with format: json',
      '5:93 the file has no game "X"',
      '5:123 the file has no board "B" in the game "G"',
    ],
  ],
])('a file with %s', (_, content, faults) => {
  expect(faultsOf(content)).toEqual(faults);
});

/** A stored record for which names and slugs alone matter. */
function stored(kind: Kind, name: string, values: Values = {}): StoredRecord {
  return { kind, id: name, name, values: { is_active: true, ...values } };
}

/** Pairs of a file's game A with a stored one, as `name: stored name`, or the faults. */
function pairsOf(
  lists: string,
  boards: StoredRecord[],
  templates: StoredRecord[] = [],
  ambiguous: string[] = [],
) {
  const file = new YamlFile('f', `games:\n  - name: A\n${lists}`);
  const { games } = readContent(file);
  const game = { ...stored('game', 'A'), boards, templates, ambiguous: new Set(ambiguous) };
  const matching = new Matching(file, games, { games: [game], notes: [] });
  try {
    file.refuseFaults();
  } catch (error) {
    return (error as FileError).faults.map(({ line, column, message }) => `${line}:${column} ${message}`);
  }
  const records = [...(games[0]!.boards ?? []), ...(games[0]!.templates ?? [])];
  return [
    ...records.map((record) => `${record.name}: ${matching.stored(record)?.name ?? 'new'}`),
    ...matching.unnamed.map(({ record }) => `unnamed: ${record.name}`),
  ];
}

test('records are recognised by slug, then by a former name, then by name', () => {
  const boards = [stored('board', 'B', { slug: 'b1' }), stored('board', 'C', { slug: 'c1' })];
  expect(pairsOf('    boards: [{name: New, slug: b1}, {name: C}]', boards)).toEqual(['New: B', 'C: C']);
  expect(pairsOf('    boards: [{name: C}, {name: D, renamed_from: C}]', boards)).toEqual([
    'C: new',
    'D: C',
    'unnamed: B',
  ]);
  expect(pairsOf('    boards: [{name: C, renamed_from: B}, {name: B}]', boards)).toEqual(['C: C', 'B: B']);
  expect(pairsOf('    templates: []', boards)).toEqual([]);
  expect(pairsOf('    boards: []', boards)).toEqual(['unnamed: B', 'unnamed: C']);
  const twins = [stored('board', 'B', { slug: 'b1' }), stored('board', 'B', { slug: 'b2' })];
  expect(pairsOf('    boards: [{name: B}]', twins)).toEqual([
    '3:21 more than one board has this name. Add the slug, one of b1, b2',
  ]);
  expect(pairsOf('    boards: [{name: B, slug: b3}]', twins)).toEqual([
    '3:30 the slug of a board cannot be changed. B has the slug "b1"',
  ]);
  const closed = [stored('board', 'B', { slug: 'b1', is_active: false })];
  expect(pairsOf('    boards: [{name: B, slug: b3}]', closed)).toEqual(['B: new', 'unnamed: B']);
  const twice = '    templates: [{name: T, repeat_interval: 1 day, next_run_at: 2026-01-01}]';
  expect(pairsOf(twice, [], [], ['T'])).toEqual([
    '3:24 more than one template of this game has this name. Rename all but one',
  ]);
});

test('a template moves only if its windows would begin at other moments, or later', () => {
  const now = Date.parse('2026-11-24T12:00:00Z');
  const nextRun = (wanted: string) => {
    const file = new YamlFile(
      'f',
      `games: [{name: A, templates: [{name: T, repeat_interval: 2 days, next_run_at: ${wanted}}]}]`,
    );
    const [game] = readContent(file).games;
    const values = { next_run_at: '2026-11-25T00:00:00.000Z', repeat_interval: '2 days' };
    const present = stored('template', 'T', values);
    return new Targets(new Set(), now).of(game!.templates![0]!, game!, present).get('next_run_at');
  };
  expect(nextRun('2026-11-25')).toBeUndefined();
  expect(nextRun('2026-11-01')).toBeUndefined();
  expect(nextRun('2026-11-02')).toBe('2026-11-02T00:00:00.000Z');
  expect(nextRun('2026-11-27')).toBe('2026-11-27T00:00:00.000Z');
});

test('windows of days and weeks are of one series by the clock of their zone', () => {
  const now = Date.parse('2026-11-24T12:00:00Z');
  const nextRun = (wanted: string, windowZone: string, zone = 'Europe/Berlin') => {
    const file = new YamlFile(
      'f',
      `games: [{name: A, templates: [{name: T, time_zone: ${zone}, repeat_interval: 1 week, next_run_at: "${wanted}"}]}]`,
    );
    const [game] = readContent(file).games;
    const values = {
      next_run_at: '2026-11-29T23:00:00.000Z',
      repeat_interval: '1 week',
      time_zone: 'Europe/Berlin',
    };
    const present = { ...stored('template', 'T', values), windowZone };
    return new Targets(new Set(), now).of(game!.templates![0]!, game!, present).get('next_run_at');
  };
  // A Monday of summer.
  expect(nextRun('2026-07-05T22:00:00Z', 'Europe/Berlin')).toBeUndefined();
  expect(nextRun('2026-07-05T23:00:00Z', 'Europe/Berlin')).toBe('2026-07-05T23:00:00.000Z');
  // Windows that are in UTC until the template is saved.
  expect(nextRun('2026-07-05T23:00:00Z', 'UTC')).toBeUndefined();
  // Another zone counts by its own clock, and an unknown one is for the service to refuse.
  expect(nextRun('2026-07-05T23:00:00Z', 'Europe/Berlin', 'UTC')).toBeUndefined();
  expect(nextRun('2026-07-05T22:00:00Z', 'Europe/Berlin', 'Nowhere')).toBe('2026-07-05T22:00:00.000Z');
});

test('moments within views are those of the service, however they are spelled', () => {
  const views = (at: string) => [{ name: 'v', seasons: [{ name: 'one', starts_at: at }] }];
  const isSame = (at: string) => isReached(views(at), views('2099-01-01T00:00:00.000Z'), () => undefined);
  expect(['2099-01-01 00:00', '2099-01-01T02:00+02', '2099-01-01t00:00:00z'].map(isSame)).toEqual([
    ...[true, true, true],
  ]);
  expect(['2099-01-01T02:00', '2099-01-01T00:00-01', 'x'].map(isSame)).toEqual([false, false, false]);
});
