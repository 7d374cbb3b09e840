import { registerEnumType } from 'type-graphql';
import { RIGHTS, type Right } from '../../graphql/rights.js';

export const UserRole = {
  VIEWER: 'viewer',
  MODERATOR: 'moderator',
  DEVELOPER: 'developer',
  ADMIN: 'admin',
} as const;
export type UserRole = (typeof UserRole)[keyof typeof UserRole];

registerEnumType(UserRole, {
  name: 'UserRole',
  description: 'What a user may do in its account. Each role includes the ones before it.',
  valuesConfig: {
    VIEWER: { description: 'Reads everything but the people and keys of the account.' },
    MODERATOR: { description: 'Also flags, reviews, bans, and changes players.' },
    DEVELOPER: {
      description:
        'Also changes games, boards and templates, imports and submits scores, and creates own API keys.',
    },
    ADMIN: { description: 'Everything: also the account, its people, all API keys, and personal data.' },
  },
});

const VIEWER: readonly Right[] = ['own', 'read'];
const MODERATOR: readonly Right[] = [...VIEWER, 'moderate'];
const DEVELOPER: readonly Right[] = [...MODERATOR, 'configure', 'submit', 'test'];

/** The table of roles. */
const RIGHTS_OF_ROLE: Readonly<Record<UserRole, readonly Right[]>> = {
  viewer: VIEWER,
  moderator: MODERATOR,
  developer: DEVELOPER,
  admin: RIGHTS,
};

export const KeyScope = {
  READ: 'read',
  SUBMIT: 'submit',
  TEST: 'test',
  MODERATE: 'moderate',
  CONFIGURE: 'configure',
  PEOPLE: 'people',
} as const;
export type KeyScope = (typeof KeyScope)[keyof typeof KeyScope];

registerEnumType(KeyScope, {
  name: 'KeyScope',
  description: 'A part of its role that the key of a user is limited to.',
  valuesConfig: {
    READ: { description: 'Reads records and statistics.' },
    SUBMIT: {
      description: 'Submits scores, creates players, sets tags and friends: what a game server does.',
    },
    TEST: {
      description:
        'Submits scores, all of them tests; reads tests and boards; creates players: a game server under development.',
    },
    MODERATE: { description: 'Flags, reviews and bans; changes players.' },
    CONFIGURE: { description: 'Games, boards, templates, imports, and own API keys.' },
    PEOPLE: { description: 'The account, its people, all API keys, and personal data.' },
  },
});

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
