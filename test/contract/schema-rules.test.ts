import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isScalarType,
  isSpecifiedScalarType,
  isUnionType,
} from 'graphql';
import { getMetadataStorage } from 'type-graphql';
import { statusOf } from '../../src/base/errors.js';
import { contractSchema } from '../../src/contract.js';
import { grantsOf } from '../../src/graphql/rights.js';
import { onlyIn } from '../../src/graphql/views.js';
import { EXCEPTIONS, REST_ONLY } from './schema-exceptions.js';

// The rules of docs/decisions/graphql.md against the schema itself.

type Field = GraphQLField<unknown, unknown>;

let schema: GraphQLSchema;
let whole: GraphQLSchema;
beforeAll(async () => {
  ({ schema, whole } = await contractSchema());
});

const ROOTS = ['Query', 'Mutation', 'Subscription'];
/** Shown once, by the write that makes them. */
const SECRETS = ['key', 'accessToken', 'refreshToken', 'verificationToken', 'secret'];

const typesOf = (of: GraphQLSchema) =>
  Object.values(of.getTypeMap()).filter((type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type));
const objects = () => typesOf(schema).filter(isObjectType);
const deeper = () => objects().filter(({ name }) => !ROOTS.includes(name));
const isRecord = (type: GraphQLNamedType): type is GraphQLObjectType =>
  isObjectType(type) && type.getInterfaces().some(({ name }) => name === 'Node');
const fieldsOf = (type: GraphQLNamedType) => (isObjectType(type) ? Object.values(type.getFields()) : []);
const rootFields = (...names: string[]) =>
  names.flatMap((name) =>
    fieldsOf(schema.getType(name)!).map((field) => ({ name: `${name}.${field.name}`, field })),
  );
const objectFields = (types: GraphQLObjectType[]) =>
  types.flatMap((type) =>
    fieldsOf(type).map((field) => ({ name: `${type.name}.${field.name}`, type, field })),
  );
const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);

interface Value {
  name: string;
  of: GraphQLArgument | GraphQLInputField;
}

/** All arguments and input fields. */
function inputs(): Value[] {
  return typesOf(schema).flatMap((type): Value[] => {
    if (isInputObjectType(type)) {
      return Object.values(type.getFields()).map((of) => ({ name: `${type.name}.${of.name}`, of }));
    }
    return fieldsOf(type).flatMap((field) =>
      field.args.map((of) => ({ name: `${type.name}.${field.name}(${of.name})`, of })),
    );
  });
}

const isConnection = ({ type }: Field) => getNamedType(type).name.endsWith('Connection');
const PAGE = ['first', 'after', 'last', 'before'];

const storage = getMetadataStorage();
const resolved = storage.fieldResolvers.filter(({ kind }) => kind === 'external');

/** True if a resolver makes the field, which may read and so fail. */
function readsForItself(name: string): boolean {
  return resolved.some(({ getObjectType, schemaName }) => {
    const type = storage.objectTypes.find(({ target }) => target === getObjectType!());
    return name === `${type?.name}.${schemaName}`;
  });
}

