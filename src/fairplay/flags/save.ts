import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { refuseMoved } from '../../db/moved.js';
import { deletionOf } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { reportEvent } from '../../outbox/report.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import { loadEvent } from '../../scores/read/events.js';
import type { CreateScoreFlagInput, ReviewScoreFlagInput } from '../inputs.js';
import { FLAGS, flagsOf } from './feed.js';
import { type FlagRow, flagOf, type ScoreFlag, type ShownFlagRow, WITH_BOARD } from './flag.js';
import { reachableFlags } from './read.js';

/** Creates an administrator's flag. @throws DomainError NOT_FOUND, FORBIDDEN (the event) */
export async function createFlag(context: Context, input: CreateScoreFlagInput): Promise<ScoreFlag> {
  const event = await loadEvent(context, input.scoreEventId);
  const now = new Date(context.clock());
  const board = uuidOf(event.boardId);
  const flag = await context.db.transaction(async (trx) => {
    await lockBoards(trx, [board]);
    const { seq, id, account_id, game_id, identity_id, device_id, is_test } = await trx('score_events')
      .where({ board_id: board, id: uuidOf(event.id) })
      .first();
    const [row]: FlagRow[] = await trx('score_flags')
      .insert({
        ...{
          board_id: board,
          event_seq: seq,
          event_id: id,
          account_id,
          game_id,
          identity_id,
          device_id,
          is_test,
        },
        id: uuid7(now.getTime()),
        flag_type: 'manual',
        confidence: input.confidence ?? 'high',
        status: 'pending',
        metadata: JSON.stringify(input.metadata ?? {}),
        compared_events: [],
        created_at: now,
        updated_at: now,
      })
      .returning('*');
    await reconcileFlags(trx, context, [row!], now);
    const [shown] = await rereadFlags(trx, [idOf('scoreFlag', row!.id)]);
    const made = flagOf(shown!);
    await recordAudit(trx, context, {
      ...auditOn(made),
      action: AuditAction.FLAG_ADDED,
      before: null,
      after: { flagType: made.flagType, confidence: made.confidence },
    });
    return made;
  });
  for (const topic of [flag.boardId, FLAGS, flagsOf(flag.accountId)]) context.changed(topic);
  return flag;
}

function auditOn({ id, accountId, gameId }: ScoreFlag) {
  return { accountId, gameId, subjectId: id };
}

/**
 * Reviews, annotates, deletes or restores a flag. The board is updated in the same transaction, ratio boards right after it.
 * @throws DomainError NOT_FOUND, FORBIDDEN; INVALID_FLAG_UPDATE when the input has no change; BAD_REQUEST when a counter's
 * sum would leave the range of numbers
 */
export async function reviewFlag(
  context: Context,
  ratios: Ratios,
  id: string,
  input: ReviewScoreFlagInput,
): Promise<ScoreFlag> {
  return (await reviewFlags(context, ratios, [id], input))[0]!;
}

/**
 * Gives some flags the same review, all of them or none.
 * @returns them in the order of their ids @throws DomainError as {@link reviewFlag}
 */
export async function reviewFlags(
  context: Context,
  ratios: Ratios,
  ids: string[],
  input: ReviewScoreFlagInput,
): Promise<ScoreFlag[]> {
  const now = new Date(context.clock());
  const rows = await context.db.transaction((trx) => applyReview(trx, context, ids, input, now));
  const flags = rows.map(flagOf);
  for (const { boardId, identityId, accountId } of flags) {
    for (const topic of [boardId, identityId, FLAGS, flagsOf(accountId)]) context.changed(topic);
  }
  for (const board of new Set(flags.map(({ boardId }) => boardId))) {
    const players = flags.filter(({ boardId }) => boardId === board).map(({ identityId }) => identityId);
    await ratios.followPlayers(board, [...new Set(players)]);
  }
  return flags;
}

