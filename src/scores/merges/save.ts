import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import type { Measure } from '../../base/value-format.js';
import { runStatement } from '../../db/pool.js';
import { previewDeadline, tried } from '../../db/tried.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { beginMerge, beginUndo } from '../../players/merges/begin.js';
import { loadMergeable } from '../../players/read.js';
import type { MergeWorker } from '../../rankings/upkeep/merges.js';
import { type PodiumRow, podiumChanges } from '../standings/podium.js';
import { BoardMerge, type MergePlayersInput, PlayerMerge } from './merge.js';
import { loadMerge } from './read.js';

/** A preview holds locks of boards: after this it ends without a result. */
const BOARDS = 'select unit from boards_to_merge(?)';
const TRY = `
  select t.*, b.format, b.unit from try_merge(?::uuid[], ?, ?) t join boards b on b.id = t.board_id order by t.board_id`;

interface BoardMergeRow extends Measure {
  board_id: string;
  runs: string;
  flags: string;
  moved: string;
  podium_before: PodiumRow[];
  podium_after: PodiumRow[];
}

/** @throws DomainError NOT_FOUND, FORBIDDEN */
async function requireBoth(context: Context, { sourceId, targetId }: MergePlayersInput) {
  const source = await loadMergeable(context, sourceId);
  await loadMergeable(context, targetId);
  return source;
}

function requestOf(context: Context, reason: string | null | undefined) {
  const by = uuidOf(adminOf(context).userId);
  return { by, reason: reason || null, now: new Date(context.clock()) };
}

/**
 * Merges two players. Boards follow one by one, nearly always before the answer.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, CONFLICT
 */
export async function mergePlayers(
  context: Context,
  worker: MergeWorker,
  input: MergePlayersInput,
): Promise<PlayerMerge> {
  const { accountId, gameId } = await requireBoth(context, input);
  const { sourceId, targetId } = input;
  const request = requestOf(context, input.reason);
  const id = await context.db.transaction(async (trx) => {
    const merge = await beginMerge(trx, sourceId, targetId, request);
    await recordAudit(trx, context, {
      ...{ accountId, gameId, subjectId: merge, action: AuditAction.PLAYERS_MERGED },
      ...{ before: null, after: { sourceId, targetId }, reason: request.reason },
    });
    return merge;
  });
  for (const player of [sourceId, targetId]) context.changed(player);
  await worker.followSoon(id);
  return fresh(context, id);
}

async function fresh({ db }: Context, id: string): Promise<PlayerMerge> {
  return PlayerMerge.query(db).findById(uuidOf(id)).throwIfNotFound();
}

/**
 * Effect of a merge on each board, ratio boards included: it is applied and rolled back, board by board, so the result is
 * exact. Boards without runs of the source are left out.
 * @throws DomainError as `mergePlayers`; UNAVAILABLE: it takes too long
 */
export async function previewMerge(context: Context, input: MergePlayersInput): Promise<BoardMerge[]> {
  await requireBoth(context, input);
  const request = requestOf(context, input.reason);
  const checkTime = previewDeadline(
    context.clock,
    'The preview takes too long. A merge can be undone: merge the players without it.',
  );
  const { rows } = await runStatement<{ unit: string[] }>(context.db, BOARDS, [uuidOf(input.sourceId)]);
  // Refusals without a board.
  await tried(context.db, (trx) => beginMerge(trx, input.sourceId, input.targetId, request));
  const found: BoardMerge[] = [];
  for (const { unit } of rows) {
    checkTime();
    const boards = await tried(context.db, async (trx) => {
      const id = await beginMerge(trx, input.sourceId, input.targetId, request);
      return (await runStatement<BoardMergeRow>(trx, TRY, [unit, uuidOf(id), request.now])).rows;
    });
    found.push(...boards.map(boardMergeOf).filter(({ runs, moved }) => runs > 0 || moved > 0));
  }
  return found;
}

function boardMergeOf(row: BoardMergeRow): BoardMerge {
  return Object.assign(new BoardMerge(), {
    boardId: idOf('board', row.board_id),
    ...{ runs: Number(row.runs), flags: Number(row.flags), moved: Number(row.moved) },
    podium: podiumChanges(row, row.podium_before, row.podium_after),
  });
}

/**
 * Undoes a merge; repeated, it continues.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, CONFLICT
 */
export async function updateMerge(
  context: Context,
  worker: MergeWorker,
  id: string,
  undone: boolean | undefined,
): Promise<PlayerMerge> {
  const merge = await loadMerge(context, id);
  const isUndone = merge.status === 'undoing' || merge.status === 'undone';
  if (undone === false && isUndone) {
    throw new DomainError(
      'INVALID_TRANSITION',
      'An undone merge cannot be restored. Merge the players again.',
    );
  }
  if (!undone) return merge;
  requireAccount(context, merge);
  const { by, now } = requestOf(context, null);
  await context.db.transaction(async (trx) => {
    if (!(await beginUndo(trx, id, { by, now }))) return;
    const { accountId, gameId, sourceId, targetId } = merge;
    await recordAudit(trx, context, {
      ...{ accountId, gameId, subjectId: id, action: AuditAction.PLAYERS_MERGE_UNDONE },
      ...{ before: { sourceId, targetId }, after: null },
    });
  });
  await worker.followSoon(id);
  for (const player of [merge.sourceId, merge.targetId]) context.changed(player);
  return fresh(context, id);
}
