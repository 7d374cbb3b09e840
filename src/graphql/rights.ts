import { Extensions } from 'type-graphql';
import { enumOf } from './enums.js';

export const RIGHT_TEXTS = {
  own: 'What concerns the caller: its own user and keys, the name of its account. Every API key has it.',
  read: 'Reads records and statistics.',
  submit:
    'Submits scores, creates and renames players, sets their tags and friends, reads and acknowledges rewards: what a game server does.',
  players:
    'Starts sessions for players, as any of them, and ends sessions: what the game server of a game with its own login does.',
  test: 'Submits and reads test scores, reads boards, and creates players.',
  moderate: 'Flags, reviews and bans; changes, deletes and restores players.',
  verify:
    'Reads score events with their recordings, and gives verdicts on them: what a verifier of runs does.',
  configure: 'Games, boards, templates, imports, and own API keys.',
  people: 'The account, its users, invitations, all API keys, and the audit log of these.',
  privacy: 'Exports and erases personal data.',
};

/** What an administrator needs for an operation: each operation names it next to its definition (`Allow`, access.ts). */
export const Right = enumOf(
  'Right',
  'What an administrator may do. Every operation names the right it needs (`@allow`).',
  RIGHT_TEXTS,
);
export type Right = (typeof Right)[keyof typeof Right];

export const RIGHTS: readonly Right[] = Object.values(Right);

const ALLOW = 'allow';
export const BELOW = 'allowBelow';

/** A kind of caller. */
export type Role = 'admin' | 'superadmin' | 'client' | 'anyone';

/** Who may use a field: administrators with this right, or another kind of caller. */
export type Grant = Right | Exclude<Role, 'admin'>;

/**
 * Who may use a root field, declared on its resolver; of several rights one is enough. GraphQL and REST both check them
 * before anything else.
 */
export function Allow(grants: Grant | Grant[]): MethodDecorator {
  return Extensions({ [ALLOW]: [grants].flat() });
}

/** Marks a field below a record that is null for all but administrators with the right; of several one is enough, by default `read`. */
export function ForAdministrators(...rights: Right[]): MethodDecorator {
  return Extensions({ [BELOW]: rights.length > 0 ? rights : ['read'] });
}

const LIST = 'allowList';

/** Marks a list below a record that needs another right than `read`; of several one is enough. */
export function ListFor(rights: Right[]): MethodDecorator {
  return Extensions({ [LIST]: rights });
}

/** The rights of which a list below a record needs one. */
export function listRights(extensions: Readonly<Record<string, unknown>>): Right[] {
  return (extensions[LIST] as Right[] | undefined) ?? ['read'];
}

/** Returns what {@link Allow} declared on a field of the schema; undefined: nothing. */
export function grantsOf(extensions: Readonly<Record<string, unknown>>): Grant[] | undefined {
  return extensions[ALLOW] as Grant[] | undefined;
}

/** Returns what a field of the schema declares for schemas as text; undefined: nothing. */
export function shownGrants(extensions: Readonly<Record<string, unknown>>): Grant[] | undefined {
  return grantsOf(extensions) ?? (extensions[BELOW] as Grant[] | undefined);
}

export function rightsIn(grants: readonly Grant[]): Right[] {
  return grants.filter((grant): grant is Right => RIGHTS.includes(grant as Right));
}

/** The kinds of callers among them. */
export function rolesOf(grants: readonly Grant[]): Role[] {
  const others = grants.filter((grant): grant is Exclude<Role, 'admin'> => !RIGHTS.includes(grant as Right));
  return others.length < grants.length ? ['admin', ...others] : others;
}
