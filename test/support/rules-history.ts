import fc from 'fast-check';
import { tiePolicy } from './board-rules.js';
import type { RatioRules } from './ratio.js';
import type { BoardRules } from './world.js';

export const PLAYERS = 6;

const amount = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 2, arbitrary: fc.constantFrom(0.1, 0.2, -0.3, 1e15, 1e-300, 1e300, -1e300, 5e-324) },
);
const ratio: fc.Arbitrary<RatioRules> = fc.record({
  swapped: fc.boolean(),
  zero: fc.constantFrom('null' as const, 'zero' as const, 'infinity' as const),
  minNumerator: fc.constantFrom(0, -1e308, 1, 2.5),
  minDenominator: fc.constantFrom(0, -1e308, 1, 3),
  scale: fc.constantFrom(1, 100, 0.001, 1e300),
  display: fc.constantFrom('raw' as const, 'percent' as const),
  decimals: fc.integer({ min: 0, max: 6 }),
});
const runRules: fc.Arbitrary<BoardRules> = fc
  .record({
    keepStrategy: fc.constantFrom('all' as const, 'best' as const, 'first' as const, 'last' as const),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
    tiePolicy,
  })
  .map((rules) => ({ ...rules, boardType: rules.keepStrategy === 'all' ? 'run_runs' : 'run_identity' }));

export type Action =
  | { kind: 'submit'; player: number; board: number; amount: number; isTest: boolean }
  | { kind: 'rule'; player: number; board: number; effect: 'exclude' | 'include' }
  | { kind: 'remove'; player: number; effect: 'exclude' | 'include' }
  | { kind: 'change'; rules: BoardRules }
  | { kind: 'ratio'; rules: RatioRules }
  | { kind: 'work'; process: number };

const player = fc.nat(PLAYERS - 1);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('submit' as const),
      player,
      board: fc.nat(2),
      amount: amount.map((x) => x + 0),
      isTest: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('rule' as const),
      player,
      board: fc.nat(2),
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      player,
      effect: fc.constantFrom('exclude' as const, 'include' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('change' as const), rules: runRules }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('ratio' as const), rules: ratio }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('work' as const), process: fc.nat(1) }) },
);
/** Sums that every ratio's minimums let pass, of at least two players: no history is without ratios. */
const openers = fc.uniqueArray(
  fc.record({
    player,
    isTest: fc.boolean(),
    left: fc.integer({ min: 3, max: 6 }),
    right: fc.integer({ min: 3, max: 6 }),
  }),
  { selector: (opener) => `${opener.player} ${opener.isTest}`, minLength: 2, maxLength: 8 },
);
export const history = fc.record({
  first: ratio,
  direction: fc.constantFrom('asc' as const, 'desc' as const),
  ties: tiePolicy,
  rules: runRules,
  openers,
  lastRules: runRules,
  steps: fc.array(fc.array(action, { minLength: 1, maxLength: 14 }), { minLength: 1, maxLength: 4 }),
});

export function opening(of: { player: number; isTest: boolean; left: number; right: number }[]): Action[] {
  const sums: Action[] = of.flatMap(({ player, isTest, left, right }) => [
    { kind: 'submit', player, board: 0, amount: left, isTest },
    { kind: 'submit', player, board: 1, amount: right, isTest },
  ]);
  return [...sums, { kind: 'work', process: 0 }, { kind: 'work', process: 1 }];
}
