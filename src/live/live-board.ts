import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { accountMoved, isDatabaseAway, notFound } from '../base/errors.js';
import type { Measure } from '../base/value-format.js';
import type { Board } from '../boards/board/board.js';
import type { Watchable } from '../boards/public/read.js';
import type { Change, Changes } from '../db/changes.js';
import { MOVED } from '../db/moved.js';
import { type Following, isOverdue, type Listener, yieldTurn } from '../graphql/live/watched.js';
import { Dispatch, failAll, failUnlessAway } from './dispatch.js';
import type { Way } from './follow.js';
import { RankingMarks } from './ranking-marks.js';
import { BoardReading, WatchedPlayers } from './reading.js';
import type { Rights, Source } from './source.js';

/** Shortest time between two rounds of a board: a busy board is read at intervals, a quiet one immediately. */
const TICK_MILLIS = 100;
/** Delay of the next round after the database was unreachable. */
const AWAY_MILLIS = 500;
/** Changes from other processes arrive at most this long after later ones; otherwise they are lost. */
const GAP_MILLIS = 250;

interface LiveBoardParts {
  pool: pg.Pool;
  changes: Changes;
  /** The board as it is now; undefined: it no longer exists. */
  watchable(): Promise<Watchable | undefined>;
  /** The current board. @throws DomainError NOT_FOUND */
  board(): Promise<Board>;
  /** Called with each round of a population's ranks. */
  followed(way: Way): void;
  /** Called when the last listener has left. */
  left(): void;
}

/** One board that is watched through this process: reads everything that its listeners need once per tick, and notifies them. */
export class LiveBoard {
  readonly #sources = new Map<string, Source>();
  /** Sources that every round visits: the others are visited when their players move. */
  readonly #looking = new Set<Source>();
  /** Sources with a listener that is waiting for its first state. */
  #awaited = new Set<Source>();
  /** Watched players by ranking and population. */
  readonly #players = new Map<string, WatchedPlayers>();
  readonly #marks: AsyncIterableIterator<void>;
  #rankings = new RankingMarks();
  #measure: Measure = { format: null, unit: null };
  /** True: the next round visits all sources, because it is unknown what changed. */
  #all = false;
  /** The version at which it was last checked whether visitors see the board. */
  #checkedAt = 0;
  #gap: NodeJS.Timeout | undefined;
  #timer: NodeJS.Timeout | undefined;
  #begunAt = Number.NEGATIVE_INFINITY;
  #dirty = false;
  #running = false;
  #ended = false;

  constructor(
    readonly id: string,
    private readonly parts: LiveBoardParts,
  ) {
    this.#marks = parts.changes.watch(id, (change) => this.#note(change));
    void this.#hear();
  }

  /** Adds a listener to a source; makes the source if it is the first. */
  follow(key: string, make: () => Source, rights: Rights, listener: Listener): Following {
    const source = this.#sources.get(key) ?? this.#begin(key, make());
    source.listeners.set(listener, rights);
    return {
      again: () => {
        this.#awaited.add(source);
        this.#wake();
      },
      end: () => this.#leave(key, source, listener),
    };
  }

