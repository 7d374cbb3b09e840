import type { ServerResponse } from 'node:http';
import type { RouterContext } from '@koa/router';
import type { DomainError } from '../base/errors.js';
import type { Context } from '../graphql/context.js';
import { EVENT_STREAM_HEADERS, EventStream, type EventStreams } from '../graphql/live/event-stream.js';
import type { LiveHub, Spelling } from '../graphql/live/hub.js';
import { liveFieldOf } from '../graphql/live/operation.js';
import { bytesOf, type Frame, frameOf } from '../graphql/live/sink.js';
import type { LiveState } from '../graphql/live/watched.js';
import type { Route } from './routes/route.js';
import type { RouteRunner } from './runner.js';

/** Delay of a client's reconnection after the stream's end. */
const RECONNECT_MS = 2_000;

/**
 * Returns one event, the same bytes for all subscribers of a group. The id comes first, so that a prefix of the bytes
 * identifies the state. Only states of boards have one.
 */
function eventFrame(type: Route['live'], { version }: LiveState, body: unknown): Frame {
  const id = type === 'board' ? `id: ${version}\n` : '';
  return frameOf(bytesOf(`${id}event: ${type}\ndata: ${JSON.stringify(body)}\n\n`));
}

/** A stream whose clients say which state they know already. */
class LiveStream extends EventStream {
  /** The last state that the client reports to have received. */
  readonly #known: string | undefined;
  #begun = false;

  /** @param lastEventId the client's `Last-Event-ID`, unchecked */
  constructor(
    response: ServerResponse,
    lastEventId: string,
    private readonly requestId: string,
  ) {
    super(response);
    if (/^\d{1,16}$/.test(lastEventId)) this.#known = `id: ${Number(lastEventId)}\n`;
  }

  begin(): void {
    this.response.flushHeaders();
    this.response.write(`retry: ${RECONNECT_MS}\n\n`);
  }

  override write(frame: Frame): void {
    const known = !this.#begun && this.#known;
    this.#begun = true;
    const same = known && frame.toString('latin1', 0, known.length).startsWith(known);
    super.write(same ? ': nothing has changed\n\n' : frame);
  }

  /** Sends the envelope of every error as the last event. */
  end({ message, code }: DomainError): void {
    const envelope = { error: message, code, request_id: this.requestId };
    this.response.end(`event: error\ndata: ${JSON.stringify(envelope)}\n\n`);
  }
}

/** Serves live operations as server-sent events. */
export class LiveStreams {
  constructor(
    private readonly hub: LiveHub,
    private readonly streams: EventStreams,
  ) {}

  /**
   * Responds with a stream. Faults of the request are thrown before anything is sent.
   * @throws DomainError
   */
  async serve(ctx: RouterContext, context: Context, runner: RouteRunner): Promise<void> {
    this.streams.admit();
    const stream = new LiveStream(ctx.res, ctx.get('last-event-id'), context.requestId);
    const { prepared } = runner;
    const variables = await runner.subscription(context, ctx.params, ctx.query);
    const live = liveFieldOf(prepared, variables);
    if (!live) throw new Error(`${runner.rest.route.operation} is not live`);
    const spelling: Spelling = {
      name: 'stream',
      frame: (state, result) =>
        eventFrame(runner.rest.route.live, state, runner.bodyOf(result.data as Record<string, unknown>)),
    };
    const leave = await this.hub
      .subscribe({ prepared, variables, live, context, spelling }, stream)
      .catch((error: Error) => {
        throw runner.explained(error);
      });
    ctx.set(EVENT_STREAM_HEADERS);
    ctx.status = 200;
    if (ctx.method === 'HEAD' || ctx.res.destroyed) {
      leave();
      return;
    }
    ctx.respond = false;
    this.streams.keep(stream, context, leave);
    stream.begin();
  }
}
