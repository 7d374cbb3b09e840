import type { Knex } from 'knex';
import { DomainError, invalidField } from '../../base/errors.js';
import { idOf, uuid7, uuidOf } from '../../base/ids.js';
import { notePart } from '../../db/audit.js';
import { insertRecord, saveRecord } from '../../db/save.js';
import { changedColumns, newColumns } from '../../graphql/records/record.js';
import { Board } from '../board/board.js';
import {
  type CreateRatioConfigInput,
  RatioConfig,
  ratioConfigFields,
  type UpdateRatioConfigInput,
} from './ratio-config.js';

/**
 * Writes the configuration of a new ratio board.
 * @throws DomainError BAD_REQUEST, BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE (see {@link checkSources})
 */
export async function createRatioConfig(
  trx: Knex.Transaction,
  board: Board,
  input: CreateRatioConfigInput,
  now: Date,
): Promise<void> {
  await checkSources(trx, board, input.numeratorBoardId, input.denominatorBoardId);
  const config = await insertRecord(trx, RatioConfig, {
    id: idOf('ratioConfig', uuid7(now.getTime())),
    boardId: board.id,
    ...newColumns(ratioConfigFields, input),
    createdAt: now,
    updatedAt: now,
  });
  notePart(trx, board, 'ratioConfig', null, configOf(config));
}

/** As the audit trail shows it. */
function configOf({ id, boardId, createdAt, updatedAt, ...config }: RatioConfig) {
  return { ...config };
}

/**
 * Changes a ratio board's configuration. Sources are checked only when one of them changes: a board whose source was
 * deleted keeps it, and its other settings can change.
 * @returns true if anything differed
 * @throws DomainError WRONG_BOARD_TYPE on other boards; and see {@link checkSources}
 */
export async function updateRatioConfig(
  trx: Knex.Transaction,
  board: Board,
  input: UpdateRatioConfigInput | null | undefined,
  now: Date,
): Promise<boolean> {
  const isRatio = board.boardType === 'ratio';
  if (input === null && isRatio) throw invalidField(['ratioConfig'], 'must not be null', 'null');
  // Null is what reads of other boards answer.
  if (!input) return false;
  if (!isRatio) {
    throw new DomainError(
      'WRONG_BOARD_TYPE',
      `ratio_config is only allowed on ratio boards. This is a ${board.boardType} board.`,
    );
  }
  const rows = RatioConfig.query(trx).where('board_id', uuidOf(board.id)).forUpdate();
  const config = await rows.first().throwIfNotFound();
  const numerator = input.numeratorBoardId ?? config.numeratorBoardId;
  const denominator = input.denominatorBoardId ?? config.denominatorBoardId;
  if (numerator !== config.numeratorBoardId || denominator !== config.denominatorBoardId) {
    await checkSources(trx, board, numerator, denominator);
  }
  const before = configOf(config);
  const changed = await saveRecord(trx, config, changedColumns(ratioConfigFields, input), now);
  if (changed) notePart(trx, board, 'ratioConfig', before, configOf(config));
  return changed;
}

/**
 * Checks that both sources are different, live counter boards of the same game. Their rows stay locked against deletion
 * until the transaction ends.
 */
async function checkSources(
  trx: Knex.Transaction,
  board: Board,
  numeratorId: string,
  denominatorId: string,
): Promise<void> {
  const sources = await Board.query(trx)
    .whereIn('id', [uuidOf(numeratorId), uuidOf(denominatorId)])
    .whereNull('deleted_at')
    .whereNull('rehearsal_of_id')
    .orderBy('id')
    .forShare();
  refuseSources(board.gameId, { numeratorBoardId: numeratorId, denominatorBoardId: denominatorId }, sources);
}

/**
 * @param sources boards that exist, among them those that are named
 * @throws DomainError BAD_REQUEST, BOARD_NOT_IN_GAME, WRONG_BOARD_TYPE
 */
export function refuseSources(
  gameId: string,
  named: Pick<RatioConfig, 'numeratorBoardId' | 'denominatorBoardId'>,
  sources: readonly Pick<Board, 'id' | 'gameId' | 'boardType'>[],
): void {
  const { numeratorBoardId: numeratorId, denominatorBoardId: denominatorId } = named;
  if (numeratorId === denominatorId) {
    throw new DomainError('BAD_REQUEST', 'The numerator and the denominator must be different boards.');
  }
  for (const [name, id] of [
    ['numerator', numeratorId],
    ['denominator', denominatorId],
  ] as const) {
    const source = sources.find((board) => board.id === id);
    if (!source) throw new DomainError('BAD_REQUEST', `The ${name} board does not exist or was deleted.`);
    if (source.gameId !== gameId) {
      throw new DomainError('BOARD_NOT_IN_GAME', `The ${name} board belongs to another game.`);
    }
    if (source.boardType !== 'counter') {
      throw new DomainError('WRONG_BOARD_TYPE', `The ${name} board must be a counter board.`);
    }
  }
}
