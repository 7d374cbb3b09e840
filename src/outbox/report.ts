import type { Knex } from 'knex';
import { uuid7, uuidOf } from '../base/ids.js';
import { runStatement } from '../db/pool.js';

/** What a transaction does, for webhooks. Ids are prefixed. */
interface Report {
  accountId: string;
  /** `board.closed`; one of webhooks/event-types.ts. */
  type: string;
  gameId?: string | null;
  boardId?: string | null;
  /** The population that it is about; absent: none. */
  isTest?: boolean;
  /** Ids, numbers and words of the service, from which the event is made; nothing that a player wrote. */
  subject: Record<string, unknown>;
  at: Date;
  /** When it is to be reported, if later. */
  dueAt?: Date;
  /** A bare uuid, for reports that replace each other until they are due. */
  id?: string;
}

const REPORT = 'select report_event(?, ?, ?, ?, ?, ?, ?, ?, ?)';

/** Writes an event for the webhook endpoints that ask for it; without such an endpoint, nothing is written. */
export async function reportEvent(trx: Knex, report: Report): Promise<void> {
  const { accountId, type, gameId, boardId, isTest = null, subject, at, dueAt = at } = report;
  // Those of one process are dispatched in their order.
  const { id = uuid7(at.getTime()) } = report;
  const bare = (of: string | null | undefined) => (of == null ? null : uuidOf(of));
  const ids = [bare(gameId), bare(boardId)];
  const values = [uuidOf(accountId), type, ...ids, isTest, JSON.stringify(subject), at, dueAt, id];
  await runStatement(trx, REPORT, values);
}
