import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { loadBoardRecord } from '../../boards/board/read.js';
import { recordColumns } from '../../db/sort.js';
import { inLiveGame } from '../../games/read.js';
import { requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
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
  requireAccount(context, found);
  return found;
}

export const SORTABLE_IMPORTS = recordColumns('score_imports', 'scoreImport');

/** Imports of a board, newest first. @throws DomainError NOT_FOUND, FORBIDDEN */
export async function listImports(context: Context, page: SortedRequest, { boardId }: { boardId: string }) {
  await loadBoardRecord(context, boardId);
  const rows = reachableImports(context.db).where('score_imports.board_id', uuidOf(boardId));
  const list = { type: ScoreImport, sortable: SORTABLE_IMPORTS, rows, filters: { board_id: boardId } };
  return readRecords(context.db, list, page);
}

/** How much of an import's second half the board's build has done. A build for another reason doesn't count. */
const RANKED = `
  select case when imported_seq >= :last and build ->> 'phase' is distinct from 'states' then 1
    when greatest(imported_seq, (build ->> 'imported')::bigint) >= :last then build_progress(build) else 0 end as ranked
  from board_rankings where board_id = :board`;

/** How much of the work after `finish` is done, 0 to 1. */
export async function importProgress(
  { db }: Context,
  { status, boardId, rows, processed, lastSeq }: ScoreImport,
): Promise<number> {
  if (status === 'finished') return 1;
  if (status === 'open' || status === 'cancelled') return 0;
  const written = Math.min(1, rows > 0 ? processed / rows : 1);
  if (status !== 'ranking') return written / 2;
  const { rows: found } = await db.raw<{ rows: { ranked: number }[] }>(RANKED, {
    board: uuidOf(boardId),
    last: lastSeq ?? 0,
  });
  return 0.5 + 0.49 * found[0]!.ranked;
}
