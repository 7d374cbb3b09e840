import { drain, type Job } from '../../jobs/job.js';

/** Retention of ended sessions, for administrators. */
const KEPT_MILLIS = 30 * 24 * 3_600_000;
const CHUNK = 2_000;

const FORGET = `delete from device_sessions where id in (
  select id from device_sessions where refresh_expires_at < ? order by refresh_expires_at limit ${CHUNK} for update skip locked)`;

/** A session whose refresh token has expired cannot continue, whatever its status. */
export const forgetSessionsJob: Job = {
  name: 'forget-sessions',
  description: 'Deletes device sessions 30 days after their refresh token expired.',
  everyMinutes: 60,
  run: async (call) => ({ done: await drain(call, FORGET, call.now.getTime() - KEPT_MILLIS, CHUNK) }),
};
