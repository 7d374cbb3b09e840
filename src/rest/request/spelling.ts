import { type GraphQLInputType, isInputObjectType, isListType, isNonNullType } from 'graphql';
import type { ErrorDetail } from '../../base/errors.js';
import { snakeCase } from './names.js';

type Loc = ErrorDetail['loc'];

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
