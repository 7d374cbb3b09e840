import { drainJobs, type Job } from '../jobs/job.js';
import { IDEMPOTENCY_MILLIS } from './read/facts.js';

/** Uses are stored for longer than nonces live, because another gateway's clock may be behind. */
const USES_GRACE_MS = 3_600_000;
const USES_AT_ONCE = 5_000;

/**
 * Ids of nonces begin with the time at which they were issued, which is before they expire: the primary key finds
 * the old ones. Ids from earlier versions are random: most are beyond any time and are checked, too.
 */
const NONCES = `
  with time as materialized (
    select before, lpad(to_hex((extract(epoch from before) * 1000)::bigint), 12, '0') as hex from (select ?::timestamptz) t(before))
  delete from nonce_uses where nonce in (
    select nonce from nonce_uses
    where (nonce < ((select hex from time) || repeat('0', 20))::uuid or nonce > ('1' || repeat('0', 31))::uuid)
      and expires_at < (select before from time)
    limit ${USES_AT_ONCE} for update skip locked)`;

const KEYS = `delete from idempotency_keys where (scope, key) in (
  select scope, key from idempotency_keys where created_at < ? order by created_at limit ${USES_AT_ONCE} for update skip locked)`;

/**
 * A nonce is refused for its age before its use is looked up, so the use of an expired nonce is no longer needed.
 */
export const forgetNonceUsesJob: Job = {
  name: 'forget-nonce-uses',
  description: 'Deletes uses of nonces an hour after these have expired.',
  everyMinutes: 1,
  run: async (call) => ({
    done: await drainJobs(call, NONCES, call.now.getTime() - USES_GRACE_MS, USES_AT_ONCE),
  }),
};

export const forgetIdempotencyKeysJob: Job = {
  name: 'forget-idempotency-keys',
  description: 'Deletes idempotency keys and their answers after seven days.',
  everyMinutes: 5,
  run: async (call) => ({
    done: await drainJobs(call, KEYS, call.now.getTime() - IDEMPOTENCY_MILLIS, USES_AT_ONCE),
  }),
};
