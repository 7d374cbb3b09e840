import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import { claimable, type SubmissionFacts } from '../decide/batch.js';
import type { BoardFacts, BoardHead } from '../decide/decide.js';
import { playedAt } from '../decide/played-at.js';
import { type ViewsJson, viewsOf } from '../facts/rankings.js';
import { LEAD_MILLIS, RECENT_LIMIT, RECENT_MILLIS, RecentSubmissions } from '../facts/recent-submissions.js';
import { COUNTED, FACTS, type RowOf, rowsOf } from '../facts/statements.js';
import type { Submission } from '../facts/submission.js';
import { type CachedFacts, type FactsCache, isSameBoard } from './facts-cache.js';

/** Lifetime of an idempotency key's first response. */
export const IDEMPOTENCY_MILLIS = 7 * 24 * 3_600_000;

export interface FactsRead {
  /** Undefined: the board does not exist. */
  board: BoardFacts | undefined;
  /** For each submission, in order. */
  facts: SubmissionFacts[];
  /** For each submission: true if its facts are cached, and were not read. */
  fromCache: boolean[];
}

/** As JSON has it: times are text. */
type BoardJson = Omit<BoardFacts, Times | 'views'> &
  Record<Times, string | null> & { views: ViewsJson | null };
type Times = 'last_event_at' | 'starts_at' | 'ends_at';

/** A submission's row; `recent` as `recent_submissions` returns it, null: not read. */
type FactsRow = Omit<SubmissionFacts, 'recent'> & { board: BoardJson | null; recent: number[] | null };

/** A board, and the submissions to it, whose facts are requested. */
export interface FactsRequest {
  /** Bare uuid. */
  boardId: string;
  items: readonly Submission[];
  /** Head left by the previous batch, which is being written; undefined: no batch is being written. */
  head?: BoardHead | undefined;
  /** True: nothing is taken from the cache. */
  anew?: boolean;
}

/** Idempotency keys from before this time have expired. @param now epoch milliseconds */
export function forgottenAt(now: number): Date {
  return new Date(now - IDEMPOTENCY_MILLIS);
}

/** The keys by which a submission's facts are read. */
function factsKeys(item: Submission): RowOf<'facts_key'> {
  const { identityId, isTest, amount, origin, idempotency } = item;
  const isClient = origin.kind === 'client';
  return {
    identity_id: uuidOf(identityId),
    is_test: isTest,
    amount,
    device_id: isClient ? uuidOf(origin.deviceId) : undefined,
    session_id: isClient ? uuidOf(origin.sessionId) : undefined,
    scope: idempotency && uuidOf(idempotency.scope),
    key: idempotency?.key,
    nonce: claimable(item)?.uuid,
  };
}

/**
 * Reads the facts of boards and of their submissions, at least one each. The statement has been sent when this returns.
 * @param now epoch milliseconds: expired idempotency keys and submissions of more than an hour ago are not read
 * @returns facts by board
 */
export async function readFacts(
  client: Queryable,
  requests: readonly FactsRequest[],
  now: number,
): Promise<FactsRead[]> {
  const firsts: number[] = [];
  const items: RowOf<'facts_key'>[] = [];
  for (const one of requests) {
    firsts.push(items.length);
    for (const item of one.items) items.push({ n: items.length, ...factsKeys(item) });
  }
  const boards = requests.map(({ boardId, items: own }, i) => ({
    board_id: boardId,
    first: firsts[i]!,
    last: firsts[i]! + own.length - 1,
  }));
  const { rows } = await client.query<FactsRow>({
    ...FACTS,
    values: [
      rowsOf('facts_board', boards),
      rowsOf('facts_key', items),
      forgottenAt(now),
      new Date(now - RECENT_MILLIS),
      playTimes(requests, now),
    ],
  });
  return requests.map((one, i) => {
    const own = rows.slice(firsts[i], firsts[i]! + one.items.length);
    const board = own[0]!.board;
    return {
      board: board ? boardOf(board) : undefined,
      facts: own.map(factsOf),
      fromCache: own.map(() => false),
    };
  });
}

/** Milliseconds since the start of its session when each submission was played; null: no client says so. */
function playTimes(requests: readonly FactsRequest[], now: number): (number | null)[] | null {
  const all = requests.flatMap(({ items }) => items);
  if (all.every(({ sessionMs }) => sessionMs === undefined)) return null;
  // Bounded, so that the database can add it to a time.
  return all.map(({ sessionMs }) => (sessionMs === undefined ? null : Math.min(sessionMs, now)));
}

