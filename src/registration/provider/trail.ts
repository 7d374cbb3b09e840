import type { Knex } from 'knex';
import { AuditEntry, type AuditRecord, recordAudit } from '../../accounts/audit/entry.js';
import type { Acting } from '../../graphql/author.js';

const NOTED_MS = 12 * 3_600_000;

/** Records an act unless the trail of the last hours has it: retries and refreshes would repeat it. */
export async function recordOnce(trx: Knex, acting: Acting, act: AuditRecord): Promise<void> {
  const { subjectId, action, after, reason } = act;
  const known = await AuditEntry.query(trx)
    .where({ subject_id: subjectId, action, reason: reason ?? null })
    .whereRaw('after is not distinct from ?::jsonb', [after && JSON.stringify(after)])
    .where('created_at', '>', new Date(acting.clock() - NOTED_MS))
    .first();
  if (!known) await recordAudit(trx, acting, act);
}
