import type { ErrorDetail } from '../../base/errors.js';
import { MISSING } from '../openapi/expectations.js';

/** Names that other services use for members required here. */
const KNOWN_AS: Record<string, string[]> = {
  value: ['score', 'points', 'result', 'amount', 'delta'],
  player_name: ['player', 'nickname', 'username', 'user'],
  board_id: ['leaderboard', 'leaderboard_id'],
  client_fingerprint: ['device', 'device_id'],
  display_name: ['username', 'full_name'],
  email: ['mail'],
  account_name: ['company', 'organisation', 'organization'],
};

/** Most unknown names compared; a body may contain any number. */
const MOST_LOOKED_AT = 50;
const NAME = /^[\w.-]{1,64}$/;
const MOST_MISTYPED = 2;

const bare = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** Returns the number of characters to insert, drop or replace. */
function distance(one: string, other: string): number {
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
  const [one, other] = [bare(wanted), bare(given)];
  if (one === other) return 0;
  if (KNOWN_AS[wanted]?.some((word) => bare(word) === other)) return 1;
  if (Math.min(one.length, other.length) > MOST_MISTYPED * 2 && distance(one, other) <= MOST_MISTYPED)
    return 2;
  const words = wanted.split('_');
  return words.length > 1 && given.toLowerCase() !== 'id' && words.includes(given.toLowerCase())
    ? 3
    : undefined;
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
    .slice(0, MOST_LOOKED_AT + known.size)
    .filter((name) => !known.has(name) && NAME.test(name));
  if (unknown.length === 0) return details;
  return details.map((detail) => {
    const [where, wanted, ...below] = detail.loc;
    if (where !== 'body' || detail.type !== MISSING.type || below.length > 0) return detail;
    const near = unknown
      .map((name) => ({ name, far: nearness(String(wanted), name) }))
      .filter(({ far }) => far !== undefined)
      .sort((a, b) => a.far! - b.far!)[0];
    return near
      ? { ...detail, msg: `${detail.msg}; "${near.name}" is not known here: is it meant?` }
      : detail;
  });
}