/**
 * The part of a review that is written to the flags and their boards.
 * @param ids without repetitions
 * @param locked called for each flag under its board's lock, before the change
 * @throws DomainError as {@link reviewFlag}
 */
export async function applyReview(
  trx: Knex.Transaction,
  context: Context,
  ids: string[],
  input: ReviewScoreFlagInput,
  now: Date,
  locked?: (row: FlagRow) => Promise<void>,
): Promise<ShownFlagRow[]> {
  const found: FlagRow[] = await reachableFlags(trx).whereIn('f.id', ids.map(uuidOf));
  for (const id of ids) {
    if (found.some((row) => row.id === uuidOf(id))) continue;
    await refuseMoved(trx, 'score_flags', 't.id = ?', [uuidOf(id)]);
    throw notFound('Score flag');
  }
  const permitted = (row: FlagRow) => {
    const deletion = deletionOf({ deletedAt: row.deleted_at }, { ...input }, now, 'Score flag');
    requireAccount(context, {
      accountId: idOf('account', row.account_id),
      gameId: idOf('game', row.game_id),
    });
    return deletion;
  };
  for (const row of found) permitted(row);
  refuseNothing(input);
  // Boards are not locked for a caller who may not change them.
  await lockBoards(trx, [...new Set(found.map(({ board_id }) => board_id))]);
  const changed: { row: FlagRow; decided: boolean; moved: boolean }[] = [];
  // Read again under the lock: from here on, no other transaction can change the flags.
  for (const row of await rereadFlags(trx, ids)) {
    const deletion = permitted(row);
    await locked?.(row);
    const decided = await decideFlag(trx, context, row, input, now);
    const moved = deletion.deletedAt !== undefined;
    if (moved) await setDeleted(trx, row, deletion.deletedAt ?? null, now);
    if (decided || moved) changed.push({ row, decided, moved });
  }
  for (const board of new Set(changed.map(({ row }) => row.board_id))) {
    const flags = changed.map(({ row }) => row).filter(({ board_id }) => board_id === board);
    await reconcileFlags(trx, context, flags, now);
  }
  const after = await rereadFlags(trx, ids);
  for (const { row, decided, moved } of changed) {
    const flag = after.find(({ id }) => id === row.id)!;
    if (decided) await noteReview(trx, context, row, flag);
    if (flag.status !== row.status) await reportReview(trx, context, row, flag, now);
    if (moved) {
      const action = flag.deleted_at ? AuditAction.FLAG_DELETED : AuditAction.FLAG_RESTORED;
      await recordAudit(trx, context, { ...auditOn(flagOf(flag)), action, before: null, after: null });
    }
  }
  return after;
}

/** In the order of the ids. */
export async function rereadFlags(trx: Knex.Transaction, ids: string[]): Promise<ShownFlagRow[]> {
  const rows: ShownFlagRow[] = await trx('score_flags as f')
    .select(trx.raw(WITH_BOARD))
    .whereIn('f.id', ids.map(uuidOf));
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(uuidOf(id))!);
}

function refuseNothing({ status, reviewerDecision, deleted }: ReviewScoreFlagInput): void {
  if (status !== undefined || reviewerDecision !== undefined || deleted !== undefined) return;
  throw new DomainError(
    'INVALID_FLAG_UPDATE',
    'Nothing to update. Set a status, a reviewer decision or "deleted".',
  );
}

/** @returns true if the decision or the note changed */
async function decideFlag(
  trx: Knex.Transaction,
  context: Context,
  row: FlagRow,
  { status, reviewerDecision: note }: ReviewScoreFlagInput,
  now: Date,
): Promise<boolean> {
  const decides = status !== undefined && status !== row.status;
  const notes = note !== undefined && note !== row.reviewer_decision;
  if (!decides && !notes) return false;
  await trx('flag_reviews').insert({
    board_id: row.board_id,
    flag_id: row.id,
    status: decides ? status : null,
    note: notes ? note : null,
    notes,
    reviewer_id: uuidOf(adminOf(context).userId),
    undone: false,
    created_at: now,
  });
  return true;
}

