import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { RecentSubmissions } from '../../submissions/facts/recent-submissions.js';
import type { BoardStatistics } from './checks.js';
import { type PlayerStatistics, playerStatisticsOf } from './player-statistics.js';
import { readSample, type Spread, spreadOf } from './statistics.js';

/**
 * While submissions come, a population is read again after REFRESH_MS at the earliest, and after STALE_MS at the
 * latest.
 */
const REFRESH_MS = 1_000;
const STALE_MS = 60_000;
/** Between the two, it is read again once this share of its entries may have changed. */
const CHANGED_SHARE = 0.01;
/**
 * The player statistics take twenty times as long to read: they are read again once this share of the events behind them is
 * new.
 */
const PLAYERS_CHANGED_SHARE = 0.05;
/** Below this number of entries, every entry is in the sample. */
export const EXACT_BELOW = 2_000;
/**
 * From this number of entries on, the sample is the counted tree's runs of more than a thousand entries each; below it, its
 * leaves.
 */
const COARSE_FROM = 400_000;
const CACHED_SPREADS = 10_000;
/** Sample for the player statistics: at most this many players, from at most this many of the newest events. */
export const PLAYERS = 300;
export const NEWEST_EVENTS = 2_000;

const SAMPLE = {
  name: 'population_sample',
  text: `
    select p.*, c.board_type, c.recents from population_sample($1::uuid, $2::boolean, $3::integer, $4::integer) p
    left join lateral recent_play($1::uuid, $2::boolean, $5::integer, $6::integer) c on p.checked`,
};

interface SampleRow {
  generation: number | null;
  direction: SortDirection | null;
  seq: number | null;
  checked: boolean | null;
  entries: number | null;
  exact: boolean | null;
  sample: Buffer | null;
  board_type: BoardType | null;
  /** One list for each player, as `recent_submissions` returns it. */
  recents: number[][] | null;
}

interface Known {
  /** Generation of the board's rules that the keys were made by. Null: unknown, or the board is not checked. */
  generation: number | null;
  /** Number of the newest event in the sample, and of the newest event since. */
  seq: number;
  seen: number;
  readAt: number;
  statistics: BoardStatistics;
  /** Number of the board's newest event when the player statistics were read, and the time of that read. */
  playersRead: { seq: number; readAt: number };
}

/** Statistics of the populations that receive submissions, at most a moment old. Cached in this process. */
export class BoardSpreads {
  readonly #known = new LRUCache<string, Known>({ max: CACHED_SPREADS });

  constructor(
    private readonly db: Queryable,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Refreshes the cached statistics of the population, if they are too old, before a batch begins. Never rejects. */
  async refresh(boardId: string, isTest: boolean): Promise<void> {
    const key = populationKey(boardId, isTest);
    const known = this.#known.get(key);
    if (known && !isStale(known, this.clock())) return;
    try {
      this.#known.set(key, await this.#read(boardId, isTest, known));
    } catch (error) {
      this.log.warn(
        { err: error, boardId },
        'failed to read the score distribution of a board; its outliers are not flagged for now',
      );
    }
  }

  /**
   * Called for each submission.
   * @param seq number of the board's newest event before its batch;
   * @param generation served generation
   */
  of(boardId: string, isTest: boolean, generation: number, seq: number): BoardStatistics | undefined {
    const key = populationKey(boardId, isTest);
    const known = this.#known.get(key);
    if (!known) return undefined;
    if (known.generation !== generation) {
      // The board's rules have changed since, and with them the meaning of its keys.
      this.#known.delete(key);
      return undefined;
    }
    known.seen = Math.max(known.seen, seq) + 1;
    return known.statistics;
  }

  /** @param before the statistics cached until now; its player statistics may be reused */
  async #read(boardId: string, isTest: boolean, before: Known | undefined): Promise<Known> {
    const readAt = this.clock();
    const stays = before !== undefined && !arePlayersStale(before, readAt);
    const { rows } = await this.db.query<SampleRow>({
      ...SAMPLE,
      values: [
        uuidOf(boardId),
        isTest,
        EXACT_BELOW,
        COARSE_FROM,
        stays ? 0 : PLAYERS,
        stays ? 0 : NEWEST_EVENTS,
      ],
    });
    const row = rows[0]!;
    const generation = row.checked ? row.generation : null;
    // If the rules have changed in the meantime, the same submissions give other player statistics.
    if (stays && generation !== before.generation) return this.#read(boardId, isTest, undefined);
    const seq = row.seq ?? 0;
    const spread = spreadIn(row);
    const players = stays ? before.statistics.players : playersIn(row);
    return {
      generation,
      seq,
      seen: seq,
      readAt,
      statistics: { spread, players },
      playersRead: stays ? before.playersRead : { seq, readAt },
    };
  }
}

function playersIn({ board_type, direction, recents }: SampleRow): PlayerStatistics {
  return board_type
    ? playerStatisticsOf(recents?.map(RecentSubmissions.of) ?? [], board_type, direction!)
    : {};
}

const STATISTICS = {
  name: 'board_statistics',
  text: `
    select r.generation, r.sort_direction as direction, r.seq, s.*, c.board_type, c.recents
    from board_rankings r
    cross join lateral ranked_sample(r.board_id, r.generation, $2::boolean, $3::integer, $4::integer) s
    cross join lateral recent_play(r.board_id, $2::boolean, $5::integer, $6::integer) c
    where r.board_id = $1::uuid`,
};

/**
 * The statistics of a population as it is now, also of a game without checks.
 * @param boardId a bare uuid
 * @param players how many players give the usual behaviour; 0: it is not read
 */
export async function readStatistics(
  db: Queryable,
  boardId: string,
  isTest: boolean,
  players = PLAYERS,
): Promise<BoardStatistics | undefined> {
  const { rows } = await db.query<SampleRow>({
    ...STATISTICS,
    values: [boardId, isTest, EXACT_BELOW, COARSE_FROM, players, players > 0 ? NEWEST_EVENTS : 0],
  });
  return rows[0] && { spread: spreadIn(rows[0]), players: playersIn(rows[0]) };
}

function spreadIn({ sample, exact, direction }: SampleRow): Spread | undefined {
  return sample ? spreadOf(readSample(sample, exact ?? false), direction!) : undefined;
}

function arePlayersStale({ playersRead, seen }: Known, now: number): boolean {
  const news = seen - playersRead.seq;
  return (
    news >= PLAYERS_CHANGED_SHARE * Math.min(seen, NEWEST_EVENTS) || now - playersRead.readAt >= STALE_MS
  );
}

function populationKey(boardId: string, isTest: boolean): string {
  return `${boardId} ${isTest}`;
}

function isStale({ seq, seen, readAt, statistics }: Known, now: number): boolean {
  const news = seen - seq;
  const age = now - readAt;
  if (news === 0 || age < REFRESH_MS) return false;
  return age >= STALE_MS || news >= CHANGED_SHARE * (statistics.spread?.entries ?? 0);
}
