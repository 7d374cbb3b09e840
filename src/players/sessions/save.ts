import { recordDeletion } from '../../accounts/audit/entry.js';
import { DomainError } from '../../base/errors.js';
import type { PatchOf } from '../../db/row.js';
import { deletionOf, lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { drainJobs, type Job } from '../../jobs/job.js';
import type { UpdateDeviceSessionInput } from '../inputs.js';
import { reachableSessions } from '../read.js';
import { DeviceSession } from './device-session.js';

/**
 * Revokes (for ever), deletes or restores a session.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION
 */
export async function updateDeviceSession(
  context: Context,
  id: string,
  input: UpdateDeviceSessionInput,
): Promise<DeviceSession> {
  const now = new Date(context.clock());
  const session = await context.db.transaction(async (trx) => {
    const session = await lockRecord(DeviceSession, reachableSessions(trx), id, 'Device session');
    const deletion = deletionOf(session, input, now, 'Device session');
    requireAccount(context, session.accountId);
    const { status } = input;
    if (status !== undefined && status !== 'revoked' && status !== session.statusAt(now.getTime())) {
      throw new DomainError('INVALID_TRANSITION', 'A session can only be revoked, for ever: start a new one');
    }
    const ends = status === 'revoked' && session.status !== 'revoked';
    const changes: PatchOf<DeviceSession, UpdateDeviceSessionInput> = {
      status: ends ? status : undefined,
      revokedAt: ends ? now : undefined,
    };
    await saveRecord(trx, session, { ...changes, ...deletion }, now);
    await recordDeletion(trx, context, session, deletion);
    return session;
  });
  context.changed(session.id);
  return session;
}

/** Retention of ended sessions, for administrators. */
const SESSION_RETENTION_MS = 30 * 24 * 3_600_000;
const SESSIONS_AT_ONCE = 2_000;

const DELETE_SESSIONS = `delete from device_sessions where id in (
  select id from device_sessions where refresh_expires_at < ? order by refresh_expires_at limit ${SESSIONS_AT_ONCE} for update skip locked)`;

/** A session whose refresh token has expired cannot continue, whatever its status. */
export const forgetSessionsJob: Job = {
  name: 'forget-sessions',
  description: 'Deletes device sessions 30 days after their refresh token expired.',
  everyMinutes: 60,
  run: async (call) => ({
    done: await drainJobs(call, DELETE_SESSIONS, call.now.getTime() - SESSION_RETENTION_MS, SESSIONS_AT_ONCE),
  }),
};
