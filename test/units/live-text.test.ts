import fc from 'fast-check';
import {
  execute,
  GraphQLBoolean,
  GraphQLEnumType,
  GraphQLFloat,
  GraphQLID,
  GraphQLInt,
  GraphQLInterfaceType,
  GraphQLList,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  parse,
  validate,
} from 'graphql';
import { Engine, type Prepared } from '../../src/graphql/engine/execute.js';
import { plainTextOf } from '../../src/graphql/live/plain-text.js';
import { DateTime, JsonObject, SafeInt } from '../../src/graphql/scalars.js';
import { frameHead } from '../../src/server/sockets/frame.js';

// What is written of a state without a result in between, against what graphql-js and JSON make of it.

const Tone = new GraphQLEnumType({ name: 'Tone', values: { HIGH: { value: 'high' }, LOW: { value: 2 } } });
const Named = new GraphQLInterfaceType({ name: 'Named', fields: { name: { type: GraphQLString } } });
const Thing: GraphQLObjectType = new GraphQLObjectType({
  name: 'Thing',
  fields: () => ({
    id: { type: new GraphQLNonNull(GraphQLID) },
    name: { type: new GraphQLNonNull(GraphQLString) },
    note: { type: GraphQLString },
    rank: { type: new GraphQLNonNull(SafeInt) },
    place: { type: SafeInt },
    value: { type: new GraphQLNonNull(GraphQLFloat) },
    count: { type: GraphQLInt },
    ok: { type: GraphQLBoolean },
    at: { type: DateTime },
    tone: { type: Tone },
    facts: { type: JsonObject },
    next: { type: Thing },
    things: { type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(Thing))) },
    rows: { type: new GraphQLList(new GraphQLList(GraphQLString)) },
    named: { type: Named },
  }),
});
const schema = new GraphQLSchema({
  query: new GraphQLObjectType({ name: 'Query', fields: { ok: { type: GraphQLBoolean } } }),
  subscription: new GraphQLObjectType({
    name: 'Subscription',
    fields: { changed: { type: new GraphQLNonNull(Thing), resolve: (state) => state } },
  }),
});

const LEAVES = ['id', 'name', 'note', 'rank', 'place', 'value', 'count', 'ok', 'at', 'tone', 'facts', 'rows'];

/** Selections of a thing; an alias is always of the same field, so that all of them merge. */
function selectionOf(depth: number): fc.Arbitrary<string> {
  const leaves = fc.constantFrom(...LEAVES, '__typename');
  const plain = [
    { weight: 6, arbitrary: leaves },
    { weight: 2, arbitrary: fc.constantFrom(...LEAVES).map((name) => `${name}_: ${name}`) },
    { weight: 1, arbitrary: fc.constantFrom('...Some', '__proto__: name') },
  ];
  const nested = (before: string) => ({
    weight: 2,
    arbitrary: selectionOf(depth - 1).map((inner) => `${before} ${inner}`),
  });
  const parts = depth === 0 ? plain : [...plain, ...['next', 'things', '... on Thing'].map(nested)];
  return fc
    .array(fc.oneof(...parts), { minLength: 1, maxLength: 6 })
    .map((chosen) => `{ ${chosen.join(' ')} }`);
}

