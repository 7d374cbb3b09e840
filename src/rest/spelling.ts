import {
  GraphQLEnumType,
  GraphQLError,
  type GraphQLInputField,
  type GraphQLInputType,
  type GraphQLNamedType,
  GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { Loc } from '../base/errors.js';
import { restNameOf, schemaOf } from '../graphql/views.js';

/** Returns `game_id` for `gameId`. The reverse is not needed: look-ups start from known names. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Returns the name that an input's field has in request bodies. */
export function memberName({ name, extensions }: Pick<GraphQLInputField, 'name' | 'extensions'>): string {
  return restNameOf(extensions) ?? snakeCase(name);
}

/** Names that GraphQL reserves. */
const RESERVED = new Set(['true', 'false', 'null']);

/** The response texts of an enum's values, given if one of them, in lower case, is no valid name of a value. */
export interface TextExtensions {
  texts?: string[];
}

function asText(type: GraphQLEnumType): GraphQLScalarType {
  const byText = new Map(type.getValues().map(({ name, value }) => [name.toLowerCase(), value as unknown]));
  const texts = [...byText.keys()];
  const parse = (text: unknown) => {
    if (!byText.has(text as string)) throw new GraphQLError(`must be one of ${texts.join(', ')}`);
    return byText.get(text as string);
  };
  return new GraphQLScalarType({
    name: type.name,
    description: type.description,
    serialize: (value) => (type.serialize(value) ?? '').toLowerCase(),
    parseValue: parse,
    extensions: { texts } satisfies TextExtensions,
  });
}

function lowerCase(type: GraphQLNamedType): GraphQLNamedType {
  if (!isEnumType(type)) return type;
  if (type.getValues().some(({ name }) => RESERVED.has(name.toLowerCase()))) return asText(type);
  const config = type.toConfig();
  const values = Object.entries(config.values).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) });
}

/** Returns REST's part of the service's schema in its spelling: names of enum values are lower-case. */
export function restView(whole: GraphQLSchema): GraphQLSchema {
  return schemaOf(whole, 'rest', lowerCase);
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True if values of this type contain members in the callers' snake_case. Free JSON does not. */
export function holdsMembers(type: GraphQLInputType): boolean {
  if (isNonNullType(type) || isListType(type)) return holdsMembers(type.ofType);
  return isInputObjectType(type);
}

/** Converts the members of input objects, at any depth, to the schema's spelling; unknown members are dropped. */
export function asSchemaSpells(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return asSchemaSpells(value, type.ofType);
  if (isListType(type)) {
    return Array.isArray(value) ? value.map((item) => asSchemaSpells(item, type.ofType)) : value;
  }
  if (!isInputObjectType(type) || !isObject(value)) return value;
  const known: Record<string, unknown> = {};
  for (const field of Object.values(type.getFields())) {
    const member = value[memberName(field)];
    if (member !== undefined) known[field.name] = asSchemaSpells(member, field.type);
  }
  return known;
}

/** Returns the fields on a path (in the schema's spelling) through a value of `type`; undefined for an index in a list. */
function fieldsOn(type: GraphQLInputType, way: Readonly<Loc>): (GraphQLInputField | undefined)[] {
  let below: GraphQLInputType = type;
  return way.map((step) => {
    if (isNonNullType(below)) below = below.ofType;
    if (isListType(below)) below = below.ofType;
    if (isNonNullType(below)) below = below.ofType;
    const field = isInputObjectType(below) ? below.getFields()[step] : undefined;
    if (field) below = field.type;
    return field;
  });
}

/** Converts a path through a value of `type` to the callers' spelling. */
export function asCallersSpell(way: Readonly<Loc>, type: GraphQLInputType): Loc {
  const fields = fieldsOn(type, way);
  return way.map((step, index) => {
    const field = fields[index];
    if (field) return memberName(field);
    return typeof step === 'string' ? snakeCase(step) : step;
  });
}

/** Returns the type at a path (in the schema's spelling) through a value of `type`. */
export function typeAt(type: GraphQLInputType, way: Readonly<Loc>): GraphQLInputType {
  let found = type;
  for (const step of way) {
    if (isNonNullType(found)) found = found.ofType;
    if (isListType(found)) found = found.ofType;
    else if (isInputObjectType(found)) found = found.getFields()[step]!.type;
  }
  return found;
}
