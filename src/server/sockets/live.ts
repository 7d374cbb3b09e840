import { type ExecutionResult, subscribe } from 'graphql';
import type { CredentialWatch } from '../../graphql/live/credentials.js';
import type { LiveHub, Spelling } from '../../graphql/live/hub.js';
import { liveFieldOf } from '../../graphql/live/operation.js';
import { bytesOf, frameOf } from '../../graphql/live/sink.js';
import type { SocketConnection } from './connection.js';
import type { Prepared } from './operation.js';
import type { SocketResults } from './results.js';
import { NEXT_END, SocketSubscription } from './subscription.js';

/** A subscription of a connection; `id` is the peer's name of it. */
export interface Asked extends Prepared {
  id: string;
  extra: SocketConnection;
}

type Events = AsyncIterableIterator<ExecutionResult> | AsyncIterable<ExecutionResult> | ExecutionResult;

/** Subscriptions over sockets: live ones are told by the hub, the others by the library, from their fields' own events. */
export class SocketLive {
  constructor(
    private readonly hub: LiveHub,
    private readonly credentials: CredentialWatch,
    private readonly results: SocketResults,
  ) {}

  async subscribe(asked: Asked): Promise<Events> {
    const { schema, document, operationName, variableValues: variables, query: source } = asked;
    const { contextValue: context, extra, id } = asked;
    // Until the socket closes, if it has not closed meanwhile: the credential is the connection's.
    if (extra.socket.readyState === extra.socket.OPEN) {
      extra.release ??= this.credentials.hold(context, (error) => extra.cut(error));
    }
    const operation = { schema, document, operationName, variables, source };
    const live = liveFieldOf(operation);
    if (!live) return subscribe(asked);
    const subscription = new SocketSubscription(extra.outlet, id);
    extra.running.add(subscription);
    try {
      const spelling = this.#spelling(asked);
      const leave = await this.hub.subscribe({ operation, live, context, spelling }, subscription);
      subscription.begun(() => {
        extra.running.delete(subscription);
        leave();
      });
    } catch (error) {
      extra.running.delete(subscription);
      subscription.end(error as Error);
    }
    return subscription;
  }

  #spelling(asked: Asked): Spelling {
    const [before, after] = this.results.shownAround(asked);
    return {
      name: 'socket',
      limit: this.results.limit,
      frame: (_state, result, { requestId }) => {
        const shown = this.results.shown(requestId, asked, result as ExecutionResult);
        return frameOf(bytesOf(JSON.stringify(shown) + NEXT_END));
      },
      around: [Buffer.from(before), Buffer.from(`${after}${NEXT_END}`)],
    };
  }
}
