import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { saveRecord } from '../../db/save.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import { WebhookEndpoint } from './endpoint.js';

/**
 * Pauses every endpoint of a restored database: a copy must not post before a person resumes it. Numbers are used again from
 * now on, hence the new epoch.
 * @param command of the operator, for the audit trail
 * @returns how many were active
 */
export async function pauseAllEndpoints(db: Knex, command: string, now: Date): Promise<number> {
  return auditedWrite({ db, ...workOf('operator', command, now) }, async (trx) => {
    const endpoints = await WebhookEndpoint.query(trx).orderBy('id').forUpdate();
    const statusReason = 'The database was restored from a backup. Resume it if this is not a copy.';
    let paused = 0;
    for (const endpoint of endpoints) {
      const isActive = endpoint.status === 'active';
      const status = isActive ? ({ status: 'paused', statusReason } as const) : {};
      await saveRecord(trx, endpoint, { ...status, epoch: randomUUID() }, now);
      if (isActive && !endpoint.deletedAt) paused += 1;
    }
    return paused;
  });
}
