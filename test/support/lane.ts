import fc from 'fast-check';

/**
 * The quick lane skips parts of files that are in both lanes, which test/lanes.cjs finds by their import of this
 * file.
 */
export const isQuick = process.env.LANE === 'quick';

/**
 * Histories that fail are not shortened, which takes many runs (SHRINK=1). The quick lane always plays the same few:
 * random ones could lack a kind.
 */
fc.configureGlobal({ endOnFailure: !process.env.SHRINK, ...(isQuick && { seed: 20_261_126 }) });

/** A test that only runs in the full lane; others cover part of what it covers. */
export function full(...of: Parameters<typeof test>): void {
  (isQuick ? test.skip : test)(...of);
}

/** A test that the full lane leaves out, in a file that is in both lanes: the quick one has run it. */
export function quick(...of: Parameters<typeof test>): void {
  unlessFull()(...of);
}
quick.each = ((...of: Parameters<typeof test.each>) => unlessFull().each(...of)) as typeof test.each;

const unlessFull = () => (process.env.LANE === 'full' ? test.skip : test);

/** Runs of a property: PROPERTY_RUNS if set; in the quick lane, as many as take a moment. */
export function runsOf(all: number, quick: number): number {
  const given = process.env.PROPERTY_RUNS;
  if (given !== undefined) return Number(given);
  return isQuick ? quick : all;
}
