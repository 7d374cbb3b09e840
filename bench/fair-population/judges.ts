import { EXACT_BELOW, NEWEST_EVENTS, PLAYERS } from '../../src/fairplay/checks/board-spreads.js';
import { type BoardStatistics, check } from '../../src/fairplay/checks/checks.js';
import type { Hit } from '../../src/fairplay/checks/finding.js';
import { playerStatisticsOf } from '../../src/fairplay/checks/player-statistics.js';
import { isFarFromSettled } from '../../src/fairplay/checks/settled-players.js';
import { spreadOf, upperSpreadOf } from '../../src/fairplay/checks/statistics.js';
import type { Thresholds } from '../../src/fairplay/checks/thresholds.js';
import { RecentSubmissions } from '../../src/submissions/facts/recent-submissions.js';
import type { Genre } from './genres.js';
import type { Play } from './plays.js';

/** A rule's finding about a submission. */
export interface Opinion {
  reasons: string[];
  rejected: boolean;
  /** True if the player's entry is under review from now on, or was never written. */
  actedAgainst: boolean;
  /** True if the run would wait for a review on a board that holds flagged runs for its first ten ranks. */
  held: boolean;
}

export interface Rule {
  judge(play: Play): Opinion;
}

/** First ranks for which flagged runs are held. */
const HOLD_TOP = 10;
const DAY_MS = 24 * 3_600_000;
const HOUR_MS = 3_600_000;

interface Standing {
  firstAt: number;
  recent: RecentSubmissions;
  accepted: number;
  best: number;
  entry: number;
}

/** Entries of a board in the order of their keys: the better, the smaller. */
class Board {
  readonly standings = new Map<number, Standing>();
  readonly keys: number[] = [];
  readonly sign: 1 | -1;

  constructor(private readonly genre: Genre) {
    this.sign = genre.sortDirection === 'asc' ? 1 : -1;
  }

  /** Lets a submission count. @returns whether the player's entry shows it */
  accept({ player, at, amount }: Play): boolean {
    const before = this.standings.get(player);
    const better = !before || this.sign * amount < this.sign * before.best;
    const { boardType } = this.genre;
    const after: Standing = {
      firstAt: before?.firstAt ?? at,
      recent: (before?.recent ?? RecentSubmissions.NONE).with(at, amount),
      accepted: (before?.accepted ?? 0) + 1,
      best: better ? amount : before.best,
      entry: boardType === 'counter' ? (before?.entry ?? 0) + amount : better ? amount : before.entry,
    };
    this.standings.set(player, after);
    if (boardType === 'run_runs') this.#add(amount);
    else if (after.entry !== before?.entry) {
      if (before) this.keys.splice(this.#placeOf(this.sign * before.entry), 1);
      this.#add(after.entry);
    }
    return better || boardType !== 'run_identity';
  }

  /** The rank that a value would have. */
  rankOf(value: number): number {
    return this.#placeOf(this.sign * value) + 1;
  }

  /**
   * Those with a past, as `has_past` of migrations/functions/2_submissions.sql has it; a player's first run is its
   * first day in the game.
   */
  settled(at: number): Map<number, Standing> {
    const hasPast = ({ firstAt, accepted }: Standing) =>
      firstAt <= at - DAY_MS || (accepted >= 5 && firstAt <= at - HOUR_MS);
    return new Map([...this.standings].filter(([, standing]) => hasPast(standing)));
  }

  #add(value: number): void {
    const key = this.sign * value;
    this.keys.splice(this.#placeOf(key), 0, key);
  }

  /** The first place whose key is not smaller. */
  #placeOf(key: number): number {
    let [from, to] = [0, this.keys.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.keys[middle]! < key) from = middle + 1;
      else to = middle;
    }
    return from;
  }
}

/** Entries of a leaf of the counted tree, about. */
const LEAF = 45;

/** The service's checks, with the statistics as the service refreshes them. */
export class ServiceRule implements Rule {
  readonly #board: Board;
  /** Players of the newest events, the newest last. */
  readonly #newest: number[] = [];
  #crowd: BoardStatistics = { spread: undefined, players: {} };
  #readAt = -Infinity;
  #news = 0;

  constructor(
    private readonly genre: Genre,
    private readonly thresholds: Thresholds,
  ) {
    this.#board = new Board(genre);
  }

