import type { Knex } from 'knex';
import { AuditAction, AuditEntry, recordAudit } from '../../accounts/audit/entry.js';
import { endSessions } from '../../accounts/keys/end-session.js';
import { UserRole } from '../../accounts/users/role.js';
import { lastOfItsKind } from '../../accounts/users/save.js';
import type { User } from '../../accounts/users/user.js';
import { saveRecord } from '../../db/save.js';
import type { Acting } from '../../graphql/author.js';
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

const NOTED_MS = 12 * 3_600_000;

/** True if the trail of the last hours says already that this user keeps its role: refreshes would repeat it. */
async function isNoted(db: Knex, userId: string, role: UserRole, now: Date): Promise<boolean> {
  const newest = await AuditEntry.query(db)
    .where({ subject_id: userId, action: AuditAction.ROLE_KEPT })
    .where('created_at', '>', new Date(now.getTime() - NOTED_MS))
    .orderBy('created_at', 'desc')
    .first();
  return newest?.after?.role === role;
}

/** True if groups would change the role of a user. */
export function isOutdated(
  { role, superAdmin }: User,
  provider: IdentityProvider,
  groups: string[],
): boolean {
  const given = roleOf(provider, groups);
  return given !== undefined && given !== role && !superAdmin;
}

/**
 * Gives a user the role of its groups. Superadmins keep theirs, and so does the last owner or administrator of an account:
 * that is in the audit trail.
 * @param user locked, and its account
 * @returns prefixed ids of the sessions that ended
 */
export async function followGroups(
  trx: Knex.Transaction,
  acting: Acting,
  user: User,
  provider: IdentityProvider,
  groups: string[],
): Promise<string[]> {
  if (!isOutdated(user, provider, groups)) return [];
  const role = roleOf(provider, groups)!;
  const now = new Date(acting.clock());
  if (role !== 'admin' && (await lastOfItsKind(trx, user))) {
    const { accountId, id: subjectId } = user;
    if (await isNoted(trx, subjectId, role, now)) return [];
    const act = { action: AuditAction.ROLE_KEPT, before: { role: user.role }, after: { role } };
    await recordAudit(trx, acting, { ...act, accountId, gameId: null, subjectId });
    return [];
  }
  await saveRecord(trx, user, { role }, now);
  return endSessions(trx, user.id, now);
}
