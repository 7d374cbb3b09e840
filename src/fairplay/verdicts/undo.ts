import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import type { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { runStatement } from '../../db/pool.js';
import { tried } from '../../db/tried.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import type { PodiumRow } from '../../scores/standings/podium.js';
import { FLAGS, flagsOf } from '../flags/feed.js';
import { isOutOfRange, OUT_OF_RANGE_SENTENCE } from '../flags/save.js';
import { type BoardReview, boardReviewOf } from '../reviews/review.js';
import type { UndoVerdictsInput } from './inputs.js';

const UNDO = `
  select u.taken::int, u.runs::int, u.moved::int, u.podium_before, u.podium_after, u.players from undo_verdicts(?, ?, ?, ?, ?) u`;

/** What a change of a board's verdicts changes there. `players`: bare uuids. */
interface Settled {
  taken: number;
  runs: number;
  moved: number;
  podium_before: PodiumRow[];
  podium_after: PodiumRow[];
  players: string[];
}

/** Verdicts that were taken back, and the effect on their board. */
interface UndoneVerdicts {
  undoneCount: number;
  effect: BoardReview;
}

/**
 * Takes back the verdicts of a verifier on a board, and what followed from them; flags that they settled are pending again.
 * @throws DomainError NOT_FOUND, FORBIDDEN, BAD_REQUEST: a counter's sum would leave the range of numbers
 */
export async function undoVerdicts(
  context: Context,
  ratios: Ratios,
  { boardId, verifier, since, dryRun }: UndoVerdictsInput,
): Promise<UndoneVerdicts> {
  const board = await loadBoard(context, boardId);
  const work = async (trx: Knex.Transaction) => {
    const values = [uuidOf(boardId), verifier, since ?? '-infinity', uuidOf(adminOf(context).userId)];
    const { rows } = await runStatement<Settled>(trx, UNDO, [...values, new Date(context.clock())]);
    const done = rows[0]!;
    const after = { verifier, since: since ?? null, verdicts: done.taken };
    const about = { accountId: board.accountId, gameId: board.gameId, subjectId: board.id };
    if (done.taken > 0)
      await recordAudit(trx, context, { ...about, action: AuditAction.VERDICTS_UNDONE, before: null, after });
    return done;
  };
  const write = dryRun ? tried(context.db, work) : context.db.transaction(work);
  const done = await write.catch((error) => {
    throw isOutOfRange(error) ? new DomainError('BAD_REQUEST', OUT_OF_RANGE_SENTENCE) : error;
  });
  if (!dryRun) await followed(context, ratios, board, done.players);
  return { undoneCount: done.taken, effect: effectOn(board, done) };
}

/** The effect on a board as a review of runs shows it. */
export function effectOn(board: Board, { runs, moved, podium_before, podium_after }: Settled): BoardReview {
  const measure: Measure = { format: board.format, unit: board.unit };
  return boardReviewOf({
    ...{ board_id: uuidOf(board.id), runs, moved, podium_before, podium_after },
    ...{ undone: false, failure: null, ...measure },
  });
}

/** Notifies readers of a board whose players' runs changed, and has its ratio boards follow. @param players bare uuids */
export async function followed(
  context: Pick<Context, 'changed'>,
  ratios: Ratios,
  { id, accountId }: Pick<Board, 'id' | 'accountId'>,
  players: readonly string[],
): Promise<void> {
  const ids = players.map((player) => idOf('identity', player));
  for (const topic of [id, ...ids, FLAGS, flagsOf(accountId)]) context.changed(topic);
  await ratios.followPlayers(id, ids);
}