const texts = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('"', '\\', '\u0000', '\u007f', 'é', '\ud800', '\u2028', '🎉', 'Ann'),
);
const numbers = fc.oneof(
  fc.integer(),
  fc.maxSafeInteger(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
);

type Anything = fc.Arbitrary<unknown>;
const optional = (values: Anything): Anything => fc.option(values, { nil: undefined });

/** @param bent what takes the place of any property now and then */
function things(bent: (good: Anything) => Anything, depth = 2): Anything {
  const below = depth === 0 ? undefined : things(bent, depth - 1);
  return fc.record({
    id: bent(texts),
    name: bent(texts),
    note: bent(optional(texts)),
    rank: bent(fc.oneof(fc.nat(), fc.maxSafeInteger(), fc.constant(-0))),
    place: bent(optional(fc.constantFrom(0, 9, 10, 99, 100, 2 ** 31 - 1, 2 ** 31, -1))),
    value: bent(fc.oneof(numbers, fc.constantFrom(-0, 1e21, 5e-324, 0.1))),
    count: bent(optional(fc.integer())),
    ok: bent(optional(fc.boolean())),
    at: bent(optional(fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') }))),
    tone: bent(optional(fc.constantFrom('high', 2))),
    facts: bent(optional(fc.dictionary(fc.string(), fc.oneof(texts, numbers)))),
    rows: bent(optional(fc.array(optional(fc.array(optional(texts)))))),
    next: bent(below ? optional(below) : fc.constant(null)),
    things: bent(below ? fc.array(below, { maxLength: 3 }) : fc.constant([])),
  });
}

/** What a field must never hold, or what graphql-js asks further. */
const odd: Anything = fc.oneof(
  fc.constantFrom(
    null,
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
    1.5,
    true,
    '7',
    'x',
    {},
    [],
  ),
  fc.constantFrom(() => 'called', new Error('a fault'), Symbol('s'), 7n, new Date(Number.NaN)),
  fc.string().map((text) => Promise.resolve(text)),
  fc.constant({ serves: 'nothing', toJSON: () => 'json' }),
);

const engine = new Engine(schema);
const around = [Buffer.from('{"é":'), Buffer.from('}')] as const;

function operationOf(inner: string, operation = 'subscription'): Prepared {
  const source = `${operation} { changed ${inner} } fragment Some on Thing { note rank value_: value }`;
  const document = parse(source.includes('...Some') ? source : source.replace(/ fragment .*/, ''));
  expect(validate(schema, document)).toEqual([]);
  return engine.prepare(document);
}

async function check(inner: string, state: unknown): Promise<boolean> {
  const operation = operationOf(inner);
  const written = plainTextOf(operation)?.(state as object, around);
  if (written === undefined) return false;
  const result = await execute({ schema, document: operation.document, rootValue: state });
  expect(result.errors).toBeUndefined();
  expect(Buffer.from(written, 'latin1').toString()).toBe(`{"é":${JSON.stringify(result.data)}}`);
  return true;
}

test('states are written as graphql-js and JSON would', async () => {
  const asIs = things((good) => good);
  await fc.assert(
    fc.asyncProperty(selectionOf(2), asIs, async (inner, state) => {
      expect(await check(inner, state)).toBe(true);
    }),
    { numRuns: 250 },
  );
});

test('unexpected values are written the same, or left to graphql-js', async () => {
  const bent = things((good) => fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd }));
  await fc.assert(
    fc.asyncProperty(selectionOf(2), bent, async (inner, state) => void (await check(inner, state))),
    { numRuns: 500 },
  );
});

test('short states after very long ones are written whole', async () => {
  const thing = { id: 'é'.repeat(20_000), name: '\u0001'.repeat(9_000), rank: 1, value: 1, things: [] };
  const state = { ...thing, things: Array.from({ length: 50 }, () => ({ ...thing, name: 'x' })) };
  expect(await check('{ id name things { id name rank } }', state)).toBe(true);
  expect(await check('{ rank }', state)).toBe(true);
});

test.each([
  ['directives', '{ id @skip(if: false) }'],
  ['abstract types', '{ named { name } }'],
  ['very many fields', `{ ${Array.from({ length: 501 }, (_, i) => `f${i}: id`).join(' ')} }`],
])('%s are left to graphql-js', (_what, inner) => {
  expect(plainTextOf(operationOf(inner))).toBeUndefined();
});

test.each([0, 1, 125, 126, 127, 255, 256, 65_535, 65_536, 2 ** 32 + 258])(
  'a frame of %d bytes has its length (RFC 6455 section 5.2)',
  (length) => {
    const head = Buffer.from(frameHead(length), 'latin1');
    expect(head[0]).toBe(0x81);
    const short = head[1]!;
    if (length < 126) expect([...head.subarray(1)]).toEqual([length]);
    else if (length < 65_536) expect([short, head.length, head.readUInt16BE(2)]).toEqual([126, 4, length]);
    else expect([short, head.length, Number(head.readBigUInt64BE(2))]).toEqual([127, 10, length]);
  },
);
