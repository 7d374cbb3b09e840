import type { Knex } from 'knex';
import { uuidOf } from '../base/ids.js';
import { type Author, auditedTransaction } from '../db/audit.js';
import type { Context } from './context.js';

/** Whoever makes a change: the caller of a request, or work of the service itself. */
export interface Acting extends Pick<Context, 'caller' | 'clock'> {
  ip?: string | undefined;
  /** Absent for a request. */
  work?: { by: 'job' | 'operator'; agent: string };
}

/** The service's own work at a moment. @param agent the job, or the operator's command */
export function workOf(by: 'job' | 'operator', agent: string, now: Date): Acting {
  return { caller: { kind: 'anonymous' }, clock: () => now.getTime(), work: { by, agent } };
}

/** The terminal's `user-agent` begins with it. */
const TERMINAL_AGENT = 'leaderboard-terminal';

/**
 * True if a person sends the request, from a browser or the terminal, rather than a game server: keys are the same. For
 * writes that are of the audit trail only then.
 */
export function isByHand(context: Context): boolean {
  if (context.caller.kind !== 'admin') return false;
  if (context.userAgent?.startsWith(TERMINAL_AGENT)) return true;
  return context.sent()?.headers['sec-fetch-site'] !== undefined;
}

/** Who makes a change, as the audit trail records it. */
export function authorOf({ caller, clock, ip, work }: Acting): Author {
  const admin = caller.kind === 'admin' && !work ? caller : undefined;
  return {
    by: work?.by ?? (admin?.superAdmin ? 'superadmin' : 'user'),
    accountId: admin ? uuidOf(admin.accountId) : null,
    userId: admin ? uuidOf(admin.userId) : null,
    keyId: admin ? uuidOf(admin.keyId) : null,
    agent: work?.agent ?? null,
    ipAddress: ip ?? null,
    at: new Date(clock()),
  };
}

/** A write of records: what it changes is in the audit trail with it. */
export function auditedWrite<T>(
  acting: Acting & Pick<Context, 'db'>,
  write: (trx: Knex.Transaction) => Promise<T>,
): Promise<T> {
  return auditedTransaction(acting.db, authorOf(acting), write);
}
