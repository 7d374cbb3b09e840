import {
  type FragmentDefinitionNode,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { ErrorDetail, Loc } from '../../base/errors.js';
import { isObject, memberName } from '../spelling.js';
import { MOST_UNKNOWN, nearestName } from './faults.js';

/** The members of a record's responses, each with those below it. */
export type Answer = Map<string, Answer>;

/** A member that a body may have. */
interface Member {
  name: string;
  type: GraphQLInputType;
}

/** Returns the members of an operation's response. Its names are REST's. */
export function answerOf(
  set: SelectionSetNode | undefined,
  fragments: ReadonlyMap<string, FragmentDefinitionNode>,
  answer: Answer = new Map(),
): Answer {
  for (const node of set?.selections ?? []) {
    if (node.kind === Kind.FIELD) {
      const name = node.alias?.value ?? node.name.value;
      answer.set(name, answerOf(node.selectionSet, fragments, answer.get(name)));
    } else {
      const below = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value);
      answerOf(below?.selectionSet, fragments, answer);
    }
  }
  return answer;
}

const membersOf = (type: GraphQLInputObjectType): Member[] =>
  Object.values(type.getFields()).map((field) => ({ name: memberName(field), type: field.type }));

/** Returns a fault for each unknown member, at any depth. */
export function unknownMembers(
  body: Record<string, unknown>,
  members: readonly Member[],
  loc: Loc = ['body'],
): ErrorDetail[] {
  const known = new Map(members.map(({ name, type }) => [name, getNamedType(type)]));
  return Object.entries(body).flatMap(([name, value]): ErrorDetail[] => {
    const type = known.get(name);
    if (!type) return [{ loc: [...loc, name], msg: 'is not a known field', type: 'unknown' }];
    if (!isInputObjectType(type)) return [];
    const within = (item: unknown, at: Loc) =>
      isObject(item) ? unknownMembers(item, membersOf(type), at) : [];
    const at = [...loc, name];
    return Array.isArray(value) ? value.flatMap((item, i) => within(item, [...at, i])) : within(value, at);
  });
}

/**
 * Returns a fault for each unknown member, at any depth, that is probably a known one that is absent: ignored, it would
 * leave the default in place of what the caller wanted. Members of the record's own responses may be sent back.
 */
export function mistypedMembers(
  body: Record<string, unknown>,
  members: readonly Member[],
  answer: Answer | undefined,
  loc: Loc = ['body'],
  left = { names: MOST_UNKNOWN },
): ErrorDetail[] {
  if (left.names === 0) return [];
  const absent = members.filter(({ name }) => body[name] === undefined).map(({ name }) => name);
  const known = new Set([...members.map(({ name }) => name), ...(answer?.keys() ?? [])]);
  const unknown = Object.keys(body)
    .filter((name) => !known.has(name))
    .slice(0, left.names);
  left.names -= unknown.length;
  const faults = nearestName(absent, unknown).map(
    ({ given, meant }): ErrorDetail => ({
      loc: [...loc, given],
      msg: `is not a known field. Did you mean "${meant}"?`,
      type: 'unknown',
    }),
  );
  for (const { name, type } of members) {
    const below = getNamedType(type);
    if (!isInputObjectType(below)) continue;
    const value = body[name];
    const fields = membersOf(below);
    const within = (item: unknown, at: Loc) => {
      if (isObject(item)) faults.push(...mistypedMembers(item, fields, answer?.get(name), at, left));
    };
    if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) within(item, [...loc, name, index]);
    } else within(value, [...loc, name]);
  }
  return faults;
}
