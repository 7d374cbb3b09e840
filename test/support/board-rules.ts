import fc from 'fast-check';
import type { BoardRules } from './world.js';

export const tiePolicy = fc.constantFrom(
  'earliest' as const,
  'latest' as const,
  'competition' as const,
  'dense' as const,
);

/** Rules of every kind of board that takes submissions. */
export const boardRules: fc.Arbitrary<BoardRules> = fc
  .record({
    kind: fc.constantFrom('best', 'first', 'last', 'runs', 'counter'),
    sortDirection: fc.constantFrom('asc' as const, 'desc' as const),
    tiePolicy,
  })
  .map(({ kind, sortDirection, tiePolicy }) => ({
    boardType: kind === 'runs' ? 'run_runs' : kind === 'counter' ? 'counter' : 'run_identity',
    keepStrategy: kind === 'best' || kind === 'first' || kind === 'last' ? kind : 'all',
    sortDirection,
    tiePolicy,
  }));
