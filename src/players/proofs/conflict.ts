import type { Knex } from 'knex';
import { DomainError, type ErrorDetail, notFound } from '../../base/errors.js';
import { idOf, uuidOf } from '../../base/ids.js';
import { liveBoards } from '../../boards/board/read.js';

/** A player's place in the own ranking of a board; null: none. */
export type ReadStanding = (
  boardId: string,
  player: { identityId: string; isTest: boolean },
) => Promise<{ rank: number; value: number } | null>;

/** The session has a player with runs, and the proof or code belongs to another. Bare uuids. */
export class PlayerConflict extends DomainError {
  constructor(
    readonly current: string,
    readonly proven: string,
    details?: ErrorDetail[],
  ) {
    super(
      'PLAYER_CONFLICT',
      'This device has a player with runs, and is about to go on as another one. Choose which of them to keep.',
      details,
    );
  }
}

interface Asked {
  gameId: string;
  boardIds: readonly string[] | null | undefined;
  isTest: boolean;
}

/**
 * A conflict with the standings of both players on the boards that the request names, so that a game can ask which to keep; any other
 * error as it is.
 */
export async function withStandings(
  db: Knex,
  read: ReadStanding,
  error: unknown,
  { gameId, boardIds, isTest }: Asked,
): Promise<unknown> {
  if (!(error instanceof PlayerConflict)) return error;
  const { current, proven } = error;
  const standingOf = (boardId: string, uuid: string) =>
    read(boardId, { identityId: idOf('identity', uuid), isTest });
  const details = await Promise.all(
    (boardIds ?? []).map(async (boardId, nth): Promise<ErrorDetail> => {
      const board = await liveBoards(db).findById(uuidOf(boardId)).where('game_id', uuidOf(gameId));
      if (!board) throw notFound('Board');
      const standings = {
        current: await standingOf(boardId, current),
        proven: await standingOf(boardId, proven),
      };
      return { loc: ['boardIds', nth], msg: 'has standings of both players', type: 'standings', standings };
    }),
  );
  return new PlayerConflict(current, proven, details.length > 0 ? details : undefined);
}
