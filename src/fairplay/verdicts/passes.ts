import type { Knex } from 'knex';
import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { DomainError, notFound } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { loadBoard } from '../../boards/board/read.js';
import { runStatement } from '../../db/pool.js';
import { insertRecord, lockRecord, saveRecord } from '../../db/save.js';
import { tried } from '../../db/tried.js';
import { inLiveGame } from '../../games/read.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { recordsById } from '../../graphql/loader.js';
import { wakeJob } from '../../jobs/job.js';
import { isOutOfRange, OUT_OF_RANGE_SENTENCE } from '../flags/save.js';
import type { BoardReview } from '../reviews/review.js';
import { type ReverifyRunsInput, VerificationPass } from './pass.js';
import { effectOn } from './undo.js';

/** The job that sends and applies passes. */
export const VERIFICATION_PASSES = 'verification-passes';

/** Passes of an account that have not ended. */
const MOST_PASSES = 3;

const livePasses = (db: Knex) => VerificationPass.query(db).whereRaw(inLiveGame('verification_passes'));
const passById = recordsById(VerificationPass, livePasses);

/** Passes have entries of their own in the audit log. */
const UNNOTED = { noted: false };

const UNFINISHED = ['sending', 'open', 'applying', 'undoing'];
/** One request of an account after the other. */
const LOCK = 'select pg_advisory_xact_lock(7100011, hashtext(?))';
const STORED = `
  select r.seq, (select count(*)::int from recordings k join score_events v on v.board_id = k.board_id and v.seq = k.event_seq
    where k.board_id = r.board_id and k.bytes is not null and v.created_at >= ?) as total
  from board_rankings r where r.board_id = ?`;

/** @throws DomainError NOT_FOUND, FORBIDDEN */
export async function loadPass(context: Context, id: string): Promise<VerificationPass> {
  const pass = await context.loaders.of(passById).load(id);
  if (!pass) throw notFound('Verification pass');
  requireAccount(context, pass);
  return pass;
}

const MOST_LISTED = 50;

/** The newest passes of a board. */
export async function listPasses(context: Context, boardId: string): Promise<VerificationPass[]> {
  return VerificationPass.query(context.db)
    .where('board_id', uuidOf(boardId))
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(MOST_LISTED);
}

/**
 * Has all stored recordings of a board sent to the verifier again.
 * @throws DomainError NOT_FOUND, FORBIDDEN; CONFLICT: the board has a pass that has not ended, or the account too many;
 * INVALID_TRANSITION: the board takes no verdicts
 */
export async function reverifyRuns(
  context: Context,
  { boardId, since }: ReverifyRunsInput,
): Promise<VerificationPass> {
  const board = await loadBoard(context, boardId);
  if (!board.verdicts) throw new DomainError('INVALID_TRANSITION', 'This board takes no verdicts.');
  const now = new Date(context.clock());
  const { accountId, gameId } = board;
  return context.db.transaction(async (trx) => {
    await runStatement(trx, LOCK, [accountId]);
    const running = await VerificationPass.query(trx)
      .where('account_id', uuidOf(accountId))
      .whereIn('status', UNFINISHED)
      .limit(MOST_PASSES);
    if (running.some((pass) => pass.boardId === boardId))
      throw new DomainError('CONFLICT', 'This board has a pass that has not ended. Apply or undo it first.');
    if (running.length === MOST_PASSES)
      throw new DomainError('CONFLICT', `The account has ${MOST_PASSES} passes that have not ended.`);
    const { rows } = await runStatement<{ seq: number; total: number }>(trx, STORED, [
      since ?? '-infinity',
      uuidOf(boardId),
    ]);
    const pass = await insertRecord(
      trx,
      VerificationPass,
      {
        ...{ id: idOf('verificationPass', uuid7(now.getTime())), accountId, gameId, boardId },
        ...{ since: since ?? null, status: 'sending', total: rows[0]!.total, sent: 0, sentUpto: 0 },
        ...{
          upto: rows[0]!.seq,
          runs: null,
          moved: null,
          podiumBefore: null,
          podiumAfter: null,
          failure: null,
        },
        ...{ requestedBy: adminOf(context).userId, appliedBy: null, undoneBy: null, appliedAt: null },
        ...{ createdAt: now, updatedAt: now },
      },
      UNNOTED,
    );
    await note(trx, context, pass, AuditAction.PASS_REQUESTED);
    await wakeJob(trx, VERIFICATION_PASSES, now, now.getTime());
    return pass;
  });
}

