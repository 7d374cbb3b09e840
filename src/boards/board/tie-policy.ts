import { enumOf } from '../../graphql/enums.js';

export const TiePolicy = enumOf('TiePolicy', 'How ties are ranked.', {
  earliest: 'The earlier score ranks first: 1, 2, 3, 4.',
  latest: 'The later score ranks first: 1, 2, 3, 4.',
  competition:
    'Ties share a rank, and the next rank is skipped: 1, 2, 2, 4. Listed in the order of `EARLIEST`.',
  dense: 'Ties share a rank, and no rank is skipped: 1, 2, 2, 3. Listed in the order of `EARLIEST`.',
});
export type TiePolicy = (typeof TiePolicy)[keyof typeof TiePolicy];

/** The part of a policy that determines what is stored: changing it re-ranks the board. `wanted_rules` in SQL does the same. */
export function storedTies(policy: TiePolicy): 'earliest' | 'latest' | 'dense' {
  return policy === 'competition' ? 'earliest' : policy;
}