/** What a person deletes or restores stays so, whatever becomes of the review that added it. */
async function setDeleted(trx: Knex.Transaction, row: FlagRow, at: Date | null, now: Date): Promise<void> {
  const { board_id, event_seq, id } = row;
  await trx('score_flags')
    .where({ board_id, event_seq, id })
    .update({ deleted_at: at, updated_at: now, added_by_review: null });
}

/** The audit entry of a decision. */
export async function noteReview(
  trx: Knex.Transaction,
  context: Context,
  before: FlagRow,
  after: ShownFlagRow,
): Promise<void> {
  const decisionOf = ({ status, reviewer_decision: reviewerDecision }: FlagRow) => ({
    status,
    reviewerDecision,
  });
  await recordAudit(trx, context, {
    ...auditOn(flagOf(after)),
    action: AuditAction.FLAG_REVIEWED,
    before: decisionOf(before),
    after: decisionOf(after),
    reason: after.reviewer_decision,
  });
}

/** The webhook event of a decision. */
export function reportReview(
  trx: Knex.Transaction,
  context: Context,
  before: FlagRow,
  row: ShownFlagRow,
  at: Date,
): Promise<void> {
  const { id, accountId, gameId, boardId, isTest, identityId, scoreEventId, flagType, status } = flagOf(row);
  const what = { flag_id: id, score_event_id: scoreEventId, player_id: identityId, flag_type: flagType };
  const subject = { ...what, status, previous_status: before.status, reviewer_id: adminOf(context).userId };
  return reportEvent(trx, { accountId, type: 'score.reviewed', gameId, boardId, isTest, subject, at });
}

/** numeric_value_out_of_range: a counter's sum overflows without, or again with, some of its deltas. */
const OUT_OF_RANGE = '22003';

export function isOutOfRange(error: unknown): boolean {
  return (error as { code?: string }).code === OUT_OF_RANGE;
}

export const OUT_OF_RANGE_SENTENCE = "Removing these runs would overflow the counter's sum.";

/**
 * Takes the locks for decisions on the flags of boards and the changes of the boards that follow. Bare uuids. In this order,
 * or reviews of all runs would deadlock with it: they hold the first for longer than the second (migrations/019_review.sql).
 */
async function lockBoards(trx: Knex.Transaction, boards: string[]): Promise<void> {
  await trx.raw('select lock_flags(?::uuid[])', [boards]);
  await trx('board_rankings').whereIn('board_id', boards).orderBy('board_id').forUpdate().select('board_id');
}

/**
 * Brings the flags of one board in line with their reviews, the board in line with its flags, and the players' tiers. Holds
 * the board's lock (migrations/019_review.sql).
 * @throws DomainError BAD_REQUEST when a counter's sum would leave the range of numbers
 */
async function reconcileFlags(
  trx: Knex.Transaction,
  { caller }: Pick<Context, 'caller'>,
  flags: FlagRow[],
  now: Date,
): Promise<void> {
  const board = flags[0]!.board_id;
  const user = caller.kind === 'admin' ? uuidOf(caller.userId) : null;
  try {
    await trx.raw('select update_flags(?, ?::uuid[], ?)', [board, flags.map(({ id }) => id), now]);
    const seqs = flags.map(({ event_seq }) => event_seq);
    await trx.raw('select apply_effects(?, ?::bigint[], ?, ?)', [board, seqs, user, now] as never);
  } catch (error) {
    throw isOutOfRange(error) ? new DomainError('BAD_REQUEST', OUT_OF_RANGE_SENTENCE) : error;
  }
  for (const player of new Set(flags.map(({ identity_id }) => identity_id))) {
    await trx.raw('select apply_tier(?, ?, ?)', [player, user, now] as never);
  }
}
