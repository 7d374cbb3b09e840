import type { Changes } from '../../db/changes.js';
import type { Queryable } from '../../db/pool.js';
import { isDatabaseAway, notFound } from '../../errors.js';
import type { WatchedBoard } from '../../games/boards/public-read.js';
import { isTired, rest } from '../../graph/live/pace.js';
import type { Following, Listener } from '../../graph/live/watched.js';
import { Reading } from './reading.js';
import type { Rights, Source } from './source.js';
import type { Standings } from './standings.js';
import { failAll, Telling } from './telling.js';

/** The least time between two looks at a board: a busy one is told in ticks, a quiet one at once. */
export const TICK_MILLIS = 100;
/** Before the next look when the database was away. */
const AWAY_MILLIS = 500;

export interface LiveBoardParts {
  pool: Queryable;
  changes: Changes;
  /** The board as it is now; undefined: it is gone. */
  board(id: string): Promise<WatchedBoard | undefined>;
  /** Called when nobody watches any more. */
  left(): void;
}

/** One board that is watched through this process: reads what all its watchers want once a tick, and tells them. */
export class LiveBoard {
  readonly #sources = new Map<string, Source>();
  readonly #marks: AsyncIterableIterator<void>;
  /** What the round before has read of each population. */
  #told: ReadonlyMap<boolean, Standings> = new Map();
  #timer: NodeJS.Timeout | undefined;
  #begunAt = Number.NEGATIVE_INFINITY;
  #dirty = false;
  #running = false;
  #ended = false;

  constructor(
    readonly id: string,
    private readonly parts: LiveBoardParts,
  ) {
    this.#marks = parts.changes.watch(id);
    void this.#hear();
  }

  /** Lets somebody listen to a source, made when it is the first to. */
  follow(key: string, make: () => Source, rights: Rights, listener: Listener): Following {
    const source = this.#sources.get(key) ?? make();
    this.#sources.set(key, source);
    source.listeners.set(listener, rights);
    return {
      again: () => {
        source.awaited = true;
        this.#wake();
      },
      end: () => this.#leave(key, source, listener),
    };
  }

  /** Ends what may no longer be watched. @param now undefined: the board is gone */
  judge(now: WatchedBoard | undefined): void {
    if (now?.visible) return;
    for (const source of [...this.#sources.values()]) {
      for (const [listener, rights] of [...source.listeners]) {
        if (!now || rights === 'visitor') listener.failed(notFound('Board'));
      }
    }
  }

  async #hear(): Promise<void> {
    for await (const _ of this.#marks) this.#wake();
  }

  #leave(key: string, source: Source, listener: Listener): void {
    source.listeners.delete(listener);
    if (source.listeners.size === 0 && this.#sources.get(key) === source) this.#sources.delete(key);
    if (this.#sources.size > 0 || this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    void this.#marks.return?.();
    this.parts.left();
  }

  /** At once when it is quiet, else with the next tick. */
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
      if (away) this.#dirty = true;
      else for (const source of [...this.#sources.values()]) failAll(source, error);
    }
    this.#running = false;
    if (this.#dirty) this.#wake(away ? AWAY_MILLIS : 0);
  }

  async #round(): Promise<void> {
    const sources = [...this.#sources.values()];
    for (const source of sources) {
      source.due ||= source.awaited;
      source.awaited = false;
      for (const listener of source.listeners.keys()) listener.beginning();
    }
    const now = await this.parts.board(this.id);
    this.judge(now);
    if (!now) return;
    const watched = (isTest: boolean) => watchedBy(sources, isTest);
    const round = new Reading(this.parts.pool, now.board, watched, this.#told);
    const telling = new Telling();
    try {
      for (const source of sources) {
        if (source.listeners.size > 0 && !source.isQuiet(round)) {
          const reading = telling.tell(source, round);
          if (reading) {
            // Nobody waits for what others still have to read.
            const delivered = telling.deliver();
            await reading.finally(() => delivered);
          }
        }
        const tired = isTired();
        if (tired || telling.isFull) await telling.deliver();
        if (tired) await rest();
      }
    } finally {
      await telling.deliver();
    }
    this.#told = round.read;
  }
}

function watchedBy(sources: readonly Source[], isTest: boolean): Set<string> {
  const ids = new Set<string>();
  for (const source of sources) {
    if (source.isTest === isTest) for (const id of source.identityIds) ids.add(id);
  }
  return ids;
}
