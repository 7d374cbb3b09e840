import { registerEnumType } from 'type-graphql';

export const TiePolicy = {
  EARLIEST: 'earliest',
  LATEST: 'latest',
  COMPETITION: 'competition',
  DENSE: 'dense',
} as const;
export type TiePolicy = (typeof TiePolicy)[keyof typeof TiePolicy];

/** The part of a policy that determines what is stored: changing it re-ranks the board. `wanted_rules` in SQL does the same. */
export function storedTies(policy: TiePolicy): 'earliest' | 'latest' | 'dense' {
  return policy === 'competition' ? 'earliest' : policy;
}

registerEnumType(TiePolicy, {
  name: 'TiePolicy',
  description: 'How ties are ranked.',
  valuesConfig: {
    EARLIEST: { description: 'The earlier score ranks first: 1, 2, 3, 4.' },
    LATEST: { description: 'The later score ranks first: 1, 2, 3, 4.' },
    COMPETITION: {
      description:
        'Ties share a rank, and the next rank is skipped: 1, 2, 2, 4. Listed in the order of `EARLIEST`.',
    },
    DENSE: {
      description:
        'Ties share a rank, and no rank is skipped: 1, 2, 2, 3. Listed in the order of `EARLIEST`.',
    },
  },
});
