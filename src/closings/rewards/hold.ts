import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { CLOSE_RANKINGS } from '../../boards/closing-rules/closing-rule.js';
import { notePart } from '../../db/audit.js';
import { runStatement } from '../../db/pool.js';
import { lockRecord, saveRecord } from '../../db/save.js';
import { Game } from '../../games/game.js';
import { liveGames, loadGame } from '../../games/read.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import { wakeJob } from '../../jobs/job.js';
import { Closing } from '../closing.js';
import { loadClosing } from '../read.js';

const WITH_PRIZES =
  'exists (select from prize_tables t join boards b on b.id = t.board_id where b.game_id = games.id)';
const HOLD = `update closings c set prizes_status = 'held', held_at = ?, updated_at = ? where c.prizes_status = 'granting'
  or (c.prizes_status = 'granted' and exists (select from rewards w where w.closing_id = c.id and w.status = 'open'))`;
const RELEASE_HELD = 'select release_held(board_id, id, ?) from closings where id = ?';
const RELEASE = `update closings set prizes_status = 'granting', released_at = ?, updated_at = ? where id = ?`;

/**
 * Holds the prizes of a restored database: open rewards may have been claimed after the backup, and rankings that had begun
 * may have been closed. To be called before the service starts on it.
 * @param command of the operator, for the audit trail
 * @returns how many closings are held
 */
export async function holdAllPrizes(db: Knex, command: string, now: Date): Promise<number> {
  return auditedWrite({ db, ...workOf('operator', command, now) }, async (trx) => {
    const games = await Game.query(trx).whereRaw(WITH_PRIZES).orderBy('id').forUpdate();
    for (const game of games) await saveRecord(trx, game, { prizesHeldAt: now }, now);
    return (await runStatement(trx, HOLD, [now, now])).rowCount!;
  });
}

/**
 * Ends the hold of a game's prizes: the job grants those of all closings that are held.
 * @throws DomainError NOT_FOUND, FORBIDDEN
 */
export async function releaseHeldPrizes(context: Context, id: string): Promise<Game> {
  await loadGame(context, id);
  const now = new Date(context.clock());
  return auditedWrite(context, async (trx) => {
    const game = await lockRecord(Game, liveGames(trx), id, 'Game');
    await saveRecord(trx, game, { prizesHeldAt: null }, now);
    await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
    return game;
  });
}

/**
 * Lets a closing grant its prizes, though a limit or a restored backup held them.
 * @throws DomainError NOT_FOUND, FORBIDDEN, INVALID_TRANSITION
 */
export async function releasePrizes(context: Context, id: string): Promise<Closing> {
  await loadClosing(context, id);
  const now = new Date(context.clock());
  return auditedWrite(context, async (trx) => {
    const closing = (await Closing.query(trx).where('id', uuidOf(id)).forUpdate().first())!;
    const { prizesStatus: before } = closing;
    if (before === 'none' || before === 'pending') {
      throw new DomainError('INVALID_TRANSITION', 'This closing has no prizes that wait for a release.');
    }
    if (before === 'waiting_for_limit' || before === 'held') {
      if (before === 'held') await runStatement(trx, RELEASE_HELD, [now, uuidOf(id)]);
      else await runStatement(trx, RELEASE, [now, now, uuidOf(id)]);
      notePart(trx, closing, 'prizesStatus', before, 'granting');
      Object.assign(closing, { prizesStatus: 'granting', updatedAt: now });
      await wakeJob(trx, CLOSE_RANKINGS, now, now.getTime());
    }
    return closing;
  });
}
