import type { Job, JobCall } from '../jobs/job.js';
import { IDEMPOTENCY_MILLIS } from './ingest.js';

/** Uses are kept longer than their nonces live: another gateway's clock may be behind this one's. */
const GRACE_MILLIS = 3_600_000;
/** Rows of one statement: each stays far below a second. */
const CHUNK = 5_000;

const NONCES = `delete from nonce_uses where nonce in (
  select nonce from nonce_uses where expires_at < ? order by expires_at limit ${CHUNK} for update skip locked)`;

const KEYS = `delete from idempotency_keys where (scope, key) in (
  select scope, key from idempotency_keys where created_at < ? order by created_at limit ${CHUNK} for update skip locked)`;

async function drain({ db, signal }: JobCall, statement: string, before: number) {
  let done = 0;
  for (;;) {
    const { rowCount } = await db.raw<{ rowCount: number }>(statement, [new Date(before)]);
    done += rowCount;
    if (rowCount < CHUNK || signal.aborted) return { done };
  }
}

/** A nonce is refused for its age before its use is looked up, so the use of an old one tells nothing any more. */
export const forgetNonceUsesJob: Job = {
  name: 'forget-nonce-uses',
  description: 'Deletes uses of nonces an hour after these have expired.',
  everyMinutes: 1,
  run: (call) => drain(call, NONCES, call.now.getTime() - GRACE_MILLIS),
};

export const forgetIdempotencyKeysJob: Job = {
  name: 'forget-idempotency-keys',
  description: 'Deletes idempotency keys and their answers after seven days.',
  everyMinutes: 5,
  run: (call) => drain(call, KEYS, call.now.getTime() - IDEMPOTENCY_MILLIS),
};
