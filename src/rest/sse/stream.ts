import type { ServerResponse } from 'node:http';
import type { DomainError } from '../../base/errors.js';
import {
  bytesOf,
  type Frame,
  frameOf,
  type Outlet,
  type Sink,
  StreamOutlet,
} from '../../graphql/live/sink.js';
import type { LiveState } from '../../graphql/live/watched.js';

/** Delay of a client's reconnection after the stream's end. */
const RETRY_MILLIS = 2_000;

/**
 * Returns one event, the same bytes for all subscribers of a group. The id comes first, so that a prefix of the bytes
 * identifies the state.
 */
export function eventFrame({ version }: LiveState, body: unknown): Frame {
  return frameOf(bytesOf(`id: ${version}\nevent: board\ndata: ${JSON.stringify(body)}\n\n`));
}

/** A stream of server-sent events (HTML standard, section 9.2) as the sink of one live operation. */
export class LiveStream implements Sink {
  readonly outlet: Outlet;
  /** The last state that the client reports to have received. */
  readonly #known: string | undefined;
  #begun = false;
  /** Heartbeats since the peer last had room. */
  #stuck = 0;

  /** @param lastEventId the client's `Last-Event-ID`, unchecked */
  constructor(
    private readonly response: ServerResponse,
    lastEventId: string,
    private readonly requestId: string,
  ) {
    this.outlet = new StreamOutlet(response);
    if (/^\d{1,16}$/.test(lastEventId)) this.#known = `id: ${Number(lastEventId)}\n`;
  }

  begin(): void {
    this.response.flushHeaders();
    this.response.write(`retry: ${RETRY_MILLIS}\n\n`);
  }

  write(frame: Frame): void {
    const known = !this.#begun && this.#known;
    this.#begun = true;
    const same = known && frame.toString('latin1', 0, known.length).startsWith(known);
    this.response.write(same ? ': nothing has changed\n\n' : frame, 'latin1');
  }

  /** Sends a heartbeat, so that proxies do not close the connection as idle. Disconnects a peer that reads nothing. */
  beat(): void {
    this.#stuck = this.outlet.hasRoom ? 0 : this.#stuck + 1;
    if (this.#stuck > 2) this.response.destroy();
    else if (this.#stuck === 0) this.response.write(': heartbeat\n\n');
  }

  /** Sends the envelope of every error (decisions.md section 2) as the last event. */
  end({ message, code }: DomainError): void {
    const envelope = { error: message, code, request_id: this.requestId };
    this.response.end(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`);
  }

  /** The client reconnects after a delay, to this process or another one. */
  close(): void {
    this.response.end();
  }
}
