import { buildSchema, type ExecutionResult, execute, type GraphQLObjectType, parse } from 'graphql';
import { DomainError } from '../../src/base/errors.js';
import type { Context } from '../../src/graphql/context.js';
import { isFitToCompile } from '../../src/graphql/engine/compile.js';
import { Engine } from '../../src/graphql/engine/execute.js';
import { domainErrorOf } from '../../src/graphql/errors.js';

// Compiled queries against the standard's own library: the same answers and the same errors, word for word.

const schema = buildSchema(`
  enum Shade { DARK PALE }
  interface Named { name: String! }
  type Part implements Named { name: String! broken: String! shade: Shade }
  type Thing implements Named { name: String! size: Float parts(first: Int! = 2, shade: Shade): [Part!]! maybe: Part }
  type Query { thing(no: Int!, name: String): Thing named: [Named!]! refused: Thing needed: Thing! odd(x: Float!): Float! }
`);
let calls = 0;
const part = (name: string) => ({ __typename: 'Part', name, shade: 'PALE' });
const thing = (name: string) => ({ __typename: 'Thing', name, size: 1.5, maybe: part('m') });
const resolvers: Record<string, Record<string, (source: never, args: never) => unknown>> = {
  Query: {
    thing: async (_source, { no, name }: { no: number; name?: string }) => thing(name ?? `thing ${no}`),
    named: () => [thing('a'), part('b')],
    refused: () => {
      throw new DomainError('FORBIDDEN', 'Not yours');
    },
    needed: async () => null,
    odd: (_source, { x }: { x: number }) => x / 0,
  },
  Thing: {
    parts: (_source, { first, shade }: { first: number; shade?: string }) => {
      calls += 1;
      return Array.from({ length: first }, (_, i) => part(`${i}${shade ?? ''}`));
    },
  },
  Part: {
    broken: () => {
      throw new DomainError('NOT_FOUND', 'Part not found');
    },
  },
};
for (const [type, fields] of Object.entries(resolvers)) {
  for (const [name, resolve] of Object.entries(fields)) {
    (schema.getType(type) as GraphQLObjectType).getFields()[name]!.resolve = resolve as never;
  }
}

const plain = ({ data, errors }: ExecutionResult) => ({
  data,
  errors: errors?.map((error) => {
    const { code, message } = domainErrorOf(error);
    return { ...error.toJSON(), code, message };
  }),
});

const CASES: [string, string, Record<string, unknown>?, string?][] = [
  ['fields', '{ thing(no: 1) { name size parts { name shade } } }'],
  [
    'aliases and arguments',
    '{ a: thing(no: 2) { p: parts(first: 1, shade: DARK) { name } q: parts { name } } }',
  ],
  [
    'fragments',
    'query { thing(no: 1) { ...T ... on Thing { maybe { ...P } } } } fragment T on Thing { name } fragment P on Part { name }',
  ],
  ['types behind an interface', '{ named { __typename name ... on Thing { size } ... on Part { shade } } }'],
  [
    'variables',
    'query ($n: String!, $f: Int!) { thing(no: 4, name: $n) { parts(first: $f) { name } } }',
    { n: 'é', f: 3 },
  ],
  [
    'defaults of variables',
    'query ($n: Int! = 5, $f: Int! = 1, $s: Shade = DARK) { thing(no: $n) { name parts(first: $f, shade: $s) { name } } }',
  ],
  [
    'null beside a default',
    'query ($s: Shade = DARK) { thing(no: 1) { parts(shade: $s) { name } } }',
    { s: null },
  ],
  [
    'directives',
    'query ($yes: Boolean!) { thing(no: 1) { name @include(if: $yes) size @skip(if: $yes) } }',
    { yes: true },
  ],
  ['one of two operations', 'query A { thing(no: 2) { name } } query B { thing(no: 3) { name } }', {}, 'B'],
  ['a missing variable', 'query ($n: String!) { thing(no: 4, name: $n) { name } }'],
  [
    'a variable of another type',
    'query ($f: Int!) { thing(no: 1) { parts(first: $f) { name } } }',
    { f: 'many' },
  ],
  ['an unknown value', 'query ($s: Shade) { thing(no: 1) { parts(shade: $s) { name } } }', { s: 'PINK' }],
  ['a refused field beside others', '{ thing(no: 1) { name } refused { name } }'],
  ['a fault deep down', '{ thing(no: 1) { name maybe { broken } } }'],
  ['faults in a list', '{ thing(no: 1) { parts { name broken } } }'],
  ['null where there must be something', '{ thing(no: 1) { name } needed { name } }'],
  ['a value that is no number', '{ odd(x: 1) }'],
];

