import { readFileSync } from 'node:fs';
import path from 'node:path';
import { buildSchema, findBreakingChanges } from 'graphql';

const read = (name: string) => readFileSync(path.resolve(__dirname, '../..', name), 'utf8');
const breaksOf = (released: string, present: string) =>
  findBreakingChanges(buildSchema(released), buildSchema(present)).map(({ description }) => description);

// `node tools/released-schema.mjs` writes the file of a release.
const released = read('test/contract/released.graphql');
const present = read('schema/schema.graphql');

test('the schema kept is that of the version in package.json', () => {
  expect(released).toContain(`# ${JSON.parse(read('package.json')).version}\n`);
});

test('clients of the last release find everything that they know', () => {
  expect(breaksOf(released, present)).toEqual([]);
});

test.each([
  ['a field that is gone', /^ {2}percentile: Float!$/m, ''],
  ['a field that may now be null', /^ {2}displayRank: Int!$/m, '  displayRank: Int'],
  ['an input that is now required', /^input RestoreInput \{$/m, 'input RestoreInput {\n  why: String!'],
  ['a value of an enum that is gone', /^ {2}PENDING$/m, ''],
])('%s is a break', (_what, before, after) => {
  expect(released).toMatch(before);
  expect(breaksOf(released, released.replace(before, after))).toHaveLength(1);
});
