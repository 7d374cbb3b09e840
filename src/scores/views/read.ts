import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { EntryStatus, KeepRules } from '../submit/kept-entry.js';
import { RANKINGS, type RowOf, rowsOf, VIEW_ENTRIES } from '../submit/statements.js';
import type { Submission } from '../submit/submission.js';
import type { BatchViews } from './decide.js';
import { type BoardViews, stateOf, type ViewEntries } from './facts.js';

interface ReadFacts {
  device_platform: string | null;
  player_tags: Readonly<Record<string, string | null>> | null;
  views?: ViewEntries | undefined;
}

/** The columns of an entry, times in epoch milliseconds; null: there is none. */
interface Found {
  value: number;
  rank_key: number;
  seq: number;
  status: EntryStatus;
  created_at: number;
  updated_at: number;
}

interface EntryRow {
  n: number;
  first: number;
  first_entry: Found | null;
  /** Null: none was looked up. */
  generation: number | null;
  entry: Found | null;
}

/**
 * Looks up what the decisions on submissions need of a board's views and is not known: rankings by tags, and entries.
 * @param facts of the items, in the same order; those that are completed are replaced
 */
export async function readViewFacts<F extends ReadFacts>(
  reader: Queryable,
  boardId: string,
  board: KeepRules & { views: BoardViews },
  batch: BatchViews,
  items: readonly Submission[],
  facts: F[],
): Promise<void> {
  await readRankings(reader, boardId, board.views, batch, items, facts);
  const probes: RowOf<'view_probe'>[] = [];
  items.forEach((item, n) => {
    const known = facts[n]!;
    const probe = batch.missing(board, known.views, item, known);
    if (!probe) return;
    const { first, rest, implied } = probe;
    const slot = uuidOf(item.identityId);
    const rankKey = board.sort_direction === 'asc' ? item.amount : 0 - item.amount;
    const place = { n, board_id: boardId, is_test: item.isTest, slot, rank_key: rankKey };
    probes.push({ ...place, first, rest: `{${rest.join()}}`, implied: `{${implied.join()}}` });
  });
  if (probes.length === 0) return;
  const { rows } = await reader.query<EntryRow>({ ...VIEW_ENTRIES, values: [rowsOf('view_probe', probes)] });
  const found = new Map<number, Map<number, ReturnType<typeof entryOf>>>();
  for (const { n, first, first_entry, generation, entry } of rows) {
    const entries = found.get(n) ?? new Map(facts[n]!.views);
    found.set(n, entries.set(first, entryOf(first_entry)));
    if (generation !== null) entries.set(generation, entryOf(entry));
  }
  for (const [n, views] of found) facts[n] = { ...facts[n]!, views };
}

function entryOf(found: Found | null) {
  if (!found) return null;
  const { value, rank_key: rankKey, seq, status, created_at, updated_at } = found;
  const [createdAt, updatedAt] = [new Date(Math.round(created_at)), new Date(Math.round(updated_at))];
  return { value, rankKey, seq, status, createdAt, updatedAt };
}

async function readRankings(
  reader: Queryable,
  boardId: string,
  { rankings }: BoardViews,
  batch: BatchViews,
  items: readonly Submission[],
  facts: readonly ReadFacts[],
): Promise<void> {
  const unknown = new Map<string, RowOf<'ranking_probe'>>();
  items.forEach((item, n) => {
    for (const { id, view, period, group } of batch.placements(item, facts[n]!)) {
      if (rankings.has(id)) continue;
      unknown.set(id, { board_id: boardId, view_no: view, period_number: period, group_key: group });
    }
  });
  if (unknown.size === 0) return;
  const { rows } = await reader.query<{
    no: number | null;
    generation: number;
    status: string;
    full: boolean;
  }>({
    ...RANKINGS,
    values: [rowsOf('ranking_probe', [...unknown.values()])],
  });
  [...unknown.keys()].forEach((id, i) => {
    const { no, generation, status, full } = rows[i]!;
    rankings.set(id, no === null ? (full ? 'shut' : 'none') : stateOf(status, no, generation));
  });
}
