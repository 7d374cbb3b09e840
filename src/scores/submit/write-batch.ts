import type pg from 'pg';
import { uuidOf } from '../../base/ids.js';
import type { BoardFacts, Decision } from './decide.js';
import { PAIR_BYTES } from './recent-submissions.js';
import { type Plain, plainArray, plainArrayOrNull, textArrayOrNull, WRITE } from './statements.js';
import type { Submission } from './submission.js';

/** A submission and its effect. */
export interface DecidedItem {
  item: Submission;
  decision: Decision;
}

/** Number of entries before the item's key, and before its old one (null: there is none, or no item requests it), without this batch. */
export interface Placed {
  ahead: number;
  old_ahead: number | null;
}

/** A board of a batch as it was read. Bare uuid. */
export interface ReadBoard {
  board: BoardFacts;
  boardId: string;
  /** The time of the batch on this board. */
  at: Date;
}

/** The board with its decided submissions, at least one. */
export interface DecidedBoard extends ReadBoard {
  decided: readonly DecidedItem[];
}

/** Parameters of `take_boards` that it compares with the boards: ids, games, newest events, versions, newest batches, standings. */
export function foundOf(boards: readonly ReadBoard[]): unknown[] {
  const plain = (pick: (found: ReadBoard) => Plain) => plainArray(boards.map(pick));
  return [
    plain(({ boardId }) => boardId),
    plain(({ board }) => board.game_id),
    plain(({ board }) => board.seq),
    plain(({ board }) => board.version),
    plain(({ board }) => board.newest_batch),
    plain(({ board }) => board.standings),
  ];
}

/**
 * Takes the boards, claims nonces and keys, and writes decided submissions completely, with one call
 * (migrations/004_ingest.sql).
 * @param claims parameters of take_boards for players, nonces and keys
 * @returns by board one place per submission, in order
 * @throws a database error of class 40 where a board or its players have changed, or a claim is lost
 */
export async function writeBatch(
  client: pg.PoolClient,
  boards: readonly DecidedBoard[],
  claims: readonly unknown[],
  forgotten: Date,
): Promise<Placed[][]> {
  const decided = boards.flatMap((board) => board.decided);
  const found = (pick: (board: DecidedBoard) => Plain): string => plainArray(boards.map(pick));
  const plain = (pick: (decided: DecidedItem) => Plain): string => plainArray(decided.map(pick));
  const sparse = (pick: (decided: DecidedItem) => Plain) => plainArrayOrNull(decided.map(pick));
  const text = (pick: (decided: DecidedItem) => string | null) => textArrayOrNull(decided.map(pick));
  const renamed = decided.filter(({ decision }) => decision.rename);
  const { rows } = await client.query<Placed>({
    ...WRITE,
    values: [
      ...foundOf(boards),
      ...claims,
      forgotten,
      found(({ board }) => board.generation),
      found(({ board }) => board.account_id),
      found(({ at }) => `"${at.toISOString()}"`),
      found(({ board }) => board.board_type),
      found(({ board }) => board.sort_direction),
      found(({ board, decided }) => board.seq + decided.length),
      found(({ decided }) => uuidOf(decided[0]!.item.eventId)),
      new Date(Math.max(...boards.map(({ at }) => at.getTime()))),
      decided.some(({ item }) => item.wantPreviousRank),
      plainArray(boards.flatMap((one, i) => one.decided.map(() => i + 1))),
      plain(({ decision }) => decision.seq),
      plain(({ item }) => uuidOf(item.eventId)),
      plain(({ item }) => uuidOf(item.identityId)),
      sparse(({ item }) => (item.origin.kind === 'client' ? uuidOf(item.origin.deviceId) : null)),
      plain(({ item }) => item.isTest),
      plain(({ item }) => item.amount),
      text(({ decision }) => decision.playerName),
      text(({ item }) => item.valueDisplay),
      text(({ item }) => (item.metadata ? JSON.stringify(item.metadata) : null)),
      plain(({ decision }) => decision.disposition),
      text(({ item }) => item.place.city),
      text(({ item }) => item.place.country),
      text(({ item }) => item.place.timezone),
      plain(({ decision }) => decision.stateId),
      plain(({ decision }) => decision.bestValue),
      plain(({ decision }) => `"\\\\x${decision.recent.newest()}"`),
      plain(({ decision }) => decision.recentDropped * PAIR_BYTES + 1),
      sparse(({ decision }) => decision.stateValue),
      plain(({ decision }) => decision.changed),
      plain(({ decision }) => decision.entry.rankKey),
      plain(({ decision }) => decision.entry.seq),
      sparse(({ decision }) => decision.oldKey?.rankKey ?? null),
      sparse(({ decision }) => decision.oldKey?.seq ?? null),
      renamed.length > 0 ? renamed.map(({ item }) => uuidOf(item.identityId)) : null,
      renamed.length > 0 ? renamed.map(({ decision }) => decision.playerName) : null,
    ],
  });
  let first = 0;
  return boards.map((board) => {
    const own = rows.slice(first, first + board.decided.length);
    first += own.length;
    return own;
  });
}