function note(trx: Knex.Transaction, context: Context, pass: VerificationPass, action: AuditAction) {
  const { id, accountId, gameId, boardId, since } = pass;
  const after = { passId: id, since };
  return recordAudit(trx, context, { accountId, gameId, subjectId: boardId, action, before: null, after });
}

const APPLY = 'select apply_pass(?, ?)';

/** What a pass would change if it were applied now. @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION, BAD_REQUEST */
export async function previewPass(context: Context, id: string): Promise<BoardReview> {
  const { boardId } = await loadPass(context, id);
  const board = await loadBoard(context, boardId);
  const now = new Date(context.clock());
  const applied = await tried(context.db, async (trx) => {
    await begin(trx, context, id, now);
    await runStatement(trx, APPLY, [uuidOf(id), now]);
    return VerificationPass.query(trx).findById(uuidOf(id)).throwIfNotFound();
  }).catch((error) => {
    throw isOutOfRange(error) ? new DomainError('BAD_REQUEST', OUT_OF_RANGE_SENTENCE) : error;
  });
  return effectOfPass(board, applied)!;
}

/** The effect of an applied pass on its board; null: it was not applied. */
export function effectOfPass(
  board: Parameters<typeof effectOn>[0],
  { runs, moved, podiumBefore, podiumAfter }: VerificationPass,
): BoardReview | null {
  if (runs === null) return null;
  const podiums = { podium_before: podiumBefore!, podium_after: podiumAfter! };
  return effectOn(board, { taken: 0, runs, moved: moved!, ...podiums, players: [] });
}

/** Locks a pass and has it applied. @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION */
async function begin(
  trx: Knex.Transaction,
  context: Context,
  id: string,
  now: Date,
): Promise<VerificationPass> {
  const pass = await lockRecord(VerificationPass, livePasses(trx), id, 'Verification pass');
  requireAccount(context, pass);
  if (pass.status !== 'sending' && pass.status !== 'open')
    throw new DomainError('INVALID_TRANSITION', 'This pass was applied or has ended already.');
  await saveRecord(trx, pass, { status: 'applying', appliedBy: adminOf(context).userId }, now, UNNOTED);
  return pass;
}

/** Begins to apply a pass; {@link VerificationPass.status} says when it is. @throws DomainError as {@link begin} */
export function beginApplying(context: Context, id: string): Promise<VerificationPass> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const pass = await begin(trx, context, id, now);
    await note(trx, context, pass, AuditAction.PASS_APPLIED);
    await wakeJob(trx, VERIFICATION_PASSES, now, now.getTime());
    return pass;
  });
}

/**
 * Begins to undo an applied pass, or ends one that was not applied.
 * @throws DomainError NOT_FOUND, FORBIDDEN; INVALID_TRANSITION while it is being applied
 */
export function beginUndoing(context: Context, id: string): Promise<VerificationPass> {
  const now = new Date(context.clock());
  return context.db.transaction(async (trx) => {
    const pass = await lockRecord(VerificationPass, livePasses(trx), id, 'Verification pass');
    requireAccount(context, pass);
    if (['undoing', 'undone', 'cancelled'].includes(pass.status)) return pass;
    if (pass.status === 'applying')
      throw new DomainError('INVALID_TRANSITION', 'This pass is being applied. Undo it in a moment.');
    const status = pass.status === 'applied' ? 'undoing' : 'cancelled';
    await saveRecord(trx, pass, { status, undoneBy: adminOf(context).userId }, now, UNNOTED);
    await note(trx, context, pass, AuditAction.PASS_UNDONE);
    await wakeJob(trx, VERIFICATION_PASSES, now, now.getTime());
    return pass;
  });
}
