import { drainJobs, type Job } from '../../jobs/job.js';

const AT_ONCE = 5_000;

const EXPIRED = `delete from link_codes where code_hash in (
  select code_hash from link_codes where expires_at < ? order by expires_at limit ${AT_ONCE} for update skip locked)`;

/** A code is refused for its age, too. */
export const forgetLinkCodesJob: Job = {
  name: 'forget-link-codes',
  description: 'Deletes link codes that have expired.',
  everyMinutes: 5,
  run: async (call) => ({ done: await drainJobs(call, EXPIRED, call.now.getTime(), AT_ONCE) }),
};
