/**
 * Runs of a property: PROPERTY_RUNS where it is set; in the quick lane as many as take a moment.
 */
export function runsOf(all: number, quick: number): number {
  const given = process.env.PROPERTY_RUNS;
  if (given !== undefined) return Number(given);
  return process.env.LANE === 'quick' ? quick : all;
}
