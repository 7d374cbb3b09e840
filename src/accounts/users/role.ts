import { enumOf } from '../../graphql/enums.js';
import { RIGHTS, type Right } from '../../graphql/rights.js';

export const UserRole = enumOf(
  'UserRole',
  'What a user may do in its account. Each role includes the ones before it.',
  {
    viewer: 'Reads everything but the people and keys of the account.',
    moderator: 'Also flags, reviews, bans, and changes players.',
    developer:
      'Also changes games, boards and templates, imports and submits scores, starts sessions for players, and creates own API keys.',
    admin: 'Everything: also the account, its people, all API keys, and personal data.',
  },
);
export type UserRole = (typeof UserRole)[keyof typeof UserRole];

const VIEWER: readonly Right[] = ['own', 'read'];
const MODERATOR: readonly Right[] = [...VIEWER, 'moderate'];
const DEVELOPER: readonly Right[] = [...MODERATOR, 'verify', 'configure', 'submit', 'players', 'test'];

/** The table of roles. */
const RIGHTS_OF_ROLE: Readonly<Record<UserRole, readonly Right[]>> = {
  viewer: VIEWER,
  moderator: MODERATOR,
  developer: DEVELOPER,
  admin: RIGHTS,
};

/** Returns the smallest role that includes a right. */
export function roleWith(right: Right): UserRole {
  return Object.values(UserRole).find((role) => RIGHTS_OF_ROLE[role].includes(right))!;
}

export const KeyScope = enumOf('KeyScope', 'A part of its role that the key of a user is limited to.', {
  read: 'Reads records and statistics.',
  submit:
    'Submits scores, creates players, sets tags and friends, hands out rewards: what a game server does.',
  players:
    'Starts sessions as any player and ends sessions: what the game server of a game with its own login does.',
  test: 'Submits scores, all of them tests; reads tests and boards; creates players: a game server under development.',
  moderate: 'Flags, reviews and bans; changes players.',
  verify: 'Reads score events with their recordings, and gives verdicts on them: a verifier of runs.',
  configure: 'Games, boards, templates, imports, and own API keys.',
  people: 'The account, its people, all API keys, and personal data.',
});
export type KeyScope = (typeof KeyScope)[keyof typeof KeyScope];

export function rightsOfScope(scope: KeyScope): readonly Right[] {
  return scope === 'people' ? ['people', 'privacy'] : [scope];
}

/**
 * What a key may do: what its user's role includes, within its scopes.
 * @param scopes null: the whole role
 */
export function rightsOf(role: UserRole, scopes: readonly KeyScope[] | null): readonly Right[] {
  const all = RIGHTS_OF_ROLE[role];
  if (scopes === null) return all;
  const within = new Set<Right>(['own', ...scopes.flatMap(rightsOfScope)]);
  return all.filter((right) => within.has(right));
}

/** The games that a key reaches; null: all of the account. Ids are prefixed. */
export function gamesOf(ofUser: readonly string[] | null, ofKey: string | null): readonly string[] | null {
  if (ofKey === null) return ofUser;
  return ofUser === null || ofUser.includes(ofKey) ? [ofKey] : [];
}