test.each(CASES)('%s gives the same as graphql-js', async (_name, text, variables = {}, operationName) => {
  const document = parse(text);
  const expected = await execute({ schema, document, variableValues: variables, operationName });
  const prepared = new Engine(schema, { compileAfter: 1 }).prepare(document, operationName);
  for (let run = 1; run <= 3; run += 1) {
    const answer = await prepared.run(variables, {} as Context);
    expect(JSON.parse(JSON.stringify(plain(answer)))).toEqual(JSON.parse(JSON.stringify(plain(expected))));
  }
});

test('a resolver is called once a run, compiled or not', async () => {
  const document = parse('{ thing(no: 1) { parts { name } } }');
  const prepared = new Engine(schema, { compileAfter: 2 }).prepare(document);
  calls = 0;
  for (let run = 1; run <= 4; run += 1) {
    await prepared.run({}, {} as Context);
    expect(calls).toBe(run);
  }
});

// graphql-jit 0.8.9 makes code of such a text.
const CODE = '__MAGIC_DATE__33a9e76d_02e0_4128_8e92_3530ad3da74d(globalThis.intruder = 1)';

test.each([
  ['an argument', `{ thing(no: 1, name: "${CODE}") { name } }`],
  ['a block', `{ thing(no: 1, name: """${CODE}""") { name } }`],
  ['a fragment', `{ ...Q } fragment Q on Query { thing(no: 1, name: "${CODE}") { name } }`],
  ['a default', `query ($n: String = "${CODE}") { thing(no: 1, name: $n) { name } }`],
  ['a variable', 'query ($n: String) { thing(no: 1, name: $n) { name } }', { n: CODE }],
  [
    'another operation',
    `query A { thing(no: 1) { name } } query B { thing(no: 1, name: "${CODE}") { name } }`,
    {},
    'B',
  ],
])('texts of callers are no code: %s', async (_place, text, variables = {}, operationName?: string) => {
  const document = parse(text);
  const prepared = new Engine(schema, { compileAfter: 0 }).prepare(document, operationName);
  for (let run = 1; run <= 2; run += 1) {
    const { data } = await prepared.run(variables, {} as Context);
    expect(data).toEqual({ thing: { name: CODE } });
  }
  expect(globalThis).not.toHaveProperty('intruder');
});

test('an alias is a key, whatever it is', async () => {
  const document = parse('{ __proto__: thing(no: 1) { constructor: name } }');
  const prepared = new Engine(schema, { compileAfter: 0 }).prepare(document);
  const answer = await prepared.run({}, {} as Context);
  expect(JSON.stringify(answer.data)).toBe('{"__proto__":{"constructor":"thing 1"}}');
});

test('a query that would take long to compile is not compiled', () => {
  const compiled = (text: string) => isFitToCompile(parse(text), undefined);
  const fields = (n: number) => Array.from({ length: n }, (_, i) => `a${i}: size`).join(' ');
  expect(compiled(`{ thing(no: 1) { ${fields(499)} } }`)).toBe(true);
  expect(compiled(`{ thing(no: 1) { ${fields(500)} } }`)).toBe(false);
  const spread = (n: number) =>
    `{ ${Array.from({ length: n }, (_, i) => `t${i}: thing(no: ${i}) { ...F }`).join(' ')} }
      fragment F on Thing { ...G } fragment G on Thing { ${fields(99)} }`;
  expect([compiled(spread(5)), compiled(spread(6))]).toEqual([true, false]);
});
