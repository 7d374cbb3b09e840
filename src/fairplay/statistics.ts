/** Scales that make the deviation of normally distributed values 1 (Iglewicz and Hoaglin, 1993). */
const MAD_SCALE = 1.4826;
const MEAN_SCALE = 1.2533;

/** Values of a population in ascending order, each with how many entries it stands for. */
export interface Sample {
  values: Float64Array;
  weights: Int32Array;
}

/** Where a population lies and how wide it is, whatever a few of its entries are. */
export interface Spread {
  entries: number;
  median: number;
  /** Median of the absolute deviations from the median. */
  mad: number;
  /** Mean of the absolute deviations from the median. */
  meanDeviation: number;
  /** What a deviation is divided by; 0: more than half share a value and so do the others. */
  scale: number;
}

/** @param sample at least one entry */
export function spreadOf({ values, weights }: Sample): Spread {
  let entries = 0;
  for (const weight of weights) entries += weight;
  const median = weightedMedian(values, weights, entries);
  const [deviations, theirs] = fromMedian(values, weights, median);
  const mad = weightedMedian(deviations, theirs, entries);
  // Divided before it is summed: values may lie at both ends of the range of numbers.
  const meanDeviation = deviations.reduce((sum, deviation, i) => sum + deviation * (theirs[i]! / entries), 0);
  return {
    entries,
    median,
    mad,
    meanDeviation,
    scale: mad > 0 ? MAD_SCALE * mad : MEAN_SCALE * meanDeviation,
  };
}

/** The middle one; between the two in the middle, their mean. */
function weightedMedian(values: Float64Array, weights: Int32Array, total: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i += 1) {
    below += weights[i]!;
    if (below * 2 > total) return values[i]!;
    if (below * 2 === total && i + 1 < values.length) return middle(values[i]!, values[i + 1]!);
  }
  return values.at(-1)!;
}

function middle(a: number, b: number): number {
  // Halved first: the sum of two large numbers may leave their range.
  return a === b ? a : a / 2 + b / 2;
}

/** Absolute deviations in ascending order: from the median they grow to both sides, so two sorted runs are merged. */
function fromMedian(
  values: Float64Array,
  weights: Int32Array,
  median: number,
): [deviations: Float64Array, weights: Int32Array] {
  const deviations = new Float64Array(values.length);
  const theirs = new Int32Array(values.length);
  let right = values.findIndex((value) => value >= median);
  if (right < 0) right = values.length;
  let left = right - 1;
  for (let i = 0; i < values.length; i += 1) {
    const below = left >= 0 ? median - values[left]! : Infinity;
    const above = right < values.length ? values[right]! - median : Infinity;
    const from = right >= values.length || (left >= 0 && below <= above) ? left-- : right++;
    deviations[i] = Math.min(below, above);
    theirs[i] = weights[from]!;
  }
  return [deviations, theirs];
}

/** A value and how many entries it stands for: a big-endian double and integer. */
const PAIR_BYTES = 12;

/**
 * What population_sample (migrations/018_checks.sql) packed. Lower bounds stand in the middle between themselves and the next
 * one; the first, which is -infinity, at the next one.
 */
export function readSample(packed: Buffer, exact: boolean): Sample {
  const size = packed.length / PAIR_BYTES;
  const bounds = Float64Array.from({ length: size }, (_, i) => packed.readDoubleBE(i * PAIR_BYTES));
  const weights = Int32Array.from({ length: size }, (_, i) => packed.readInt32BE(i * PAIR_BYTES + 8));
  if (exact) return { values: bounds, weights };
  const values = bounds.map((bound, i) => {
    const next = i + 1 < size ? bounds[i + 1]! : bound;
    return bound === -Infinity ? next : middle(bound, next);
  });
  return { values, weights };
}
