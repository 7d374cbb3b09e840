import type pg from 'pg';
import type { Measure } from '../base/value-format.js';
import type { Board } from '../boards/board/board.js';
import { followStandings } from './follow.js';
import type { FollowedRanking } from './followed-ranking.js';
import type { RankingMarks } from './ranking-marks.js';
import type { RankedStandings, Round, Source } from './source.js';

interface ReadingParts {
  pool: pg.Pool;
  /** @throws DomainError NOT_FOUND */
  board(): Promise<Board>;
}

/** A round's reads of a board: each is done on the first request, once for all sources. */
export class BoardReading implements Round {
  /** The standings that were read. */
  readonly read = new Map<WatchedPlayers, RankedStandings>();
  /** Set before the first read of standings. */
  measure!: Measure;
  #board: Promise<Board> | undefined;
  readonly #reading = new Map<WatchedPlayers, Promise<RankedStandings>>();

  /** @param watched the players whose standings are needed, in a source's ranking and population */
  constructor(
    private readonly from: ReadingParts,
    private readonly watched: (source: Source) => WatchedPlayers,
  ) {}

  board(): Promise<Board> {
    this.#board ??= this.from.board();
    return this.#board;
  }

  known(source: Source): RankedStandings | undefined {
    return this.read.get(this.watched(source));
  }

  standings(source: Source): Promise<RankedStandings> {
    return this.standingsOf(this.watched(source));
  }

  standingsOf(players: WatchedPlayers): Promise<RankedStandings> {
    const begun = this.#reading.get(players) ?? this.#read(players);
    this.#reading.set(players, begun);
    return begun;
  }

  async #read(players: WatchedPlayers): Promise<RankedStandings> {
    const { ids, areOvertaken, isTest, followed, before } = players;
    const ranking = await followed.now();
    const same = before?.ranking === ranking ? before : undefined;
    const read = await followStandings(this.from.pool, ranking, isTest, ids, same, areOvertaken);
    const ranked = { ...read, ranking, measure: this.measure };
    this.read.set(players, ranked);
    return ranked;
  }
}

const NO_PLAYERS: ReadonlySet<Source> = new Set();

/**
 * The watched players of a ranking's population, with the sources of each. Kept between rounds, because there are
 * thousands and they rarely change.
 */
export class WatchedPlayers {
  /** The standings read by the last round. */
  before: RankedStandings | undefined;
  readonly #sources = new Map<string, Set<Source>>();
  #count = 0;
  /** Number of sources that are notified by the moves of their players. */
  #ranks = 0;
  /** Number of sources that also take the movers. */
  #overtaken = 0;

  constructor(
    readonly followed: FollowedRanking,
    readonly isTest: boolean,
  ) {}

  /** True if the standings may differ from those that were read last. */
  isTouched(marks: RankingMarks): boolean {
    return !this.before || this.followed.isTouched(marks, this.before.version);
  }

  get ids(): ReadonlyMap<string, unknown> {
    return this.#sources;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  /** True if there are sources that are notified by the moves of their players. */
  get areFollowed(): boolean {
    return this.#ranks > 0;
  }

  /** True if a source also takes the movers. */
  get areOvertaken(): boolean {
    return this.#overtaken > 0;
  }

  of(identityId: string): ReadonlySet<Source> {
    return this.#sources.get(identityId) ?? NO_PLAYERS;
  }

  add(source: Source): void {
    this.#count += 1;
    if (source.isOfMoves) this.#ranks += 1;
    if (source.isOfMovers) this.#overtaken += 1;
    for (const id of source.identityIds) {
      const sources = this.#sources.get(id);
      if (sources) sources.add(source);
      else this.#sources.set(id, new Set([source]));
    }
  }

  remove(source: Source): void {
    this.#count -= 1;
    if (source.isOfMoves) this.#ranks -= 1;
    if (source.isOfMovers) this.#overtaken -= 1;
    for (const id of source.identityIds) {
      const sources = this.#sources.get(id)!;
      sources.delete(source);
      if (sources.size === 0) this.#sources.delete(id);
    }
  }
}
