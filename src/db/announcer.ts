import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../base/log.js';
import type { Changes } from './changes.js';
import { sessionConfig } from './pool.js';

const CHANNEL = 'leaderboard_changes';
/** Between two announcements of a busy process; a quiet one announces at once. */
const PAUSE_MILLIS = 50;
/** A payload ends at 8,000 bytes; topics are ids of 40. */
const TOPICS_A_PAYLOAD = 150;
/** How often the connection is tried, and how long for: one that has fallen silent looks like one on which nothing is announced. */
const BEAT_MILLIS = 2_000;
const BEAT = { text: 'select 1', query_timeout: 3_000 };
const SHORTEST_RETRY_MILLIS = 100;
const LONGEST_RETRY_MILLIS = 2_000;

/**
 * Tells the other processes on the database what changed here, and marks here what they tell. On a connection of its
 * own: a transaction that notifies takes one lock for the whole database, so none of the work's own may do it. An
 * accelerator only: who must not miss a change also looks at versions from time to time.
 */
export class Announcer {
  readonly #self = randomUUID();
  readonly #due = new Set<string>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMillis = SHORTEST_RETRY_MILLIS;
  #sentAt = 0;
  #closed = false;
  #reported = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly connectionString: string,
    private readonly changes: Changes,
    private readonly log: Log,
  ) {}

  /** Connects; a connection that is lost is made anew for as long as this lives. */
  async start(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client(sessionConfig(this.connectionString, 'leaderboard changes'));
    client.on('error', () => undefined);
    client.on('end', () => this.#lost(client));
    client.on('notification', ({ payload }) => this.#hear(payload ?? ''));
    try {
      await client.connect();
      await client.query(`listen ${CHANNEL}`);
    } catch (error) {
      this.#away(error);
      await client.end().catch(() => undefined);
      this.#again();
      return;
    }
    if (this.#closed) return client.end();
    this.#client = client;
    this.#retryMillis = SHORTEST_RETRY_MILLIS;
    this.#keepAsking(client);
    if (this.#reported) this.log.info('changes of other processes are heard again');
    this.#reported = false;
    // Whatever was announced while nobody listened is unknown: everyone looks again.
    for (const topic of this.changes.topics()) this.changes.mark(topic);
    this.#schedule();
  }

  /** A beat that is not answered ends the connection. */
  #keepAsking(client: pg.Client): void {
    clearInterval(this.#beat);
    this.#beat = setInterval(() => void client.query(BEAT).catch(() => undefined), BEAT_MILLIS);
    this.#beat.unref();
  }

  /** To be called after the commit of what changed. */
  announce(topic: string): void {
    if (this.#closed) return;
    this.#due.add(topic);
    this.#schedule();
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#beat);
    clearTimeout(this.#retry);
    await this.#sending;
    const client = this.#client;
    this.#client = undefined;
    await client?.end().catch(() => undefined);
  }

  #schedule(): void {
    if (this.#timer || this.#closed || !this.#client || this.#due.size === 0) return;
    const wait = Math.max(0, this.#sentAt + PAUSE_MILLIS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send();
    }, wait);
  }

  async #send(): Promise<void> {
    const topics = [...this.#due].slice(0, TOPICS_A_PAYLOAD);
    for (const topic of topics) this.#due.delete(topic);
    this.#sentAt = Date.now();
    try {
      await this.#client?.query('select pg_notify($1, $2)', [CHANNEL, `${this.#self} ${topics.join()}`]);
    } catch {
      // The connection is lost; its end makes a new one, and listeners elsewhere look at versions.
    }
    this.#schedule();
  }

  #hear(payload: string): void {
    const [sender, topics = ''] = payload.split(' ');
    if (sender === this.#self) return;
    for (const topic of topics.split(',')) this.changes.mark(topic);
  }

  /** One line when it goes, one when it is back. */
  #away(error: unknown): void {
    if (this.#reported) return;
    this.#reported = true;
    this.log.warn({ err: error }, 'changes of other processes are not heard for the moment');
  }

  #lost(client: pg.Client): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    clearInterval(this.#beat);
    this.#again();
  }

  #again(): void {
    if (this.#closed) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.start(), this.#retryMillis);
    this.#retryMillis = Math.min(this.#retryMillis * 2, LONGEST_RETRY_MILLIS);
  }
}
