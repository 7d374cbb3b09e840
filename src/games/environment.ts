import { enumOf } from '../graphql/enums.js';

export const GameEnvironment = enumOf(
  'GameEnvironment',
  'What a game is for. A label: it changes no rules.',
  {
    production: 'Played by players.',
    staging: 'Tried out before a release.',
    development: 'Being developed.',
  },
);
export type GameEnvironment = (typeof GameEnvironment)[keyof typeof GameEnvironment];