/** The same, with cached facts; facts that are not cached are read. */
export async function readCachedFacts(
  reader: Queryable,
  cache: FactsCache,
  requests: readonly FactsRequest[],
  now: number,
): Promise<FactsRead[]> {
  const known = requests.map(({ boardId, items, head, anew }) =>
    anew ? undefined : cache.find(boardId, items, head, now + LEAD_MILLIS),
  );
  const missing = requests.map(({ items }, i) => items.filter((_, k) => !known[i]?.facts[k]));
  const rest = await readSome(reader, requests, missing, now);
  const found = requests.map(({ head }, i) => complete(known[i], rest[i], head));
  // Cached facts are valid for the board as cached: if the board differs, all facts are read.
  const outdated = requests.map(({ items }, i) => (found[i] ? [] : items));
  const again = await readSome(reader, requests, outdated, now);
  return found.map((one, i) => one ?? again[i]!);
}

/** @param wanted submissions by board; without any, the result is undefined */
async function readSome(
  reader: Queryable,
  requests: readonly FactsRequest[],
  wanted: readonly (readonly Submission[])[],
  now: number,
): Promise<(FactsRead | undefined)[]> {
  const some = requests.flatMap(({ boardId }, i) =>
    wanted[i]!.length > 0 ? { boardId, items: wanted[i]! } : [],
  );
  if (some.length === 0) return requests.map(() => undefined);
  const read = (await readFacts(reader, some, now)).values();
  return requests.map((_, i) => (wanted[i]!.length > 0 ? read.next().value : undefined));
}

/** @returns undefined if the board differs from the cached one */
function complete(
  known: CachedFacts | undefined,
  read: FactsRead | undefined,
  head: BoardHead | undefined,
): FactsRead | undefined {
  if (!known?.facts.some((facts) => facts)) return read;
  const fromCache = known.facts.map((facts) => facts !== undefined);
  if (!read) return { board: known.board, facts: known.facts as SubmissionFacts[], fromCache };
  if (!read.board || !isSameBoard({ ...read.board, ...head }, known.board)) return undefined;
  keepRankings(known.board, read.board);
  const rest = read.facts.values();
  return { board: read.board, facts: known.facts.map((one) => one ?? rest.next().value!), fromCache };
}

/** If there are more rankings, they are looked up again. */
const MOST_RANKINGS = 5_000;

/** Rankings that were looked up are known to the board that is read again. */
function keepRankings({ views: known }: BoardFacts, { views: read }: BoardFacts): void {
  if (!known || !read || known.rankings.size > MOST_RANKINGS) return;
  for (const [id, state] of known.rankings) read.rankings.set(id, state);
}

/** Returns the row itself: it has some fifty members. */
function factsOf(row: FactsRow): SubmissionFacts {
  return Object.assign(row, {
    recent: row.recent ? RecentSubmissions.of(row.recent) : RecentSubmissions.NONE,
  });
}

function boardOf(row: BoardJson): BoardFacts {
  const time = (text: string | null) => (text === null ? null : new Date(text));
  const { last_event_at, starts_at, ends_at, views } = row;
  const times = { last_event_at: time(last_event_at), starts_at: time(starts_at), ends_at: time(ends_at) };
  return { ...row, ...times, views: views && viewsOf(views) };
}

/**
 * Counts the accepted submissions of the hour before in events, for players of whom more than what is remembered may count.
 * @param facts of the items, in the same order; sets `accepted_in_hour`
 * @param at when they are accepted
 * @param upTo the count stops here
 */
export async function countHours(
  client: Queryable,
  board: BoardFacts,
  boardId: string,
  items: readonly Submission[],
  facts: readonly SubmissionFacts[],
  at: Date,
  upTo: number,
): Promise<void> {
  const full = items.flatMap((item, i) => {
    const known = facts[i]!;
    const isFull = known.recent.asOf(at.getTime()).size >= RECENT_LIMIT;
    if (!isFull) return [];
    const since = new Date(playedAt(board, known, item, at.getTime()) - RECENT_MILLIS);
    return [{ known, row: { n: i, identity_id: uuidOf(item.identityId), is_test: item.isTest, since } }];
  });
  if (full.length === 0) return;
  const { rows } = await client.query<{ counted: number }>({
    ...COUNTED,
    values: [boardId, JSON.stringify(full.map(({ row }) => row)), upTo],
  });
  full.forEach(({ known }, i) => {
    known.accepted_in_hour = rows[i]!.counted;
  });
}
