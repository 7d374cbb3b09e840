import type { Knex } from 'knex';
import { uuidFrom } from '../../base/ids.js';
import { reportEvent } from '../../outbox/report.js';
import type { Board } from './board.js';

type Placed = Pick<Board, 'id' | 'accountId' | 'gameId'>;
type Lasting = Placed & Pick<Board, 'isActive' | 'startsAt' | 'endsAt' | 'deletedAt'>;

/** Reports that a board takes no submissions any more. */
export function reportClosed(
  trx: Knex,
  { id: boardId, accountId, gameId }: Placed,
  reason: 'ended' | 'replaced' | 'closed',
  at: Date,
): Promise<void> {
  return reportEvent(trx, { accountId, type: 'board.closed', gameId, boardId, subject: { reason }, at });
}

/**
 * Reports that a board takes submissions, once in its life: when it starts, if it is open then. The newest report counts until
 * it is due.
 */
export async function reportOpening(trx: Knex, board: Lasting, at: Date): Promise<void> {
  const { id: boardId, accountId, gameId, isActive, startsAt, endsAt, deletedAt } = board;
  if (!isActive || deletedAt || (endsAt && endsAt <= at)) return;
  const dueAt = startsAt && startsAt > at ? startsAt : at;
  const about = { accountId, type: 'board.opened', gameId, boardId, subject: {}, at };
  await reportEvent(trx, { ...about, dueAt, id: uuidFrom('board.opened', boardId) });
}
