import { arcadeRuns } from '../../bench/support/arcade-runs.js';
import { clockFinding } from '../../src/submissions/decide/clock.js';

// The clock check as a function on real and forged runs; `npm run bench:tickets` sends them to the service.

test('no real run is flagged, and forged ones as often as the page says', () => {
  const { maxPerSecond, kinds } = arcadeRuns();
  const settings = { minSeconds: 2, maxPerSecond, slackSeconds: 3, pauses: false };
  const run = { boardType: 'run_identity', second: undefined, advance: false } as const;
  const counts: Record<string, number> = Object.fromEntries(
    kinds.map(({ name, runs }) => [
      name,
      runs.filter(({ value, ...times }) => clockFinding(settings, { ...run, amount: value, ...times }))
        .length,
    ]),
  );
  const honest = kinds.filter(({ isReal }) => isReal);
  expect(honest.map(({ name, runs }) => [name, runs.length, counts[name]])).toEqual(
    honest.map(({ name }) => [name, 1_000, 0]),
  );
  // The figures of the guide, within two in a hundred of the runs.
  const figures = {
    'a top score at once': 1_000,
    "a top score after a typical run's time": 565,
    'a top score after as long as it takes': 0,
    'slow motion 0.5': 1_000,
    'slow motion 0.8': 877,
    'slow motion 0.9': 652,
    'slow motion 0.95': 44,
  };
  for (const [kind, figure] of Object.entries(figures)) {
    expect([kind, Math.abs(counts[kind]! - figure) <= 20]).toEqual([kind, true]);
  }
  for (const factor of [0.5, 0.8, 0.9]) {
    const name = `slow motion ${factor}, runs of a minute and more`;
    expect(counts[name]).toBe(kinds.find((kind) => kind.name === name)!.runs.length);
  }
});
