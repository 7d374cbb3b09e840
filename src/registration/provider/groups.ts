import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { endSessions } from '../../accounts/keys/end-session.js';
import { UserRole } from '../../accounts/users/role.js';
import { lastOfItsKind } from '../../accounts/users/save.js';
import type { User } from '../../accounts/users/user.js';
import { saveRecord } from '../../db/save.js';
import type { Context } from '../../graphql/context.js';
import type { IdentityProvider } from './record/identity-provider.js';

const LOWEST_FIRST: readonly UserRole[] = Object.values(UserRole);

/** The role of somebody in these groups; undefined: groups decide nothing. */
export function roleOf(
  { groupRoles, defaultRole }: IdentityProvider,
  groups: string[],
): UserRole | undefined {
  if (groupRoles.length === 0) return undefined;
  const given = groupRoles.filter(({ group }) => groups.includes(group)).map(({ role }) => role);
  return LOWEST_FIRST.findLast((role) => given.includes(role)) ?? defaultRole;
}

/**
 * Gives a user the role of its groups. Superadmins keep theirs, and so does the last owner or administrator of an account:
 * that is in the audit trail.
 * @param user locked, and its account
 * @returns prefixed ids of the sessions that ended
 */
export async function followGroups(
  trx: Knex.Transaction,
  context: Context,
  user: User,
  provider: IdentityProvider,
  groups: string[],
): Promise<string[]> {
  const role = roleOf(provider, groups);
  if (role === undefined || role === user.role || user.superAdmin) return [];
  if (role !== 'admin' && (await lastOfItsKind(trx, user))) {
    const { accountId, id: subjectId } = user;
    const act = { action: AuditAction.ROLE_KEPT, before: { role: user.role }, after: { role } };
    await recordAudit(trx, context, { ...act, accountId, gameId: null, subjectId });
    return [];
  }
  const now = new Date(context.clock());
  await saveRecord(trx, user, { role }, now);
  return endSessions(trx, user.id, now);
}
