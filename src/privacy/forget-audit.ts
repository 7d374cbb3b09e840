import { servedHere } from '../db/moved.js';
import { drainJobs, forgottenBefore, type Job } from '../jobs/job.js';

const ENTRIES_AT_ONCE = 2_000;

const DELETE_ENTRIES = `delete from audit_entries where id in (
  select id from audit_entries where created_at < ? order by created_at limit ${ENTRIES_AT_ONCE} for update skip locked)`;

const forgetAddresses = (served: string) => `update audit_entries set ip_address = null where id in (
  select id from audit_entries where created_at < ? and ip_address is not null ${served}
  order by created_at limit ${ENTRIES_AT_ONCE} for update skip locked)`;

const forgetSignIns = (
  served: string,
) => `update api_keys set signed_in_from = null, signed_in_agent = null where id in (
  select id from api_keys where created_at < ? and (signed_in_from is not null or signed_in_agent is not null) ${served}
  order by created_at limit ${ENTRIES_AT_ONCE} for update skip locked)`;

const forgetKeyAddresses = (served: string) => `update api_keys set last_used_from = null where id in (
  select id from api_keys where last_used_at < ? and last_used_from is not null ${served}
  limit ${ENTRIES_AT_ONCE} for update skip locked)`;

/** Undefined: forever. */
interface AuditRetention {
  auditRetentionDays: number | undefined;
  sessionAddressDays: number | undefined;
}

export function forgetAuditJob(retention: AuditRetention): Job {
  return {
    name: 'forget-audit-entries',
    description:
      'Deletes entries of the audit trail after AUDIT_RETENTION_DAYS, and earlier the addresses they, ' +
      'sign-ins to the console and uses of API keys came from (SESSION_ADDRESS_DAYS).',
    everyMinutes: 60,
    run: async (call) => {
      const old = forgottenBefore(call, retention.auditRetentionDays);
      const addressed = forgottenBefore(call, retention.sessionAddressDays);
      const served = servedHere(call.db, 'account', 'account_id');
      let done = await drainJobs(call, DELETE_ENTRIES, old, ENTRIES_AT_ONCE);
      for (const forget of [forgetAddresses, forgetSignIns, forgetKeyAddresses]) {
        done += await drainJobs(call, forget(served), addressed, ENTRIES_AT_ONCE);
      }
      return { done };
    },
  };
}
