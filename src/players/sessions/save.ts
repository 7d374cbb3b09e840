import { DomainError } from '../../base/errors.js';
import { servedHere } from '../../db/moved.js';
import type { PatchOf } from '../../db/row.js';
import { deletionOf, lockRecord, saveRecord } from '../../db/save.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { drainJobs, forgottenBefore, type Job } from '../../jobs/job.js';
import type { UpdateDeviceSessionInput } from '../inputs.js';
import { reachableSessions } from '../read.js';
import { DeviceSession } from './device-session.js';

/**
 * Revokes (permanently), deletes or restores a session.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION
 */
export async function updateDeviceSession(
  context: Context,
  id: string,
  input: UpdateDeviceSessionInput,
): Promise<DeviceSession> {
  const now = new Date(context.clock());
  const session = await auditedWrite(context, async (trx) => {
    const session = await lockRecord(DeviceSession, reachableSessions(trx), id, 'Device session');
    const deletion = deletionOf(session, input, now, 'Device session');
    requireAccount(context, session);
    const { status } = input;
    if (status !== undefined && status !== 'revoked' && status !== session.statusAt(now.getTime())) {
      throw new DomainError(
        'INVALID_TRANSITION',
        'A session can only be revoked, and that cannot be undone. Start a new session instead.',
      );
    }
    const ends = status === 'revoked' && session.status !== 'revoked';
    const changes: PatchOf<DeviceSession, UpdateDeviceSessionInput> = {
      status: ends ? status : undefined,
      revokedAt: ends ? now : undefined,
    };
    await saveRecord(trx, session, { ...changes, ...deletion }, now);
    return session;
  });
  context.changed(session.id);
  return session;
}

const SESSIONS_AT_ONCE = 2_000;

const DELETE_SESSIONS = `delete from device_sessions where id in (
  select id from device_sessions where refresh_expires_at < ? order by refresh_expires_at
    limit ${SESSIONS_AT_ONCE} for update skip locked)`;

const forgetAddresses = (
  served: string,
) => `update device_sessions set ip_address = null, user_agent = null where id in (
  select id from device_sessions where created_at < ? and (ip_address is not null or user_agent is not null) ${served}
  order by created_at limit ${SESSIONS_AT_ONCE} for update skip locked)`;

interface SessionRetention {
  /** Undefined: forever. */
  sessionRetentionDays: number | undefined;
  sessionAddressDays: number | undefined;
}

/** A session whose refresh token has expired cannot continue, whatever its status. */
export function forgetSessionsJob(retention: SessionRetention): Job {
  return {
    name: 'forget-sessions',
    description:
      'Deletes device sessions some time after their refresh token expired (SESSION_RETENTION_DAYS), and ' +
      'earlier the addresses they came from (SESSION_ADDRESS_DAYS).',
    everyMinutes: 60,
    run: async (call) => {
      const ended = forgottenBefore(call, retention.sessionRetentionDays);
      const begun = forgottenBefore(call, retention.sessionAddressDays);
      const addresses = forgetAddresses(servedHere(call.db, 'account', 'account_id'));
      const deleted = await drainJobs(call, DELETE_SESSIONS, ended, SESSIONS_AT_ONCE);
      return { done: deleted + (await drainJobs(call, addresses, begun, SESSIONS_AT_ONCE)) };
    },
  };
}
