import type { ExecutionResult } from 'graphql';
import type { CredentialWatch } from '../../graphql/live/credentials.js';
import type { LiveHub, Spelling } from '../../graphql/live/hub.js';
import { liveFieldOf } from '../../graphql/live/operation.js';
import { bytesOf, frameOf } from '../../graphql/live/sink.js';
import type { SocketOperation, SocketResults } from './operation.js';
import { NEXT_END, SocketSubscription } from './subscription.js';

type Events = AsyncGenerator<ExecutionResult> | AsyncIterableIterator<ExecutionResult> | ExecutionResult;

/**
 * Subscriptions over sockets: the hub sends live states, the library sends events of fields with their own event
 * source.
 */
export class SocketLive {
  constructor(
    private readonly hub: LiveHub,
    private readonly credentials: CredentialWatch,
    private readonly results: SocketResults,
  ) {}

  async subscribe(operation: SocketOperation): Promise<Events> {
    const { prepared, variables, contextValue: context, extra, id } = operation;
    // Until the socket closes, if it is still open: all operations of a connection share its credential.
    if (extra.socket.readyState === extra.socket.OPEN) {
      extra.release ??= this.credentials.hold(context, (error) => extra.cut(error));
    }
    const live = liveFieldOf(prepared, variables);
    if (!live) return prepared.subscribe(variables, context);
    const subscription = new SocketSubscription(extra.outlet, id);
    extra.running.add(subscription);
    try {
      const spelling = this.#spelling(operation);
      const leave = await this.hub.subscribe({ prepared, variables, live, context, spelling }, subscription);
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

  #spelling(operation: SocketOperation): Spelling {
    return {
      name: 'socket',
      limit: this.results.limit,
      frame: (_state, result, { requestId }) => {
        const shown = this.results.shown(requestId, operation, result as ExecutionResult);
        return frameOf(bytesOf(JSON.stringify(shown) + NEXT_END));
      },
    };
  }
}
