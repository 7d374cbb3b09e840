import { registerEnumType } from 'type-graphql';

export const GameEnvironment = {
  PRODUCTION: 'production',
  STAGING: 'staging',
  DEVELOPMENT: 'development',
} as const;
export type GameEnvironment = (typeof GameEnvironment)[keyof typeof GameEnvironment];

registerEnumType(GameEnvironment, {
  name: 'GameEnvironment',
  description: 'What a game is for. A label: it changes no rules.',
  valuesConfig: {
    PRODUCTION: { description: 'Played by players.' },
    STAGING: { description: 'Tried out before a release.' },
    DEVELOPMENT: { description: 'Being developed.' },
  },
});