/** The members that break a rule. */
const rules: Record<string, () => string[]> = {
  'a root field of Query and Mutation is nullable': () =>
    rootFields('Query', 'Mutation')
      .filter(({ field }) => isNonNullType(field.type))
      .map(({ name }) => name),
  'a field with arguments is nullable': () =>
    objectFields(deeper())
      .filter(({ field }) => field.args.length > 0 && isNonNullType(field.type))
      .map(({ name }) => name),
  'a field that reads for itself is nullable': () =>
    objectFields(deeper())
      .filter(({ name, field }) => isNonNullType(field.type) && readsForItself(name))
      .map(({ name }) => name),
  'a record beside a secret is nullable': () =>
    objectFields(deeper().filter((type) => SECRETS.some((name) => type.getFields()[name])))
      .filter(({ field }) => isNonNullType(field.type) && isRecord(getNamedType(field.type)))
      .map(({ name }) => name),
  'a root field says who may use it': () =>
    rootFields(...ROOTS)
      .filter(({ field }) => !grantsOf(field.extensions)?.length)
      .map(({ name }) => name),
  'a mutation has one input and one payload, of its name': () =>
    rootFields('Mutation')
      .filter(({ field }) => {
        const shape = field.args.map(({ name, type }) => `${name}: ${type}`).join();
        const own = capital(field.name);
        return shape !== `input: ${own}Input!` || getNamedType(field.type).name !== `${own}Payload`;
      })
      .map(({ name }) => name),
  'a payload has the record under its noun': () =>
    rootFields('Mutation')
      .filter(({ field }) => {
        const noun = field.name.replace(/^[a-z]+([A-Z]?)/, (_verb, letter: string) => letter.toLowerCase());
        const record = schema.getType(capital(noun));
        if (!record || !isRecord(record) || field.name.startsWith('delete')) return false;
        const shown = fieldsOf(getNamedType(field.type)).find(({ name }) => name === noun);
        return !shown || getNamedType(shown.type) !== record;
      })
      .map(({ name }) => name),
  'a record has no secret': () =>
    objectFields(deeper().filter(isRecord))
      .filter(({ field }) => SECRETS.includes(field.name))
      .map(({ name }) => name),
  'a deletion is a mutation with `deletedId`': () => [
    ...rootFields('Mutation')
      .filter(({ field }) => field.name.startsWith('delete') && field.name !== 'deleteGamePicture')
      .filter(
        ({ field }) =>
          fieldsOf(getNamedType(field.type))
            .map(({ name }) => name)
            .join() !== 'deletedId',
      )
      .map(({ name }) => name),
    ...inputs()
      .filter(({ name }) => /^\w+Input\.deleted$/.test(name))
      .map(({ name }) => name),
  ],
  'a list of records is a connection': () =>
    objectFields(objects())
      .filter(({ type, field }) => {
        return (
          isListType(getNullableType(field.type)) &&
          isRecord(getNamedType(field.type)) &&
          !type.name.endsWith('Connection')
        );
      })
      .map(({ name }) => name),
  'a connection has edges, nodes, pageInfo and totalCount': () =>
    deeper()
      .filter(({ name }) => name.endsWith('Connection'))
      .filter((type) => ['edges', 'nodes', 'pageInfo', 'totalCount'].some((name) => !type.getFields()[name]))
      .map(({ name }) => name),
  'a list has Relay’s arguments, one filter and one order': () =>
    objectFields(objects())
      .filter(({ field }) => isConnection(field))
      .filter(({ field }) => {
        const names = field.args.map(({ name }) => name);
        const known = ['accountId', 'filter', 'orderBy', ...PAGE];
        return PAGE.some((name) => !names.includes(name)) || names.some((name) => !known.includes(name));
      })
      .map(({ name }) => name),
  'an id has its record beside it': () =>
    objectFields(deeper())
      .filter(({ type, field }) => {
        const name = /^(\w+)Id$/.exec(field.name)?.[1];
        return (
          name && name !== 'deleted' && getNamedType(field.type).name === 'ID' && !type.getFields()[name]
        );
      })
      .map(({ name }) => name),
  'a record has its id beside it': () =>
    objectFields(deeper())
      .filter(({ type, field }) => {
        const held = isRecord(getNamedType(field.type)) && !isListType(getNullableType(field.type));
        return held && !/Edge$|Payload$/.test(type.name) && !type.getFields()[`${field.name}Id`];
      })
      .map(({ name }) => name),
  'a fact of a list is on its edge': () =>
    objectFields(deeper())
      .filter(
        ({ type, field }) => ['cursor', 'amongRank'].includes(field.name) && !type.name.endsWith('Edge'),
      )
      .map(({ name }) => name),
  'alternatives are a `@oneOf` input': () =>
    rootFields('Query')
      .filter(
        ({ field }) =>
          !isConnection(field) && field.args.filter(({ type }) => !isNonNullType(type)).length > 1,
      )
      .map(({ name }) => name),
  'a default is in the schema': () =>
    inputs()
      .filter(
        ({ of }) => of.defaultValue === undefined && /\bby default\b|\bDefault\b/.test(of.description ?? ''),
      )
      .map(({ name }) => name),
  'JSON is the caller’s own': () =>
    [...objectFields(deeper()).map(({ name, field }) => ({ name, of: field })), ...inputs()]
      .filter(({ of }) => getNamedType(of.type).name === 'JSONObject')
      .filter(({ of }) => !['metadata', 'meta', 'features', 'config', 'grant'].includes(of.name))
      .map(({ name }) => name)
      .filter((name) => !/^(AuditEntry\.(before|after)|WebhookDelivery\.request)$/.test(name)),
  'there are four scalars of our own': () =>
    typesOf(schema)
      .filter(
        (type) =>
          isScalarType(type) && !['DateTime', 'JSONObject', 'SafeInt', 'PathStep'].includes(type.name),
      )
      .map(({ name }) => name),
  'ranks and counts are Int': () =>
    [...objectFields(deeper()).map(({ name, field }) => ({ name, of: field })), ...inputs()]
      .filter(
        ({ of }) => getNamedType(of.type).name === 'SafeInt' && !/^(version|secondsTo\w+)$/.test(of.name),
      )
      .map(({ name }) => name),
  'errors have one channel': () => [
    ...typesOf(schema)
      .filter((type) => isUnionType(type) && type.name !== 'SubmissionResult')
      .map(({ name }) => name),
    ...objectFields(deeper())
      .filter(({ field }) => /^(error|errors|userErrors)$/.test(field.name))
      .map(({ name }) => name),
  ],
  'the codes of errors are an enum': () => {
    const codes = schema.getType('ErrorCode');
    const names = isEnumType(codes) ? codes.getValues().map(({ name }) => name) : [];
    return Object.keys(statusOf).filter((code) => !names.includes(code));
  },
  'a thing has one name': () =>
    [...objectFields(deeper()).map(({ name, field }) => ({ name, of: field })), ...inputs()]
      .filter(({ of }) => ['timezone', 'total', 'entryCount', 'event', 'of'].includes(of.name))
      .map(({ name }) => name),
};

