import type { Knex } from 'knex';
import { notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { insertRecord } from '../../db/save.js';
import type { Sortable } from '../../db/sort.js';
import { accountScope, requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { inLiveAccount } from '../read.js';
import { type AuditAction, AuditEntry } from './entry.js';

/** One administrative act. `before` and `after` hold only the fields that changed. */
export interface Deed {
  accountId: string;
  gameId: string | null;
  action: AuditAction;
  /** Prefixed. */
  subjectId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason?: string | null;
}

/** Records the caller's act in the audit trail, in the transaction of the act. */
export async function noteDeed(
  trx: Knex.Transaction,
  { caller, clock }: Pick<Context, 'caller' | 'clock'>,
  deed: Deed,
): Promise<void> {
  const now = new Date(clock());
  const userId = caller.kind === 'admin' ? caller.userId : null;
  const id = idOf('auditEntry', uuid7(now.getTime()));
  await insertRecord(trx, AuditEntry, { id, userId, reason: null, ...deed, createdAt: now });
}

const entries = (db: Knex) => AuditEntry.query(db).whereRaw(inLiveAccount('audit_entries'));

const auditEntryById = recordsById(AuditEntry, entries);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadAuditEntry(context: Context, id: string): Promise<AuditEntry> {
  const entry = await context.loaders.of(auditEntryById).load(id);
  if (!entry) throw notFound('Audit entry');
  requireAccount(context, entry.accountId);
  return entry;
}

const SORTABLE: Sortable = {
  id: { column: 'audit_entries.id', kind: 'id', idKind: 'auditEntry' },
  created_at: { column: 'audit_entries.created_at', kind: 'time' },
};

export interface AuditFilters {
  accountId?: string | null;
  gameId?: string | null;
  userId?: string | null;
  subjectId?: string | null;
  action?: AuditAction | null;
}

/** Newest first; limited to the caller's account. */
export function listAuditEntries(context: Context, page: SortedPageArgs, filters: AuditFilters) {
  const scope = accountScope(context, filters.accountId);
  const { gameId, userId, subjectId, action } = filters;
  const rows = entries(context.db);
  if (scope) rows.where('audit_entries.account_id', uuidOf(scope));
  if (gameId != null) rows.where('audit_entries.game_id', uuidOf(gameId));
  if (userId != null) rows.where('audit_entries.user_id', uuidOf(userId));
  if (subjectId != null) rows.where('audit_entries.subject_id', subjectId);
  if (action != null) rows.where('audit_entries.action', action);
  const effective = { account_id: scope, game_id: gameId, user_id: userId, subject_id: subjectId, action };
  return readRecords(context.db, { type: AuditEntry, sortable: SORTABLE, rows, filters: effective }, page);
}
