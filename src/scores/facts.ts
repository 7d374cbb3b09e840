import type { Queryable } from '../db/pool.js';
import { uuidOf } from '../ids.js';
import { claimable, type KeyedFacts } from './claims.js';
import type { BoardFacts, BoardHead } from './decide.js';
import { type FactsMemory, isSameBoard } from './facts-memory.js';
import { COUNTED, FACTS, plainArray } from './ingest-statements.js';
import { RECENT_LIMIT, RECENT_MILLIS, Recent } from './recent.js';
import type { Submission } from './submission.js';

export interface FactsRead {
  /** Undefined: there is no such board. */
  board: BoardFacts | undefined;
  /** Of each submission, in order. */
  facts: KeyedFacts[];
  /** Of each: whether it is remembered, and was not read. */
  recalled: boolean[];
}

/** As JSON tells it: times are text. */
type BoardJson = Omit<BoardFacts, Times> & Record<Times, string | null>;
type Times = 'last_event_at' | 'starts_at' | 'ends_at';

/** A submission's, with what is packed as it is stored. */
type FactsRow = Omit<KeyedFacts, 'recent'> & { board: BoardJson | null; recent: Buffer | null };

/**
 * What the decisions need to know of a board and of submissions to it. The statement is under way when this returns.
 * @param boardId bare uuid
 * @param forgotten idempotency keys from before are not known any more
 */
export async function readFacts(
  client: Queryable,
  boardId: string,
  items: readonly Submission[],
  forgotten: Date,
): Promise<FactsRead> {
  const { rows } = await client.query<FactsRow>({
    ...FACTS,
    values: [
      boardId,
      plainArray(items.map((item) => uuidOf(item.identityId))),
      plainArray(items.map((item) => item.isTest)),
      plainArray(items.map((item) => item.amount)),
      plainArray(items.map(({ origin }) => (origin.kind === 'client' ? uuidOf(origin.deviceId) : null))),
      plainArray(items.map(({ origin }) => (origin.kind === 'client' ? uuidOf(origin.sessionId) : null))),
      plainArray(items.map(({ idempotency }) => (idempotency ? uuidOf(idempotency.scope) : null))),
      items.map(({ idempotency }) => idempotency?.key ?? null),
      forgotten,
      plainArray(items.map((item) => claimable(item)?.uuid ?? null)),
    ],
  });
  const board = rows[0]?.board;
  return {
    board: board ? boardOf(board) : undefined,
    facts: rows.map(factsOf),
    recalled: rows.map(() => false),
  };
}

/**
 * The same, with what is remembered of them: what is not is read.
 * @param head what the batch before leaves, which is being written; undefined: none is
 */
export async function recallFacts(
  reader: Queryable,
  memory: FactsMemory,
  boardId: string,
  items: readonly Submission[],
  forgotten: Date,
  head: BoardHead | undefined,
): Promise<FactsRead> {
  const known = memory.recall(boardId, items, head);
  const missing = known ? items.filter((_, i) => !known.facts[i]) : items;
  if (!known || missing.length === items.length) return readFacts(reader, boardId, items, forgotten);
  const recalled = known.facts.map((facts) => facts !== undefined);
  if (missing.length === 0) return { board: known.board, facts: known.facts as KeyedFacts[], recalled };
  const read = await readFacts(reader, boardId, missing, forgotten);
  // What is remembered is true of the board as it is remembered.
  if (!read.board || !isSameBoard({ ...read.board, ...head }, known.board)) {
    return readFacts(reader, boardId, items, forgotten);
  }
  const rest = read.facts.values();
  const facts = known.facts.map((one) => one ?? rest.next().value!);
  return { board: read.board, facts, recalled };
}

/** The row itself: it has some fifty members. */
function factsOf(row: FactsRow): KeyedFacts {
  return Object.assign(row, { recent: row.recent ? Recent.of(row.recent) : Recent.NONE });
}

function boardOf(row: BoardJson): BoardFacts {
  const time = (text: string | null) => (text === null ? null : new Date(text));
  const { last_event_at, starts_at, ends_at } = row;
  return { ...row, last_event_at: time(last_event_at), starts_at: time(starts_at), ends_at: time(ends_at) };
}

/**
 * Counts the last hour's accepted submissions in events where a state does not remember them all.
 * @param facts of the items, in the same order; get `accepted_in_hour`
 * @param upTo as far as is counted
 */
export async function countHours(
  client: Queryable,
  boardId: string,
  items: readonly Submission[],
  facts: readonly KeyedFacts[],
  at: Date,
  upTo: number,
): Promise<void> {
  const full = items.flatMap((item, i) => {
    const known = facts[i]!;
    return known.recent.size >= RECENT_LIMIT ? [{ item, known }] : [];
  });
  if (full.length === 0) return;
  const { rows } = await client.query<{ counted: number }>({
    ...COUNTED,
    values: [
      boardId,
      plainArray(full.map(({ item }) => uuidOf(item.identityId))),
      plainArray(full.map(({ item }) => item.isTest)),
      new Date(at.getTime() - RECENT_MILLIS),
      upTo,
    ],
  });
  full.forEach(({ known }, i) => {
    known.accepted_in_hour = rows[i]!.counted;
  });
}
