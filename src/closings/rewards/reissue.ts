import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { notePart } from '../../db/audit.js';
import { runStatement } from '../../db/pool.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { Closing, PrizesStatus } from '../closing.js';
import { rewardsOf } from '../granted.js';
import { loadClosing } from '../read.js';
import { DifferenceKind, type PrizeDifference, type Reissue } from './difference.js';

/** Rewards that one request grants. */
const GRANTED_AT_ONCE = 10_000;
/** Differences of each kind that are shown. */
const SHOWN_DIFFERENCES = 200;

const STATE = 'select ranking_since(c) as state from closings c where c.id = ?';
const LIST = `select d.kind, d.n, d.first from closings c cross join lateral list_differences(c, ${SHOWN_DIFFERENCES}) d where c.id = ?`;
const REISSUE = `select reissue_prizes(?, ?, ${GRANTED_AT_ONCE}, ?, ?) as made`;

interface Differences {
  kind: DifferenceKind;
  n: string;
  first: PrizeDifference[];
}

/** Why its ranking says nothing about the closing any more, or not yet. */
const UNLIKE: Record<string, string> = {
  wait: 'Its ranking is being built. Try again in a moment.',
  gone: 'Its ranking is no longer kept.',
  later: 'The board was opened again, and its ranking has runs that came after the end.',
};

/** @throws DomainError INVALID_TRANSITION */
function requireGranted({ prizesStatus, prizeNumber }: Closing): void {
  if (prizesStatus === PrizesStatus.GRANTED) return;
  if (prizesStatus === PrizesStatus.NONE && prizeNumber !== null) return;
  const why =
    prizesStatus === PrizesStatus.NONE
      ? 'This closing has no prizes.'
      : 'The prizes of this closing have not been granted yet.';
  throw new DomainError('INVALID_TRANSITION', why);
}

/**
 * Compares what a closing granted with what it would grant by the ranking as it is now, and grants what is missing: with the
 * ids that it would have had, so nothing twice. Nothing is taken back.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION; UNAVAILABLE at the statement timeout
 */
export async function reissuePrizes(
  context: Context,
  mostGrants: number,
  { id, dryRun }: { id: string; dryRun?: boolean | null },
): Promise<Reissue> {
  await loadClosing(context, id);
  const now = new Date(context.clock());
  const reissue = await auditedWrite(context, async (trx) => {
    const closing = (await Closing.query(trx).where('id', uuidOf(id)).forUpdate().first())!;
    requireGranted(closing);
    const { state } = (await runStatement<{ state: string }>(trx, STATE, [uuidOf(id)])).rows[0]!;
    if (state !== 'live') throw new DomainError('INVALID_TRANSITION', UNLIKE[state]!);
    const { rows: differences } = await runStatement<Differences>(trx, LIST, [uuidOf(id)]);
    const count = (kind: DifferenceKind) => Number(differences.find((one) => one.kind === kind)?.n ?? 0);
    let made = 0;
    if (!dryRun && count(DifferenceKind.MISSING) > 0) {
      const values = [uuidOf(closing.boardId), uuidOf(id), mostGrants, now];
      made = (await runStatement<{ made: number }>(trx, REISSUE, values)).rows[0]!.made;
      const before = closing.grantedCount;
      if (made > 0) {
        Object.assign(closing, { grantedCount: before + made, prizesStatus: 'granted', updatedAt: now });
        notePart(trx, closing, 'grantedCount', before, closing.grantedCount);
      }
    }
    return {
      ...{ closing, grantedCount: made, missingCount: count(DifferenceKind.MISSING) },
      ...{ wrongCount: count(DifferenceKind.WRONG), sharedCount: count(DifferenceKind.SHARED) },
      differences: Object.values(DifferenceKind).flatMap(
        (kind) => differences.find((one) => one.kind === kind)?.first ?? [],
      ),
    };
  });
  if (reissue.grantedCount > 0) context.changed(rewardsOf(reissue.closing.gameId));
  return reissue;
}
