import type { SortDirection } from '../../boards/board/board.js';

/** Scales this deviation to 1 for normally distributed values (Iglewicz and Hoaglin, 1993). */
const MAD_SCALE = 1.4826;
export const MEAN_SCALE = 1.2533;
/**
 * A population spreads by factors if its high tenth begins more than this many times as far from the median as its low tenth
 * ends: the ratio is 1 for values spread evenly around their median, 2 and more for logarithms. Chance seldom gives 1.5
 * for evenly spread values.
 */
const LOPSIDED = 1.5;
const TENTH = 0.1;
/** Behaviour of this share of a population is normal for the game. */
export const TWENTIETH = 0.05;

/** Rank keys of a population in ascending order, each with the number of entries that it represents. */
interface WeightedSample {
  keys: Float64Array;
  weights: Int32Array;
}

/** Robust centre and width of a population: a few extreme entries do not change them. */
export interface Spread {
  entries: number;
  /** Of the values, not of their keys. */
  median: number;
  /**
   * True if deviations are taken of logarithms: the values above the median reach much further than those below it, so the
   * values spread by factors. Twice the median is then as far from it as half of it.
   */
  logarithmic: boolean;
  /** Median of the absolute deviations from the median. */
  mad: number;
  /** Mean of the absolute deviations from the median. */
  meanDeviation: number;
  /** Divisor of a deviation; 0: more than half of the entries share one value, and so do the others. */
  scale: number;
}

/** Deviations of logarithms: always where the values have logarithms, only where the values spread by factors, or never. */
type Logarithms = 'always' | 'lopsided' | 'never';

/** @param sample at least one entry */
export function spreadOf(
  { keys, weights }: WeightedSample,
  direction: SortDirection,
  logarithms: Logarithms = 'lopsided',
): Spread {
  let entries = 0;
  for (const weight of weights) entries += weight;
  const sign = direction === 'asc' ? 1 : -1;
  const median = sign * weightedMedian(keys, weights, entries) + 0;
  const logarithmic = spreadsByFactors({ keys, weights }, entries, sign, median, logarithms);
  const values = keys.map((key) => deviation(sign * key, median, logarithmic));
  const [deviations, theirs] = outward(values, weights);
  const mad = weightedMedian(deviations, theirs, entries);
  const meanDeviation = meanOf(deviations, theirs);
  const scale = mad > 0 ? MAD_SCALE * mad : MEAN_SCALE * meanDeviation;
  return { entries, median, logarithmic, mad, meanDeviation, scale };
}

/** The upper part of a ranking: its best quarter. */
const UPPER_PART = 0.25;
/** So many deviations its centre is better than the median where values are normally distributed. */
export const UPPER_CENTRE = 1.15;

/**
 * Centre of the upper part of a sample, with the wider of its width and that of the whole sample. Many entries at the bottom do not move
 * it, and a few at the top do not make it narrow.
 * @param sample as for {@link spreadOf}, each entry with the weight 1
 */
export function upperSpreadOf(sample: WeightedSample, direction: SortDirection): Spread {
  const all = spreadOf(sample, direction);
  const size = Math.ceil(sample.keys.length * UPPER_PART);
  const best = { keys: sample.keys.subarray(0, size), weights: sample.weights.subarray(0, size) };
  const upper = spreadOf(best, direction, all.logarithmic ? 'always' : 'never');
  const isComparable = upper.logarithmic === all.logarithmic;
  const scale = isComparable ? Math.max(all.scale, upper.scale) : upper.scale;
  return { ...upper, entries: all.entries, scale };
}

function spreadsByFactors(
  { keys, weights }: WeightedSample,
  entries: number,
  sign: 1 | -1,
  median: number,
  logarithms: Logarithms,
): boolean {
  if (logarithms === 'never' || !(median > 0)) return false;
  const ends = [
    outermost(TENTH, keys, weights, entries),
    outermost(TENTH, keys.toReversed(), weights.toReversed(), entries),
  ];
  const [low, high] = (sign === 1 ? ends : ends.toReversed()).map((key) => sign * key) as [number, number];
  if (logarithms === 'always') return low > 0;
  // Towards the better side, as with strokes below par, these values would all be infinitely far out.
  if (sign === 1 && outermost(TWENTIETH, keys, weights, entries) <= 0) return false;
  // Halved, because the distance between the ends of the number range is not a finite number.
  return low < median && high / 2 - median / 2 > LOPSIDED * (median / 2 - low / 2);
}