  judge(play: Play): Opinion {
    // Replayed by its idempotency key, so no check ever sees it.
    if (play.again === 'with key') return { reasons: [], rejected: false, actedAgainst: false, held: false };
    this.#refresh(play.at);
    const { boardType, sortDirection } = this.genre;
    const before = this.#board.standings.get(play.player);
    const { disposition, hits } = check(
      {
        recent: before?.recent ?? RecentSubmissions.NONE,
        acceptedInHour: null,
        acceptedCount: before?.accepted ?? 0,
        bestValue: before?.best ?? null,
        entryValue: before?.entry ?? null,
      },
      { boardType, sortDirection, tier: this.thresholds.defaultTier, at: play.at, amount: play.amount },
      this.thresholds,
      this.#crowd,
    );
    const reasons = hits.flatMap(({ check, metadata }) =>
      check === 'outlier' ? [check, `of ${metadata.measure}`] : [check],
    );
    if (disposition === 'rejected') return { reasons, rejected: true, actedAgainst: true, held: false };
    const held = disposition === 'flagged' && this.#holds(play, hits);
    this.#news += 1;
    this.#newest.push(play.player);
    if (this.#newest.length > NEWEST_EVENTS) this.#newest.shift();
    const shown = this.#board.accept(play);
    return {
      reasons,
      rejected: false,
      actedAgainst: disposition === 'flagged' && shown,
      held: held && shown,
    };
  }

  #holds({ at, amount }: Play, hits: readonly Hit[]): boolean {
    if (this.#board.rankOf(amount) > HOLD_TOP) return false;
    const [outlier] = hits;
    if (hits.length > 1 || outlier?.check !== 'outlier') return true;
    const { boardType, sortDirection } = this.genre;
    const settled = this.#board.settled(at);
    const keys = Float64Array.from(
      settled.values(),
      ({ entry, best }) => this.#board.sign * (boardType === 'run_runs' ? best : entry),
    ).toSorted();
    const weights = new Int32Array(keys.length).fill(1);
    const players = [...new Set(this.#newest.toReversed())].filter((player) => settled.has(player));
    const recents = players.slice(0, PLAYERS).map((player) => settled.get(player)!.recent);
    const statistics = {
      upper: keys.length > 0 ? upperSpreadOf({ keys, weights }, sortDirection) : undefined,
      players: playerStatisticsOf(recents, boardType, sortDirection),
    };
    const { defaultTier, tiers, outlierMinEntries } = this.thresholds;
    return isFarFromSettled(
      outlier,
      sortDirection,
      tiers[defaultTier].outlierZ,
      outlierMinEntries,
      statistics,
    );
  }

  #refresh(at: number): void {
    const size = this.#crowd.spread?.entries ?? 0;
    if (at - this.#readAt < 1_000 || this.#news === 0) return;
    if (this.#news < 0.01 * size && at - this.#readAt < 60_000) return;
    const { keys } = this.#board;
    // From 2,000 entries on, the service uses the bounds of the tree's leaves.
    const step = keys.length < EXACT_BELOW ? 1 : LEAF;
    const values = new Float64Array(Math.ceil(keys.length / step));
    for (let i = 0; i < values.length; i += 1) values[i] = keys[i * step]!;
    const weights = new Int32Array(values.length).fill(step);
    weights[values.length - 1] = keys.length - (values.length - 1) * step;
    const { boardType, sortDirection } = this.genre;
    const players = [...new Set(this.#newest.toReversed())].slice(0, PLAYERS);
    const recents = players.map((player) => this.#board.standings.get(player)!.recent);
    this.#crowd = {
      spread: spreadOf({ keys: values, weights }, sortDirection),
      players: playerStatisticsOf(recents, boardType, sortDirection),
    };
    this.#readAt = at;
    this.#news = 0;
  }
}

/**
 * A rule written in an afternoon: a value beyond three standard deviations of the board is an outlier, and a player
 * who ever submitted more often than the hourly limit is rejected.
 */
export class PlainRule implements Rule {
  readonly #board: Board;
  readonly #isCounter: boolean;
  readonly #lifetime = new Map<number, number>();
  #mean = 0;
  #deviation = 0;
  #readAt = -Infinity;

  constructor(
    genre: Genre,
    private readonly limit: number,
  ) {
    this.#board = new Board(genre);
    this.#isCounter = genre.boardType === 'counter';
  }

  judge(play: Play): Opinion {
    if (play.at - this.#readAt >= 3_600_000) this.#refresh(play.at);
    const count = (this.#lifetime.get(play.player) ?? 0) + 1;
    this.#lifetime.set(play.player, count);
    if (count > this.limit)
      return { reasons: ['lifetime counter'], rejected: true, actedAgainst: true, held: false };
    const before = this.#isCounter ? (this.#board.standings.get(play.player)?.entry ?? 0) : 0;
    const better = this.#mean - this.#board.sign * (before + play.amount);
    const far = this.#board.keys.length >= 30 && this.#deviation > 0 && better / this.#deviation > 3;
    const shown = this.#board.accept(play);
    return { reasons: far ? ['3 sigma'] : [], rejected: false, actedAgainst: far && shown, held: false };
  }

  /** Hourly, because the cost of two sums over the board doesn't matter here. */
  #refresh(at: number): void {
    const { keys } = this.#board;
    this.#mean = keys.reduce((sum, key) => sum + key, 0) / keys.length;
    this.#deviation = Math.sqrt(keys.reduce((sum, key) => sum + (key - this.#mean) ** 2, 0) / keys.length);
    this.#readAt = at;
  }
}
