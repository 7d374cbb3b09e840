import {
  defaultFieldResolver,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isScalarType,
} from 'graphql';
import { contractFiles, contractSchema } from '../../src/contract.js';
import type { Hooks } from '../../src/hooks/hooks.js';

const BADGES: Hooks = {
  typeDefs: [
    `type Badge { name: String! boards: [Board!]! }
     extend type Query { badges(first: Int = 5): [Badge!]! @allow(roles: [ADMIN, CLIENT]) @cost(weight: 7) }
     extend type Subscription { badgeGiven: Badge! @allow(roles: [SUPERADMIN]) }`,
    `extend type Mutation { giveBadge(name: String!): Badge! @allow(roles: [ADMIN], rights: [PEOPLE, PRIVACY]) }
     extend type Board { badges: [Badge!]! @cost(weight: 2) }`,
  ],
  resolvers: {
    Query: { badges: () => [] },
    Mutation: { giveBadge: () => ({}) },
    Board: { badges: () => [] },
    Subscription: { badgeGiven: { subscribe: async function* () {} } },
  },
};

type Facts = Record<string, unknown>;

/** Everything about a type that callers, access, cost and execution depend on, by name. */
function factsOf(type: GraphQLNamedType): [name: string, facts: Facts][] {
  const { name, extensions } = type;
  if (isEnumType(type)) return [[name, { values: type.getValues().map(({ astNode, ...value }) => value) }]];
  if (isScalarType(type)) return [[name, { ...type, astNode: undefined }]];
  if (isInputObjectType(type)) {
    return Object.values(type.getFields()).map(({ astNode, ...field }) => {
      return [`${name}.${field.name}`, { ...field, type: String(field.type) }];
    });
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [[name, {}]];
  const own: Facts = {
    extensions,
    interfaces: type.getInterfaces().map(String),
    typeOf: isObjectType(type) ? typeof type.isTypeOf : typeof type.resolveType,
  };
  const fields = Object.values(type.getFields()).map((field): [string, Facts] => {
    const { description, deprecationReason, args, resolve, subscribe } = field;
    // Of functions made anew for each schema only the presence compares.
    const { open, ...stated } = field.extensions;
    // Nothing calls a resolver of an interface.
    const asks = isObjectType(type) && resolve !== undefined && resolve !== defaultFieldResolver;
    return [
      `${name}.${field.name}`,
      {
        ...{ type: String(field.type), description, deprecationReason, stated, asks },
        ...{ open: typeof open, called: resolve === defaultFieldResolver, subscribe: typeof subscribe },
        args: args.map(({ astNode, ...arg }) => ({ ...arg, type: String(arg.type) })),
      },
    ];
  });
  return [[name, own], ...fields];
}

function allFacts(schema: GraphQLSchema): Map<string, Facts> {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));
  return new Map(types.flatMap(factsOf).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

test('a merge changes neither roles, weight, nullability nor anything else of our fields', async () => {
  const before = allFacts((await contractSchema()).schema);
  expect(before.size).toBeGreaterThan(900);
  expect(before.get('Query.previewBoardChange')).toMatchObject({
    stated: { allow: expect.any(Array), complexity: 1_000, once: true },
  });
  expect(allFacts((await contractSchema({ typeDefs: [] })).schema)).toEqual(before);
  const after = allFacts((await contractSchema(BADGES)).schema);
  const added = [...after.keys()].filter((name) => !before.has(name));
  expect(added.toSorted()).toEqual([
    ...['Badge', 'Badge.boards', 'Badge.name', 'Board.badges'],
    ...['Mutation.giveBadge', 'Query.badges', 'Subscription.badgeGiven'],
  ]);
  expect(after.get('Query.badges')?.stated).toEqual({ allow: ['read', 'client'], complexity: 7 });
  expect(after.get('Mutation.giveBadge')?.stated).toEqual({ allow: ['people', 'privacy'] });
  expect(after.get('Board.badges')?.stated).toEqual({ complexity: 2 });
  for (const name of added) after.delete(name);
  expect(after).toEqual(before);
});

test('the REST interface of an installation that extends GraphQL is ours', async () => {
  const openApiOf = async (hooks: Hooks) =>
    contractFiles(await contractSchema(hooks)).find(({ name }) => name === 'schema/openapi.json')!.text;
  expect(await openApiOf(BADGES)).toBe(await openApiOf({}));
});

const ROLES = 'ADMIN, SUPERADMIN, CLIENT, ANYONE';
const hello = { Query: { hello: () => 'hello' } };
const field = (rules: string) => `extend type Query { hello: String ${rules} }`;

const REFUSED: [what: string, hooks: Hooks, said: string | RegExp][] = [
  [
    'a root field without roles',
    { typeDefs: field(''), resolvers: hello },
    new RegExp(`typeDefs .*Query\\.hello.*@allow.*${ROLES}`),
  ],
  ...[
    '@allow(roles: [ADMIN, KING])',
    '@allow(roles: [])',
    '@allow(roles: [ADMIN], rights: [])',
    '@allow(roles: [ADMIN], rights: [REIGN])',
    '@allow(roles: ["ADMIN"])',
  ].map((rules): [string, Hooks, RegExp] => [
    `a field with ${rules}`,
    { typeDefs: field(rules), resolvers: hello },
    new RegExp(`typeDefs .*Query\\.hello .*role.*${ROLES}`),
  ]),
  ...['-1', '5001', '1.5', '"5"', 'null'].map((weight): [string, Hooks, RegExp] => [
    `a weight of ${weight}`,
    { typeDefs: field(`@allow(roles: [ANYONE]) @cost(weight: ${weight})`), resolvers: hello },
    /typeDefs .*Query\.hello .*@cost.* 0 to 5000/,
  ]),
  [
    'a field of ours',
    { typeDefs: 'extend type Board { name: String scoreCount: Int games: Int }', resolvers: {} },
    /^The typeDefs of HOOKS_MODULE .* Board\.name, .*another name\.$/,
  ],
  [
    'a type of ours',
    { typeDefs: 'type Board { rank: Int }' },
    /^The typeDefs of HOOKS_MODULE define Board,.*"extend type Board".*$/,
  ],
  [
    'an enum of ours',
    { typeDefs: 'extend enum BoardType { BEST }' },
    /^The typeDefs of HOOKS_MODULE extend BoardType, .*object types.*$/,
  ],
  [
    'an input of ours',
    { typeDefs: 'extend input CreateBoardInput { colour: String }' },
    /^The typeDefs of HOOKS_MODULE extend CreateBoardInput, .*object types.*$/,
  ],
  [
    'a resolver of a field of ours',
    { typeDefs: 'type A { b: Int }', resolvers: { Board: { name: () => '' } } },
    /^The resolvers of HOOKS_MODULE .* Board\.name, .*another name\.$/,
  ],
  [
    'a scalar of ours',
    { typeDefs: 'type A { b: Int }', resolvers: { DateTime: { serialize: () => '' } } },
    /^The resolvers of HOOKS_MODULE .* DateTime, a type of the service\.$/,
  ],
  [
    'resolvers that no field has, and fields that no resolver has',
    {
      typeDefs: 'type A { b: Int } extend type Board { colour: String }',
      resolvers: { A: { c: () => 1 }, C: {} },
    },
    /^The resolvers .* A\.c, .*\n.*The resolvers .* C, .*\nHOOKS_MODULE .* resolver for Board\.colour.*function.*$/,
  ],
  [
    'a subscription without events',
    {
      typeDefs: 'extend type Subscription { tick: Int @allow(roles: [ANYONE]) }',
      resolvers: { Subscription: { tick: () => 1 } },
    },
    /resolver for Subscription\.tick\. .* subscribe function\.$/,
  ],
  [
    'roles of a field of an interface, which nothing checks',
    {
      typeDefs:
        'interface Named { name: String @allow(roles: [ADMIN]) } type A implements Named { name: String }',
    },
    /^The typeDefs of HOOKS_MODULE .* Named\.name, a field of an interface/,
  ],
  [
    'roles of a field below a root that cannot be null',
    { typeDefs: 'type A { b: String! @allow(roles: [ADMIN]) }' },
    /^The typeDefs of HOOKS_MODULE .* A\.b, .*nullable/,
  ],
  [
    'no GraphQL',
    { typeDefs: 'type {' },
    /^The typeDefs of HOOKS_MODULE .* Syntax Error: Expected Name, found "\{"/,
  ],
  ['an unknown type', { typeDefs: 'type A { b: Bored }' }, /^The typeDefs .* Unknown type "Bored"\. Did/],
  ['a schema that is not valid', { typeDefs: 'type A { __b: Int }' }, / Name "__b" must not begin with "__"/],
  [
    'an operation',
    { typeDefs: '{ boards { nodes { id } } }' },
    /^The typeDefs of HOOKS_MODULE may only define and extend types\.$/,
  ],
];

test.each(REFUSED)('%s refuses the start with a sentence', async (_what, hooks, said) => {
  const refusal = contractSchema(hooks);
  await expect(refusal).rejects.toMatchObject({ name: 'SetupError' });
  await expect(refusal).rejects.toThrow(said instanceof RegExp ? said : new Error(said));
});
