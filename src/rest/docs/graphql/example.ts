import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
  print,
} from 'graphql';
import { prefixes } from '../../../base/ids.js';
import { exampleBody, exampleOf } from '../../openapi/examples.js';
import type { JsonSchema } from '../../openapi/json-schema.js';
import { Components } from '../../openapi/schema.js';
import { memberName, snakeCase } from '../../spelling.js';
import type { RootField } from './groups.js';

/** An operation that uses one root field, ready to be sent. */
export interface Example {
  document: string;
  variables: Record<string, unknown>;
}

/** What examples select of fields whose first values don't show their purpose. */
export const SELECTIONS: Record<string, string> = {
  board:
    '{ name phase endsAt ranking { totalCount entries(first: 10) { nodes { rank playerName value } } } }',
  boardChanged: '{ version entries { nodes { rank playerName value } totalCount } }',
  game: '{ name scoreFlags(filter: { status: PENDING }) { totalCount { value } } boards(first: 5) { nodes { name phase } } }',
  publicBoard: '{ name ranking { entries(first: 10) { nodes { rank playerName valueDisplay } } } }',
  rankChanged: '{ entry { rank value } previousRank gapToNext }',
  scoreFlags: '{ nodes { id explanation confidence board { name } identity { displayName } } }',
  search: '{ __typename id ... on Game { name } ... on Identity { displayName } }',
  submitScore: '{ submission { kept isPersonalBest score { id rank valueDisplay } } }',
};

/** Lists that are refused without a filter, with the member that examples filter by. */
export const NEEDED_FILTERS: Record<string, string> = { rewards: 'gameId' };

/** Leaf fields that an example selects of a record. */
const FEW_FIELDS = 5;
/** Objects below the root field; an example of pages has one more. */
const DEPTH = 3;

type Field = GraphQLField<unknown, unknown>;

function isFree({ args, deprecationReason }: Field): boolean {
  return deprecationReason === undefined && !args.some(isRequiredArgument);
}

function selectionOf(schema: GraphQLSchema, type: GraphQLOutputType, depth = DEPTH): string {
  const named = getNamedType(type);
  if (isLeafType(named)) return '';
  if (isAbstractType(named)) {
    if (isInterfaceType(named)) return `{ __typename ${Object.keys(named.getFields()).join(' ')} }`;
    const parts = schema
      .getPossibleTypes(named)
      .map((one) => `... on ${one.name} ${selectionOf(schema, one, depth - 1)}`);
    return `{ __typename ${parts.join(' ')} }`;
  }
  if (!isObjectType(named)) return '';
  const fields = named.getFields();
  if (fields.nodes && fields.pageInfo) {
    return `{ nodes ${selectionOf(schema, fields.nodes.type, depth - 1)} pageInfo { hasNextPage endCursor } }`;
  }
  const free = Object.values(fields).filter(isFree);
  const leaves = free.filter((one) => isLeafType(getNamedType(one.type)) && one.args.length === 0);
  const told = leaves
    .map(({ name }) => name)
    .toSorted((a, b) => Number(/.Ids?$/.test(a)) - Number(/.Ids?$/.test(b)));
  const chosen = told.slice(0, FEW_FIELDS);
  // A payload is read for its record.
  const below =
    chosen.length < 2 || /Payload$/.test(named.name)
      ? free.filter(({ type: of }) => isObjectType(getNamedType(of)))
      : [];
  const nested =
    depth > 0
      ? below.slice(0, 2).map((one) => `${one.name} ${selectionOf(schema, one.type, depth - 1)}`)
      : [];
  const all = [...chosen, ...nested];
  return `{ ${all.length > 0 ? all.join(' ') : '__typename'} }`;
}

const RECORDS = Object.keys(prefixes).map((kind) => kind[0]!.toUpperCase() + kind.slice(1));

/** The record whose id an input has, where its name doesn't say it. */
export const RECORD_OF: Record<string, string> = {
  EndConsoleSessionInput: 'ApiKey',
  ResetPasskeysInput: 'User',
};

/** Makes example values of inputs, from the examples of REST's members. */
class Values {
  readonly #components = new Components();

  /** @param idName the parameter that the field's id is in REST, e.g. `identity_id` */
  constructor(private readonly idName: string | undefined) {}

