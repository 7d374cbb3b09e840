import type pg from 'pg';
import { uuidOf } from '../ids.js';
import type { BoardFacts, Decision } from './decide.js';
import { type Plain, plainArray, plainArrayOrNull, textArrayOrNull, WRITE } from './ingest-statements.js';
import { PAIR_BYTES } from './recent.js';
import type { Submission } from './submission.js';

/** A submission and its effect. */
export interface DecidedItem {
  item: Submission;
  decision: Decision;
}

/** Entries before the item's key, and before its old one (null: none, or no item asked), without this batch. */
export interface Placed {
  ahead: number;
  old_ahead: number | null;
}

/**
 * Takes the board, claims, and writes decided submissions whole, with one call (migrations/004_ingest.sql).
 * @param taken what take_board is told of players, nonces and keys
 * @returns a place for each, in order
 * @throws a database error of class 40 where the board or its players have changed, or a claim is lost
 */
export async function writeBatch(
  client: pg.PoolClient,
  board: BoardFacts,
  boardId: string,
  at: Date,
  decided: readonly DecidedItem[],
  taken: readonly unknown[],
  forgotten: Date,
): Promise<Placed[]> {
  const plain = (pick: (decided: DecidedItem) => Plain): string => plainArray(decided.map(pick));
  const sparse = (pick: (decided: DecidedItem) => Plain) => plainArrayOrNull(decided.map(pick));
  const text = (pick: (decided: DecidedItem) => string | null) => textArrayOrNull(decided.map(pick));
  const renamed = decided.filter(({ decision }) => decision.rename);
  const { rows } = await client.query<Placed>({
    ...WRITE,
    values: [
      boardId,
      board.generation,
      board.seq,
      board.version,
      board.newest_batch,
      board.standings,
      ...taken,
      forgotten,
      board.account_id,
      board.game_id,
      at,
      board.board_type,
      board.sort_direction,
      decided.some(({ item }) => item.wantPreviousRank),
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
  return rows;
}
