import { idOf, NIL_UUID } from '../../base/ids.js';
import { Score } from '../score.js';

/** The entry that a hypothetical value would be (decisions.md section 6); its rank is set by the window. */
export function placeholderAt(
  board: { id: string; gameId: string; accountId: string },
  isTest: boolean,
  value: number,
  at: Date,
): Score {
  return Score.of({
    id: idOf('score', NIL_UUID),
    accountId: board.accountId,
    gameId: board.gameId,
    boardId: board.id,
    identityId: idOf('identity', NIL_UUID),
    deviceId: null,
    scoreEventId: null,
    playerName: '',
    value,
    valueDisplay: null,
    city: null,
    country: null,
    timezone: null,
    metadata: null,
    rank: 0,
    status: 'active' as const,
    isTest,
    isPlaceholder: true,
    createdAt: at,
    updatedAt: at,
  });
}
