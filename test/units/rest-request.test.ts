import { buildSchema, type FieldNode, type OperationDefinitionNode, parse } from 'graphql';
import { encodeCursor, orderPart } from '../../src/db/sort.js';
import { inputsOf } from '../../src/rest/request/inputs.js';
import { RequestReader } from '../../src/rest/request/request.js';
import type { Route } from '../../src/rest/routes/route.js';

const schema = buildSchema(`
  enum Policy { zero infinity }
  input PartInput { boardId: ID!, weightFactor: Float }
  input RatioInput { zeroPolicy: Policy, parts: [PartInput!]! }
  input SaveInput { shownName: String!, ratioConfig: RatioInput, tags: [String!], count: Int! = 1 }
  type Query {
    things(ownerId: ID, isOpen: Boolean, minValue: Float, first: Int, after: String, last: Int, before: String): String
    save(id: ID!, input: SaveInput!): String
    rename(id: ID!, input: SaveInput!): String
  }
`);

function readerOf(method: Route['method'], path: string, text: string): RequestReader {
  const definition = parse(text).definitions[0] as OperationDefinitionNode;
  const root = definition.selectionSet.selections[0] as FieldNode;
  const field = schema.getQueryType()!.getFields()[root.name.value]!;
  const route: Route = { method, path, operation: 'It', body: root.name.value, status: 200, who: 'anyone' };
  return new RequestReader(inputsOf(schema, route, definition, [{ field, args: root.arguments ?? [] }]));
}

const save = readerOf(
  'PATCH',
  '/things/{thing_id}',
  'query It($thingId: ID!, $input: SaveInput!) { save(id: $thingId, input: $input) }',
);
const list = readerOf(
  'GET',
  '/things',
  `query It($ownerId: ID, $isOpen: Boolean, $minScore: Float, $first: Int, $after: String, $last: Int, $before: String) {
    things(ownerId: $ownerId, isOpen: $isOpen, minValue: $minScore, first: $first, after: $after, last: $last, before: $before)
  }`,
);
const rename = readerOf(
  'POST',
  '/things/{thing_id}/name',
  'query It($thingId: ID!, $shownName: String!) { rename(id: $thingId, input: { shownName: $shownName }) }',
);

const path = { thing_id: 't1' };
const query = {};

test('members are renamed at every depth, unknown ones left out, null and absent distinguished', () => {
  const body = {
    shown_name: 'x',
    shownName: 'not this',
    tags: null,
    ratio_config: {
      zero_policy: 'zero',
      other: 1,
      parts: [{ board_id: 'b', weight_factor: null, boardId: 1 }],
    },
  };
  expect(save.read({ path, query, body })).toEqual({
    variables: {
      thingId: 't1',
      input: {
        shownName: 'x',
        tags: null,
        ratioConfig: { zeroPolicy: 'zero', parts: [{ boardId: 'b', weightFactor: null }] },
      },
    },
    faults: [],
  });
});

test('deep faults are reported in the caller’s spelling', () => {
  const body = {
    ratio_config: { zero_policy: 'ZERO', parts: [{ weight_factor: 'much' }, 7] },
    tags: ['a', 1],
    count: null,
  };
  const { variables, faults } = save.read({ path, query, body });
  expect(save.faultsOf(variables, faults)).toEqual([
    { loc: ['body', 'shown_name'], msg: 'is required', type: 'missing' },
    { loc: ['body', 'ratio_config', 'zero_policy'], msg: 'must be one of zero, infinity', type: 'enum' },
    { loc: ['body', 'ratio_config', 'parts', 0, 'board_id'], msg: 'is required', type: 'missing' },
    {
      loc: ['body', 'ratio_config', 'parts', 0, 'weight_factor'],
      msg: 'must be a finite number',
      type: 'number',
    },
    { loc: ['body', 'ratio_config', 'parts', 1], msg: 'must be a JSON object', type: 'object' },
    { loc: ['body', 'tags', 1], msg: 'must be a string', type: 'string' },
    { loc: ['body', 'count'], msg: 'must not be null', type: 'null' },
  ]);
});

test('a missing body is the only fault reported', () => {
  for (const [body, type] of [
    [undefined, 'missing'],
    [[], 'object'],
    [5, 'object'],
  ]) {
    const { variables, faults } = save.read({ path, query, body });
    expect(save.faultsOf(variables, faults)).toEqual([{ loc: ['body'], msg: expect.any(String), type }]);
  }
});

test('faults of resolvers are placed where the caller wrote the value', () => {
  expect(save.locOf(['id'])).toEqual(['path', 'thing_id']);
  expect(save.locOf(['ratioConfig', 'parts', 0, 'boardId'])).toEqual([
    'body',
    'ratio_config',
    'parts',
    0,
    'board_id',
  ]);
  expect(rename.locOf(['shownName'])).toEqual(['body', 'shown_name']);
  expect(list.locOf(['minValue'])).toEqual(['query', 'min_score']);
  for (const name of ['first', 'last']) expect(list.locOf([name])).toEqual(['query', 'limit']);
  for (const name of ['after', 'before']) expect(list.locOf([name])).toEqual(['query', 'cursor']);
  expect(list.locOf(['header', 'x-y'])).toEqual(['header', 'x-y']);
});

test('query parameters become values of their types', () => {
  const good: [Record<string, string>, Record<string, unknown>][] = [
    [
      { is_open: 'true', min_score: '-1.5e3' },
      { isOpen: true, minScore: -1_500 },
    ],
    [
      { is_open: '0', min_score: '.5' },
      { isOpen: false, minScore: 0.5 },
    ],
    [
      { owner_id: '12', limit: '007' },
      { ownerId: '12', first: 7 },
    ],
    [{ ownerId: 'not this', isOpen: 'nor this' }, {}],
    [{ is_open: '', owner_id: '', limit: '' }, {}],
  ];
  for (const [text, variables] of good) {
    expect(list.read({ path: {}, query: text, body: undefined })).toEqual({ variables, faults: [] });
  }
  for (const [name, text] of [
    ['is_open', 'TRUE'],
    ['min_score', 'Infinity'],
    ['min_score', '0x10'],
    ['min_score', '1,5'],
    ['limit', '1e1'],
    ['limit', '2147483648'],
    ['limit', ' 1'],
  ] as const) {
    const { faults } = list.read({ path: {}, query: { [name]: text }, body: undefined });
    expect(faults.map(({ loc }) => loc)).toEqual([['query', name]]);
  }
});

test('a cursor decides between after and before', () => {
  const part = orderPart({ column: 't.n', kind: 'integer' }, 'asc');
  const order = { text: 'n:asc', parts: [part] };
  const forward = encodeCursor(order, {}, { n: 1 }, 'f');
  const backward = encodeCursor(order, {}, { n: 1 }, 'b');
  const read = (texts: Record<string, string>) =>
    list.read({ path: {}, query: texts, body: undefined }).variables;
  expect(read({ cursor: forward, limit: '3' })).toEqual({ after: forward, first: 3 });
  expect(read({ cursor: backward, limit: '3' })).toEqual({ before: backward, last: 3 });
  expect(read({ cursor: 'what?' })).toEqual({ after: 'what?' });
});
