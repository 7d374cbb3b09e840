import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { loadBoardRecord } from '../../boards/board/read.js';
import type { BuildPhase } from '../../boards/views/rows.js';
import { recordColumns } from '../../db/sort.js';
import { inLiveGame } from '../../games/read.js';
import { requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { ScoreImport } from './import.js';

/** Imports of live boards. */
export const reachableImports = (db: Knex) =>
  ScoreImport.query(db)
    .whereRaw(inLiveGame('score_imports'))
    .whereRaw('exists (select from boards b where b.id = score_imports.board_id and b.deleted_at is null)');

const importById = recordsById(ScoreImport, reachableImports);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadImport(context: Context, id: string): Promise<ScoreImport> {
  const found = await context.loaders.of(importById).load(id);
  if (!found) throw notFound('Import');
  requireAccount(context, found.accountId);
  return found;
}

const sortable = recordColumns('score_imports', 'scoreImport');

/** Imports of a board, newest first. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function listImports(context: Context, page: SortedPageArgs, boardId: string) {
  const board = await loadBoardRecord(context, boardId);
  requireAccount(context, board.accountId);
  const rows = reachableImports(context.db).where('score_imports.board_id', uuidOf(boardId));
  return readRecords(context.db, { type: ScoreImport, sortable, rows, filters: { board_id: boardId } }, page);
}

/** What a build in each phase has done of an import's work; of the players' entries or states, a share. */
const SHARES: Record<BuildPhase, (share: number) => number> = {
  entries: (share) => 0.5 + 0.35 * share,
  tree: () => 0.85,
  news: () => 0.87,
  follow: () => 0.89,
  states: (share) => 0.9 + 0.09 * share,
};

/** `done` players have their entries, or their states; null: those are complete, or are not begun. */
const RANKED = `
  select build ->> 'phase' as phase, (build ->> 'done')::bigint as done, imported_seq as served from board_rankings where board_id = ?`;

/** The share of the work after `finish` that is done, 0 to 1. */
export async function importProgress(
  { db }: Context,
  { status, boardId, rows, processed, toRank, lastSeq }: ScoreImport,
): Promise<number> {
  if (status === 'finished') return 1;
  if (status === 'open' || status === 'cancelled') return 0;
  const written = Math.min(1, rows > 0 ? processed / rows : 1);
  if (status !== 'ranking') return written / 2;
  const { rows: found } = await db.raw<{
    rows: { phase: BuildPhase | null; done: number | null; served: number }[];
  }>(RANKED, [uuidOf(boardId)]);
  const { phase, done, served } = found[0]!;
  const share = Math.min(1, (done ?? 0) / Math.max(1, toRank ?? 1));
  // A build for another reason is not this one's.
  if (served >= (lastSeq ?? 0)) return phase === 'states' ? SHARES.states(share) : 0.99;
  return phase && phase !== 'states' ? SHARES[phase](share) : 0.5;
}
