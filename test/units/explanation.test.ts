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

test.each<[FlagType, Record<string, unknown>, string[]]>([
  [
    'rate_limit',
    { tier: 'c', limit: 20, count: 20, window_seconds: 3600 },
    ['20 to this board', '3,600 seconds', 'Tier c', 'allows 20'],
  ],
  [
    'velocity',
    { tier: 'b', threshold_seconds: 2, seconds: 1.999, value: 11, previous_value: 10 },
    ['11 ', '1.999 seconds', 'after 10', 'Tier b', '2 seconds'],
  ],
  [
    'velocity',
    { tier: 'b', threshold_seconds: 2, seconds: 1, value: 11, previous_value: 10 },
    ['11 ', 'only 1 second after', 'Tier b', '2 seconds'],
  ],
  [
    'duplicate',
    { tier: 'b', threshold_seconds: 300, seconds: 12, value: 7, previous_value: 7 },
    [': 7.', '12 seconds', 'Tier b', '300 seconds'],
  ],
  [
    'progression',
    { tier: 'a', threshold_percent: 1000, percentage: 1100.04, value: 1.2e15, previous_value: 1e14 },
    ['1.200e+15 ', '1,100%', ' 100,000,000,000,000', 'Tier a', '1,000%'],
  ],
  [
    'outlier',
    { ...OUTLIER, measure: 'value', value: 175 },
    ['175.', '6.7 robust deviations of 11.12', 'median of 1,234 entries is 100', 'Tier b', 'more than 6'],
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
    [
      '9 improvements in a row',
      '6.7 robust deviations of 1 ',
      'median of 40 players is 0',
      'Tier b',
      'more than 6',
    ],
  ],
  [
    'outlier',
    { ...OUTLIER, measure: 'rate', value: 3.25, deviations: 'logarithmic', scale: undefined, entries: 40 },
    [
      '3.25 per second',
      'last hour',
      '6.7 robust deviations better',
      'median of 40 players is 100',
      'log scale',
      'Tier b',
      'more than 6',
    ],
  ],
  ['manual', { seen: 'in a video' }, ['administrator']],
  [
    'manual',
    { identity_review_id: 'rev_0192f0c1-2345-7abc-8def-0123456789ab' },
    ['administrator', 'all runs', '(rev_0192f0c1-2345-7abc-8def-0123456789ab)'],
  ],
])('the explanation of %s names its figures', (flagType, metadata, facts) => {
  const explanation = explainFinding({ flagType, metadata });
  for (const fact of facts) expect(explanation).toContain(fact);
  expect(explanation).toMatch(/^[A-Z].*\.$/);
});
