import { registerEnumType } from 'type-graphql';

/** `dense` is a word of the database that nothing sets yet (docs/decisions/views.md). */
export const TiePolicy = { EARLIEST: 'earliest', LATEST: 'latest', COMPETITION: 'competition' } as const;
export type TiePolicy = (typeof TiePolicy)[keyof typeof TiePolicy];

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
  },
});
