import { uuidOf } from '../../base/ids.js';
import type { Queryable } from '../../db/pool.js';
import type { OrderKey } from '../order.js';
import type { Score } from '../score.js';
import type { BoardType, SortDirection } from '../submit/submission.js';
import { rankOfEntry } from './read.js';
import { ENTRY, type EntryValues, orderKeyOf, SHOWN_EVENT, scoreOf } from './rows.js';

/** The player and the board. Ids prefixed. */
export interface OwnKey {
  boardId: string;
  isTest: boolean;
  identityId: string;
}

/** An identity's own score, and its place. */
export interface OwnScore {
  score: Score;
  key: OrderKey;
}

/** State of a board, all of one instant; `own` is undefined where the identity has no ranked entry. */
export interface OwnServed {
  own: OwnScore | undefined;
  boardType: BoardType;
  sortDirection: SortDirection;
}

interface OwnRow {
  ord: number;
  found: boolean;
  entry: EntryValues;
  rank: number | null;
  display: number | null;
  board_type: BoardType;
  sort_direction: SortDirection;
}

const COLUMNS = `e.id is not null as found, ${ENTRY} as entry, r.rank, d.rank as display, b.board_type, b.sort_direction`;

/**
 * One identity, the most frequent request: arrays would add a third to its cost. `ranked` is tested outside of the look-up,
 * or a plan made while the table is empty takes the index of the order, and walks the board.
 */
export const OF_IDENTITY = {
  name: 'score_of_identity',
  text: `
    select 1 as ord, ${COLUMNS}
    from board_rankings b
    left join lateral (select * from entries where board_id = b.board_id and generation = b.generation
      and is_test = $2::boolean and slot = $3::uuid limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    where b.board_id = $1::uuid`,
};

const OF_IDENTITIES = {
  name: 'scores_of_identities',
  text: `
    select u.ord, ${COLUMNS}
    from unnest($1::uuid[], $2::boolean[], $3::uuid[]) with ordinality u(board_id, is_test, slot, ord)
    cross join lateral (select * from board_rankings where board_id = u.board_id limit 1) b
    left join lateral (select * from entries where board_id = b.board_id and generation = b.generation
      and is_test = u.is_test and slot = u.slot limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}`,
};

/**
 * Returns the ranked entries of identities on boards with one entry per identity, in the requested order; undefined: no such
 * board. Finds none on a board whose served generation shows every run.
 */
export async function scoresOfIdentities(
  db: Queryable,
  keys: readonly OwnKey[],
): Promise<(OwnServed | undefined)[]> {
  const boards = keys.map(({ boardId }) => uuidOf(boardId));
  const tests = keys.map(({ isTest }) => isTest);
  const identities = keys.map(({ identityId }) => uuidOf(identityId));
  const { rows } = await (keys.length === 1
    ? db.query<OwnRow>({ ...OF_IDENTITY, values: [boards[0], tests[0], identities[0]] })
    : db.query<OwnRow>({ ...OF_IDENTITIES, values: [boards, tests, identities] }));
  const served = new Array<OwnServed | undefined>(keys.length).fill(undefined);
  for (const { ord, found, entry, rank, display, board_type, sort_direction } of rows) {
    const score = found && scoreOf(entry, rank ?? 1, display ?? undefined);
    const own = score ? { score, key: orderKeyOf(entry) } : undefined;
    served[ord - 1] = { own, boardType: board_type, sortDirection: sort_direction };
  }
  return served;
}
