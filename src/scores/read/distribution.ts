import type { Queryable } from '../../db/pool.js';
import type { RankingAddress } from '../../rankings/address.js';
import { ofRanking, oneRanking } from '../../rankings/ranked.js';
import type { Distribution } from '../schema/figures.js';

const SHARES = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];

/** Values at shares of a population, ascending, by their ranks; no row of an empty ranking. */
const QUANTILES = oneRanking(
  'quantiles',
  { is_test: 'boolean', shares: 'float8[]' },
  (ranked, u) => `
    select e.value
    from ${u}
    cross join lateral (${ranked.board}) b
    cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
    cross join lateral unnest(u.shares) with ordinality q(share, ord)
    cross join lateral (select greatest(1, ceil(q.share * c.n))::bigint as n offset 0) a
    cross join lateral locate_rank(b.board_id, b.generation, u.is_test,
      case b.sort_direction when 'asc' then a.n else c.n + 1 - a.n end) l
    cross join lateral (
      select x.value from entries x
      where x.board_id = b.board_id and x.generation = b.generation and x.is_test = u.is_test and x.ranked
        and (x.rank_key, x.seq) >= (l.lo_key, l.lo_seq)
      order by x.rank_key, x.seq offset l.skip limit 1) e
    order by q.ord`,
);

/** The count of a population, and for each edge the number of smaller values: two reads of the tree each. */
const SMALLER = oneRanking(
  'smaller_values',
  { is_test: 'boolean', edges: 'float8[]' },
  (ranked, u) => `
    select c.n, coalesce(array_agg(
      case b.sort_direction when 'asc' then r.rank - 1 else c.n - (r.rank - 1) end order by q.ord)
      filter (where r.rank is not null), '{}')::float8[] as smaller
    from ${u}
    cross join lateral (${ranked.board}) b
    cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c
    cross join lateral unnest(u.edges) with ordinality q(edge, ord)
    left join lateral rank_of(b.board_id, b.generation, u.is_test,
      case b.sort_direction when 'asc' then q.edge else -q.edge end,
      case b.sort_direction when 'asc' then 0 else 9223372036854775807 end) r on true
    group by c.n`,
);

const EMPTY: Distribution = {
  count: 0,
  min: null,
  median: null,
  max: null,
  quantiles: [],
  bins: [],
  below: 0,
  above: 0,
};

/** Most bins of a request. */
export const MOST_BINS = 60;

/**
 * Counts of a ranking's values between round edges, exact, without reading its rows.
 * @param bins at most so many
 */
export async function readDistribution(
  pool: Queryable,
  ranking: RankingAddress,
  isTest: boolean,
  bins: number,
): Promise<Distribution> {
  const quantiles = await pool.query<{ value: number }>(
    ofRanking(QUANTILES, ranking, [isTest, [0, ...SHARES, 1]]),
  );
  const values = quantiles.rows.map(({ value }) => value);
  if (values.length === 0) return EMPTY;
  const edges = edgesOf(values, bins);
  const { rows } = await pool.query<{ n: number; smaller: number[] }>(
    ofRanking(SMALLER, ranking, [isTest, edges]),
  );
  const { n, smaller } = rows[0]!;
  if (n === 0) return EMPTY;
  return {
    count: n,
    min: values[0]!,
    median: values[1 + SHARES.indexOf(0.5)]!,
    max: values.at(-1)!,
    quantiles: SHARES.map((share, i) => ({ share, value: values[i + 1]! })),
    bins: edges.slice(1).map((to, i) => ({ from: edges[i]!, to, count: smaller[i + 1]! - smaller[i]! })),
    below: smaller[0]!,
    above: n - smaller.at(-1)!,
  };
}

/**
 * Round edges around most values. A few extreme values, such as those of cheaters, would squeeze all others into
 * one bin: the edges end one span of the middle 90 % beyond it.
 * @param values min, the quantiles of {@link SHARES}, max
 */
function edgesOf(values: readonly number[], bins: number): number[] {
  const [min, max] = [values[0]!, values.at(-1)!];
  const low = values[1 + SHARES.indexOf(0.05)]!;
  const high = values[1 + SHARES.indexOf(0.95)]!;
  const span = high - low;
  const from = Math.max(min, low - span);
  const to = Math.min(max, high + span);
  const size = Math.max(Math.abs(from), Math.abs(to));
  // Edges must differ when printed; whole numbers need no finer ones.
  const finest = values.every(Number.isInteger) ? Math.max(1, size * Number.EPSILON) : size * 1e-13;
  // Not `(to - from) / bins`: the difference of two large values is infinite.
  const width = Math.max(to / bins - from / bins, finest);
  for (let step = roundUp(width || 1); ; step = roundUp(step * 1.01)) {
    const first = Math.floor(from / step);
    const count = Math.floor(to / step) - first + 1;
    if (count <= bins || !Number.isFinite(step)) return roundEdges(first, count, step);
  }
}

function roundEdges(first: number, count: number, step: number): number[] {
  const edges = Array.from({ length: count + 1 }, (_, i) => (first + i) * step).map((edge) =>
    step < 1 ? Number(edge.toPrecision(15)) : edge,
  );
  return [...new Set(edges.map((edge) => Math.max(-Number.MAX_VALUE, Math.min(Number.MAX_VALUE, edge))))];
}

/** The next larger of 1, 2 and 5 times a power of ten. */
function roundUp(width: number): number {
  const power = 10 ** Math.floor(Math.log10(width));
  return (power || Number.MIN_VALUE) * ([1, 2, 5].find((digit) => digit * power >= width) ?? 10);
}
