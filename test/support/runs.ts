import fc from 'fast-check';

/** The quick lane plays the same few histories each time: of so few, random ones would sometimes hold none of a kind. */
if (process.env.LANE === 'quick') fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_126 });

/**
 * Runs of a property: PROPERTY_RUNS where it is set; in the quick lane as many as take a moment.
 */
export function runsOf(all: number, quick: number): number {
  const given = process.env.PROPERTY_RUNS;
  if (given !== undefined) return Number(given);
  return process.env.LANE === 'quick' ? quick : all;
}
