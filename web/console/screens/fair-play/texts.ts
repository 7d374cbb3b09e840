// Apart from the others: the first view has no fair play settings.

import { counted } from '../../../../src/base/words/counted.js';

export const FAIR_PLAY_TEXTS = {
  hint: 'Every run is checked. Flagged runs keep counting until they are reviewed.',
  enabled: 'Check runs in this game',
  look: 'Show effect',
  effect: 'Effect on past runs',
  effectHint: 'Shows which of the latest 10,000 runs would be flagged or rejected. Nothing is changed.',
  since: 'The oldest of these runs is from',
  runs: (runs: string) => counted(runs, 'run'),
  noRuns: 'No runs to check yet. Come back after the first submissions.',
  off: 'With checks off, no run is flagged or rejected.',
  now: 'Now',
  after: 'With these settings',
  flagged: 'Flagged',
  rejected: 'Rejected',
  players: 'Players affected',
  cheats: (runs: string) => `Detected (of ${runs} confirmed cheats)`,
  fair: (runs: string) => `False positives (of ${runs} fair runs)`,
  found: 'Newly caught',
  lost: 'No longer caught',
  newest: 'the latest ten',
  rejects: 'rejected',
  approximate: "Each run is checked against the player's earlier runs and the board's current distribution.",
  defaultTier: 'Default trust tier',
  defaultTierHint: 'A is checked leniently, B moderately, C strictly.',
  serviceDefault: (tier: string | undefined) => (tier ? `service default (${tier})` : 'service default'),
  tier: (tier: string) => `Tier ${tier}`,
  empty: 'Leave a threshold empty for the service default, which is shown in gray, or enter “off”.',
  placeholder: (value: number | null | undefined) =>
    value === undefined ? 'default' : String(value ?? 'off'),
  unreadable: 'Enter a number, or “off”',
  checks: {
    rateLimit: ['Runs per hour', 'Runs beyond this number per player and board are rejected.'],
    velocitySeconds: ['Seconds between runs', 'A run submitted sooner after the previous one is flagged.'],
    duplicateSeconds: ['Seconds between equal scores', 'The same score twice within this time is flagged.'],
    progressionPercent: [
      'Improvement in percent',
      "A run that beats the player's best by more than this is flagged.",
    ],
    outlierZ: [
      'Robust deviations from the median',
      "A run better than the board's median by more than this is flagged.",
    ],
  },
  numbers: {
    progressionMinValues: [
      'Minimum runs for the improvement check',
      "Players with fewer runs aren't checked.",
    ],
    outlierMinEntries: ['Minimum entries for the outlier check', "Boards with fewer entries aren't checked."],
    outlierMediumFactor: [
      'Factor for medium confidence',
      'Outliers beyond this multiple of the threshold get medium confidence.',
    ],
  },
};
