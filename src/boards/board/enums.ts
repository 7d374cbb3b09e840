import { enumOf } from '../../graphql/enums.js';

export const BoardType = enumOf('BoardType', 'The type of a board: which values it ranks.', {
  run_identity: 'One run per player: the best, first or last.',
  run_runs: 'Every run.',
  counter: "The sum of each player's submissions.",
  ratio: 'The ratio of two counter boards.',
});
export type BoardType = (typeof BoardType)[keyof typeof BoardType];

export const SortDirection = enumOf('SortDirection', 'Whether high or low scores rank first.', {
  asc: 'Lower is better: times, strokes.',
  desc: 'Higher is better: points.',
});
export type SortDirection = (typeof SortDirection)[keyof typeof SortDirection];

export const KeepStrategy = enumOf('KeepStrategy', 'Which runs of each player are ranked.', {
  all: 'All of them.',
  best: 'The best one; of equal ones the earliest.',
  first: 'The first one.',
  last: 'The last one.',
});
export type KeepStrategy = (typeof KeepStrategy)[keyof typeof KeepStrategy];

export const PublicField = enumOf('PublicField', 'Extra information about a score that visitors can see.', {
  date: 'The date of the submission.',
  gap: 'The gap to first place.',
  country: 'The country of the submission.',
  platform: 'The platform of the device that submitted it.',
  metadata:
    'Metadata that the game attached to the submission. Available to visitors through the API, but not shown on pages.',
  history:
    "A player's runs over time, and ranks on other published boards of the game, also on the player's " +
    'page. Held and rejected runs never appear.',
  splits: "Times at the points of a run, and a player's best ones, also on the player's page.",
});
export type PublicField = (typeof PublicField)[keyof typeof PublicField];

export const FriendsFrom = enumOf(
  'FriendsFrom',
  'Where the list of players comes from when a caller without an API key requests a ranking among selected players.',
  {
    client: 'Callers can name any players, or use their own stored list.',
    server: "Only the list that the game server stored for the session's player.",
  },
);
export type FriendsFrom = (typeof FriendsFrom)[keyof typeof FriendsFrom];

export const BoardPhase = enumOf('BoardPhase', 'The phase of a board, from its times and `isActive`.', {
  upcoming: 'It has not started yet.',
  live: 'It accepts submissions.',
  ended: 'It has ended, and its ranking is final.',
  inactive: 'It was deactivated before its end.',
});
export type BoardPhase = (typeof BoardPhase)[keyof typeof BoardPhase];
