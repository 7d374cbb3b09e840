import { AuditAction, recordAudit } from '../../accounts/audit/entry.js';
import { notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { requireAccount } from '../../graphql/access.js';
import { auditedWrite, isByHand } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { liveIdentities } from '../read.js';

const END = `
  update device_sessions set status = 'revoked', revoked_at = :now, updated_at = :now
  where identity_id = :player and status = 'active' and deleted_at is null returning id`;

/**
 * Ends all sessions of a player, whoever started them.
 * @returns how many
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function endPlayerSessions(context: Context, identityId: string): Promise<number> {
  const now = new Date(context.clock());
  const ended = await auditedWrite(context, async (trx) => {
    const player = await liveIdentities(trx).findById(uuidOf(identityId));
    if (!player) throw notFound('Identity');
    requireAccount(context, player);
    const { rows } = await runStatement<{ id: string }>(trx, END, { player: uuidOf(identityId), now });
    if (rows.length > 0 && isByHand(context)) {
      const { accountId, gameId, id: subjectId } = player;
      const act = {
        action: AuditAction.PLAYER_SESSIONS_ENDED,
        before: null,
        after: { sessionsEnded: rows.length },
      };
      await recordAudit(trx, context, { accountId, gameId, subjectId, ...act });
    }
    return rows;
  });
  for (const { id } of ended) context.changed(idOf('deviceSession', id));
  return ended.length;
}
