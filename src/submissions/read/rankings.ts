import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { EntryStatus, KeepRules } from '../../rankings/kept-entry.js';
import type { BatchViews } from '../decide/moves.js';
import {
  type BegunRanking,
  type BoardViews,
  GroupsDue,
  type RankingKey,
  rankingId,
  stateOf,
  type ViewEntries,
} from '../facts/rankings.js';
import { RANKINGS, type RowOf, rowsOf, VIEW_ENTRIES } from '../facts/statements.js';
import type { Submission } from '../facts/submission.js';

interface ReadFacts {
  device_platform: string | null;
  player_tags: Readonly<Record<string, string | null>> | null;
  views?: ViewEntries | undefined;
}

/** The columns of an entry, times in epoch milliseconds; null: none. */
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
 * Looks up unknown data of a board's views that the decisions need: rankings by tags, and entries.
 * @param facts of the items, in the same order; completed ones are replaced
 * @throws GroupsDue
 */
export async function readViewFacts<F extends ReadFacts>(
  reader: Queryable,
  boardId: string,
  board: KeepRules & { views: BoardViews; begun?: readonly BegunRanking[] | undefined },
  batch: BatchViews,
  items: readonly Submission[],
  facts: F[],
): Promise<void> {
  await readRankings(reader, boardId, { ...board.views, begun: board.begun }, batch, items, facts);
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

interface RankingRow {
  no: number | null;
  generation: number;
  next: number | null;
  status: string;
  held: number;
  most: number;
  newest: number;
  late: boolean;
}

/** @throws GroupsDue */
async function readRankings(
  reader: Queryable,
  boardId: string,
  { rankings, begun = [] }: BoardViews & { begun?: readonly BegunRanking[] | undefined },
  batch: BatchViews,
  items: readonly Submission[],
  facts: readonly ReadFacts[],
): Promise<void> {
  const unknown = new Map<string, RankingKey>();
  items.forEach((item, n) => {
    for (const place of batch.placements(item, facts[n]!)) {
      const state = rankings.get(place.id);
      // Each batch must read again if another group may start.
      if (state === undefined || (state === 'none' && place.group !== '')) unknown.set(place.id, place);
    }
  });
  if (unknown.size === 0) return;
  const probes = [...unknown.values()].map(({ view, period, group }) => ({
    ...{ board_id: boardId, view_no: view, period_number: period, group_key: group },
  }));
  const values = [rowsOf('ranking_probe', probes)];
  const { rows } = await reader.query<RankingRow>({ ...RANKINGS, values });
  const due = new Map<string, RankingKey>();
  [...unknown].forEach(([id, key], i) => {
    const { no, generation, next, status, held, most, newest, late } = rows[i]!;
    if (no !== null) {
      // A dropped ranking is not built.
      const state = key.built && next === null ? 'dropped' : status;
      rankings.set(id, stateOf(state, no, key.built ? next! : generation));
      return;
    }
    // Those started by the previous batch may not be in the database yet.
    const coming = begun.filter(
      (one) => one.no < newest && one.view === key.view && one.period === key.period,
    ).length;
    const room = most - held - coming;
    batch.setRoom(key, room);
    rankings.set(id, room > 0 ? 'none' : 'full');
    if (late && room > 0) due.set(rankingId({ ...key, built: false }), key);
  });
  if (due.size > 0) throw new GroupsDue(boardId, [...due.values()]);
}