/**
 * Robust z of a value towards the better side; below 0: the value is worse than the median.
 * @param spread with a scale above 0
 */
export function robustZ(
  value: number,
  { median, logarithmic, scale }: Pick<Spread, 'median' | 'logarithmic' | 'scale'>,
  direction: SortDirection,
): number {
  const above = deviation(value, median, logarithmic) / scale;
  const better = direction === 'asc' ? -above : above;
  return Math.max(-Number.MAX_VALUE, Math.min(better, Number.MAX_VALUE));
}

/** Signed; with logarithms, a value of zero or less is infinitely far below. */
function deviation(value: number, median: number, logarithmic: boolean): number {
  if (!logarithmic) return value - median;
  return value > 0 ? Math.log(value) - Math.log(median) : -Infinity;
}

/** Mean of the finite deviations. Divides before it sums: values may be at both ends of the number range. */
function meanOf(deviations: Float64Array, weights: Int32Array): number {
  let finite = 0;
  deviations.forEach((deviation, i) => {
    if (deviation < Infinity) finite += weights[i]!;
  });
  let mean = 0;
  deviations.forEach((deviation, i) => {
    if (deviation < Infinity) mean += deviation * (weights[i]! / finite);
  });
  return mean;
}

/** The middle value, or the mean of the two middle values. */
function weightedMedian(values: Float64Array, weights: Int32Array, total: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i += 1) {
    below += weights[i]!;
    if (below * 2 > total) return values[i]!;
    if (below * 2 === total && i + 1 < values.length) return middle(values[i]!, values[i + 1]!);
  }
  return values.at(-1)!;
}

/** The value at which the first share of the values ends, by weight. */
function outermost(share: number, values: Float64Array, weights: Int32Array, total: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i += 1) {
    below += weights[i]!;
    if (below >= total * share) return values[i]!;
  }
  return values.at(-1)!;
}

function middle(a: number, b: number): number {
  // Halved first: the sum of two large numbers may overflow.
  return a === b ? a : a / 2 + b / 2;
}

/** Absolute deviations in ascending order: they grow from the median to both sides, so two sorted runs are merged. */
function outward(signed: Float64Array, weights: Int32Array): [deviations: Float64Array, weights: Int32Array] {
  const size = signed.length;
  const deviations = new Float64Array(size);
  const theirs = new Int32Array(size);
  const isDescending = signed[0]! > signed[size - 1]!;
  let right = signed.findIndex((one) => (isDescending ? one <= 0 : one >= 0));
  if (right < 0) right = size;
  let left = right - 1;
  for (let i = 0; i < size; i += 1) {
    const below = left >= 0 ? Math.abs(signed[left]!) : Infinity;
    const above = right < size ? Math.abs(signed[right]!) : Infinity;
    const from = right >= size || (left >= 0 && below <= above) ? left-- : right++;
    deviations[i] = Math.abs(signed[from]!);
    theirs[i] = weights[from]!;
  }
  return [deviations, theirs];
}

/** A value and the number of entries that it represents: a big-endian double and integer. */
const SAMPLE_BYTES = 12;

/**
 * Unpacks the result of population_sample (migrations/018_checks.sql). A lower bound is replaced by the middle between it
 * and the next one; the first, which is -infinity, by the next one.
 */
export function readSample(packed: Buffer, exact: boolean): WeightedSample {
  const size = packed.length / SAMPLE_BYTES;
  const bounds = Float64Array.from({ length: size }, (_, i) => packed.readDoubleBE(i * SAMPLE_BYTES));
  const weights = Int32Array.from({ length: size }, (_, i) => packed.readInt32BE(i * SAMPLE_BYTES + 8));
  if (exact) return { keys: bounds, weights };
  const keys = bounds.map((bound, i) => {
    const next = i + 1 < size ? bounds[i + 1]! : bound;
    return bound === -Infinity ? next : middle(bound, next);
  });
  return { keys, weights };
}
