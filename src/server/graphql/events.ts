import type { ServerResponse } from 'node:http';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Context as KoaContext } from 'koa';
import type { Context } from '../../graphql/context.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { Prepared, type Variables } from '../../graphql/engine/execute.js';
import { faultOf } from '../../graphql/errors.js';
import {
  EVENT_STREAM,
  EVENT_STREAM_HEADERS,
  EventStream,
  type EventStreams,
} from '../../graphql/live/event-stream.js';
import type { LiveHub, Spelling } from '../../graphql/live/hub.js';
import { liveFieldOf } from '../../graphql/live/operation.js';
import { bytesOf, frameOf } from '../../graphql/live/sink.js';
import type { Results } from './results.js';

/** Without `data` a reader of the HTML standard would drop the event. */
const COMPLETE = 'event: complete\ndata:\n\n';

function nextEvent(payload: object): string {
  return `event: next\ndata: ${JSON.stringify(payload)}\n\n`;
}

/** The stream of one subscription. */
class SubscriptionStream extends EventStream {
  constructor(
    response: ServerResponse,
    private readonly refusal: (error: Error) => object,
  ) {
    super(response);
  }

  next(payload: object): void {
    this.write(bytesOf(nextEvent(payload)));
  }

  end(error: Error): void {
    this.next(this.refusal(error));
    this.complete();
  }

  complete(): void {
    this.response.end(COMPLETE);
  }
}

type MaybePrepared = Prepared | readonly GraphQLError[];

interface Operation {
  prepared: Prepared;
  variables: Variables;
  cost: Cost;
  context: Context;
}

/**
 * Operations over server-sent events, in the distinct connections mode of graphql-sse: each result is a `next` event,
 * whatever the operation is, and so are the errors of a document, of its variables and of a refused subscription.
 */
export class GraphqlEvents {
  constructor(
    private readonly documents: Documents,
    private readonly hub: LiveHub,
    private readonly streams: EventStreams,
    private readonly results: Results,
  ) {}

  /**
   * True if a request wants events: it accepts nothing else, or it accepts them beside JSON and is a subscription. Clients
   * such as urql accept both for every operation.
   */
  isWanted(accept: string, prepared: MaybePrepared): boolean {
    if (!accept.includes(EVENT_STREAM)) return false;
    if (!/json|\*\/\*/.test(accept)) return true;
    return prepared instanceof Prepared && prepared.isSubscription;
  }

  async serve(ctx: KoaContext, context: Context, prepared: MaybePrepared, variables: Variables) {
    this.streams.admit();
    try {
      if (!(prepared instanceof Prepared)) return this.#once(ctx, context, this.#refusal(context, prepared));
      const cost = this.documents.weigh(prepared, variables, context);
      const operation = { prepared, variables, cost, context };
      if (prepared.isSubscription) return await this.#subscribe(ctx, operation);
      const result = await prepared.run(variables, context);
      this.#once(ctx, context, this.results.next(context.requestId, operation, result));
    } catch (error) {
      this.#once(ctx, context, this.#refusal(context, [faultOf(error)]));
    }
  }

  #refusal({ requestId }: Context, errors: readonly GraphQLError[]): object {
    return { errors: this.results.shownErrors(requestId, errors) };
  }

  /** Responds with one event. */
  #once(ctx: KoaContext, context: Context, payload: object): void {
    ctx.status = 200;
    ctx.set(EVENT_STREAM_HEADERS);
    ctx.set(context.responseHeaders);
    ctx.body = nextEvent(payload) + COMPLETE;
  }

  /** @throws DomainError before anything is sent */
  async #subscribe(ctx: KoaContext, operation: Operation): Promise<void> {
    const { prepared, variables, context } = operation;
    const stream = new SubscriptionStream(ctx.res, (error) => this.#refusal(context, [faultOf(error)]));
    const live = liveFieldOf(prepared, variables);
    if (live) {
      const spelling = this.#spelling(operation);
      const leave = await this.hub.subscribe({ prepared, variables, live, context, spelling }, stream);
      this.#begin(ctx, context, stream, leave);
      return;
    }
    const events = await prepared.subscribe(variables, context);
    if (!(Symbol.asyncIterator in events)) {
      this.#once(ctx, context, this.results.next(context.requestId, operation, events));
      return;
    }
    this.#begin(ctx, context, stream, () => void events.return(undefined));
    void this.#forward(events, stream, operation);
  }

  #begin(ctx: KoaContext, context: Context, stream: SubscriptionStream, leave: () => void): void {
    if (ctx.res.destroyed) {
      leave();
      return;
    }
    ctx.status = 200;
    ctx.set(EVENT_STREAM_HEADERS);
    ctx.set(context.responseHeaders);
    ctx.respond = false;
    this.streams.keep(stream, context, leave);
    ctx.res.flushHeaders();
  }

  /** Sends the events of a field with its own source, each when the peer has room. */
  async #forward(
    events: AsyncGenerator<ExecutionResult>,
    stream: SubscriptionStream,
    operation: Operation,
  ): Promise<void> {
    try {
      for await (const event of events) {
        stream.next(this.results.next(operation.context.requestId, operation, event));
        if (!stream.outlet.hasRoom) await new Promise<void>((resolve) => stream.outlet.whenRoom(resolve));
      }
      stream.complete();
    } catch (error) {
      stream.end(error as Error);
    }
  }

  #spelling(operation: Operation): Spelling {
    return {
      name: 'events',
      limit: this.results.limit,
      frame: (_state, result, { requestId }) =>
        frameOf(bytesOf(nextEvent(this.results.shown(requestId, operation, result)))),
    };
  }
}
