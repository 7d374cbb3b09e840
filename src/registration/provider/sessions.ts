import type { Knex } from 'knex';
import type { ApiKey } from '../../accounts/keys/api-key.js';
import { uuidOf } from '../../base/ids.js';
import { servedHere } from '../../db/moved.js';
import { runStatement } from '../../db/pool.js';
import { drainJobs, type Job } from '../../jobs/job.js';
import type { Seal } from '../../mail/outbox.js';
import type { Ticket } from './tickets.js';

/** Until the issuer is asked again; requests go on for another minute meanwhile. */
export const CHECK_MS = 14 * 60_000;
const HOUR_MS = 3_600_000;

/** Without a refresh token nobody can be asked: a session of an hour. @returns undefined: as long as others */
export function sessionLife({ refreshToken }: Ticket): number | undefined {
  return refreshToken === null ? HOUR_MS : undefined;
}

const NOTE = `
  insert into provider_sessions (key_id, account_id, link_id, sid, sealed_refresh, created_at) values (?, ?, ?, ?, ?, ?)`;
const CHECK_AT = 'update api_keys set check_due_at = ? where id = ?';

/** Notes who confirmed a session, and how to ask again. */
export async function noteSession(
  trx: Knex.Transaction,
  seal: Seal,
  { id, accountId }: ApiKey,
  linkId: string,
  { sid, refreshToken }: Ticket,
  now: Date,
): Promise<void> {
  const sealed = refreshToken === null ? null : seal.close(id, refreshToken);
  await runStatement(trx, NOTE, [uuidOf(id), uuidOf(accountId), uuidOf(linkId), sid, sealed, now]);
  if (sealed) await runStatement(trx, CHECK_AT, [new Date(now.getTime() + CHECK_MS), uuidOf(id)]);
}

const ROWS_AT_ONCE = 1_000;
/** Longer than any session. */
const KEPT_MS = 13 * HOUR_MS;

/** Refresh tokens are kept for as long as a session can last. */
export const tidySessionsJob: Job = {
  name: 'tidy-provider-sessions',
  description: 'Deletes what is kept of sign-ins with single sign-on after their sessions have ended.',
  everyMinutes: 60,
  run: async (call) => {
    const before = call.now.getTime() - KEPT_MS;
    const served = servedHere(call.db, 'account', 'provider_sessions.account_id');
    const old = `delete from provider_sessions where ctid = any(array(
      select ctid from provider_sessions where created_at < ? ${served} limit ${ROWS_AT_ONCE}))`;
    return { done: await drainJobs(call, old, before, ROWS_AT_ONCE) };
  },
};
