import {
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
} from 'graphql';
import type { ErrorDetail } from '../../base/errors.js';

/** The requirement that a value failed, as a detail of a 422. */
interface Expectation {
  msg: string;
  type: string;
}

const BY_NAME: Record<string, Expectation> = {
  String: { msg: 'must be a string', type: 'string' },
  ID: { msg: 'must be a string', type: 'string' },
  Boolean: { msg: 'must be true or false', type: 'boolean' },
  Int: { msg: 'must be a 32-bit integer', type: 'integer' },
  SafeInt: { msg: 'must be an integer within ±(2^53 − 1)', type: 'integer' },
  Float: { msg: 'must be a finite number', type: 'number' },
};

const NULL: Expectation = { msg: 'must not be null', type: 'null' };
const LIST_FAULT: Expectation = { msg: 'must be a list', type: 'list' };
const OBJECT: Expectation = { msg: 'must be a JSON object', type: 'object' };

/** A required field that is not there. */
export const MISSING: Expectation = { msg: 'is required', type: 'missing' };

/**
 * Returns the requirement of `type` that `value` fails.
 * @param message the message of the type itself; used for types that this table does not contain
 */
export function expectationOf(type: GraphQLInputType, value: unknown, message: string): Expectation {
  if (value === null && isNonNullType(type)) return NULL;
  const bare = isNonNullType(type) ? type.ofType : type;
  if (isListType(bare)) return LIST_FAULT;
  if (isInputObjectType(bare)) return OBJECT;
  if (isEnumType(bare)) {
    const names = bare.getValues().map(({ name }) => name);
    return { msg: `must be one of ${names.join(', ')}`, type: 'enum' };
  }
  const name = getNamedType(bare).name;
  return BY_NAME[name] ?? { msg: message.replace(/^Expected type ".*?"\. /, ''), type: 'value' };
}

/** Names that other services use for members required here. */
const KNOWN_AS: Record<string, string[]> = {
  items: ['scores', 'events', 'score_events', 'submissions'],
  value: ['score', 'points', 'result', 'amount', 'delta'],
  player_name: ['player', 'nickname', 'username', 'user'],
  board_id: ['leaderboard', 'leaderboard_id'],
  client_fingerprint: ['device', 'device_id'],
  display_name: ['username', 'full_name'],
  email: ['mail'],
  account_name: ['company', 'organisation', 'organization'],
};

/** Most unknown names of a body that are compared with the known ones; it may contain any number. */
export const MOST_UNKNOWN = 50;
const NAME = /^[\w.-]{1,64}$/;
const MOST_MISTYPED = 2;

const isName = (text: string) => NAME.test(text);

const simplified = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Returns the number of characters to insert, drop or replace. */
function spellingDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (const [i, letter] of [...one].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j += 1) {
      next.push(Math.min(row[j + 1]! + 1, next[j]! + 1, row[j]! + Number(letter !== other[j])));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** Returns a grade of similarity, 0 for the nearest; undefined: not near. */
function nearness(wanted: string, given: string): number | undefined {
  const [one, other] = [simplified(wanted), simplified(given)];
  if (one === other) return 0;
  if (KNOWN_AS[wanted]?.some((word) => simplified(word) === other)) return 1;
  if (Math.min(one.length, other.length) > MOST_MISTYPED * 2 && spellingDistance(one, other) <= MOST_MISTYPED)
    return 2;
  const words = wanted.split('_');
  return words.length > 1 && given.toLowerCase() !== 'id' && words.includes(given.toLowerCase())
    ? 3
    : undefined;
}

/** Returns the candidate that is nearest to one of the names; undefined: none is near. */
function nearest(candidates: readonly string[], farness: (candidate: string) => number | undefined) {
  return candidates
    .map((name) => ({ name, far: farness(name) }))
    .filter(({ far }) => far !== undefined)
    .sort((a, b) => a.far! - b.far!)[0]?.name;
}

/** Returns those of the unknown names that are near to an absent one, each with the nearest. */
export function nearestName(
  absent: readonly string[],
  unknown: readonly string[],
): { given: string; meant: string }[] {
  return unknown.filter(isName).flatMap((name) => {
    const meant = nearest(absent, (wanted) => nearness(wanted, name));
    return meant === undefined ? [] : [{ given: name, meant }];
  });
}

/**
 * Adds to each fault of a missing member the unknown member of the body that was probably meant.
 * @param known names that the body may contain
 */
export function withNearNames(
  details: ErrorDetail[],
  body: Record<string, unknown>,
  known: ReadonlySet<string>,
): ErrorDetail[] {
  const unknown = Object.keys(body)
    .filter((name) => !known.has(name))
    .slice(0, MOST_UNKNOWN)
    .filter(isName);
  if (unknown.length === 0) return details;
  return details.map((detail) => {
    const [where, wanted, ...below] = detail.loc;
    if (where !== 'body' || detail.type !== MISSING.type || below.length > 0) return detail;
    const near = nearest(unknown, (name) => nearness(String(wanted), name));
    return near
      ? { ...detail, msg: `${detail.msg}. Unknown field "${near}". Did you mean "${wanted}"?` }
      : detail;
  });
}
