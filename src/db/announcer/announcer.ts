import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { Log } from '../../base/log.js';
import { type Change, type Changes, joined } from '../changes.js';
import { sessionConfig } from '../pool.js';
import { changesOf, payloadOf } from './payload.js';

const CHANNEL = 'leaderboard_changes';
/** Shortest time between two announcements; the first one after a pause is sent immediately. */
const PAUSE_MS = 50;
/** A payload is limited to 8,000 bytes; topics are ids of 40. */
const TOPICS_A_PAYLOAD = 150;
/** Interval and timeout of the connection test: a dead connection looks like one without announcements. */
const BEAT_MS = 2_000;
const BEAT = { text: 'select 1', query_timeout: 3_000 };
const SHORTEST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 2_000;

/**
 * Announces changes to the other processes on the database, and marks their changes here. Uses a connection of its own:
 * a transaction that notifies takes a database-wide lock, so the transactions of writes must not. An accelerator only:
 * readers that must not miss a change also poll versions.
 */
export class Announcer {
  readonly #self = randomUUID();
  readonly #due = new Map<string, Change | undefined>();
  #client: pg.Client | undefined;
  #timer: NodeJS.Timeout | undefined;
  #beat: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #retryMillis = SHORTEST_RETRY_MS;
  #sentAt = 0;
  #closed = false;
  #reported = false;
  #sending: Promise<void> = Promise.resolve();

  constructor(
    private readonly connectionString: string,
    private readonly changes: Changes,
    private readonly log: Log,
  ) {}

  /** Connects; reconnects after a loss until `close`. */
  async start(): Promise<void> {
    if (this.#closed) return;
    const client = new pg.Client(sessionConfig(this.connectionString, 'leaderboard announcer'));
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
    this.#retryMillis = SHORTEST_RETRY_MS;
    this.#keepAsking(client);
    if (this.#reported) this.log.info('receiving notifications from other processes again');
    this.#reported = false;
    // Announcements during the gap are unknown: all watchers read again.
    for (const topic of this.changes.topics()) this.changes.mark(topic);
    this.#schedule();
  }

  /** A test without a response ends the connection. */
  #keepAsking(client: pg.Client): void {
    clearInterval(this.#beat);
    this.#beat = setInterval(() => void client.query(BEAT).catch(() => undefined), BEAT_MS);
    this.#beat.unref();
  }

  /** To be called after the commit of the change. @param change absent: anything may differ */
  announce(topic: string, change?: Change): void {
    if (this.#closed) return;
    this.#due.set(topic, this.#due.has(topic) ? joined([this.#due.get(topic), change]) : change);
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
    const wait = Math.max(0, this.#sentAt + PAUSE_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#sending = this.#send();
    }, wait);
  }

  async #send(): Promise<void> {
    const due = [...this.#due].slice(0, TOPICS_A_PAYLOAD);
    for (const [topic] of due) this.#due.delete(topic);
    this.#sentAt = Date.now();
    try {
      await this.#client?.query('select pg_notify($1, $2)', [CHANNEL, `${this.#self} ${payloadOf(due)}`]);
    } catch {
      // The connection is lost; its end starts a new one, and listeners elsewhere poll versions.
    }
    this.#schedule();
  }

  #hear(payload: string): void {
    const [sender, topics = '', changes] = payload.split(' ');
    if (sender === this.#self) return;
    const known = changesOf(changes);
    for (const [i, topic] of topics.split(',').entries()) this.changes.mark(topic, known.get(i));
  }

  /** Logs one line at the loss; `start` logs one at the return. */
  #away(error: unknown): void {
    if (this.#reported) return;
    this.#reported = true;
    this.log.warn({ err: error }, 'not receiving notifications from other processes; reconnecting');
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
    this.#retryMillis = Math.min(this.#retryMillis * 2, LONGEST_RETRY_MS);
  }
}
