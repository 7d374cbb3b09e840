import type { Knex } from 'knex';
import { User } from '../../accounts/users/user.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { saveRecord } from '../../db/save.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import { letterOf, paragraph, smallPrint } from '../../mail/letter.js';
import type { Outbox } from '../../mail/outbox.js';
import { reportEvent } from '../../outbox/report.js';
import type { WebhookEndpoint } from '../endpoints/endpoint.js';
import { liveEndpoints } from '../endpoints/read.js';

const FAIL_OPEN = `
  update webhook_deliveries set status = 'failed', settled_at = ?, last_error = coalesce(last_error, ?)
  where endpoint_id = ? and status in ('queued', 'blocked')`;

const MAIL_DAYS_MS = 3 * 24 * 3_600_000;

/**
 * Disables an endpoint: what waits for it has failed and can be sent again, other endpoints and the owners of its account are
 * told.
 */
export async function disableEndpoint(
  db: Knex,
  outbox: Outbox,
  job: string,
  endpointId: string,
  reason: string,
  now: Date,
): Promise<void> {
  await auditedWrite({ db, ...workOf('job', job, now) }, async (trx) => {
    const endpoint = await liveEndpoints(trx).findById(uuidOf(endpointId)).forUpdate();
    if (!endpoint || endpoint.status === 'disabled') return;
    await saveRecord(trx, endpoint, { status: 'disabled', statusReason: reason }, now);
    await runStatement(trx, FAIL_OPEN, [now, 'The endpoint is disabled.', uuidOf(endpointId)]);
    const { accountId, name } = endpoint;
    const subject = { endpoint_id: endpointId, name, reason };
    await reportEvent(trx, { accountId, type: 'endpoint.disabled', subject, at: now });
    await tellOwners(trx, outbox, endpoint, reason, now);
  });
}

async function tellOwners(
  trx: Knex.Transaction,
  outbox: Outbox,
  { id, accountId, name }: WebhookEndpoint,
  reason: string,
  now: Date,
): Promise<void> {
  const owners = await User.query(trx)
    .where({ account_id: uuidOf(accountId), is_owner: true, status: 'active' })
    .whereNull('deleted_at');
  const letter = letterOf('A webhook endpoint was disabled', [
    paragraph(`The service no longer sends events to the webhook endpoint "${name}". ${reason}`),
    paragraph(
      'What waited for it is in its log and can be sent again: correct the receiver, resume the endpoint, and choose "Send again".',
    ),
    smallPrint("You're receiving this email because you own the account."),
  ]);
  for (const { email } of owners) {
    const expiresAt = new Date(now.getTime() + MAIL_DAYS_MS);
    const mail = {
      ...letter,
      kind: 'webhook',
      recipient: email,
      accountId: uuidOf(accountId),
      about: uuidOf(id),
      expiresAt,
    };
    await outbox.put(trx, mail, now);
  }
}
