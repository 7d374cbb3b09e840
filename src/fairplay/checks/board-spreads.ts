import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import type { Queryable } from '../../db/pool.js';
import { RecentSubmissions } from '../../scores/submit/pipeline/recent-submissions.js';
import type { BoardType, SortDirection } from '../../scores/submit/submission.js';
import type { BoardStatistics } from './outlier.js';
import { type PlayerStatistics, playerStatisticsOf } from './player-statistics.js';
import { readSample, spreadOf } from './statistics.js';

/** How often a population is looked at anew at most, and at least while submissions come. */
const REFRESH_MILLIS = 1_000;
const STALE_MILLIS = 60_000;
/** Between the two, once so large a part of it may have changed. */
const CHANGED_SHARE = 0.01;
/** What its players do, which takes twenty times as long to read, once so large a part of the events that tell of it are others. */
const HABITS_CHANGED_SHARE = 0.05;
/** Fewer entries are all looked at. */
export const EXACT_BELOW = 2_000;
/** From so many on the counted tree's runs do, with more than a thousand entries each; below its leaves. */
const COARSE_FROM = 400_000;
const REMEMBERED = 10_000;
/** Players whose last hour tells what players usually do: at most so many, of the newest events at most so many. */
export const PLAYERS = 300;
export const EVENTS = 2_000;

const SAMPLE = {
  name: 'population_sample',
  text: `
    select p.*, c.board_type, c.recents from population_sample($1::uuid, $2::boolean, $3::integer, $4::integer) p
    left join lateral recent_courses($1::uuid, $2::boolean, $5::integer, $6::integer) c on p.checked`,
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
  /** A player each, as states keep them. */
  recents: Buffer[] | null;
}

interface Known {
  /** Of the board, by whose rules the keys were made. Null: unknown, or nothing is checked there. */
  generation: number | null;
  /** Number of the newest event it has, and of the newest one since. */
  seq: number;
  seen: number;
  readAt: number;
  crowd: BoardStatistics;
  /** Number of the board's newest event when the habits were read, and when that was. */
  habitsRead: { seq: number; readAt: number };
}

/** How the populations that are played on spread, as they did a moment ago. Kept in this process. */
export class BoardSpreads {
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED });

  constructor(
    private readonly db: Queryable,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Sees to it that what is known of the population is not too old for a batch that is to begin. Never rejects. */
  async refresh(boardId: string, isTest: boolean): Promise<void> {
    const key = keyOf(boardId, isTest);
    const known = this.#known.get(key);
    if (known && !isStale(known, this.clock())) return;
    try {
      this.#known.set(key, await this.#read(boardId, isTest, known));
    } catch (error) {
      this.log.warn(
        { err: error, boardId },
        'the spread of a board could not be read; outliers go unnoticed for now',
      );
    }
  }

  /** Asked for each submission. @param seq number of the board's newest event before its batch; @param generation that is served */
  of(boardId: string, isTest: boolean, generation: number, seq: number): BoardStatistics | undefined {
    const key = keyOf(boardId, isTest);
    const known = this.#known.get(key);
    if (!known) return undefined;
    if (known.generation !== generation) {
      // The board's rules have changed since, and the meaning of its keys with them.
      this.#known.delete(key);
      return undefined;
    }
    known.seen = Math.max(known.seen, seq) + 1;
    return known.crowd;
  }

  /** @param before what was known until now, of which habits may stay */
  async #read(boardId: string, isTest: boolean, before: Known | undefined): Promise<Known> {
    const readAt = this.clock();
    const stays = before !== undefined && !areHabitsStale(before, readAt);
    const { rows } = await this.db.query<SampleRow>({
      ...SAMPLE,
      values: [uuidOf(boardId), isTest, EXACT_BELOW, COARSE_FROM, stays ? 0 : PLAYERS, stays ? 0 : EVENTS],
    });
    const row = rows[0]!;
    const generation = row.checked ? row.generation : null;
    // Rules that have changed meanwhile make other habits of the same runs.
    if (stays && generation !== before.generation) return this.#read(boardId, isTest, undefined);
    const seq = row.seq ?? 0;
    const spread = row.sample
      ? spreadOf(readSample(row.sample, row.exact ?? false), row.direction!)
      : undefined;
    const habits = stays ? before.crowd.habits : habitsIn(row);
    return {
      generation,
      seq,
      seen: seq,
      readAt,
      crowd: { spread, habits },
      habitsRead: stays ? before.habitsRead : { seq, readAt },
    };
  }
}

function habitsIn({ board_type, direction, recents }: SampleRow): PlayerStatistics {
  return board_type
    ? playerStatisticsOf(recents?.map(RecentSubmissions.of) ?? [], board_type, direction!)
    : {};
}

function areHabitsStale({ habitsRead, seen }: Known, now: number): boolean {
  const news = seen - habitsRead.seq;
  return news >= HABITS_CHANGED_SHARE * Math.min(seen, EVENTS) || now - habitsRead.readAt >= STALE_MILLIS;
}

function keyOf(boardId: string, isTest: boolean): string {
  return `${boardId} ${isTest}`;
}

function isStale({ seq, seen, readAt, crowd }: Known, now: number): boolean {
  const news = seen - seq;
  const age = now - readAt;
  if (news === 0 || age < REFRESH_MILLIS) return false;
  return age >= STALE_MILLIS || news >= CHANGED_SHARE * (crowd.spread?.entries ?? 0);
}
