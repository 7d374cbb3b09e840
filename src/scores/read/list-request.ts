import type { Knex } from 'knex';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { PageRequest } from '../../db/keyset.js';
import type { ChosenRanking } from '../../rankings/address.js';
import type { WindowDetail } from '../../rankings/window-sql.js';
import type { ScoreReads } from '../loaders.js';

/** The population of a list. */
export type TestFilter = boolean | 'all';

/** The parts of a board that a list of scores needs. Ids prefixed. */
export interface ListedBoard {
  id: string;
  accountId: string;
  gameId: string;
  sortDirection: SortDirection;
  boardType: BoardType;
  ranking: ChosenRanking;
}

/** Players that a list is limited to. Ids prefixed, each once. */
export interface AmongPlayers {
  ids: readonly string[];
  /** Identifies them in cursors, which are valid for the same players only. */
  name: string;
}

export interface ScoreListRequest extends PageRequest {
  sort?: string | null;
  isTest?: TestFilter | null;
  identityId?: string | null;
  among?: AmongPlayers | undefined;
  aroundScoreId?: string | null;
  aroundValue?: number | null;
  startRank?: number | null;
}

export interface Readers extends ScoreReads {
  knex: Knex;
  now: Date;
  /** How much of the scores to return. */
  detail: WindowDetail;
}
