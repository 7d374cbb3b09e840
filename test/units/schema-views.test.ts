import {
  buildSchema,
  type GraphQLInputObjectType,
  type GraphQLObjectType,
  type GraphQLSchema,
  parse,
  printSchema,
} from 'graphql';
import { checkOperation, fragmentsOf } from '../../src/graphql/engine/check.js';
import { Scales } from '../../src/graphql/engine/cost.js';
import { Engine } from '../../src/graphql/engine/execute.js';
import { schemaOf } from '../../src/graphql/views.js';
import { asCallersSpell, asSchemaSpells, restView } from '../../src/rest/spelling.js';

const whole = buildSchema(`
  enum Shade { DARK PALE }
  type Old { name: String }
  type PageInfo { hasNextPage: Boolean! }
  type Thing { id: ID! shade: Shade old: Old things(first: Int): ThingConnection }
  type ThingEdge { cursor: String! node: Thing! }
  type ThingConnection { edges: [ThingEdge!]! nodes: [Thing!]! pageInfo: PageInfo! }
  input Key { id: ID slug: String }
  input Part { timeZone: String size: Int! = 3 }
  input Change { shade: Shade! = DARK parts: [Part!] deleted: Boolean }
  type Query { thing(by: Key, id: ID): Thing echo(input: Change!): String things(first: Int): ThingConnection }
`);

const field = (of: GraphQLSchema, type: string, name: string) =>
  (of.getType(type) as GraphQLObjectType | GraphQLInputObjectType).getFields()[name]!;
const extend = (target: object, extensions: object) => Object.assign(target, { extensions });
extend(field(whole, 'Thing', 'old'), { only: 'rest' });
extend(field(whole, 'Change', 'deleted'), { only: 'rest' });
extend(field(whole, 'Part', 'timeZone'), { restName: 'timezone' });
extend(whole.getType('Key')!, { oneOf: true });
const root = whole.getQueryType()!.getFields();
extend(root.thing!.args.find(({ name }) => name === 'id')!, { only: 'rest' });
extend(root.thing!.args.find(({ name }) => name === 'by')!, { only: 'graphql' });
root.echo!.resolve = (_source, { input }) => JSON.stringify(input);

const graph = schemaOf(whole, 'graphql');
const rest = restView(whole);

test('each interface has its own members, and no type that nothing names then', () => {
  expect(field(graph, 'Thing', 'old')).toBeUndefined();
  expect(graph.getType('Old')).toBeUndefined();
  expect(rest.getType('Old')).toBeDefined();
  expect(rest.getType('Key')).toBeUndefined();
  expect(printSchema(graph)).toContain('thing(by: Key): Thing');
  expect(printSchema(rest)).toContain('thing(id: ID): Thing');
  expect(printSchema(graph)).not.toContain('deleted');
});

test('REST has no defaults of members, which may be null there', () => {
  expect(printSchema(graph)).toContain('shade: Shade! = DARK');
  expect(printSchema(rest)).toMatch(/shade: Shade\n/);
});

test('a renamed member is found in bodies, and faults name it so', () => {
  const type = rest.getType('Change') as GraphQLInputObjectType;
  const body = { parts: [{ timezone: 'UTC', size: 1 }, { time_zone: 'UTC' }] };
  expect(asSchemaSpells(body, type)).toEqual({ parts: [{ timeZone: 'UTC', size: 1 }, {}] });
  expect(asCallersSpell(['parts', 0, 'timeZone'], type)).toEqual(['parts', 0, 'timezone']);
  expect(asCallersSpell(['parts', 'timeZone'], type)).toEqual(['parts', 'timezone']);
  expect(asCallersSpell(['otherName', 1], type)).toEqual(['other_name', 1]);
});

const weigh = (source: string, variables: Record<string, unknown> = {}) => {
  const document = parse(source);
  return checkOperation(graph, document, document.definitions[0] as never, source, variables, true);
};

test('of a `@oneOf` input exactly one member is given, in variables, too', () => {
  const source = 'query ($by: Key!) { thing(by: $by) { id } }';
  expect(printSchema(graph)).toContain('input Key @oneOf');
  expect(() => weigh(source, { by: { id: 'a' } })).not.toThrow();
  for (const by of [{}, { id: 'a', slug: 'b' }, { id: null }]) {
    expect(() => weigh(source, { by })).toThrow(expect.objectContaining({ code: 'VALIDATION_FAILED' }));
  }
});

test('compiled operations know the defaults of members as graphql-js does', async () => {
  const document = parse('query ($input: Change!) { echo(input: $input) }');
  for (const input of [{}, { shade: 'PALE', parts: [{}, { size: 5 }] }, { parts: null }, { parts: {} }]) {
    const given = JSON.stringify(input);
    const [plain, compiled] = [Number.MAX_SAFE_INTEGER, 0].map((compileAfter) =>
      new Engine(graph, { compileAfter }).prepare(document).run({ input }),
    );
    expect(await compiled).toEqual(await plain);
    expect((await plain)!.errors).toBeUndefined();
    expect(JSON.stringify(input)).toBe(given);
  }
});

test.each([
  ['{ things(first: 10) { nodes { id } } }', 1 + 10, 2],
  ['{ things(first: 10) { edges { cursor node { id } } } }', 1 + 10, 2],
  ['{ things(first: 10) { pageInfo { hasNextPage } } }', 1 + 1, 3],
  ['{ things(first: 10) { nodes { id } pageInfo { hasNextPage } } }', 1 + 10 + 1, 3],
  [
    '{ things(first: 10) { nodes { id things(first: 3) { edges { node { id } } } } } }',
    1 + 10 * (1 + 1 + 3),
    3,
  ],
  [
    '{ things(first: 10) { ...N } } fragment N on ThingConnection { nodes { ...T } } fragment T on Thing { id }',
    11,
    2,
  ],
])('%s costs %d and is %d deep', (source, cost, depth) => {
  const document = parse(source);
  const weight = new Scales(graph, fragmentsOf(document), {}).weigh(document.definitions[0] as never);
  expect([weight.cost, weight.depth]).toEqual([cost, depth]);
});
