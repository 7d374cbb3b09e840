import { uuidOf } from '../../src/base/ids.js';
import type { Database } from '../../src/db/pool.js';
import { placedSeq } from '../../src/rankings/order.js';
import { expectDenseRanks } from './dense-ranks.js';
import { quotientOf, type RatioRules } from './ratio.js';
import { droppedKeys, modelRankings, storedRankings } from './views.js';

/** The value of each player's entry in a ranking. */
type Sums = Map<string, number>;

/** A board's rankings as `modelRankings` has them, by names of views instead of numbers. */
async function sumsOf(db: Database, boardId: string): Promise<Map<string, Sums>> {
  const names = await viewNames(db, boardId);
  const found = new Map<string, Sums>();
  for (const [key, lines] of await modelRankings(db, boardId)) {
    const sums = lines
      .map((line) => line.split(' '))
      .map(([, slot, value]) => [slot!, Number(value)] as const);
    found.set(named(key, names), new Map(sums));
  }
  return found;
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
 * events: order and ranks of the counted trees; equal ratios are in the order in which the board read them.
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
  const expected = new Map<string, Map<string, [number, number]>>();
  for (const key of new Set([...numerators.keys(), ...denominators.keys()])) {
    if (!served.has(key.split(' ')[0]!)) continue;
    const [n, d] = [numerators.get(key), denominators.get(key)];
    const found = new Map<string, [number, number]>();
    for (const slot of new Set([...(n?.keys() ?? []), ...(d?.keys() ?? [])])) {
      const quotient = off.has(slot)
        ? undefined
        : quotientOf(n?.get(slot) ?? 0, d?.get(slot) ?? 0, direction, rules);
      if (quotient) found.set(slot, quotient);
    }
    if (found.size > 0) expected.set(key, found);
  }
  const gone = new Set([...(await droppedKeys(db, boardId))].map((key) => named(key, names)));
  for (const key of expected.keys()) if (gone.has(key.replace(/ (true|false)$/, ''))) expected.delete(key);

  await expectDenseRanks(db, boardId);
  const places = await placesOf(db, boardId);
  const stored = new Map(
    [...(await storedRankings(db, boardId))].map(([key, lines]) => [named(key, names), lines]),
  );
  let compared = 0;
  const model = new Map<string, string[]>();
  for (const [key, entries] of expected) {
    const seqs = places.get(key);
    const order = [...entries].sort(
      ([a, [, x]], [b, [, y]]) => x - y || (seqs?.get(a) ?? Number.NaN) - (seqs?.get(b) ?? Number.NaN),
    );
    model.set(
      key,
      order.map(([slot, [value]], i) => `${i + 1} ${slot} ${value} ${seqs?.get(slot)}`),
    );
    compared += order.length;
  }
  const shown = new Map(
    [...stored].map(([key, lines]) => [key, lines.map((line) => line.split(' ').slice(0, 4).join(' '))]),
  );
  expect(Object.fromEntries([...shown].sort())).toEqual(Object.fromEntries([...model].sort()));
  return compared;
}

/** The places among equal ratios in each ranking, as stored by its policy. */
async function placesOf(db: Database, boardId: string): Promise<Map<string, Map<string, number>>> {
  const { rows } = await db.knex.raw(
    `select concat_ws(' ', v.name, r.period_number, r.group_key, p.is_test::text) as key, p.identity_id, p.seq, v.tie_policy
     from rankings r join board_views v on v.board_id = r.board_id and v.view_no = r.view_no
     join ratio_places p on p.board_id = r.board_id and p.generation = r.generation where r.board_id = ?`,
    [uuidOf(boardId)],
  );
  const found = new Map<string, Map<string, number>>();
  for (const { key, identity_id, seq, tie_policy } of rows) {
    const ranking = found.get(key) ?? new Map<string, number>();
    found.set(key, ranking.set(identity_id, placedSeq(Number(seq), tie_policy)));
  }
  return found;
}
