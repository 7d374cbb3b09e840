import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import { eventNumber } from '../../src/rankings/order.js';
import { expectDenseRanks } from './dense-ranks.js';
import { quotientOf, type RatioRules } from './ratio.js';
import { droppedKeys, modelRankings, storedRankings } from './views.js';

/** A player's sum in a ranking: when it was reached, and its newest event. */
interface Sum {
  value: number;
  reachedAt: number;
  eventAt: number;
  eventSeq: number;
}
/** By player. */
type Sums = Map<string, Sum>;

/** A board's rankings as `modelRankings` has them, by names of views instead of numbers. */
async function sumsOf(db: Database, boardId: string): Promise<Map<string, Sums>> {
  const names = await viewNames(db, boardId);
  const events = await db.knex('score_events').where('board_id', uuidOf(boardId));
  const times = new Map(
    events.map((event) => [event.seq, (event.occurred_at ?? event.created_at).getTime()]),
  );
  const timeOf = (seq: number) => times.get(seq) ?? Number.NaN;
  const found = new Map<string, Sums>();
  for (const [key, lines] of await modelRankings(db, boardId)) {
    const sums = lines.map((line) => {
      const [, slot, value, seq, event] = line.split(' ');
      const reached = eventNumber(Number(seq));
      const eventSeq = Number(event);
      const sum = { value: Number(value), reachedAt: timeOf(reached), eventAt: timeOf(eventSeq), eventSeq };
      return [slot!, sum] as const;
    });
    found.set(named(key, names), new Map(sums));
  }
  return found;
}

interface ModelEntry {
  slot: string;
  value: number;
  key: number;
  place: [number, number, number];
}

/** What orders equal ratios: when both sums were reached, then which board the newest event is on, then its number. */
function placeOf(n: Sum | undefined, d: Sum | undefined): [number, number, number] {
  const reachedAt = Math.max(
    n?.reachedAt ?? Number.NEGATIVE_INFINITY,
    d?.reachedAt ?? Number.NEGATIVE_INFINITY,
  );
  const onNumerator = !d || (n !== undefined && n.eventAt >= d.eventAt);
  return [reachedAt, onNumerator ? 0 : 1, (onNumerator ? n! : d).eventSeq];
}

async function viewNames(db: Database, boardId: string): Promise<Map<string, string>> {
  const views = await db.knex('board_views').where({ board_id: uuidOf(boardId), status: 'live' });
  return new Map(views.map((view) => [String(view.view_no), view.name]));
}

function named(key: string, names: ReadonlyMap<string, string>): string {
  const [no, ...rest] = key.split(' ');
  return [names.get(no!), ...rest].join(' ');
}

async function keptOff(db: Database, boardId: string): Promise<Set<string>> {
  const rulings = await db
    .knex('rulings')
    .where('board_id', uuidOf(boardId))
    .whereNotNull('identity_id')
    .whereNull('event_id')
    .orderBy('seq');
  const newest = new Map(rulings.map(({ identity_id, effect }) => [identity_id as string, effect]));
  return new Set([...newest].filter(([, effect]) => effect === 'exclude').map(([id]) => id));
}

/**
 * Compares each ranking of the ratio board's live views with ratios computed by brute force from its sources'
 * events: order and ranks of the counted trees; equal ratios are in the order in which players reached the sums
 * behind them.
 * @returns how many ranks were compared
 */
export async function expectExactRatioViews(
  db: Database,
  boardId: string,
  left: string,
  right: string,
  direction: 'asc' | 'desc',
  rules: RatioRules,
): Promise<number> {
  const sources = rules.swapped ? [right, left] : [left, right];
  const [numerators, denominators] = [await sumsOf(db, sources[0]!), await sumsOf(db, sources[1]!)];
  const off = new Set([...(await keptOff(db, left)), ...(await keptOff(db, right))]);
  const names = await viewNames(db, boardId);
  const served = new Set(names.values());
  const expected = new Map<string, ModelEntry[]>();
  for (const key of new Set([...numerators.keys(), ...denominators.keys()])) {
    if (!served.has(key.split(' ')[0]!)) continue;
    const [n, d] = [numerators.get(key), denominators.get(key)];
    const found: ModelEntry[] = [];
    for (const slot of new Set([...(n?.keys() ?? []), ...(d?.keys() ?? [])])) {
      const [won, lost] = [n?.get(slot), d?.get(slot)];
      const quotient = off.has(slot)
        ? undefined
        : quotientOf(won?.value ?? 0, lost?.value ?? 0, direction, rules);
      if (quotient) found.push({ slot, value: quotient[0], key: quotient[1], place: placeOf(won, lost) });
    }
    if (found.length > 0) expected.set(key, found);
  }
  const gone = new Set([...(await droppedKeys(db, boardId))].map((key) => named(key, names)));
  for (const key of expected.keys()) if (gone.has(key.replace(/ (true|false)$/, ''))) expected.delete(key);

  await expectDenseRanks(db, boardId);
  const policies = new Map(
    (await db.knex('board_views').where({ board_id: uuidOf(boardId), status: 'live' })).map((view) => [
      view.name as string,
      view.tie_policy as string,
    ]),
  );
  const stored = new Map(
    [...(await storedRankings(db, boardId))].map(([key, lines]) => [named(key, names), lines]),
  );
  let compared = 0;
  const model = new Map<string, string[]>();
  for (const [key, entries] of expected) {
    const turned = policies.get(key.split(' ')[0]!) === 'latest' ? -1 : 1;
    const byPlace = ([a, b, c]: number[], [x, y, z]: number[]) => a! - x! || b! - y! || c! - z!;
    entries.sort((a, b) => a.key - b.key || turned * byPlace(a.place, b.place));
    model.set(
      key,
      entries.map(({ slot, value }, i) => `${i + 1} ${slot} ${value}`),
    );
    compared += entries.length;
  }
  const shown = new Map(
    [...stored].map(([key, lines]) => [key, lines.map((line) => line.split(' ').slice(0, 3).join(' '))]),
  );
  expect(Object.fromEntries([...shown].sort())).toEqual(Object.fromEntries([...model].sort()));
  return compared;
}
