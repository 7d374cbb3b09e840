import { LRUCache } from 'lru-cache';
import { uuidOf } from '../../base/ids.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import type { BoardFacts } from '../../submissions/decide/decide.js';
import { RecentSubmissions } from '../../submissions/facts/recent-submissions.js';
import { NEWEST_EVENTS, PLAYERS } from './board-spreads.js';
import type { Hit } from './finding.js';
import { type PlayerStatistics, playerStatisticsOf, sideOf } from './player-statistics.js';
import { readSample, robustZ, type Spread, UPPER_CENTRE, upperSpreadOf } from './statistics.js';

/** Entries from the top of the ranking among which players with a past are looked for. */
const FIRST_ENTRIES = 2_000;
const REFRESH_MS = 1_000;
const CACHED = 1_000;

/** Of a board's players with a past: the upper part of their entries, and their usual behaviour. */
interface SettledStatistics {
  upper: Spread | undefined;
  players: PlayerStatistics;
}

/**
 * True if an outlier is one among the players with a past as well, by a measure that made it one. Sixty new devices can move the median
 * of a small board; what they make of honest runs is flagged, and only a comparison with players they are not holds a run back.
 * @param threshold z beyond which a value is far
 * @param least players with a past that the comparison needs
 */
export function isFarFromSettled(
  { far = [] }: Pick<Hit, 'far'>,
  direction: SortDirection,
  threshold: number,
  least: number,
  { upper, players }: SettledStatistics,
): boolean {
  return far.some(({ measure, value }) => {
    if (measure === 'value') return isFar(value, upper, direction, threshold - UPPER_CENTRE, least);
    const usual = players[measure as keyof PlayerStatistics];
    return (
      usual !== undefined &&
      usual.twentieth <= threshold &&
      isFar(value, usual.spread, sideOf(measure as keyof PlayerStatistics, direction), threshold, least)
    );
  });
}

function isFar(
  value: number,
  spread: Spread | undefined,
  direction: SortDirection,
  threshold: number,
  least: number,
): boolean {
  if (!spread || spread.entries < least || spread.scale === 0) return false;
  return robustZ(value, spread, direction) > threshold;
}

const STATISTICS = {
  name: 'settled_statistics',
  text: `
    select settled_sample($1::uuid, $2::integer, $3::boolean, $4::integer, $7::timestamptz) as sample, p.board_type, p.recents
    from play_of_players($1::uuid, $3::boolean, $5::integer, $6::integer, $7::timestamptz) p`,
};

interface StatisticsRow {
  sample: Buffer | null;
  board_type: BoardType;
  recents: number[][] | null;
}

/** Statistics of players with a past, read when a run may be held for being an outlier, and at most once a second. */
export class SettledPlayers {
  readonly #known = new LRUCache<string, { readAt: number; statistics: SettledStatistics }>({ max: CACHED });

  /** @param at epoch milliseconds */
  async of(
    reader: Queryable,
    boardId: string,
    isTest: boolean,
    { generation, sort_direction }: Pick<BoardFacts, 'generation' | 'sort_direction'>,
    at: number,
  ): Promise<SettledStatistics> {
    const key = `${boardId} ${isTest} ${generation}`;
    const known = this.#known.get(key);
    if (known && at - known.readAt < REFRESH_MS) return known.statistics;
    const { rows } = await reader.query<StatisticsRow>({
      ...STATISTICS,
      values: [uuidOf(boardId), generation, isTest, FIRST_ENTRIES, PLAYERS, NEWEST_EVENTS, new Date(at)],
    });
    const { sample, board_type, recents } = rows[0]!;
    const statistics = {
      upper: sample ? upperSpreadOf(readSample(sample, true), sort_direction) : undefined,
      players: playerStatisticsOf(recents?.map(RecentSubmissions.of) ?? [], board_type, sort_direction),
    };
    this.#known.set(key, { readAt: at, statistics });
    return statistics;
  }
}
