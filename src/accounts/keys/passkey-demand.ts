import type { AdminCaller } from '../../graphql/context.js';
import type { UserRole } from '../users/role.js';

const HOUR_MS = 3_600_000;

/** True for users of whom their account demands a passkey: moderators and above. */
export function demandsPasskey(
  { passkeysDemandedAt }: { passkeysDemandedAt: Date | null },
  { role, superAdmin }: { role: UserRole; superAdmin: boolean },
): boolean {
  return passkeysDemandedAt !== null && role !== 'viewer' && !superAdmin;
}

/** True while a mailed code may add the first passkey of a user of whom one is demanded: from its invitation, a reset or the demand. */
export function canAddFirst(
  { passkeysDemandedAt, passkeyHours }: { passkeysDemandedAt: Date | null; passkeyHours: number },
  { passkeysDueFrom, createdAt }: { passkeysDueFrom: Date | null; createdAt: Date },
  now: Date,
): boolean {
  const from = Math.max(passkeysDemandedAt?.getTime() ?? 0, (passkeysDueFrom ?? createdAt).getTime());
  return now.getTime() < from + passkeyHours * HOUR_MS;
}

/** A sign-in by a mailed code has no rights but those that add the first passkey. */
export function limitedToPasskey(caller: AdminCaller): AdminCaller {
  return { ...caller, rights: ['own'], needsPasskey: true };
}
