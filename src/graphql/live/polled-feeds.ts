import { PeriodicTask } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { Changes } from '../../db/changes.js';
import type { Listener, LiveState, Watched } from './watched.js';

/** Changes within this time are read together. */
const BEAT_MS = 100;
/** How often all feeds are read: the longest delay of a change whose announcement is lost. */
const SWEEP_MS = 10_000;

/** A feed that is about to be read. */
export interface FeedReading<Subject, Memory> {
  subject: Subject;
  /** What the reading before remembered; undefined at the first. */
  memory: Memory | undefined;
  /** A listener waits for its first state. */
  isAwaited: boolean;
}

/** What a reading found. */
export interface FeedNews<Memory> {
  /** What the next reading is compared with. */
  memory: Memory;
  /** What listeners are told, in this order. */
  told: readonly { item: string; root: object; changed: boolean }[];
}

/** What listeners of one key hear. */
class PolledFeed<Subject, Memory> {
  readonly listeners = new Set<Listener>();
  memory: Memory | undefined;
  version = 0;
  isAwaited = true;
  isDue = true;

  constructor(
    readonly subject: Subject,
    readonly topics: readonly string[],
  ) {}
}

interface PolledFeedsParts<Subject, Memory> {
  changes: Changes;
  log: Log;
  /** Said in the log when a reading fails. */
  failure: string;
  /** Feeds that one call of `read` is given at most. */
  atOnce: number;
  topicsOf(subject: Subject): string[];
  /** Reads feeds together; news stand in their order. */
  read(feeds: readonly FeedReading<Subject, Memory>[]): Promise<FeedNews<Memory>[]>;
}

/** Feeds that are read again, many in one statement, after a topic of theirs was marked and every ten seconds. */
export class PolledFeeds<Subject, Memory> {
  readonly #feeds = new Map<string, PolledFeed<Subject, Memory>>();
  /** Feeds that a topic concerns: a process hears of every game's changes. */
  readonly #byTopic = new Map<string, Set<PolledFeed<Subject, Memory>>>();
  readonly #unlisten: () => void;
  readonly #task: PeriodicTask;

  constructor(private readonly parts: PolledFeedsParts<Subject, Memory>) {
    this.#unlisten = parts.changes.listen((topic) => this.#mark(topic));
    this.#task = new PeriodicTask((woken) => this.#run(woken), {
      everyMillis: SWEEP_MS,
      log: parts.log,
      failure: parts.failure,
      level: 'debug',
    });
  }

  start(): void {
    this.#task.start();
  }

  watch(key: string, accountId: string, subject: Subject): Watched {
    return {
      ...{ key, accountId, rights: 'client' },
      follow: (listener) => {
        const feed = this.#feeds.get(key) ?? this.#add(key, subject);
        feed.listeners.add(listener);
        return {
          again: () => {
            feed.isAwaited = true;
            this.#task.wake();
          },
          end: () => {
            feed.listeners.delete(listener);
            if (feed.listeners.size === 0 && this.#feeds.get(key) === feed) this.#remove(key, feed);
          },
        };
      },
    };
  }

  #add(key: string, subject: Subject): PolledFeed<Subject, Memory> {
    const feed = new PolledFeed<Subject, Memory>(subject, this.parts.topicsOf(subject));
    this.#feeds.set(key, feed);
    for (const topic of feed.topics) {
      const feeds = this.#byTopic.get(topic) ?? new Set();
      this.#byTopic.set(topic, feeds.add(feed));
    }
    return feed;
  }

  #remove(key: string, feed: PolledFeed<Subject, Memory>): void {
    this.#feeds.delete(key);
    for (const topic of feed.topics) {
      const feeds = this.#byTopic.get(topic);
      feeds?.delete(feed);
      if (feeds?.size === 0) this.#byTopic.delete(topic);
    }
  }

  #mark(topic: string): void {
    const feeds = this.#byTopic.get(topic);
    if (!feeds) return;
    for (const feed of feeds) feed.isDue = true;
    this.#task.wake(BEAT_MS);
  }

  async #run(woken: boolean): Promise<void> {
    const all = [...this.#feeds.values()];
    const feeds = woken ? all.filter(({ isAwaited, isDue }) => isAwaited || isDue) : all;
    for (let from = 0; from < feeds.length; from += this.parts.atOnce) {
      await this.#read(feeds.slice(from, from + this.parts.atOnce));
    }
  }

  async #read(feeds: readonly PolledFeed<Subject, Memory>[]): Promise<void> {
    const readings = feeds.map(({ subject, memory, isAwaited }) => ({ subject, memory, isAwaited }));
    for (const feed of feeds) {
      if (feed.isAwaited) for (const listener of feed.listeners) listener.beginning();
      Object.assign(feed, { isAwaited: false, isDue: false });
    }
    try {
      const news = await this.parts.read(readings);
      for (const [i, feed] of feeds.entries()) {
        feed.memory = news[i]!.memory;
        if (news[i]!.told.length > 0 || readings[i]!.isAwaited) await tell(feed, news[i]!.told);
      }
    } catch (error) {
      for (const [i, feed] of feeds.entries()) {
        feed.isDue = true;
        feed.isAwaited ||= readings[i]!.isAwaited;
      }
      throw error;
    }
  }

  async close(): Promise<void> {
    this.#unlisten();
    await this.#task.close();
  }
}

/** Listeners hear the news one after the other; an error ends that listener alone. */
async function tell(feed: PolledFeed<unknown, unknown>, told: FeedNews<unknown>['told']): Promise<void> {
  const states: LiveState[] = told.map(({ item, root, changed }) => {
    feed.version += 1;
    return { item, version: feed.version, root, first: root, changed };
  });
  for (const listener of feed.listeners) {
    try {
      await listener.notified(states);
      await listener.deliver();
    } catch (error) {
      listener.failed(error);
    }
  }
}
