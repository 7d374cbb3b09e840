import { isId, uuidOf } from '../base/ids.js';
import type { BoardType, SortDirection } from '../boards/board/board.js';
import type { RankingStatus } from '../boards/views/rows.js';
import type { Queryable } from '../db/pool.js';
import { isOwn, type RankingAddress } from './address.js';
import type { OrderKey } from './order.js';
import { manyRankings, ofRanking, oneRanking, type Ranked, readRankings } from './ranked.js';
import { rankOfEntry } from './read.js';
import { ENTRY, type EntryValues, orderKeyOf, SHOWN_EVENT, scoreOf } from './rows.js';
import type { Score } from './score.js';

/** A player in a ranking. */
export interface OwnKey {
  ranking: RankingAddress;
  isTest: boolean;
  /** Prefixed. */
  identityId: string;
}

/** An identity's own score, and its place. */
export interface OwnScore {
  score: Score;
  key: OrderKey;
}

/** State of a ranking, all at one instant; `own` is undefined if the identity has no ranked entry. */
export interface OwnServed {
  own: OwnScore | undefined;
  boardType: BoardType;
  sortDirection: SortDirection;
  /** Entries of a view's ranking; undefined: not read. */
  total?: number;
  /** True for a ranking of which only podium and total are left. */
  isDropped?: boolean;
}

interface OwnRow {
  ord: number;
  found: boolean;
  entry: EntryValues;
  rank: number | null;
  display: number | null;
  board_type: BoardType;
  sort_direction: SortDirection;
  /** For a view's ranking. */
  total?: number;
  state?: RankingStatus | null;
}

const PLAYER = { is_test: 'boolean', identity_id: 'uuid' };

/**
 * `ranked` is tested outside the look-up. Otherwise, a plan made while the table is empty uses the index in rank
 * order and walks the board.
 */
function ownText(ranked: Ranked, u: string, ord: string, slot: string): string {
  const isCounted = ranked.parameters.view_no !== undefined;
  return `
    select ${ord} as ord, e.id is not null as found,
      ${ENTRY} as entry, r.rank, d.rank as display, b.board_type, b.sort_direction${ranked.state}${isCounted ? ', c.n as total' : ''}
    from ${u}
    cross join lateral (${ranked.board}) b
    left join lateral (select * from entries x where x.board_id = b.board_id and x.generation = b.generation
      and x.is_test = u.is_test and x.slot = ${slot} limit 1) e on e.ranked
    ${SHOWN_EVENT}
    ${rankOfEntry()}
    ${isCounted ? 'cross join lateral ranked_counts(b.board_id, b.generation, u.is_test) c' : ''}`;
}

/**
 * One identity, the most frequent request: arrays would add a third to its cost. Where every run is ranked, it
 * finds none.
 */
export const OF_IDENTITY = oneRanking('standing_of_identity', PLAYER, (ranked, u) =>
  ownText(ranked, u, '1', 'u.identity_id'),
);

/** The best one of all runs. */
const OF_IDENTITIES = manyRankings('standings_of_identities', PLAYER, (ranked, u) =>
  ownText(ranked, u, 'u.ord', ranked.bestSlot('u.identity_id', 'u.is_test')),
);

/**
 * Returns the best ranked entries of players, in the requested order; undefined: the board or view does not exist.
 */
export async function scoresOfIdentities(
  db: Queryable,
  keys: readonly OwnKey[],
): Promise<(OwnServed | undefined)[]> {
  const requests = keys.map(({ ranking, isTest, identityId }) => ({
    ranking,
    values: [isTest, uuidOf(identityId)],
  }));
  const [only, ...others] = requests;
  if (only && others.length === 0) {
    const [row] = (await db.query<OwnRow>(ofRanking(OF_IDENTITY, only.ranking, only.values))).rows;
    if (row?.board_type !== 'run_runs') return [row && servedOf(row, only.ranking)];
  }
  const rows = await readRankings<OwnRow>(db, OF_IDENTITIES, requests);
  return rows.map((row, index) => row && servedOf(row, keys[index]!.ranking));
}

function servedOf(row: OwnRow, ranking: RankingAddress): OwnServed {
  const { found, entry, rank, display, board_type, sort_direction } = row;
  const own = found
    ? { score: scoreOf(entry, rank ?? 1, display ?? undefined), key: orderKeyOf(entry) }
    : undefined;
  const served = { own, boardType: board_type, sortDirection: sort_direction };
  return isOwn(ranking) ? served : { ...served, total: row.total ?? 0, isDropped: row.state === 'dropped' };
}

const PLACE_OF_SCORE = oneRanking(
  'place_of_score',
  { is_test: 'boolean', score_id: 'uuid' },
  (ranked, u) =>
    `select s.rank_key, s.seq from ${u} cross join lateral (${ranked.board}) b cross join lateral (${ranked.ofScore}) s limit 1`,
);

const PLACE_OF_IDENTITY = oneRanking(
  'place_of_identity',
  { is_test: 'boolean', identity_id: 'uuid' },
  (ranked, u) => `
    select e.rank_key, e.seq from ${u} cross join lateral (${ranked.board}) b
    join entries e on e.board_id = b.board_id and e.generation = b.generation and e.is_test = u.is_test
      and e.slot = ${ranked.bestSlot('u.identity_id', 'u.is_test')} and e.ranked`,
);

/**
 * The place of a score, or of an identity's best score, in a ranking, by the id of either; undefined: it is not
 * ranked there.
 */
export async function placeIn(
  db: Queryable,
  ranking: RankingAddress,
  isTest: boolean,
  id: string,
): Promise<OrderKey | undefined> {
  const query = isId('score', id) ? PLACE_OF_SCORE : PLACE_OF_IDENTITY;
  const { rows } = await db.query<{ rank_key: number; seq: number }>(
    ofRanking(query, ranking, [isTest, uuidOf(id)]),
  );
  return rows[0] && { rankKey: rows[0].rank_key, seq: rows[0].seq };
}
