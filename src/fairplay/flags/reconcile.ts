import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Context } from '../../graphql/context.js';
import type { FlagRow } from './flag.js';

/** numeric_value_out_of_range: a counter's sum overflows without, or again with, some of its deltas. */
const OUT_OF_RANGE = '22003';

export function isOutOfRange(error: unknown): boolean {
  return (error as { code?: string }).code === OUT_OF_RANGE;
}

export const OUT_OF_RANGE_SENTENCE = "Without these runs the counter's sum would leave the range of numbers";

/**
 * Takes the locks for decisions on the flags of a board and the changes of the board that follow. Bare uuid. In this order,
 * or reviews of all runs would deadlock with it: they hold the first for longer than the second (migrations/019_review.sql).
 */
export async function lockBoard(trx: Knex.Transaction, board: string): Promise<void> {
  await trx.raw('select lock_flags(array[?::uuid])', [board]);
  await trx('board_rankings').where('board_id', board).forUpdate().first('board_id');
}

/**
 * Brings the flags of one board in line with their reviews, the board in line with its flags, and the players' tiers. Holds
 * the board's lock (migrations/019_review.sql).
 * @throws DomainError BAD_REQUEST when a counter's sum would leave the range of numbers
 */
export async function settleFlags(
  trx: Knex.Transaction,
  { caller }: Pick<Context, 'caller'>,
  flags: FlagRow[],
  now: Date,
): Promise<void> {
  const board = flags[0]!.board_id;
  const user = caller.kind === 'admin' ? uuidOf(caller.userId) : null;
  try {
    await trx.raw('select restate_flags(?, ?::uuid[], ?)', [board, flags.map(({ id }) => id), now]);
    const seqs = flags.map(({ event_seq }) => event_seq);
    await trx.raw('select settle_events(?, ?::bigint[], ?, ?)', [board, seqs, user, now] as never);
  } catch (error) {
    throw isOutOfRange(error) ? new DomainError('BAD_REQUEST', OUT_OF_RANGE_SENTENCE) : error;
  }
  for (const player of new Set(flags.map(({ identity_id }) => identity_id))) {
    await trx.raw('select settle_tier(?, ?, ?)', [player, user, now] as never);
  }
}
