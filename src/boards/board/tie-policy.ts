import { registerEnumType } from 'type-graphql';

export const TiePolicy = {
  EARLIEST: 'earliest',
  LATEST: 'latest',
  COMPETITION: 'competition',
  DENSE: 'dense',
} as const;
export type TiePolicy = (typeof TiePolicy)[keyof typeof TiePolicy];

/** The part of a policy that decides what is stored: a change of it ranks anew. `wanted_rules` in SQL says the same. */
export function storedTies(policy: TiePolicy): 'earliest' | 'latest' | 'dense' {
  return policy === 'competition' ? 'earliest' : policy;
}

registerEnumType(TiePolicy, {
  name: 'TiePolicy',
  description: 'The ranks of equal values.',
  valuesConfig: {
    EARLIEST: { description: 'The value that was reached first stands first: 1, 2, 3, 4.' },
    LATEST: { description: 'The value that was reached last stands first: 1, 2, 3, 4.' },
    COMPETITION: {
      description:
        'They share a rank, the next one counts all before it: 1, 2, 2, 4. Listed as with `EARLIEST`.',
    },
    DENSE: {
      description:
        'They share a rank, the next one counts the better values: 1, 2, 2, 3. Listed as with `EARLIEST`.',
    },
  },
});
