import type { ServerResponse } from 'node:http';
import { type DomainError, unavailable } from '../../base/errors.js';
import type { Context } from '../context.js';
import type { CredentialWatch } from './credentials.js';
import { type Frame, type Outlet, type Sink, StreamOutlet } from './sink.js';

const BEAT_MS = 15_000;
/** A peer that reads nothing for more heartbeats than these is disconnected. */
const PATIENCE_BEATS = 2;

export const EVENT_STREAM = 'text/event-stream';

export const EVENT_STREAM_HEADERS = {
  'content-type': `${EVENT_STREAM}; charset=utf-8`,
  // Proxies must not delay events: no cache, no compression, no buffer.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** A response of server-sent events (HTML standard, section 9.2) as the sink of one live operation. */
export abstract class EventStream implements Sink {
  readonly outlet: Outlet;
  /** Heartbeats since the peer last had room. */
  #stuck = 0;

  constructor(readonly response: ServerResponse) {
    this.outlet = new StreamOutlet(response);
  }

  write(frame: Frame): void {
    this.response.write(frame, 'latin1');
  }

  abstract end(error: DomainError): void;

  /** Sends a heartbeat, so that proxies do not close the connection as idle. Disconnects a peer that reads nothing. */
  beat(): void {
    this.#stuck = this.outlet.hasRoom ? 0 : this.#stuck + 1;
    if (this.#stuck > PATIENCE_BEATS) this.response.destroy();
    else if (this.#stuck === 0) this.response.write(': heartbeat\n\n');
  }

  /** Ends without a last event: the client reconnects, to this process or another one. */
  close(): void {
    this.response.end();
  }
}

/** The open event streams of this process. */
export class EventStreams {
  readonly #streams = new Set<EventStream>();
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;

  constructor(
    private readonly credentials: CredentialWatch,
    beatMillis = BEAT_MS,
  ) {
    this.#heartbeat = setInterval(() => {
      for (const stream of this.#streams) stream.beat();
    }, beatMillis).unref();
  }

  /** @throws DomainError UNAVAILABLE when the process ends */
  admit(): void {
    if (this.#closed) throw unavailable('The service is restarting. Try again in a moment.');
  }

  /**
   * Keeps a stream until the client leaves, its credential becomes invalid or the process ends.
   * @param leave ends its subscription
   */
  keep(stream: EventStream, context: Context, leave: () => void): void {
    const release = this.credentials.hold(context, (error) => stream.end(error));
    this.#streams.add(stream);
    stream.response.on('close', () => {
      this.#streams.delete(stream);
      leave();
      release?.();
    });
  }

  /** Ends all streams; clients reconnect after a delay. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.close();
  }
}
