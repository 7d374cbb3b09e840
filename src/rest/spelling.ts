import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  GraphQLEnumType,
  GraphQLError,
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

/** Returns `game_id` for `gameId`. The reverse is not needed: look-ups start from known names. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
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

function lowerCase(type: GraphQLNamedType): GraphQLNamedType | undefined {
  if (!isEnumType(type)) return undefined;
  if (type.getValues().some(({ name }) => RESERVED.has(name.toLowerCase()))) return asText(type);
  const config = type.toConfig();
  const values = Object.entries(config.values).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) });
}

/** Returns the service's schema in REST's spelling: names of enum values are lower-case. The resolvers are the same. */
export function restView(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, { [MapperKind.TYPE]: lowerCase });
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
    const member = value[snakeCase(field.name)];
    if (member !== undefined) known[field.name] = asSchemaSpells(member, field.type);
  }
  return known;
}

/** Converts a path through input objects to the callers' spelling. */
export function asCallersSpell(way: Readonly<Loc>): Loc {
  return way.map((step) => (typeof step === 'string' ? snakeCase(step) : step));
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
