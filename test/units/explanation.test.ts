import {
  explainFinding,
  type ReasonBoard,
  reasonDetails,
  usualValues,
} from '../../src/fairplay/checks/reasons.js';
import type { FlagType } from '../../src/fairplay/flags/flag.js';

const POINTS: ReasonBoard = {
  format: null,
  unit: 'points',
  boardType: 'run_identity',
  sortDirection: 'desc',
};
const TIMES: ReasonBoard = {
  format: { kind: 'time', decimals: 1, timeUnit: null },
  unit: null,
  boardType: 'run_runs',
  sortDirection: 'asc',
};
const OUTLIER = {
  tier: 'b',
  threshold_z: 6,
  z: 6.7449,
  entries: 1234,
  median: 76.5,
  deviations: 'plain',
  mad: 4.5,
  mean_deviation: 7.5,
  scale: 11.1195,
};
const COUNTED = { ...OUTLIER, entries: 40, median: 3, mad: 1 };

test.each<[FlagType, ReasonBoard, Record<string, unknown>, string[], string[]]>([
  [
    'rate_limit',
    POINTS,
    { tier: 'c', limit: 20, count: 20, window_seconds: 3600 },
    ['20 within an hour', 'limit is 20'],
    ['C'],
  ],
  [
    'velocity',
    POINTS,
    { tier: 'b', threshold_seconds: 2, seconds: 1.999, value: 11, previous_value: 10 },
    ['2 seconds apart', '10 points, then 11 points'],
    ['B', '11 points', '10 points', '2 seconds'],
  ],
  [
    'velocity',
    TIMES,
    { tier: 'b', threshold_seconds: 2, seconds: 1, value: 71, previous_value: 70 },
    ['1 second apart', '1:10.0, then 1:11.0'],
    ['1:10.0', '1:11.0'],
  ],
  [
    'duplicate',
    POINTS,
    { tier: 'b', threshold_seconds: 300, seconds: 12, value: 7, previous_value: 7, repetitions: 1 },
    ['twice within 12 seconds', '7 points.'],
    ['300 seconds'],
  ],
  [
    'duplicate',
    POINTS,
    { tier: 'b', threshold_seconds: 300, seconds: 12, value: 7, previous_value: 7, repetitions: 3 },
    ['4 times', '12 seconds'],
    ['3'],
  ],
  [
    'progression',
    POINTS,
    { tier: 'a', threshold_percent: 1000, percentage: 1100.04, value: 1.2e15, previous_value: 1e14 },
    ['1,200,000,000,000,000 points', '100,000,000,000,000 points'],
    ['1,100%', '1,000%', 'A'],
  ],
  [
    'outlier',
    TIMES,
    { ...OUTLIER, measure: 'value', value: 12.8 },
    ['faster', '0:12.8.', 'Half of all runs', 'between 1:12.0 and 1:21.0'],
    ['1:16.5', '1,234', '6.74 robust deviations of 11.1', '6'],
  ],
  [
    'outlier',
    POINTS,
    { ...OUTLIER, measure: 'value', value: 175, deviations: 'logarithmic', mad: Math.log(2), median: 100 },
    ['higher', '175 points.', 'Half of all players', 'between 50 and 200 points'],
    ['100 points', 'log scale'],
  ],
  [
    'outlier',
    POINTS,
    { ...OUTLIER, measure: 'value', value: 175, mad: 0 },
    ['At least half', '76.5 points.'],
    [],
  ],
  [
    'outlier',
    POINTS,
    { ...COUNTED, measure: 'streak', value: 9 },
    ['in a row', ': 9.', 'between 2 and 4.'],
    ['40 players'],
  ],
  [
    'outlier',
    POINTS,
    { ...OUTLIER, measure: 'rate', value: 300, scale: undefined },
    ['300 points per second', '72 and 81 points per second'],
    [],
  ],
  ['manual', POINTS, { seen: 'in a video' }, ['administrator'], ['in a video']],
  [
    'manual',
    POINTS,
    { identity_review_id: 'rev_0192f0c1-2345-7abc-8def-0123456789ab' },
    ['all runs'],
    ['rev_0192f0c1-2345-7abc-8def-0123456789ab'],
  ],
])('the reason of %s has its figures as the board shows them, and the rest in its details', (...row) => {
  const [flagType, board, metadata, facts, details] = row;
  const finding = { flagType, metadata };
  const explanation = explainFinding(finding, board);
  for (const fact of facts) expect(explanation).toContain(fact);
  expect(explanation).not.toMatch(/undefined|NaN|e[+-]\d|robust|[Tt]ier/);
  const shown = reasonDetails(finding, board);
  for (const text of details) expect(shown.map((detail) => detail.text).join('\n')).toContain(text);
});

test('chart and sentence have the same range, of the figures that the flag keeps', () => {
  const of = (metadata: Record<string, unknown>) => usualValues({ flagType: 'outlier', metadata });
  expect(of({ ...OUTLIER, measure: 'value' })).toEqual({ entries: 1234, median: 76.5, from: 72, to: 81 });
  expect(of({ ...OUTLIER, measure: 'streak' })).toBeNull();
  expect(of({ z: 3 })).toBeNull();
  expect(usualValues({ flagType: 'velocity', metadata: OUTLIER })).toBeNull();
});

test('figures that are missing, as after an erasure, break no sentence', () => {
  for (const flagType of [
    'rate_limit',
    'velocity',
    'duplicate',
    'progression',
    'outlier',
    'manual',
  ] as const) {
    expect(explainFinding({ flagType, metadata: {} }, TIMES)).toMatch(/\.$/);
    reasonDetails({ flagType, metadata: {} }, TIMES);
  }
});
