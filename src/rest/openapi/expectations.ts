import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';

/** The requirement that a value failed, as a detail of a 422. */
export interface Expectation {
  msg: string;
  type: string;
}

const BY_NAME: Record<string, Expectation> = {
  String: { msg: 'must be text', type: 'string' },
  ID: { msg: 'must be text', type: 'string' },
  Boolean: { msg: 'must be true or false', type: 'boolean' },
  Int: { msg: 'must be a whole number of at most 32 bits', type: 'integer' },
  SafeInt: { msg: 'must be a whole number within ±(2^53 − 1)', type: 'integer' },
  Float: { msg: 'must be a finite number', type: 'number' },
};

const NULL: Expectation = { msg: 'must not be null', type: 'null' };
const LIST: Expectation = { msg: 'must be a list', type: 'list' };
const OBJECT: Expectation = { msg: 'must be a JSON object', type: 'object' };

/** A required field that is not there. */
export const MISSING: Expectation = { msg: 'is required', type: 'missing' };

/**
 * Returns the requirement of `type` that `value` fails.
 * @param told the message of the type itself; used for types that this table does not contain
 */
export function expectationOf(type: GraphQLInputType, value: unknown, told: string): Expectation {
  if (value === null && isNonNullType(type)) return NULL;
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return LIST;
  if (isInputObjectType(bare)) return OBJECT;
  if (isEnumType(bare)) {
    const names = bare.getValues().map(({ name }) => name);
    return { msg: `must be one of ${names.join(', ')}`, type: 'enum' };
  }
  const name = getNamedType(bare).name;
  return BY_NAME[name] ?? { msg: told.replace(/^Expected type ".*?"\. /, ''), type: 'value' };
}
