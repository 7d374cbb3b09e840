import type { ServerResponse } from 'node:http';
import type { RouterContext } from '@koa/router';
import { type DomainError, unavailable } from '../base/errors.js';
import type { Context } from '../graphql/context.js';
import type { CredentialWatch } from '../graphql/live/credentials.js';
import type { LiveHub, Spelling } from '../graphql/live/hub.js';
import { liveFieldOf } from '../graphql/live/operation.js';
import { bytesOf, type Frame, frameOf, type Outlet, type Sink, StreamOutlet } from '../graphql/live/sink.js';
import type { LiveState } from '../graphql/live/watched.js';
import type { RouteRunner } from './runner.js';

/** Delay of a client's reconnection after the stream's end. */
const RECONNECT_MS = 2_000;

/**
 * Returns one event, the same bytes for all subscribers of a group. The id comes first, so that a prefix of the bytes
 * identifies the state.
 */
function eventFrame({ version }: LiveState, body: unknown): Frame {
  return frameOf(bytesOf(`id: ${version}\nevent: board\ndata: ${JSON.stringify(body)}\n\n`));
}

/** A stream of server-sent events (HTML standard, section 9.2) as the sink of one live operation. */
class LiveStream implements Sink {
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
    this.response.write(`retry: ${RECONNECT_MS}\n\n`);
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

  /** Sends the envelope of every error as the last event. */
  end({ message, code }: DomainError): void {
    const envelope = { error: message, code, request_id: this.requestId };
    this.response.end(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`);
  }

  /** The client reconnects after a delay, to this process or another one. */
  close(): void {
    this.response.end();
  }
}

const STREAM_BEAT_MS = 15_000;

const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must not delay events: no cache, no compression, no buffer.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Serves live operations as server-sent events. */
export class LiveStreams {
  readonly #streams = new Set<LiveStream>();
  readonly #heartbeat: NodeJS.Timeout;
  #closed = false;

  constructor(
    private readonly hub: LiveHub,
    private readonly credentials: CredentialWatch,
    beatMillis = STREAM_BEAT_MS,
  ) {
    this.#heartbeat = setInterval(() => {
      for (const stream of this.#streams) stream.beat();
    }, beatMillis).unref();
  }

  /** Number of open streams. */
  get size(): number {
    return this.#streams.size;
  }

  /**
   * Responds with a stream, which ends when the client leaves, its credential becomes invalid or the process ends.
   * Faults of the request are thrown before anything is sent.
   * @throws DomainError
   */
  async serve(ctx: RouterContext, context: Context, runner: RouteRunner): Promise<void> {
    if (this.#closed) throw unavailable('The service is restarting. Try again in a moment.');
    const response = ctx.res;
    const stream = new LiveStream(response, ctx.get('last-event-id'), context.requestId);
    const { prepared } = runner;
    const variables = await runner.subscription(context, ctx.params, ctx.query);
    const live = liveFieldOf(prepared, variables);
    if (!live) throw new Error(`${runner.rest.route.operation} is not live`);
    const spelling: Spelling = {
      name: 'stream',
      frame: (state, result) => eventFrame(state, runner.bodyOf(result.data as Record<string, unknown>)),
    };
    const leave = await this.hub
      .subscribe({ prepared, variables, live, context, spelling }, stream)
      .catch((error: Error) => {
        throw runner.explained(error);
      });
    ctx.set(STREAM_HEADERS);
    ctx.status = 200;
    if (ctx.method === 'HEAD' || response.destroyed) {
      leave();
      ctx.body = '';
      return;
    }
    ctx.respond = false;
    const release = this.credentials.hold(context, (error: DomainError) => stream.end(error));
    this.#streams.add(stream);
    response.on('close', () => {
      this.#streams.delete(stream);
      leave();
      release?.();
    });
    stream.begin();
  }

  /** Ends all streams; clients reconnect after a delay. */
  close(): void {
    this.#closed = true;
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.close();
  }
}
