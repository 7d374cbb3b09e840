import type { RouterContext } from '@koa/router';
import { DomainError } from '../../base/errors.js';
import type { Context } from '../../graphql/context.js';
import type { CredentialWatch } from '../../graphql/live/credentials.js';
import type { LiveHub, Spelling } from '../../graphql/live/hub.js';
import { liveFieldOf } from '../../graphql/live/operation.js';
import type { RouteRunner } from '../runner.js';
import { eventFrame, LiveStream } from './stream.js';

const BEAT_MILLIS = 15_000;

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies must not delay events: no cache, no compression, no buffer.
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
};

/** Serves live operations as server-sent events. */
export class LiveStreams {
  readonly #streams = new Set<LiveStream>();
  readonly #heartbeat: NodeJS.Timeout;

  constructor(
    private readonly hub: LiveHub,
    private readonly credentials: CredentialWatch,
    beatMillis = BEAT_MILLIS,
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
    const response = ctx.res;
    const stream = new LiveStream(response, ctx.get('last-event-id'), context.requestId);
    const { prepared } = runner;
    const variables = runner.subscription(context, ctx.params, ctx.query);
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
    ctx.set(HEADERS);
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
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.close();
  }
}
