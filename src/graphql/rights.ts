import { registerEnumType } from 'type-graphql';

/** What an administrator needs for an operation: each operation names it next to its definition (`Allow`, access.ts). */
export const Right = {
  OWN: 'own',
  READ: 'read',
  SUBMIT: 'submit',
  MODERATE: 'moderate',
  CONFIGURE: 'configure',
  PEOPLE: 'people',
  PRIVACY: 'privacy',
} as const;
export type Right = (typeof Right)[keyof typeof Right];

export const RIGHTS: readonly Right[] = Object.values(Right);

export const RIGHT_TEXTS: Readonly<Record<Right, string>> = {
  own: 'What concerns the caller: its own user and keys, the name of its account. Every API key has it.',
  read: 'Reads records and statistics.',
  submit:
    'Submits scores, creates and renames players, sets their tags and friends: what a game server does.',
  moderate: 'Flags, reviews and bans; changes, deletes and restores players.',
  configure: 'Games, boards, templates, imports, and own API keys.',
  people: 'The account, its users, invitations, all API keys, and the audit log of these.',
  privacy: 'Exports and erases personal data.',
};

registerEnumType(Right, {
  name: 'Right',
  description: 'What an administrator may do. Every operation names the right it needs (`@allow`).',
  valuesConfig: Object.fromEntries(
    Object.entries(Right).map(([name, right]) => [name, { description: RIGHT_TEXTS[right] }]),
  ),
});
