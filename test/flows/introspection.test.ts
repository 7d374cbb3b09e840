import {
  buildASTSchema,
  execute,
  getIntrospectionQuery,
  isTypeDefinitionNode,
  parse,
  printSchema,
  specifiedRules,
  validate,
} from 'graphql';
import { introspectionRules } from '../../src/graphql/engine/introspection.js';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let socket: TestSocket;
beforeAll(async () => {
  app = await startApp();
  socket = await TestSocket.connect(app.url);
});
afterAll(async () => {
  await socket.close();
  await app.close();
});

const many = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');

/** The answers over HTTP and over sockets must be the same. */
async function ask(query: string): Promise<Data> {
  const { body, status } = await app.anyone.post('/graphql', { query });
  const { payload } = await socket.run(query);
  const errors = Array.isArray(payload) ? payload : undefined;
  expect(errors?.map(({ message }) => message)).toEqual(body.errors?.map((error: Data) => error.message));
  if (errors) expect(status).toBe(400);
  else expect((await socket.next()).type).toBe('complete');
  return body;
}

const ALL_OPTIONS = {
  descriptions: true,
  specifiedByUrl: true,
  directiveIsRepeatable: true,
  schemaDescription: true,
  inputValueDeprecation: true,
  oneOf: true,
};
const graphiql = getIntrospectionQuery({ inputValueDeprecation: true, schemaDescription: true });
const PASSING: [name: string, query: string][] = [
  ["graphql-js' query with all options", getIntrospectionQuery(ALL_OPTIONS)],
  ["graphql-js' query without any", getIntrospectionQuery({ descriptions: false })],
  ["GraphiQL's query", graphiql],
  ["GraphiQL's second try", graphiql.replace('subscriptionType { name }', '')],
  [
    'two types by their names',
    '{ a: __type(name: "Score") { fields { name } } b: __type(name: "Game") { fields { name } } }',
  ],
];

test.each(PASSING)('%s is answered', async (_name, query) => {
  const { data, errors, extensions } = await ask(query);
  expect(errors).toBeUndefined();
  expect(Object.values(data)).not.toContain(null);
  expect(extensions.cost.requested).toBe(0);
});

test('a schema twice as big is answered within the size of an answer', () => {
  const doubled = twice(printSchema(app.app.schema));
  const answers = PASSING.map(([, query]) => {
    expect(validate(doubled, parse(query), [...specifiedRules, ...introspectionRules(true)])).toEqual([]);
    return JSON.stringify(execute({ schema: doubled, document: parse(query) })).length;
  });
  expect(Math.max(...answers)).toBeLessThan(4_194_304);
});

/** Every type a second time, under another name. */
function twice(sdl: string) {
  const { definitions, ...document } = parse(sdl);
  const others = definitions.filter(isTypeDefinitionNode).map((definition) => ({
    ...definition,
    name: { ...definition.name, value: `${definition.name.value}Again` },
  }));
  return buildASTSchema({ ...document, definitions: [...definitions, ...others] });
}

test.each<[name: string, query: string, message: RegExp]>([
  [
    'the schema under many names with its lists under many names',
    `{ ${many(30, (i) => `r${i}: __schema { ...G }`)} } fragment G on __Schema { ${many(60, (i) => `a${i}: types { name }`)} }`,
    /lists like "types"|__schema only once/,
  ],
  ['the schema twice', '{ a: __schema { description } b: __schema { description } }', /__schema only once/],
  [
    'the schema twice through fragments',
    '{ ...A ... { ...B } } fragment A on Query { a: __schema { description } } fragment B on Query { b: __schema { description } }',
    /__schema only once/,
  ],
  ['three types', `{ ${many(3, (i) => `t${i}: __type(name: "Score") { name }`)} }`, /__type only twice/],
  ['a list under another name', '{ __schema { all: types { name } } }', /aliases for lists like "types"/],
  [
    'a list under another name in an inline fragment',
    '{ __schema { ... on __Schema { types { ... { f: fields { name } } } } } }',
    /aliases for lists like "fields"/,
  ],
  ['a list twice', '{ __schema { types { name } types { kind } } }', /"types" only once per level/],
  [
    'a list twice on a level through renamed fields',
    '{ __schema { types { fields { a: type { fields { name } } b: type { ...T } } } } } fragment T on __Type { fields { name } }',
    /"fields" only once per level/,
  ],
  [
    'fields that are nested too deep',
    `{ __type(name: "Score") { ${'ofType { '.repeat(20)} name ${'}'.repeat(20)} } }`,
    /nest at most 20 fields/,
  ],
  [
    'names without end',
    `{ __schema { types { fields { ${many(31, (i) => `n${i}: name`)} } } } }`,
    /31 aliases\. The limit is 30/,
  ],
  [
    'fragments that spread each other without end',
    `{ __schema { ...F0 } } ${many(90, (i) => `fragment F${i} on __Schema { ...F${i + 1} ...F${i + 1} }`)}
      fragment F90 on __Schema { directives { name } }`,
    /"directives" only once per level/,
  ],
  [
    'aliases in fragments that spread each other without end',
    `{ __schema { ...F0 } } ${many(90, (i) => `fragment F${i} on __Schema { ...F${i + 1} ...F${i + 1} }`)}
      fragment F90 on __Schema { d: description }`,
    /1.23\d*e\+27 aliases/,
  ],
])('%s is refused before it runs, over HTTP and sockets', async (_name, query, message) => {
  const { data, errors } = await ask(query);
  expect(data).toBeUndefined();
  for (const error of errors) {
    expect(error.extensions.code).toBe('BAD_REQUEST');
    expect(error.message).toMatch(message);
  }
});
