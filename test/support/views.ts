import type { Knex } from 'knex';
import { uuidOf } from '../../src/base/ids.js';
import type { TiePolicy } from '../../src/boards/board/tie-policy.js';
import type { Database } from '../../src/db/pool.js';
import { placedSeq } from '../../src/rankings/order.js';
import { expectDenseRanks } from './dense-ranks.js';

/** A view as declared by tests, in UTC. */
export interface ViewRule {
  name: string;
  period: 'day' | 'week' | 'month' | null;
  by: string[];
  keepPeriods?: number;
  tiePolicy?: TiePolicy;
}

const DAY = 86_400_000;
/** A Monday. */
const EPOCH = Date.parse('2026-01-05T00:00:00Z');

/** Boundaries of periods around the first half of 2026, by plain arithmetic. */
function periodsOf(period: 'day' | 'week' | 'month'): { key: string; startsAt: number; endsAt: number }[] {
  if (period === 'month') {
    return Array.from({ length: 12 }, (_, month) => ({
      key: `2026-${String(month + 1).padStart(2, '0')}`,
      startsAt: Date.UTC(2026, month, 1),
      endsAt: Date.UTC(2026, month + 1, 1),
    }));
  }
  const days = period === 'day' ? 1 : 7;
  return Array.from({ length: 200 / days }, (_, n) => {
    const startsAt = EPOCH + n * days * DAY;
    return { key: new Date(startsAt).toISOString().slice(0, 10), startsAt, endsAt: startsAt + days * DAY };
  });
}

/** Declares a view, which is built if the board has events. @returns its number */
export async function declareView(knex: Knex, boardId: string, rule: ViewRule, now: Date): Promise<number> {
  const board_id = uuidOf(boardId);
  return knex.transaction(async (trx) => {
    const [row] = await trx('board_rankings')
      .where({ board_id })
      .update({
        ...{ newest_view: trx.raw('newest_view + 1'), version: trx.raw('version + 1') },
        dense_views: trx.raw('dense_views or ?', [rule.tiePolicy === 'dense']),
      })
      .returning(['newest_view', 'seq']);
    const view_no = row.newest_view as number;
    await trx('board_views').insert({
      ...{ board_id, view_no, name: rule.name, period: rule.period, by_tags: rule.by, keep_podium: 3 },
      ...{
        tie_policy: rule.tiePolicy ?? 'earliest',
        keep_periods: rule.keepPeriods ?? null,
        status: row.seq === 0 ? 'live' : 'building',
      },
      ...{ created_at: now, updated_at: now },
    });
    if (rule.period) {
      const rows = periodsOf(rule.period).map(({ key, startsAt, endsAt }, i) => ({
        ...{ board_id, view_no, number: i + 1, key },
        ...{ starts_at: new Date(startsAt), ends_at: new Date(endsAt) },
      }));
      await trx.batchInsert('view_periods', rows, 500);
    }
    return view_no;
  });
}

interface EventRow {
  seq: number;
  id: string;
  is_test: boolean;
  identity_id: string;
  amount: number;
  country: string | null;
  tags: Record<string, string | null> | null;
  at: number;
  placed: number;
  counts: boolean;
  doubted: boolean;
}

/**
 * The board's events in the order in which they count, by rulings and imports, read without any of our SQL
 * functions.
 */
async function eventsOf(db: Database, boardId: string): Promise<EventRow[]> {
  const board = uuidOf(boardId);
  const ranking = await db.knex('board_rankings').where('board_id', board).first();
  const rulings = await db.knex('rulings').where('board_id', board).orderBy('seq');
  const events = await db.knex('score_events').where('board_id', board).orderBy('seq');
  const effects = new Map<string, string>();
  for (const { event_id, identity_id, effect } of rulings) effects.set(event_id ?? identity_id, effect);
  const latest = new Map<string, number>();
  return events
    .filter(({ source, seq }) => source !== 'import' || seq <= ranking.imported_seq)
    .map((event) => {
      const own = { accepted: 'include', flagged: 'review', held: 'hold', rejected: 'exclude' }[
        event.disposition as 'accepted'
      ];
      const effect = effects.get(event.id) ?? own;
      const player = `${event.is_test} ${event.identity_id}`;
      const created = event.created_at.getTime();
      if (!event.occurred_at) latest.set(player, Math.max(latest.get(player) ?? 0, created));
      return {
        ...event,
        at: (event.occurred_at ?? event.created_at).getTime(),
        placed: event.occurred_at ? Math.min(event.occurred_at.getTime(), created) : latest.get(player)!,
        counts: effect !== 'exclude' && effect !== 'hold' && effects.get(event.identity_id) !== 'exclude',
        doubted: effect === 'review',
      };
    })
    .sort((a, b) => a.placed - b.placed || a.seq - b.seq);
}

interface ModelEntry {
  slot: string;
  value: number;
  key: number;
  seq: number;
  eventSeq: number;
  status: string;
}

function entryOf(
  events: EventRow[],
  rules: { board_type: string; keep_strategy: string },
  sign: number,
): ModelEntry {
  let entry: ModelEntry | undefined;
  for (const { identity_id, amount, seq, doubted } of events) {
    const fresh = { slot: identity_id, seq, eventSeq: seq, status: doubted ? 'under_review' : 'active' };
    if (!entry) {
      entry = { ...fresh, value: amount, key: sign * amount + 0 };
    } else if (rules.board_type === 'counter') {
      const value: number = entry.value + amount;
      const status = entry.status === 'under_review' ? entry.status : fresh.status;
      entry = {
        ...fresh,
        value,
        key: sign * value + 0,
        status,
        seq: value === entry.value ? entry.seq : seq,
      };
    } else if (rules.keep_strategy === 'last') {
      entry = {
        ...fresh,
        value: amount,
        key: sign * amount + 0,
        seq: amount === entry.value ? entry.seq : seq,
      };
    } else if (rules.keep_strategy === 'best' && sign * amount < entry.key) {
      entry = { ...fresh, value: amount, key: sign * amount + 0 };
    }
  }
  return entry!;
}