  #begin(key: string, source: Source): Source {
    this.#sources.set(key, source);
    const players = this.#playersOf(source);
    players.add(source);
    this.#players.set(source.population, players);
    if (!source.isOfMoves) this.#looking.add(source);
    this.#awaited.add(source);
    return source;
  }

  #playersOf({ population, followed, isTest }: Source): WatchedPlayers {
    return this.#players.get(population) ?? new WatchedPlayers(followed, isTest);
  }

  /**
   * Ends sources that may no longer be watched. @param board undefined: it no longer exists
   */
  checkVisible(board: Watchable | undefined): void {
    const isHere = board !== undefined && board !== MOVED;
    if (isHere && board.visible) return;
    const fault = board === MOVED ? accountMoved() : notFound('Board');
    for (const source of [...this.#sources.values()]) {
      for (const [listener, rights] of [...source.listeners]) {
        if (!isHere || rights === 'visitor') listener.failed(fault);
      }
    }
  }

  /** Starts a round if the period of a source has ended. @param now epoch milliseconds */
  checkPeriods(now: number): void {
    if ([...this.#players.values()].some(({ followed }) => followed.until <= now)) this.#wake();
  }

  #note(change: Change | undefined): void {
    if (change) this.#rankings.note(change);
    else {
      // Everything is read again, possibly at older versions after a failover.
      this.#all = true;
      this.#rankings = new RankingMarks();
    }
    this.#awaitMissing();
  }

  /** Rankings whose changes are unknown are read once the missing ones have had time to arrive. */
  #awaitMissing(): void {
    const { missing } = this.#rankings;
    if (missing === undefined || this.#gap !== undefined || this.#ended) return;
    this.#gap = setTimeout(() => {
      this.#gap = undefined;
      if (this.#rankings.missing !== missing) return this.#awaitMissing();
      this.#rankings.giveUp();
      this.#wake();
    }, GAP_MILLIS);
  }

  async #hear(): Promise<void> {
    for await (const _ of this.#marks) this.#wake();
  }

  #leave(key: string, source: Source, listener: Listener): void {
    source.listeners.delete(listener);
    if (source.listeners.size === 0 && this.#sources.get(key) === source) {
      this.#sources.delete(key);
      const players = this.#playersOf(source);
      players.remove(source);
      if (players.isEmpty) this.#players.delete(source.population);
      this.#looking.delete(source);
      this.#awaited.delete(source);
    }
    if (this.#sources.size > 0 || this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#gap);
    void this.#marks.return?.();
    this.parts.left();
  }

  /** Immediately if the board is quiet, otherwise with the next tick. */
  #wake(atLeast = 0): void {
    this.#dirty = true;
    if (this.#running || this.#timer !== undefined || this.#ended) return;
    const wait = Math.max(atLeast, this.#begunAt + TICK_MILLIS - performance.now());
    this.#timer = setTimeout(() => void this.#run(), Math.max(0, wait));
  }

  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#running = true;
    this.#dirty = false;
    this.#begunAt = performance.now();
    let away = false;
    try {
      await this.#round();
    } catch (error) {
      away = isDatabaseAway(error);
      if (away) this.#dirty = this.#all = true;
      else for (const source of [...this.#sources.values()]) failAll(source, error);
    }
    this.#running = false;
    if (this.#dirty) this.#wake(away ? AWAY_MILLIS : 0);
  }

  async #round(): Promise<void> {
    const awaited = this.#awaited;
    const looking = this.#due(awaited);
    const moving = this.#moving(awaited);
    if (awaited.size + looking.length + moving.length === 0) return;
    this.#awaited = new Set();
    this.#all = false;
    for (const source of awaited) {
      source.due = true;
      for (const listener of source.listeners.keys()) listener.beginning();
    }
    const round = new BoardReading(this.parts, (source) => this.#playersOf(source));
    const dispatch = new Dispatch((source, version) => this.#look(source, version));
    try {
      const board = await this.#check();
      if (board === undefined || board === MOVED) return;
      round.measure = this.#measured(board);
      for (const players of moving) {
        await this.#publish(dispatch, await this.#moved(players, round, awaited), round);
      }
      await this.#publish(dispatch, looking, round);
    } finally {
      // Sources that this round did not reach.
      for (const source of awaited) if (source.due && source.listeners.size > 0) this.#awaited.add(source);
      await dispatch.deliver();
    }
    for (const [players, read] of round.read) {
      players.before = read;
      this.parts.followed(read.way);
    }
  }

  /** Ends what may no longer be watched. */
  async #check(): Promise<Watchable | undefined> {
    const board = await this.parts.watchable();
    this.checkVisible(board);
    this.#checkedAt = board === undefined || board === MOVED ? Number.POSITIVE_INFINITY : board.version;
    return board;
  }

  /** A state that is newer than the last check may be of a board that is no longer published. */
  #look(source: Source, version: number): Promise<unknown> | undefined {
    if (version <= this.#checkedAt || ![...source.listeners.values()].includes('visitor')) return undefined;
    return this.#check();
  }

  /** The same object as long as values are shown in the same way. */
  #measured({ format, unit }: Measure): Measure {
    const measure = { format, unit: format && unit };
    if (!isDeepStrictEqual(measure, this.#measure)) this.#measure = measure;
    return this.#measure;
  }

  /** Sources that rounds visit and that may have changed or have a waiting listener. */
  #due(awaited: ReadonlySet<Source>): Source[] {
    const sources = [...this.#looking];
    if (this.#all) return sources;
    return sources.filter((source) => awaited.has(source) || source.isTouched(this.#rankings));
  }

  /** The rankings whose players may have moved, or with a waiting listener. */
  #moving(awaited: ReadonlySet<Source>): WatchedPlayers[] {
    const waiting = new Set([...awaited].map(({ population }) => population));
    return [...this.#players].flatMap(([name, players]) => {
      if (!players.areFollowed) return [];
      return this.#all || waiting.has(name) || players.isTouched(this.#rankings) ? [players] : [];
    });
  }

  /** The sources whose players moved, or with a waiting listener. */
  async #moved(
    players: WatchedPlayers,
    round: BoardReading,
    awaited: ReadonlySet<Source>,
  ): Promise<Iterable<Source>> {
    const concerned = new Set<Source>();
    const isOf = (source: Source) => source.isOfMoves && this.#playersOf(source) === players;
    for (const source of awaited) if (isOf(source)) concerned.add(source);
    try {
      const before = players.before?.measure;
      const { changed, measure } = await round.standingsOf(players);
      // Then all are told again.
      if (before && measure !== before)
        for (const source of this.#sources.values()) if (isOf(source)) concerned.add(source);
      for (const id of changed) {
        for (const source of players.of(id)) if (source.isOfMoves) concerned.add(source);
      }
      return concerned;
    } catch (error) {
      for (const source of [...this.#sources.values()]) {
        if (isOf(source)) failUnlessAway(source, error);
      }
      return [];
    }
  }

  async #publish(dispatch: Dispatch, sources: Iterable<Source>, round: BoardReading): Promise<void> {
    for (const source of sources) {
      if (source.listeners.size > 0) {
        const reading = dispatch.publish(source, round);
        if (reading) {
          // Listeners do not wait for sources that still have to read.
          const delivered = dispatch.deliver();
          await reading.finally(() => delivered);
        }
      }
      const overdue = isOverdue();
      if (overdue || dispatch.isFull) await dispatch.deliver();
      if (overdue) await yieldTurn();
    }
  }
}
