import { readFileSync } from 'node:fs';
import path from 'node:path';
import Ajv from 'ajv';
import { buildSchema, type GraphQLInputObjectType, getNamedType } from 'graphql';
import { parse } from 'yaml';
import {
  FILTERS,
  fileName,
  type Kind,
  REFERENCES,
  restName,
  SHAPES,
} from '../../src/configuration/fields.js';
import { readFile } from '../../src/configuration/file.js';
import { Matching } from '../../src/configuration/match.js';
import { Refusals } from '../../src/configuration/refusals.js';
import type { StoredRecord } from '../../src/configuration/stored.js';

const ROOT = path.resolve(__dirname, '../..');
const schema = buildSchema(readFileSync(path.join(ROOT, 'schema/schema.graphql'), 'utf8'));
const jsonSchema = JSON.parse(readFileSync(path.join(ROOT, 'schema/leaderboards.schema.json'), 'utf8'));

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

test('the JSON Schema is one, and the example of the guide fits it', () => {
  const ajv = new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false });
  expect(ajv.validateSchema(jsonSchema)).toBe(true);
  const guide = readFileSync(path.join(ROOT, 'docs/guides/configuration-as-code.md'), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(guide)!;
  const content = parse(example);
  expect(new Ajv({ strict: false, validateFormats: false }).validate(jsonSchema, content)).toBe(true);
  const refusals = new Refusals();
  const { games, webhooks } = readFile(content, refusals);
  expect(refusals.all).toEqual([]);
  expect(webhooks).toHaveLength(2);
  expect(games[0]!.boards!.length).toBeGreaterThan(2);
});

/** A stored record for which names and slugs alone matter. */
function stored(kind: Kind, name: string, slug?: string, isActive = true): StoredRecord {
  return { kind, id: name, name, slug, columns: {}, record: { isActive } as StoredRecord['record'] };
}

/** Pairs of a file's game A with a stored one, as `name: stored name`, or the refusals. */
function pairsOf(
  lists: object,
  boards: StoredRecord[],
  templates: StoredRecord[] = [],
  ambiguous: string[] = [],
) {
  const refusals = new Refusals();
  const wanted = readFile({ games: [{ name: 'A', ...lists }] }, refusals);
  const game = { ...stored('game', 'A'), boards, templates, ambiguous: new Set(ambiguous) };
  const all = { games: [game as never], webhooks: undefined, notes: [] };
  const matching = new Matching(wanted, all, refusals);
  if (refusals.all.length > 0) return refusals.all.map(({ path, message }) => `${path.join('.')} ${message}`);
  const [first] = wanted.games;
  return [
    ...[...(first!.boards ?? []), ...(first!.templates ?? [])].map(
      (record) => `${record.name}: ${matching.of(record)?.name ?? 'new'}`,
    ),
    ...matching.unnamed.map(({ record }) => `unnamed: ${record.name}`),
  ];
}

test('records are recognised by slug, then by a former name, then by name', () => {
  const boards = [stored('board', 'B', 'b1'), stored('board', 'C', 'c1')];
  expect(pairsOf({ boards: [{ name: 'New', slug: 'b1' }, { name: 'C' }] }, boards)).toEqual([
    'New: B',
    'C: C',
  ]);
  const renamed = { boards: [{ name: 'C' }, { name: 'D', renamed_from: 'C' }] };
  expect(pairsOf(renamed, boards)).toEqual(['C: new', 'D: C', 'unnamed: B']);
  const swapped = { boards: [{ name: 'C', renamed_from: 'B' }, { name: 'B' }] };
  expect(pairsOf(swapped, boards)).toEqual(['C: C', 'B: B']);
  expect(pairsOf({ templates: [] }, boards)).toEqual([]);
  expect(pairsOf({ boards: [] }, boards)).toEqual(['unnamed: B', 'unnamed: C']);
  const twins = [stored('board', 'B', 'b1'), stored('board', 'B', 'b2')];
  expect(pairsOf({ boards: [{ name: 'B' }] }, twins)).toEqual([
    'games.0.boards.0.name is that of several boards. Add the slug, one of b1, b2',
  ]);
  const other = { boards: [{ name: 'B', slug: 'b3' }] };
  expect(pairsOf(other, twins)).toEqual(['games.0.boards.0.slug cannot be changed. B has the slug "b1"']);
  expect(pairsOf(other, [stored('board', 'B', 'b1', false)])).toEqual(['B: new', 'unnamed: B']);
  expect(pairsOf({ templates: [{ name: 'T' }] }, [], [], ['T'])).toEqual([
    'games.0.templates.0.name is that of several templates. Rename all but one',
  ]);
});