  #known(record: string, name: string, shown: JsonSchema): unknown {
    return exampleOf(this.recordOf(record), name, shown) ?? exampleOf(record, name, shown);
  }

  /** The record that the fields of an input or the arguments of a field are about. */
  recordOf(name: string): string {
    if (name in RECORD_OF) return RECORD_OF[name]!;
    const meant = RECORDS.filter((one) => name.toLowerCase().includes(one.toLowerCase()));
    return meant.toSorted((a, b) => b.length - a.length)[0] ?? 'Board';
  }

  /** @param record the record that the member is of @param name in REST's spelling */
  of(type: GraphQLInputType, record: string, name: string, operation: string): unknown {
    if (isNonNullType(type)) return this.of(type.ofType, record, name, operation);
    if (isListType(type)) return this.#list(type.ofType, record, name, operation);
    if (isInputObjectType(type)) return this.object(Object.values(type.getFields()), type, operation);
    const shown = this.#components.ofInput(type, true);
    const own = name === 'id' && this.idName ? exampleOf(record, this.idName, shown) : undefined;
    const value = own ?? this.#known(record, name, shown);
    if (isEnumType(type))
      return enumValue(
        type.getValues().map((one) => one.name),
        value,
      );
    return fits(shown.type, value) ? value : fallback(shown.type);
  }

  #list(type: GraphQLInputType, record: string, name: string, operation: string): unknown[] {
    const named = getNamedType(type);
    // Of whatever kind of record.
    const given = name === 'ids' ? undefined : this.#known(record, name, { type: 'array' });
    const isGiven = Array.isArray(given) && given.length > 0 && isLeafType(named) && !isEnumType(named);
    return isGiven ? given : [this.of(type, record, name.replace(/ies$/, 'y').replace(/s$/, ''), operation)];
  }

  object(fields: GraphQLInputField[], type: GraphQLNamedType, operation: string): Record<string, unknown> {
    const chosen = isInputObjectType(type) && type.isOneOf ? fields.slice(0, 1) : undefined;
    const members = fields.map((field) => {
      const required = isRequiredInputField(field) || chosen?.includes(field) === true;
      const isNested = isInputObjectType(getNamedType(field.type));
      const name = memberName(field);
      const example = required || !isNested ? this.of(field.type, type.name, name, operation) : undefined;
      return { name: field.name, rest: name, required, example };
    });
    const known = members.map(({ rest, ...member }) => ({ ...member, name: rest }));
    const shown = Object.keys(exampleBody(operation, known));
    // A change of nothing but the id would be none.
    const only = shown.length === 1 && shown[0] === 'id' && /^(Update|Set)/.test(operation);
    const more = only
      ? members.find(({ required, example }) => !required && example !== undefined && example !== null)
      : undefined;
    const wanted = members.filter((one) =>
      chosen ? one.required : shown.includes(one.rest) || one === more,
    );
    return Object.fromEntries(wanted.map(({ name, example }) => [name, example]));
  }
}

/** Examples of texts in REST are in lower case. */
function enumValue(names: string[], value: unknown): string {
  return names.find((name) => name.toLowerCase() === String(value).toLowerCase()) ?? names[0]!;
}

function fits(type: unknown, value: unknown): boolean {
  if (value === undefined || value === null) return false;
  const kind = typeof value === 'object' ? (Array.isArray(value) ? 'array' : 'object') : typeof value;
  return kind === (type === 'integer' ? 'number' : type);
}

function fallback(type: unknown): unknown {
  if (type === 'object') return {};
  if (type === 'boolean') return true;
  return type === 'string' ? 'Ann' : 1;
}

function isWanted(argument: GraphQLArgument, field: Field): boolean {
  if (isRequiredArgument(argument) || (argument.name === 'filter' && field.name in NEEDED_FILTERS))
    return true;
  // A mutation's input may have a default.
  return (
    argument.name === 'input' ||
    (argument.name === 'first' && field.args.some(({ name }) => name === 'after'))
  );
}

/** Returns a working operation for a root field. */
export function exampleOfField(schema: GraphQLSchema, { kind, field, routes }: RootField): Example {
  const idName = routes.flatMap(({ route }) => [...route.path.matchAll(/\{(\w+_id)\}/g)]).at(-1)?.[1];
  const values = new Values(idName);
  const title = field.name[0]!.toUpperCase() + field.name.slice(1);
  const operation = routes[0]?.route.operation ?? title;
  const record = values.recordOf(`${getNamedType(field.type).name} ${field.name}`);
  const wanted = field.args.filter((argument) => isWanted(argument, field));
  const valueFor = ({ name, type }: GraphQLArgument) => {
    if (name === 'first') return 10;
    const filter = name === 'filter' && getNamedType(type);
    const member = isInputObjectType(filter) ? filter.getFields()[NEEDED_FILTERS[field.name]!] : undefined;
    if (member) return { [member.name]: values.of(member.type, '', memberName(member), operation) };
    return values.of(type, record, snakeCase(name), operation);
  };
  const variables = Object.fromEntries(wanted.map((argument) => [argument.name, valueFor(argument)]));
  const defined = wanted.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
  const given = wanted.map(({ name }) => `${name}: $${name}`).join(', ');
  const selection = SELECTIONS[field.name] ?? selectionOf(schema, field.type);
  const text = `${kind} ${title}${defined && `(${defined})`} { ${field.name}${given && `(${given})`} ${selection} }`;
  return { document: print(parse(text)), variables };
}
