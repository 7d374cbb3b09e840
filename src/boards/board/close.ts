import type { Knex } from 'knex';

/**
 * Takes the locks that submissions take, in one order for all callers: nothing is accepted any more until the
 * transaction ends, and afterwards only what the boards then allow. Ids are uuids here and below.
 */
export async function lockRankings(trx: Knex.Transaction, ids: string[]): Promise<void> {
  await trx('board_rankings').whereIn('board_id', ids).orderBy('board_id').forUpdate().select('board_id');
}

/**
 * Ends the activity of boards whose rankings are locked, and raises the versions that readers wait for.
 * @param open which of them are to be closed: looked at again under the locks
 * @returns those that were closed now
 */
export async function closeBoards(
  trx: Knex.Transaction,
  ids: string[],
  open: (rows: Knex.QueryBuilder) => void,
  now: Date,
): Promise<string[]> {
  if (ids.length === 0) return [];
  const rows: { id: string }[] = await trx('boards')
    .whereIn('id', ids)
    .where('is_active', true)
    .whereNull('deleted_at')
    .modify(open)
    .update({ is_active: false, updated_at: now })
    .returning('id');
  const closed = rows.map(({ id }) => id);
  await trx('board_rankings')
    .whereIn('board_id', closed)
    .update({ version: trx.raw('version + 1') });
  return closed;
}
