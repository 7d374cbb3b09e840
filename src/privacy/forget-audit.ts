import { drainJobs, forgottenBefore, type Job } from '../jobs/job.js';

const ENTRIES_AT_ONCE = 2_000;

const DELETE_ENTRIES = `delete from audit_entries where id in (
  select id from audit_entries where created_at < ? order by created_at limit ${ENTRIES_AT_ONCE} for update skip locked)`;

/** @param days undefined: forever */
export function forgetAuditJob(days: number | undefined): Job {
  return {
    name: 'forget-audit-entries',
    description: 'Deletes entries of the audit trail after AUDIT_RETENTION_DAYS.',
    everyMinutes: 60,
    run: async (call) => ({
      done: await drainJobs(call, DELETE_ENTRIES, forgottenBefore(call, days), ENTRIES_AT_ONCE),
    }),
  };
}
