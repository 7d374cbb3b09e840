import type { BoardPart } from '../submit/batch.js';
import type { EntryAfter } from '../submit/kept-entry.js';
import type { RowOf } from '../submit/statements.js';
import type { Submission } from '../submit/submission.js';
import type { BatchViews } from './decide.js';

type EntryRow = RowOf<'entry_write'>;

/** Rankings that a batch begins. */
export function rankingRows({ boardId }: BoardPart, { begun }: BatchViews): RowOf<'ranking_write'>[] {
  return begun.map(({ no, view, period, group }) => ({
    ...{ board_id: boardId, ranking_no: no, view_no: view, period_number: period, group_key: group },
  }));
}

/**
 * Adds one row a ranking and entry, as the last submission that it shows leaves it.
 * @param entryRow the row of an entry in the board's own order
 * @param entries rows of entries that are there
 * @param newEntries rows of entries that are not there yet
 */
export function addViewEntries(
  part: BoardPart,
  entryRow: (part: BoardPart, item: Submission, entry: EntryAfter) => EntryRow,
  entries: EntryRow[],
  newEntries: EntryRow[],
): void {
  const known = new Map<string, EntryRow>();
  for (const { item, decision } of part.decided) {
    for (const { ranking, before, entry } of decision.views ?? []) {
      if (!entry || !ranking) continue;
      const key = `${ranking.generation} ${item.isTest} ${entry.slot}`;
      const row = { ...entryRow(part, item, entry), generation: ranking.generation };
      const earlier = known.get(key);
      if (earlier) Object.assign(earlier, row);
      else {
        known.set(key, row);
        (before ? entries : newEntries).push(row);
      }
    }
  }
}
