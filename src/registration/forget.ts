import { drain, type Job } from '../jobs/job.js';

const DAY = 24 * 3_600_000;
/** Longer than every use of them: the limit of an hour, an invitation of a day. */
const CODES_KEPT_MILLIS = 2 * DAY;
/** Retention of sent and failed mails, for looking up their results. */
const MAILS_KEPT_MILLIS = 30 * DAY;
const CHUNK = 2_000;

const CODES = `delete from verification_codes where id in (
  select id from verification_codes where created_at < ? order by created_at limit ${CHUNK} for update skip locked)`;

const MAILS = `delete from mails where id in (
  select id from mails where created_at < ? order by created_at limit ${CHUNK} for update skip locked)`;

export const forgetRegistrationsJob: Job = {
  name: 'forget-registrations',
  description: 'Deletes codes of registrations after two days, and what is known of mails after 30.',
  everyMinutes: 60,
  run: async (call) => {
    const now = call.now.getTime();
    const codes = await drain(call, CODES, now - CODES_KEPT_MILLIS, CHUNK);
    return { done: codes + (await drain(call, MAILS, now - MAILS_KEPT_MILLIS, CHUNK)) };
  },
};
