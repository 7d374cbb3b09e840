import {
  buildSchema,
  defaultFieldResolver,
  execute,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import type { Context } from '../../src/graphql/context.js';
import { Engine } from '../../src/graphql/engine/execute.js';
import { jsonCache, passParts } from '../../src/graphql/engine/json-cache.js';
import { partsOf } from '../../src/graphql/engine/json-parts.js';

// JSON that was made of a page is sent again as long as it is the same page, byte for byte that of the standard's own library.

const schema = buildSchema(`
  interface Named { name: String! }
  type Item implements Named { name: String! size: Float odd: Int worth(in: Int): Int! owner: Shelf }
  type Info { more: Boolean! cursor: String }
  type Edge { cursor: String! node: Item! }
  type Page { items: [Item!]! edges: [Edge!]! info: Info! count: Int! }
  type Shelf { name: String! page(first: Int = 2): Page! maybe: Page }
  type Query { shelf(no: Int! = 0): Shelf! shelves: [Shelf!]! named: [Named!]! any: Named broken: Shelf }
`);

interface Shelf {
  __typename: string;
  name: string;
  no: number;
}

const EMPTY = { items: [], edges: [], info: { more: false, cursor: null }, count: 0 };
/** How often an item's name was asked for: not at all where the JSON is known. */
let asked = 0;
let pages: Map<string, object[]>;

const item = (name: string) => ({
  __typename: 'Item',
  get name() {
    asked += 1;
    return name;
  },
  size: 0.5,
  odd: null,
});

function itemsOf(name: string): object[] {
  const kept = pages.get(name) ?? [item(`${name} "a" é`), item(`${name} 日本 b`)];
  pages.set(name, kept);
  return kept;
}

const pageOf = (name: string) => {
  const items = itemsOf(name);
  const edges = items.map((node, i) => ({ node, cursor: () => `c${i}` }));
  return { items, edges, info: { more: () => true, cursor: () => null }, count: () => items.length };
};

const shelf = (no: number): Shelf => ({ __typename: 'Shelf', name: `shelf ${no}`, no });

const resolvers: Record<string, Record<string, (source: never, args: never) => unknown>> = {
  Query: {
    shelf: (_source, { no }: { no: number }) => shelf(no),
    shelves: async () => [shelf(1), shelf(2)],
    named: () => itemsOf('named'),
    broken: () => {
      throw new Error('broken');
    },
  },
  Shelf: {
    page: async ({ no }: Shelf, { first }: { first: number }) => pageOf(`${no}/${first}`),
    maybe: ({ no }: Shelf) => (no === 1 ? null : pageOf(`maybe ${no}`)),
  },
  Item: { worth: () => 7, owner: () => shelf(9) },
};
for (const [type, fields] of Object.entries(resolvers)) {
  for (const [name, resolve] of Object.entries(fields)) {
    (schema.getType(type) as GraphQLObjectType).getFields()[name]!.resolve = resolve as never;
  }
}
// Facts are functions, as in pages of scores.
for (const name of ['Info', 'Edge', 'Page']) {
  for (const field of Object.values((schema.getType(name) as GraphQLObjectType).getFields())) {
    field.resolve = defaultFieldResolver;
  }
}
(schema.getType('Page') as GraphQLObjectType).extensions = { remembered: { by: 'items', empty: EMPTY } };
passParts(schema);

beforeEach(() => {
  pages = new Map();
});

interface GraphRequest {
  text: string;
  variables?: Record<string, unknown>;
}

/** Asks again and again, as HTTP does. */
function asking({ text, variables = {} }: GraphRequest, compileAfter = 1) {
  const document = parse(text);
  const prepared = new Engine(schema, { compileAfter }).prepare(document);
  const standard = async (given = variables) => {
    const { data, errors } = await execute({ schema, document, variableValues: given });
    return `${JSON.stringify({ errors, data, extensions: { cost: 1 } })}\n`;
  };
  const once = async (given = variables) => {
    const parts = prepared.partsRun();
    const { data, errors } = await prepared.run(given, {} as Context, parts);
    const shown = { errors, data, extensions: { cost: 1 } };
    return parts && !errors ? parts.print(shown).toString() : `${JSON.stringify(shown)}\n`;
  };
  return { once, standard };
}

const PAGE = 'page { items { name size odd } info { more cursor } count }';

test.each<[string, string, Record<string, unknown>?]>([
  ['a page', `{ shelf { ${PAGE} } }`],
  ['its edges and types', '{ shelf { page { __typename edges { cursor node { __typename name } } } } }'],
  ['with an argument', 'query ($n: Int) { shelf(no: 3) { page(first: $n) { items { name } } } }', { n: 5 }],
  ['aliases', '{ s: shelf { name p: page { i: items { n: name } } name2: name } }'],
  [
    'several',
    `{ a: shelf(no: 1) { ${PAGE} } b: shelf(no: 2) { x: ${PAGE} y: page { count items { name } } } }`,
  ],
  ['in a list', `{ shelves { name ${PAGE} maybe { items { name } } } }`],
  [
    'fragments',
    '{ shelf { ...S ... on Shelf { page { info { more } } } } } fragment S on Shelf { page { items { ... ' +
      'on Named { name } ...I } } } fragment I on Item { size }',
  ],
  [
    'in two places of a text',
    '{ shelf { page { items { name } } } shelf { page { items { size name } count } } }',
  ],
])('%s is answered from the cache', async (_name, text, variables = {}) => {
  const { once, standard } = asking({ text, variables });
  const expected = await standard();
  const answers = [await once(), await once(), await once()];
  asked = 0;
  answers.push(await once(), await once());
  expect(answers).toEqual(answers.map(() => expected));
  expect(asked).toBe(0);
});

test.each<[string, string, Record<string, unknown>?]>([
  ['the value of a resolver', '{ shelf { page { items { name worth } } } }'],
  ['an argument below', '{ shelf { page { items { name worth(in: 3) } } } }'],
  ['an object of its own', '{ shelf { page { items { name owner { name } } } } }'],
  [
    'a resolver in one of two places',
    '{ shelf { page { items { name } } ... { page { items { worth } } } } }',
  ],
  [
    'a directive',
    'query ($yes: Boolean!) { shelf { page { items { name size @include(if: $yes) } } } }',
    { yes: true },
  ],
  [
    'a directive in a fragment',
    'query ($yes: Boolean!) { shelf { page { items { ...I } } } } fragment I on Item { name size @skip(if: $yes) }',
    { yes: true },
  ],
  ['types behind an interface', '{ named { name ... on Item { owner { page { items { name } } } } } }'],
])('%s is computed anew', async (_name, text, variables = {}) => {
  const { once, standard } = asking({ text, variables });
  const expected = await standard();
  const answers = [await once(), await once(), await once()];
  asked = 0;
  answers.push(await once());
  expect(answers).toEqual(answers.map(() => expected));
  expect(asked).toBeGreaterThan(0);
});

test('fields that variables exclude are left out, even after requests that include them', async () => {
  const text = 'query ($yes: Boolean!) { shelf { page { items { name @include(if: $yes) } } } }';
  const { once, standard } = asking({ text }, 0);
  for (const yes of [true, true, true, false, true]) {
    expect(await once({ yes })).toBe(await standard({ yes }));
  }
});

test('another page at the same place is another text, and the first one stays cached', async () => {
  const { once, standard } = asking({ text: `{ shelf { ${PAGE} } }` });
  const read = async () => [await once(), await once(), await once(), await once()];
  const first = pages;
  const before = await read();
  pages = new Map([['0/2', [item('new')]]]);
  const after = await read();
  expect(new Set(after)).toEqual(new Set([await standard()]));
  pages = first;
  asked = 0;
  expect(await once()).toBe(before[0]);
  expect(asked).toBe(0);
});

test('a response body made of a page in another shape is made once for that page', async () => {
  const prepared = new Engine(schema, { own: true }).prepare(parse(`{ shelf { ${PAGE} } }`));
  const once = async () => {
    const parts = prepared.partsRun()!;
    const { data } = await prepared.run({}, {} as Context, parts);
    return `${parts.jsonOf(['shelf', 'page'], () => [data]) ?? JSON.stringify([data])}`;
  };
  const answers = [await once(), await once(), await once(), await once()];
  expect(answers).toEqual(answers.map(() => answers[0]));
});

test('many requests at once get the same text', async () => {
  const { once, standard } = asking({ text: `{ shelf { ${PAGE} } }` }, 0);
  const answers = await Promise.all(Array.from({ length: 20 }, () => once()));
  expect(new Set(answers)).toEqual(new Set([await standard()]));
});

test('an error beside a page is answered as without the cache', async () => {
  const { once, standard } = asking({ text: `{ shelf { ${PAGE} } broken { name } }` });
  const expected = await standard();
  for (let run = 0; run < 5; run += 1) expect(await once()).toBe(expected);
});

test('selections that differ by type alone are distinguished', () => {
  const paths = (text: string) => {
    const document = parse(text);
    return [...partsOf(schema, document, document.definitions[0] as OperationDefinitionNode)];
  };
  expect(paths('{ a: shelf { p: page { count } maybe { count } } shelves { page { count } } }')).toEqual([
    'a.p',
    'a.maybe',
    'shelves.page',
  ]);
  expect(paths('{ any { ... on Item { owner { page { count } } } } __schema { types { name } } }')).toEqual(
    [],
  );
});

test('the cache is bounded by bytes; entries in use stay', () => {
  const cache = jsonCache(1_000);
  const keep = (bytes: number) => {
    const part = {};
    cache.set(part, Buffer.alloc(bytes));
    return part;
  };
  const used = keep(100);
  const parts = Array.from({ length: 20 }, () => {
    cache.get(used);
    return keep(100);
  });
  expect(cache.has(used)).toBe(true);
  expect(parts.map((part) => cache.has(part))).toEqual(parts.map((_, i) => i > 10));
  expect(cache.has(keep(2_000))).toBe(false);
});
