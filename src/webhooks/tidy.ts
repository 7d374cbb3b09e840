import { drainJobs, forgottenBefore, type Job } from '../jobs/job.js';

const ROWS_AT_ONCE = 1_000;

const oldest = (table: string) => `
  delete from ${table} where ctid = any(array(select ctid from ${table} where created_at < ? limit ${ROWS_AT_ONCE}))`;

/** Events and deliveries are forgotten together, whatever became of them. @param days WEBHOOK_LOG_DAYS */
export function tidyWebhooksJob(days: number): Job {
  return {
    name: 'tidy-webhooks',
    description: 'Deletes webhook events and deliveries older than WEBHOOK_LOG_DAYS.',
    everyMinutes: 60,
    run: async (call) => {
      const before = forgottenBefore(call, days);
      const deliveries = await drainJobs(call, oldest('webhook_deliveries'), before, ROWS_AT_ONCE);
      return { done: deliveries + (await drainJobs(call, oldest('webhook_events'), before, ROWS_AT_ONCE)) };
    },
  };
}
