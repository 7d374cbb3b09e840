import type { Knex } from 'knex';
import { AuditAction } from '../../accounts/audit/entry.js';
import { endSessions } from '../../accounts/keys/end-session.js';
import { UserRole } from '../../accounts/users/role.js';
import { lastOfItsKind } from '../../accounts/users/save.js';
import type { User } from '../../accounts/users/user.js';
import { noteReason } from '../../db/audit.js';
import { saveRecord } from '../../db/save.js';
import type { Acting } from '../../graphql/author.js';
import { bareGroup, type SaidGroups } from './issuer/claims.js';
import type { IdentityProvider } from './record/identity-provider.js';
import { recordOnce } from './trail.js';

const LOWEST_FIRST: readonly UserRole[] = Object.values(UserRole);

/** The role of somebody in these groups; undefined: groups decide nothing. */
export function roleOf(
  { groupRoles, defaultRole }: IdentityProvider,
  groups: string[],
): UserRole | undefined {
  if (groupRoles.length === 0) return undefined;
  const names = new Set(groups.map(bareGroup));
  const given = groupRoles.filter(({ group }) => names.has(bareGroup(group))).map(({ role }) => role);
  return LOWEST_FIRST.findLast((role) => given.includes(role)) ?? defaultRole;
}

const MOST_NAMED = 5;
const MOST_LOGGED = 50;

/** Why somebody has the role of its groups, for the audit trail and the log. */
export function reasonOfRole(provider: IdentityProvider, { groups, groupsNote }: SaidGroups): string {
  const role = roleOf(provider, groups);
  const names = new Set(groups.map(bareGroup));
  const giving = provider.groupRoles.filter((one) => one.role === role && names.has(bareGroup(one.group)));
  if (giving.length === 0) return `None of the user's groups has a role. ${groupsNote}`;
  const named = giving.slice(0, MOST_NAMED).map(({ group }) => group);
  return `Groups of single sign-on: ${named.join(', ')}.`;
}

/** True if groups would change the role of a user. */
export function isOutdated(
  { role, superAdmin }: User,
  provider: IdentityProvider,
  { groups, groupsUnknown }: SaidGroups,
): boolean {
  const given = groupsUnknown ? undefined : roleOf(provider, groups);
  return given !== undefined && given !== role && !superAdmin;
}

/** Of the line in the log. */
export const ROLE_FOLLOWED = 'groups of single sign-on decided about a role';

export interface FollowedGroups {
  /** Prefixed ids of the sessions that ended. */
  ended: string[];
  /** For the log, once the transaction is committed; undefined: nothing happened. */
  told?: Record<string, unknown>;
}

/**
 * Gives a user the role of its groups. Superadmins keep theirs, and so do the last owner or administrator of an account and
 * people whose groups the issuer did not list: that is in the audit trail.
 * @param user locked, and its account
 */
export async function followGroups(
  trx: Knex.Transaction,
  acting: Acting,
  user: User,
  provider: IdentityProvider,
  said: SaidGroups,
): Promise<FollowedGroups> {
  const { id: subjectId, accountId, role: before } = user;
  const isDecided = provider.groupRoles.length > 0 && !user.superAdmin;
  if (!isDecided || (!said.groupsUnknown && !isOutdated(user, provider, said))) return { ended: [] };
  const now = new Date(acting.clock());
  const role = said.groupsUnknown ? before : roleOf(provider, said.groups)!;
  const reason = said.groupsUnknown ? said.groupsNote : reasonOfRole(provider, said);
  const told = {
    user: subjectId,
    role: before,
    given: role,
    reason,
    sent: said.groups.slice(0, MOST_LOGGED),
  };
  if (role === before || (role !== 'admin' && (await lastOfItsKind(trx, user)))) {
    const act = { action: AuditAction.ROLE_KEPT, before: { role: before }, after: { role }, reason };
    await recordOnce(trx, acting, { ...act, accountId, gameId: null, subjectId });
    return { ended: [], told: { ...told, isKept: true } };
  }
  await saveRecord(trx, user, { role }, now);
  noteReason(trx, user, reason);
  return { ended: await endSessions(trx, user.id, now), told };
}
