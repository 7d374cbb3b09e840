import type { SortDirection } from '../../scores/submit/submission.js';

/** Scales that make the deviation of normally distributed values 1 (Iglewicz and Hoaglin, 1993). */
const MAD_SCALE = 1.4826;
export const MEAN_SCALE = 1.2533;
/**
 * How many times as far from the median the high tenth of a population may begin as its low tenth ends, before it is one that spreads
 * by factors: 1 where values lie evenly around their median, 2 and more where logarithms do. Chance makes of evenly spread values 1.5
 * seldom.
 */
const LOPSIDED = 1.5;
const TENTH = 0.1;
/** What so large a part of a population does is what the game is like. */
export const TWENTIETH = 0.05;

/** Rank keys of a population in ascending order, each with how many entries it stands for. */
export interface Sample {
  keys: Float64Array;
  weights: Int32Array;
}

/** Where a population lies and how wide it is, whatever a few of its entries are. */
export interface Spread {
  entries: number;
  /** Of the values, not of their keys. */
  median: number;
  /**
   * Whether deviations are of logarithms, as they are where the values above the median reach much further than those below it:
   * such values spread by factors. Twice the median is then as far from it as half of it.
   */
  logarithmic: boolean;
  /** Median of the absolute deviations from the median. */
  mad: number;
  /** Mean of the absolute deviations from the median. */
  meanDeviation: number;
  /** What a deviation is divided by; 0: more than half share a value and so do the others. */
  scale: number;
}

/** Which deviations are taken: of logarithms wherever there are any, only where values are seen to spread by factors, or never. */
export type Logarithms = 'always' | 'lopsided' | 'never';

/** @param sample at least one entry */
export function spreadOf(
  { keys, weights }: Sample,
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

function spreadsByFactors(
  { keys, weights }: Sample,
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
  // To the better side, as of strokes below par, they would all be infinitely far out.
  if (sign === 1 && outermost(TWENTIETH, keys, weights, entries) <= 0) return false;
  // Halved: the range of numbers is not wide enough for the distance of its ends.
  return low < median && high / 2 - median / 2 > LOPSIDED * (median / 2 - low / 2);
}

/** How many times the usual a value deviates from the median, to the better side; below 0: it is worse. @param spread of a scale above 0 */
export function robustZ(
  value: number,
  { median, logarithmic, scale }: Spread,
  direction: SortDirection,
): number {
  const above = deviation(value, median, logarithmic) / scale;
  const better = direction === 'asc' ? -above : above;
  return Math.max(-Number.MAX_VALUE, Math.min(better, Number.MAX_VALUE));
}

/** Signed; where logarithms are meant, what is not above zero lies infinitely far below. */
function deviation(value: number, median: number, logarithmic: boolean): number {
  if (!logarithmic) return value - median;
  return value > 0 ? Math.log(value) - Math.log(median) : -Infinity;
}

/** Of those that are finite. Divided before it is summed: values may lie at both ends of the range of numbers. */
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

/** The value at which the first such part of them ends. */
function outermost(share: number, values: Float64Array, weights: Int32Array, total: number): number {
  let below = 0;
  for (let i = 0; i < values.length; i += 1) {
    below += weights[i]!;
    if (below >= total * share) return values[i]!;
  }
  return values.at(-1)!;
}

function middle(a: number, b: number): number {
  // Halved first: the sum of two large numbers may leave their range.
  return a === b ? a : a / 2 + b / 2;
}

/** Absolute deviations in ascending order: from the median they grow to both sides, so two sorted runs are merged. */
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
  if (exact) return { keys: bounds, weights };
  const keys = bounds.map((bound, i) => {
    const next = i + 1 < size ? bounds[i + 1]! : bound;
    return bound === -Infinity ? next : middle(bound, next);
  });
  return { keys, weights };
}
