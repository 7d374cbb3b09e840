import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import { runStatement } from '../../db/pool.js';
import { openSetting } from '../../db/schema/settings-since.js';
import { EXPERIENCE, type VerdictSettings } from '../verdicts/settings.js';
import type { Board } from './board.js';

const GIVEN = `
  select count(*)::int as given from (select from boards b join verdicts v on v.board_id = b.id
    where b.game_id = ? and v.undone_at is null limit ${EXPERIENCE}) v`;

/**
 * Before the verdicts of a board or template of a game are set.
 * @throws DomainError CONFLICT while a process of an older release runs, and for `DECIDE` without experience or confirmation
 */
async function openVerdicts(
  trx: Knex.Transaction,
  gameId: string,
  { mode, confirmed }: VerdictSettings,
): Promise<void> {
  await openSetting(trx, 'verdicts');
  if (mode !== 'decide' || confirmed) return;
  const { rows } = await runStatement<{ given: number }>(trx, GIVEN, [uuidOf(gameId)]);
  const { given } = rows[0]!;
  if (given >= EXPERIENCE) return;
  throw new DomainError(
    'CONFLICT',
    `This game has ${given} verdicts so far. Compare at least ${EXPERIENCE} with your own reviews first, ` +
      'with the mode LOG or HOLD, or confirm DECIDE with "confirmed".',
  );
}

/**
 * Before a board or template of a game has these settings.
 * @param columns those that are set
 * @throws DomainError CONFLICT
 */
export async function openSettings(
  trx: Knex.Transaction,
  gameId: string,
  columns: Partial<Pick<Board, 'tickets' | 'proof' | 'recordings' | 'verdicts'>>,
): Promise<void> {
  const { tickets, proof, recordings, verdicts } = columns;
  if (tickets) await openSetting(trx, 'tickets');
  if (proof === 'required') await openSetting(trx, 'proofs');
  if (recordings) await openSetting(trx, 'recordings');
  if (verdicts) await openVerdicts(trx, gameId, verdicts);
}
