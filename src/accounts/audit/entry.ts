import type { Knex } from 'knex';
import { Field, ID, ObjectType } from 'type-graphql';
import { notFound } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { AUDIT_EXPORT } from '../../base/transfer/exported.js';
import { insertEntry } from '../../db/audit.js';
import { BareRow } from '../../db/row.js';
import type { Sortable } from '../../db/sort.js';
import { accountScope, adminOf, requireAccount, requireRight, withinGames } from '../../graphql/access.js';
import { type Acting, authorOf } from '../../graphql/author.js';
import { readRecords, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { enumOf } from '../../graphql/enums.js';
import { recordsById } from '../../graphql/loader.js';
import { Node } from '../../graphql/node.js';
import type { DateTimeRange } from '../../graphql/records/list.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { AlsoInGraphQL } from '../../graphql/views.js';
import { inLiveAccount } from '../read.js';

/** The recorded acts. Database functions write these, too (migrations/019_review.sql). */
export const AuditAction = enumOf('AuditAction', 'An action in the audit log.', {
  flag_added: 'An administrator flagged a submission.',
  flag_reviewed: 'The status or note of a flag was changed.',
  flag_deleted: 'A flag was deleted and no longer affects its submission.',
  flag_restored: 'A deleted flag was restored.',
  comment_added: 'Someone commented on a flag or a player.',
  comment_deleted: 'The author deleted a comment on a flag or a player.',
  trust_tier_changed: "A player's trust tier was changed by an administrator or by confirmed flags.",
  device_status_changed: 'A device was banned, suspended or activated.',
  device_reset:
    'A device got another text to start sessions with, and its sessions ended: `after` says how many.',
  device_unlinked:
    'An administrator gave a linked device its own player back: `after` says how many of its sessions ended.',
  player_proof_removed:
    'An administrator removed a proof from a player: `before` has the provider, `after` how many sessions ended.',
  player_session_started: 'A person started a session for a player, in the console or a terminal.',
  player_sessions_ended: 'A person ended the sessions of a player: `after` says how many.',
  players_merged: 'Two players were merged: all runs of the source count for the target.',
  players_merge_undone: 'A merge of players was undone.',
  runs_reviewed: 'All runs of a player or a device were confirmed or cleared.',
  runs_review_undone: 'A review of all runs was undone.',
  pass_requested: 'The stored recordings of a board were sent to its verifier again.',
  pass_applied: 'The verdicts of such a pass were applied to the board.',
  pass_undone: 'Such a pass was undone, or ended without an effect.',
  verdicts_undone: 'All verdicts of a verifier on a board were taken back: `after` says how many.',
  address_given_up:
    "A user lost an unverified email address to the person who verified it. The user's keys keep working.",
  signed_in: 'A user signed in to the console and got a key valid for 12 hours.',
  sign_in_refused:
    'A person of an identity provider could not sign in: `reason` says why, once in twelve hours.',
  role_kept:
    'Groups of single sign-on gave a lesser role to the last owner or administrator, or were not listed: the user kept theirs.',
  identity_erased: "A player's personal data was erased.",
  game_picture_changed: 'The logo or cover of a game was set or removed.',
  record_created: 'A board, template, game, user, key, account or jam code was created, or a user invited.',
  record_changed:
    'Fields of a board, template, game, player, session, user, key, account or jam code were changed. Tiers, statuses of devices and pictures have their own actions.',
  record_deleted:
    'A board, template, game, player, device, session, user, key or account was deleted. Flags have their own actions.',
  record_restored: 'A deleted record was restored.',
  scores_imported: 'An import was finished: its rows become events of a board.',
  friends_changed:
    "A person changed a player's friends, in the console or a terminal: `before` has the removed, `after` the added ones.",
  player_tags_changed: "A person changed a player's tags, in the console or a terminal.",
  data_exported: "A player's data, boards or the audit log were exported.",
  webhook_secret_rotated: 'A webhook endpoint got a new secret.',
  webhook_tested: 'A test was sent to a webhook endpoint.',
  webhooks_redelivered: 'Deliveries to a webhook endpoint were sent again.',
  reward_claimed: 'A player claimed a reward: `after` has the session.',
  reward_acknowledged: 'A game server acknowledged a reward, with its key.',
  reward_expired: 'A reward expired unclaimed.',
  reward_revoked: 'An open reward was revoked.',
});
export type AuditAction = (typeof AuditAction)[keyof typeof AuditAction];

/** Who acts. */
const AuditAuthor = enumOf('AuditAuthor', 'Who acted.', {
  user: 'A user of the account.',
  superadmin: 'A superadmin.',
  operator: "The service's operator, with a command or by starting it.",
  job: 'A background job.',
  service: 'The service itself, as a consequence of something else.',
  player: 'A player, in the game.',
});
type AuditAuthor = (typeof AuditAuthor)[keyof typeof AuditAuthor];

@AlsoInGraphQL(AUDIT_EXPORT)
@ObjectType({
  implements: Node,
  description:
    'An entry of the audit log: who changed what, when and from where, in configuration, people, keys, fair play or personal data. What game clients and game servers write is not in it, except claims and acknowledgements of rewards.',
  simpleResolvers: true,
})
export class AuditEntry extends BareRow {
  static override tableName = 'audit_entries';
  static override ids = {
    id: 'auditEntry',
    accountId: 'account',
    gameId: 'game',
    userId: 'user',
    apiKeyId: 'apiKey',
  } as const;

  @Field(() => ID, { description: 'The id, `aud_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it was done in.' })
  accountId!: string;

  @Field(() => ID, { nullable: true, description: 'The game it is about. Null if it is about none.' })
  gameId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The user who did it. Null if it was the service itself.' })
  userId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The API key it was done with.' })
  apiKeyId!: string | null;

  /** Null in entries of earlier versions and of SQL functions. */
  author!: AuditAuthor | null;

  @Field(() => AuditAuthor, { description: 'Who did it.' })
  get by(): AuditAuthor {
    return this.author ?? (this.userId === null ? 'service' : 'user');
  }

  @Field(() => String, {
    nullable: true,
    description: "The job, or the operator's command. Null for people.",
  })
  agent!: string | null;

  @Field(() => AuditAction, { description: 'What was done.' })
  action!: AuditAction;

  @Field(() => ID, {
    description:
      'What the action was about: a board, template, game, flag, player, device, review of runs, import, closing, reward, user, key or account.',
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

  /** A field of the resolver. */
  ipAddress!: string | null;

  @Field(() => DateTime, { description: 'When it was done.' })
  createdAt!: Date;
}

/** One administrative act. `before` and `after` hold only the fields that changed. */
export interface AuditRecord {
  accountId: string;
  gameId: string | null;
  action: AuditAction;
  /** Prefixed. */
  subjectId: string;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
  reason?: string | null;
}

/**
 * Records an act that is no change of a record's fields, or has an action of its own, in the transaction of the act. Other
 * changes of records are noted where they are written (db/audit.ts).
 */
export async function recordAudit(trx: Knex, acting: Acting, act: AuditRecord): Promise<void> {
  const { accountId, gameId } = act;
  const bare = { accountId: uuidOf(accountId), gameId: gameId && uuidOf(gameId) };
  await insertEntry(trx, { ...act, ...bare }, authorOf(acting));
}

/** Records that a record is restored, where background work finishes that. */
export function recordReturn(
  trx: Knex.Transaction,
  acting: Acting,
  { id: subjectId, accountId, gameId }: { id: string; accountId: string; gameId: string },
): Promise<void> {
  const action = AuditAction.RECORD_RESTORED;
  const [before, after] = [{ deleted: true }, { deleted: false }];
  return recordAudit(trx, acting, { accountId, gameId, subjectId, action, before, after });
}

const entries = (db: Knex) => AuditEntry.query(db).whereRaw(inLiveAccount('audit_entries'));

const auditEntryById = recordsById(AuditEntry, entries);

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadAuditEntry(context: Context, id: string): Promise<AuditEntry> {
  const entry = await context.loaders.of(auditEntryById).load(id);
  if (!entry) throw notFound('Audit entry');
  requireAccount(context, entry);
  if (entry.gameId === null) requireRight(context, 'people');
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
  createdAt?: DateTimeRange | null;
  createdAfter?: Date | null;
  createdBefore?: Date | null;
}

/** Entries of the caller's account, and the filters that limit them. */
export function foundEntries(context: Context, filters: AuditFilters) {
  const scope = accountScope(context, filters.accountId);
  const { gameId, userId, subjectId, action } = filters;
  const after = filters.createdAfter ?? filters.createdAt?.after;
  const before = filters.createdBefore ?? filters.createdAt?.before;
  const rows = entries(context.db);
  if (scope) rows.where('audit_entries.account_id', uuidOf(scope));
  withinGames(context, rows, 'audit_entries.game_id');
  // Those of no game are about the account, its people and their keys.
  if (!adminOf(context).rights.includes('people')) rows.whereNotNull('audit_entries.game_id');
  if (gameId != null) rows.where('audit_entries.game_id', uuidOf(gameId));
  if (userId != null) rows.where('audit_entries.user_id', uuidOf(userId));
  if (subjectId != null) rows.where('audit_entries.subject_id', subjectId);
  if (action != null) rows.where('audit_entries.action', action);
  if (after != null) rows.where('audit_entries.created_at', '>', after);
  if (before != null) rows.where('audit_entries.created_at', '<', before);
  const effective = {
    ...{ account_id: scope, game_id: gameId, user_id: userId, subject_id: subjectId, action },
    ...{ created_after: after?.toISOString(), created_before: before?.toISOString() },
  };
  return { rows, effective };
}

/** The condition of the lists' indexes: leaves out claims, acknowledgements and expiry of rewards, maybe millions. */
const ACTS = `audit_entries.action not in ('reward_claimed', 'reward_acknowledged', 'reward_expired')`;

/**
 * Newest first; limited to the caller's account. Entries that game clients, game servers and time make are listed by their
 * subject or action only, so that they don't bury what people did.
 */
export function listAuditEntries(context: Context, page: SortedRequest, given: AuditFilters) {
  const { rows, effective: filters } = foundEntries(context, given);
  if (given.subjectId == null && given.action == null) rows.whereRaw(ACTS);
  return readRecords(context.db, { type: AuditEntry, sortable: SORTABLE_ENTRIES, rows, filters }, page);
}

/** The address of an entry, for those with the right `people`; of superadmins only for superadmins. */
export function shownAddress({ by, ipAddress }: AuditEntry, context: Context): string | null {
  const { superAdmin, rights } = adminOf(context);
  return rights.includes('people') && (superAdmin || by !== 'superadmin') ? ipAddress : null;
}