/**
 * The rankings of a board's live views by brute force: by `view period group population`, the entries in order.
 * Reads events, rulings, views and periods, and none of the functions that derive entries.
 */
export async function modelRankings(db: Database, boardId: string): Promise<Map<string, string[]>> {
  const board = uuidOf(boardId);
  const rules = await db.knex('board_rankings').where('board_id', board).first();
  const views = await db.knex('board_views').where({ board_id: board, status: 'live' });
  const periods = await db.knex('view_periods').where('board_id', board);
  const sign = rules.sort_direction === 'asc' ? 1 : -1;
  const groups = new Map<string, EventRow[]>();
  const ties = new Map<string, string>();
  for (const event of await eventsOf(db, boardId)) {
    if (!event.counts) continue;
    for (const { view_no, period, by_tags, tie_policy } of views) {
      const within = periods.filter(
        (one) =>
          one.view_no === view_no && one.starts_at.getTime() <= event.at && event.at < one.ends_at.getTime(),
      );
      if (period && within.length !== 1) continue;
      const values = by_tags.map((tag: string) =>
        tag === 'country' ? event.country : plainTag(event.tags?.[tag]),
      );
      if (values.some((value: unknown) => !value)) continue;
      const key = `${view_no} ${period ? within[0].number : 0} ${values.join()} ${event.is_test}`;
      ties.set(key, tie_policy);
      groups.set(key, [...(groups.get(key) ?? []), event]);
    }
  }
  const model = new Map<string, string[]>();
  for (const [key, events] of groups) {
    const players =
      rules.board_type === 'run_runs' ? events.map((event) => [event]) : [...byPlayer(events).values()];
    const entries = players
      .map((own) => ({
        ...entryOf(own, rules, sign),
        ...(rules.board_type === 'run_runs' && { slot: own[0]!.id }),
      }))
      .map((entry) => ({ ...entry, seq: placedSeq(entry.seq, ties.get(key)!) }))
      .sort((a, b) => a.key - b.key || a.seq - b.seq);
    model.set(key, entries.map(lineOf));
  }
  return model;
}

/** A platform may be any text without control characters. */
function plainTag(text: string | null | undefined): string | undefined {
  return text
    ?.replace(/[,:]/g, ' : ')
    .split(':')
    .map((part) => part.trim())
    .filter(Boolean)
    .join(' ');
}

function byPlayer(events: EventRow[]): Map<string, EventRow[]> {
  const players = new Map<string, EventRow[]>();
  for (const event of events)
    players.set(event.identity_id, [...(players.get(event.identity_id) ?? []), event]);
  return players;
}

function lineOf({ slot, value, seq, eventSeq, status }: ModelEntry, index: number): string {
  return [index + 1, slot, value, seq, eventSeq, status].join(' ');
}

/** The same as stored, with the ranks of the counted trees. Dropped rankings are left out. */
export async function storedRankings(db: Database, boardId: string): Promise<Map<string, string[]>> {
  const { rows } = await db.knex.raw(
    `select concat_ws(' ', r.view_no, r.period_number, r.group_key, e.is_test::text) as key, k.rank, e.slot, e.value, e.seq,
      e.event_seq, e.status,
       ranked_count(r.board_id, r.generation, e.is_test) as total
     from board_views v join rankings r on r.board_id = v.board_id and r.view_no = v.view_no
     join entries e on e.board_id = r.board_id and e.generation = r.generation
     left join lateral rank_of(r.board_id, r.generation, e.is_test, e.rank_key, e.seq) k on true
     where v.board_id = ? and v.status = 'live' and r.status = 'live' order by 1, e.rank_key, e.seq`,
    [uuidOf(boardId)],
  );
  const stored = new Map<string, string[]>();
  const totals = new Map<string, number>();
  for (const { key, rank, slot, value, seq, event_seq, status, total } of rows) {
    stored.set(key, [...(stored.get(key) ?? []), [rank, slot, value, seq, event_seq, status].join(' ')]);
    totals.set(key, total);
  }
  for (const [key, total] of totals) expect([key, stored.get(key)!.length]).toEqual([key, total]);
  return stored;
}

/** Keys of dropped rankings, as `modelRankings` has them without the population. */
export async function droppedKeys(db: Database, boardId: string): Promise<Set<string>> {
  const rows = await db.knex('rankings').where({ board_id: uuidOf(boardId), status: 'dropped' });
  return new Set(rows.map((row) => `${row.view_no} ${row.period_number} ${row.group_key}`));
}

/** Expects every ranking of the live views to match the events. @returns how many ranks were compared */
export async function expectExactViews(db: Database, boardId: string): Promise<number> {
  const model = await modelRankings(db, boardId);
  const stored = await storedRankings(db, boardId);
  // Last, because the service may drop old periods at any moment, even between these statements.
  const dropped = await droppedKeys(db, boardId);
  for (const rankings of [model, stored]) {
    for (const key of rankings.keys()) {
      if (dropped.has(key.replace(/ (true|false)$/, ''))) rankings.delete(key);
    }
  }
  await expectDenseRanks(db, boardId);
  expect(Object.fromEntries([...stored].sort())).toEqual(Object.fromEntries([...model].sort()));
  return [...stored.values()].reduce((sum, lines) => sum + lines.length, 0);
}
