import type pg from 'pg';
import { accountMoved, isDatabaseAway, notFound } from '../../base/errors.js';
import type { Board } from '../../boards/board/board.js';
import type { Visibility } from '../../boards/public/read.js';
import type { Change, Changes } from '../../db/changes.js';
import { MOVED } from '../../db/moved.js';
import { type Following, isTired, type Listener, rest } from '../../graphql/live/watched.js';
import { Dispatch, failAll, failUnlessAway } from './dispatch.js';
import type { Way } from './follow.js';
import { RankingMarks } from './ranking-marks.js';
import { BoardReading, WatchedPlayers } from './reading.js';
import type { Rights, Source } from './source.js';
import type { Standings } from './standings.js';

/** Shortest time between two rounds of a board: a busy board is read at intervals, a quiet one immediately. */
const TICK_MILLIS = 100;
/** Delay of the next round after the database was unreachable. */
const AWAY_MILLIS = 500;
/** Changes of other processes arrive within this time of later ones; one that does not is lost. */
const GAP_MILLIS = 250;

interface LiveBoardParts {
  pool: pg.Pool;
  changes: Changes;
  /** True if visitors may see the board now; undefined: it is gone. */
  isVisible(): Promise<Visibility | undefined>;
  /** The board as it is now. @throws DomainError NOT_FOUND */
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
  /** Sources with a listener that waits for its first state of this source. */
  #awaited = new Set<Source>();
  readonly #players = { production: new WatchedPlayers(), test: new WatchedPlayers() };
  readonly #marks: AsyncIterableIterator<void>;
  #rankings = new RankingMarks();
  /** True: the next round visits all sources, since nothing is known of a change. */
  #all = false;
  #gap: NodeJS.Timeout | undefined;
  /** Standings that the round before has read, by population. */
  #published: ReadonlyMap<boolean, Standings> = new Map();
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
    this.#playersOf(source.isTest).add(source);
    if (!source.isOfMoves) this.#looking.add(source);
    this.#awaited.add(source);
    return source;
  }

  #playersOf(isTest: boolean): WatchedPlayers {
    return isTest ? this.#players.test : this.#players.production;
  }

  /** Ends sources that may no longer be watched. @param visible to visitors; undefined: the board is gone */
  checkVisible(visible: Visibility | undefined): void {
    if (visible === true) return;
    const fault = visible === MOVED ? accountMoved() : notFound('Board');
    for (const source of [...this.#sources.values()]) {
      for (const [listener, rights] of [...source.listeners]) {
        if (visible !== false || rights === 'visitor') listener.failed(fault);
      }
    }
  }

  /** Begins a round where the period of a source is over. @param now epoch milliseconds */
  checkPeriods(now: number): void {
    if ([...this.#looking].some((source) => source.until <= now)) this.#wake();
  }

  #note(change: Change | undefined): void {
    if (change) this.#rankings.note(change);
    else {
      // Everything is read again, at versions that may be older ones after a failover.
      this.#all = true;
      this.#rankings = new RankingMarks();
    }
    this.#awaitMissing();
  }

  /** Rankings whose changes are not known are read when the missing ones have had time to arrive. */
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
      this.#playersOf(source.isTest).remove(source);
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

  /** At once when the board is quiet, otherwise with the next tick. */
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
    const { production, test } = this.#players;
    if (awaited.size + looking.length === 0 && !production.areFollowed && !test.areFollowed) return;
    this.#awaited = new Set();
    this.#all = false;
    for (const source of awaited) {
      source.due = true;
      for (const listener of source.listeners.keys()) listener.beginning();
    }
    const watched = (isTest: boolean) => this.#playersOf(isTest);
    const round = new BoardReading(this.id, this.parts, watched, this.#published);
    const dispatch = new Dispatch();
    try {
      const visible = await this.parts.isVisible();
      this.checkVisible(visible);
      if (visible === undefined || visible === MOVED) return;
      for (const isTest of [false, true]) {
        await this.#publish(dispatch, await this.#moved(isTest, round, awaited), round);
      }
      await this.#publish(dispatch, looking, round);
    } finally {
      // Sources that this round did not reach.
      for (const source of awaited) if (source.due && source.listeners.size > 0) this.#awaited.add(source);
      await dispatch.deliver();
    }
    this.#published = round.read;
    for (const { way } of round.read.values()) this.parts.followed(way);
  }

  /** Of the sources that rounds visit, those that may have changed, or with a listener that waits. */
  #due(awaited: ReadonlySet<Source>): Source[] {
    const sources = [...this.#looking];
    if (this.#all) return sources;
    return sources.filter((source) => awaited.has(source) || source.isTouched(this.#rankings));
  }

  /** The sources whose players moved, or with a listener that waits. */
  async #moved(
    isTest: boolean,
    round: BoardReading,
    awaited: ReadonlySet<Source>,
  ): Promise<Iterable<Source>> {
    const players = this.#playersOf(isTest);
    if (!players.areFollowed) return [];
    const concerned = new Set<Source>();
    for (const source of awaited) if (source.isOfMoves && source.isTest === isTest) concerned.add(source);
    try {
      const { changed } = await round.standings(isTest);
      for (const id of changed) {
        for (const source of players.of(id)) if (source.isOfMoves) concerned.add(source);
      }
      return concerned;
    } catch (error) {
      for (const source of [...this.#sources.values()]) {
        if (source.isOfMoves && source.isTest === isTest) failUnlessAway(source, error);
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
      const tired = isTired();
      if (tired || dispatch.isFull) await dispatch.deliver();
      if (tired) await rest();
    }
  }
}
