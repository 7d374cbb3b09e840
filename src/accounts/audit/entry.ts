import type { Knex } from 'knex';
import { Field, ID, ObjectType, registerEnumType } from 'type-graphql';
import { notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { BareRow } from '../../db/row.js';
import { insertRecord } from '../../db/save.js';
import type { Sortable } from '../../db/sort.js';
import { accountScope, requireAccount } from '../../graphql/access.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { Node } from '../../graphql/node.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { inLiveAccount } from '../read.js';

/** The recorded acts. Database functions write these, too (migrations/019_review.sql). */
export const AuditAction = {
  FLAG_ADDED: 'flag_added',
  FLAG_REVIEWED: 'flag_reviewed',
  FLAG_DELETED: 'flag_deleted',
  FLAG_RESTORED: 'flag_restored',
  TRUST_TIER_CHANGED: 'trust_tier_changed',
  DEVICE_STATUS_CHANGED: 'device_status_changed',
  RUNS_REVIEWED: 'runs_reviewed',
  RUNS_REVIEW_UNDONE: 'runs_review_undone',
  ADDRESS_GIVEN_UP: 'address_given_up',
  SIGNED_IN: 'signed_in',
  IDENTITY_ERASED: 'identity_erased',
  GAME_PICTURE_CHANGED: 'game_picture_changed',
  RECORD_DELETED: 'record_deleted',
  RECORD_RESTORED: 'record_restored',
  SCORES_IMPORTED: 'scores_imported',
} as const;
export type AuditAction = (typeof AuditAction)[keyof typeof AuditAction];

registerEnumType(AuditAction, {
  name: 'AuditAction',
  description: 'An action in the audit log.',
  valuesConfig: {
    FLAG_ADDED: { description: 'An administrator flagged a submission.' },
    FLAG_REVIEWED: { description: 'The status or note of a flag was changed.' },
    FLAG_DELETED: { description: 'A flag was deleted and no longer affects its submission.' },
    FLAG_RESTORED: { description: 'A deleted flag was restored.' },
    TRUST_TIER_CHANGED: {
      description: "A player's trust tier was changed by an administrator or by confirmed flags.",
    },
    DEVICE_STATUS_CHANGED: { description: 'A device was banned, suspended or activated.' },
    RUNS_REVIEWED: { description: 'All runs of a player or a device were confirmed or cleared.' },
    RUNS_REVIEW_UNDONE: { description: 'A review of all runs was undone.' },
    ADDRESS_GIVEN_UP: {
      description:
        "A user lost an unverified email address to the person who verified it. The user's keys keep working.",
    },
    IDENTITY_ERASED: { description: "A player's personal data was erased." },
    GAME_PICTURE_CHANGED: { description: 'The logo or cover of a game was set or removed.' },
    SIGNED_IN: {
      description: 'A user signed in to the console with an emailed code and got a key valid for 12 hours.',
    },
    RECORD_DELETED: {
      description:
        'A board, template, game, player, device, session, user, key or account was deleted. Flags have their own actions.',
    },
    RECORD_RESTORED: { description: 'A deleted record was restored.' },
    SCORES_IMPORTED: { description: 'An import was finished: its rows become events of a board.' },
  },
});

@ObjectType({
  implements: Node,
  description:
    'An entry of the audit log: who did what and when, in fair play, access, email addresses, imports or deletions.',
  simpleResolvers: true,
})
export class AuditEntry extends BareRow {
  static override tableName = 'audit_entries';
  static override ids = { id: 'auditEntry', accountId: 'account', gameId: 'game', userId: 'user' } as const;

  @Field(() => ID, { description: 'The id, `aud_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it was done in.' })
  accountId!: string;

  @Field(() => ID, { nullable: true, description: 'The game it is about. Null if it is about none.' })
  gameId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The user who did it. Null if it was the service itself.' })
  userId!: string | null;

  @Field(() => AuditAction, { description: 'What was done.' })
  action!: AuditAction;

  @Field(() => ID, {
    description:
      'What the action was about: a flag, player, device, review of runs, user, key, game or import; for a deletion, the deleted record.',
  })
  subjectId!: string;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'The changed fields with their previous values. Null if there were none.',
  })
  before!: Record<string, unknown> | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'The changed fields with their new values. Null if there are none.',
  })
  after!: Record<string, unknown> | null;

  @Field(() => String, { nullable: true, description: 'The reason. Null if none was given.' })
  reason!: string | null;

  @Field(() => DateTime, { description: 'When it was done.' })
  createdAt!: Date;
}

/** One administrative act. `before` and `after` hold only the fields that changed. */
interface AuditRecord {
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
export async function recordAudit(
  trx: Knex.Transaction,
  { caller, clock }: Pick<Context, 'caller' | 'clock'>,
  action: AuditRecord,
): Promise<void> {
  const now = new Date(clock());
  const userId = caller.kind === 'admin' ? caller.userId : null;
  const id = idOf('auditEntry', uuid7(now.getTime()));
  await insertRecord(trx, AuditEntry, { id, userId, reason: null, ...action, createdAt: now });
}

/** Records that a record was deleted or restored, in the transaction of the change; nothing if `deletedAt` is absent. */
export async function recordDeletion(
  trx: Knex.Transaction,
  context: Context,
  record: { id: string; accountId: string; gameId?: string | null },
  { deletedAt }: { deletedAt?: Date | null },
): Promise<void> {
  if (deletedAt === undefined) return;
  const deleted = deletedAt !== null;
  await recordAudit(trx, context, {
    accountId: record.accountId,
    gameId: record.gameId ?? null,
    action: deleted ? AuditAction.RECORD_DELETED : AuditAction.RECORD_RESTORED,
    subjectId: record.id,
    before: { deleted: !deleted },
    after: { deleted },
  });
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

export const SORTABLE_ENTRIES: Sortable = {
  id: { column: 'audit_entries.id', kind: 'id', idKind: 'auditEntry' },
  created_at: { column: 'audit_entries.created_at', kind: 'time' },
};

interface AuditFilters {
  accountId?: string | null;
  gameId?: string | null;
  userId?: string | null;
  subjectId?: string | null;
  action?: AuditAction | null;
}

/** Newest first; limited to the caller's account. */
export function listAuditEntries(context: Context, page: SortedRequest, filters: AuditFilters) {
  const scope = accountScope(context, filters.accountId);
  const { gameId, userId, subjectId, action } = filters;
  const rows = entries(context.db);
  if (scope) rows.where('audit_entries.account_id', uuidOf(scope));
  if (gameId != null) rows.where('audit_entries.game_id', uuidOf(gameId));
  if (userId != null) rows.where('audit_entries.user_id', uuidOf(userId));
  if (subjectId != null) rows.where('audit_entries.subject_id', subjectId);
  if (action != null) rows.where('audit_entries.action', action);
  const effective = { account_id: scope, game_id: gameId, user_id: userId, subject_id: subjectId, action };
  return readRecords(
    context.db,
    { type: AuditEntry, sortable: SORTABLE_ENTRIES, rows, filters: effective },
    page,
  );
}
