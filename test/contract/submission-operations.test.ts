import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  buildSchema,
  type FieldNode,
  type InputObjectTypeDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  print,
  visit,
} from 'graphql';

// A member of a submission that one operation of REST leaves out is dropped there without an error.

const read = (name: string) => readFileSync(path.resolve(__dirname, '../../schema', name), 'utf8');
const operations = new Map(
  parse(read('rest.graphql')).definitions.flatMap((one): [string, OperationDefinitionNode][] =>
    one.kind === Kind.OPERATION_DEFINITION ? [[one.name!.value, one]] : [],
  ),
);
const schema = buildSchema(read('schema.graphql'));
const VARIANT = /WithStandings$/;
const variants = [...operations.keys()].filter((name) => VARIANT.test(name));

/** Fields of an operation's result, below its root field. */
const selected = (name: string): string[] => {
  const [root] = operations.get(name)!.selectionSet.selections as FieldNode[];
  const below = root!.selectionSet!.selections as FieldNode[];
  const items = below.find((field) => field.name.value === 'items');
  return ((items ? items.selectionSet!.selections : below) as FieldNode[]).map((field) => field.name.value);
};

test('operations with standings are the others, and have standings', () => {
  expect(variants.toSorted()).toEqual([
    'CreateScoreEventWithStandings',
    'CreateScoreEventsWithStandings',
    'SubmitScoreWithStandings',
    'SubmitScoresWithStandings',
  ]);
  for (const name of variants) {
    const plain = operations.get(name.replace(VARIANT, ''))!;
    const without = visit(operations.get(name)!, {
      Name: ({ kind, value }) => (value === name ? { kind, value: plain.name!.value } : undefined),
      VariableDefinition: ({ variable }) => (variable.name.value === 'standings' ? null : undefined),
      Field: (field) => (field.name.value === 'standings' ? null : undefined),
    });
    expect(print(without)).toBe(print(plain));
  }
});

test.each([
  ['SubmitScore', 'SubmitScoreInput', ['nonce', 'idempotencyKey']],
  ['CreateScoreEvent', 'CreateScoreEventInput', ['idempotencyKey']],
])('%s passes every member of %s', (name, type, headers) => {
  const { fields } = schema.getType(type)!.astNode as InputObjectTypeDefinitionNode;
  const [root] = operations.get(name)!.selectionSet.selections as FieldNode[];
  const { value } = root!.arguments!.find((argument) => argument.name.value === 'input')!;
  if (value.kind !== Kind.OBJECT) throw new Error(`${name} has no input of members`);
  // REST's tags are an object, which is `tagValues` of the whole schema.
  const passed = value.fields.map((field) => field.name.value.replace('tagValues', 'tags'));
  const expected = fields!.map((field) => field.name.value).filter((one) => !headers.includes(one));
  expect(passed.toSorted()).toEqual(expected.toSorted());
});

test.each([
  ['SubmitScore', 'SubmitScores'],
  ['CreateScoreEvent', 'CreateScoreEvents'],
])('what %s returns, items of %s return, too', (single, batch) => {
  // The batch names it by its kind.
  const expected = selected(single).map((field) => (field === 'scoreEvent' ? 'event' : field));
  expect(selected(batch)).toEqual(expect.arrayContaining(expected));
});
