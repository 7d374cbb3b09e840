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

/** How soon a client comes back when the stream has ended. */
const RETRY_MILLIS = 2_000;

/** One event, the same bytes for everybody who watches the same. The id leads, so that it can be told from the bytes. */
export function eventFrame({ version }: LiveState, body: unknown): Frame {
  return frameOf(bytesOf(`id: ${version}\nevent: board\ndata: ${JSON.stringify(body)}\n\n`));
}

/** A stream of server-sent events (HTML standard, section 9.2) as one subscriber's end of a live operation. */
export class LiveStream implements Sink {
  readonly outlet: Outlet;
  /** The state that the client says it has. */
  readonly #known: string | undefined;
  #begun = false;
  /** Heartbeats since there was room last. */
  #stuck = 0;

  /** @param lastEventId of the client's `Last-Event-ID`; anything it sends */
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

  /** Keeps what stands between from taking the connection for a dead one. A peer that takes nothing in is let go. */
  beat(): void {
    this.#stuck = this.outlet.hasRoom ? 0 : this.#stuck + 1;
    if (this.#stuck > 2) this.response.destroy();
    else if (this.#stuck === 0) this.response.write(': heartbeat\n\n');
  }

  /** The envelope of every error (decisions.md section 2) as the last event. */
  end({ message, code }: DomainError): void {
    const envelope = { error: message, code, request_id: this.requestId };
    this.response.end(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`);
  }

  /** The client comes back after a while, here or elsewhere. */
  close(): void {
    this.response.end();
  }
}