test.each(Object.keys(rules))('%s', (rule) => {
  const excepted = EXCEPTIONS.filter((one) => one.rule === rule).map(({ members }) => members);
  const broken = rules[rule]!();
  expect(broken.filter((name) => !excepted.some((members) => members.test(name)))).toEqual([]);
  // An exception that nothing needs any longer is taken out.
  expect(excepted.filter((members) => !broken.some((name) => members.test(name)))).toEqual([]);
});

test('each exception is of a rule', () => {
  for (const { rule } of EXCEPTIONS) expect(rules).toHaveProperty([rule]);
});

test('members that only REST has are of a few kinds', () => {
  const members = typesOf(whole).flatMap((type): string[] => {
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) => onlyIn(field) === 'rest');
      return fields.map(({ name }) => `${type.name}.${name}`);
    }
    return fieldsOf(type).flatMap((field) => [
      ...(onlyIn(field) === 'rest' ? [`${type.name}.${field.name}`] : []),
      ...field.args
        .filter((arg) => onlyIn(arg) === 'rest')
        .map(({ name }) => `${type.name}.${field.name}(${name})`),
    ]);
  });
  const kindOf = (member: string) => REST_ONLY.find(({ members: some }) => some.test(member))?.kind ?? member;
  const kinds = new Set(members.map(kindOf));
  expect([...kinds].toSorted()).toEqual(REST_ONLY.map(({ kind }) => kind).toSorted());
});

test('a type that no operation reaches is not in the schema', () => {
  const reached = new Set<GraphQLNamedType>();
  const reach = (type: GraphQLNamedType) => {
    if (reached.has(type)) return;
    reached.add(type);
    if (isUnionType(type)) type.getTypes().forEach(reach);
    if (isInputObjectType(type)) {
      for (const field of Object.values(type.getFields())) reach(getNamedType(field.type));
    }
    for (const field of fieldsOf(type)) {
      reach(getNamedType(field.type));
      for (const { type: of } of field.args) reach(getNamedType(of));
    }
    if (type.name === 'Node') schema.getPossibleTypes(type as never).forEach(reach);
  };
  for (const name of ROOTS) reach(schema.getType(name)!);
  const lost = typesOf(schema).filter((type) => !reached.has(type) && !type.name.startsWith('Allowed'));
  expect(lost.map(({ name }) => name)).toEqual([]);
});

/** Heavy by what the request itself brings: the lines of a chunk, and up to 100 flags by name. */
const BRINGS_ITS_WORK = ['Mutation.addScoreImportChunk', 'Mutation.reviewScoreFlags'];

test('a write that causes more work than it brings is allowed once per operation', () => {
  const heavy = rootFields('Mutation').filter(({ field }) => Number(field.extensions.complexity ?? 0) >= 500);
  const often = heavy.filter(({ field }) => !field.extensions.once).map(({ name }) => name);
  expect(often.toSorted()).toEqual(BRINGS_ITS_WORK);
  const once = heavy.map(({ name }) => name).filter((name) => !often.includes(name));
  expect(once).toEqual(expect.arrayContaining(['Mutation.rehearseBoard', 'Mutation.reviewIdentity']));
});
