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
import { DateTime, JsonObject, SafeInt } from '../../src/graphql/scalars.js';
import { frameHead } from '../../src/server/sockets/subscription.js';

// The results of compiled live operations, which begin at a state, against those of graphql-js; and the head of a frame.

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

/**
 * Values that a field must never hold. Functions and promises are not among them: compiled operations neither call nor
 * await a property, and no state has such ones.
 */
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
  fc.constantFrom(new Error('a fault'), Symbol('s'), new Date(Number.NaN)),
  fc.constant({ serves: 'nothing', toJSON: () => 'json' }),
);

const engine = new Engine(schema, { compileAfter: 0 });

function operationOf(inner: string): Prepared {
  const source = `subscription { changed ${inner} } fragment Some on Thing { note rank value_: value }`;
  const document = parse(source.includes('...Some') ? source : source.replace(/ fragment .*/, ''));
  expect(validate(schema, document)).toEqual([]);
  return engine.prepare(document);
}

async function check(inner: string, state: unknown): Promise<void> {
  const operation = operationOf(inner);
  const expected = await execute({ schema, document: operation.document, rootValue: state });
  const result = await operation.run({}, undefined, state as object);
  expect(JSON.stringify(result)).toBe(JSON.stringify(expected));
}

test('a state gives the same result compiled as by graphql-js', async () => {
  const asIs = things((good) => good);
  await fc.assert(fc.asyncProperty(selectionOf(2), asIs, check), { numRuns: 250 });
});

test('a state with a value that its type refuses gives the same result, too', async () => {
  const bent = things((good) => fc.oneof({ weight: 12, arbitrary: good }, { weight: 1, arbitrary: odd }));
  await fc.assert(fc.asyncProperty(selectionOf(2), bent, check), { numRuns: 500 });
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
