import { explainFinding } from '../../src/fairplay/checks/finding.js';
import type { FlagType } from '../../src/fairplay/flags/flag.js';

const OUTLIER = {
  tier: 'b',
  threshold_z: 6,
  z: 6.7449,
  entries: 1234,
  median: 100,
  deviations: 'plain',
  mad: 7.5,
  mean_deviation: 7.5,
  scale: 11.1195,
};

test.each<[FlagType, Record<string, unknown>, string]>([
  [
    'rate_limit',
    { tier: 'c', limit: 20, count: 20, window_seconds: 3600 },
    'The player had 20 accepted submissions to this board within 3,600 s; tier c may have 20.',
  ],
  [
    'velocity',
    { tier: 'b', threshold_seconds: 2, seconds: 1.999, value: 11, previous_value: 10 },
    '11 came 1.999 s after 10; for tier b less than 2 s is too soon.',
  ],
  [
    'duplicate',
    { tier: 'b', threshold_seconds: 300, seconds: 12, value: 7, previous_value: 7 },
    '7 came again after 12 s; for tier b the same value within 300 s is a repetition.',
  ],
  [
    'progression',
    { tier: 'a', threshold_percent: 1000, percentage: 1100.04, value: 1.2e15, previous_value: 1e14 },
    "1.200e+15 is 1,100 % better than the player's best so far, 100,000,000,000,000; for tier a more than 1,000 % is implausible.",
  ],
  [
    'outlier',
    { ...OUTLIER, measure: 'value', value: 175 },
    '175: 6.7 robust deviations of 11.12 beyond the median of 1,234 entries, 100; for tier b more than 6 is an outlier.',
  ],
  [
    'outlier',
    {
      ...OUTLIER,
      measure: 'streak',
      value: 9,
      entries: 40,
      mad: 0,
      mean_deviation: 0.5,
      scale: 1,
      median: 0,
    },
    '9 improvements in a row: 6.7 robust deviations of 1 beyond the median of 40 players, 0; for tier b more than 6 is an outlier.',
  ],
  [
    'outlier',
    { ...OUTLIER, measure: 'rate', value: 3.25, deviations: 'logarithmic', scale: undefined, entries: 40 },
    '3.25 a second over the last hour: 6.7 robust deviations beyond the median of 40 players, 100, by logarithms; for tier b more than 6 is an outlier.',
  ],
  ['manual', { seen: 'in a video' }, 'An administrator raised it.'],
  [
    'manual',
    { identity_review_id: 'rev_0192f0c1-2345-7abc-8def-0123456789ab' },
    'An administrator decided about all runs of the player or device (rev_0192f0c1-2345-7abc-8def-0123456789ab).',
  ],
])('the explanation of %s is a sentence with its figures', (flagType, metadata, sentence) => {
  expect(explainFinding({ flagType, metadata })).toBe(sentence);
});
