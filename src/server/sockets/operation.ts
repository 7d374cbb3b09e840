import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { Context, ContextFactory, RateLimit } from '../../graphql/context.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { Prepared, type Variables } from '../../graphql/engine/execute.js';
import { faultOf } from '../../graphql/errors.js';
import type { CredentialWatch } from '../../graphql/live/credentials.js';
import type { LiveHub, Spelling } from '../../graphql/live/hub.js';
import { liveFieldOf } from '../../graphql/live/operation.js';
import { bytesOf, frameOf } from '../../graphql/live/sink.js';
import { type Admission, addressed } from '../admission.js';
import type { Results } from '../graphql/results.js';
import { NEXT_END, type SocketConnection, SocketSubscription } from './subscription.js';

/** The parts of a service that run operations of sockets. */
export interface SocketService {
  documents: Documents;
  contextOf: ContextFactory;
  limitRate: RateLimit;
  /** Queues queries and mutations like requests; states of subscriptions are not queued. */
  admission: Admission;
  live: SocketLive;
}

/** An operation of a connection, with its weight. The library reads the members of `ExecutionArgs`. */
export interface SocketOperation extends ExecutionArgs {
  /** The operation's id, given by the peer. */
  id: string;
  extra: SocketConnection;
  service: SocketService;
  prepared: Prepared;
  variables: Variables;
  contextValue: Context;
  cost: Cost;
}

interface Subscribe {
  id: string;
  payload: SubscribePayload;
  extra: SocketConnection;
}

/**
 * Parses, validates and weighs one operation of a socket, after the limits of its caller.
 * @returns the operation to execute, or the errors to respond with
 */
export async function prepareOperation(
  serviceOf: () => SocketService | Promise<SocketService>,
  { id, payload, extra }: Subscribe,
  contextOf: (service: SocketService) => Promise<Context>,
): Promise<SocketOperation | readonly GraphQLError[]> {
  const variables = (payload.variables ?? {}) as Variables;
  try {
    const service = await serviceOf();
    const contextValue = await contextOf(service);
    const { documents } = service;
    const prepared = await documents.prepare(payload.query, payload.operationName, contextValue);
    if (!(prepared instanceof Prepared)) return prepared;
    const cost = documents.weigh(prepared, variables, contextValue);
    const { schema, document, operationName } = prepared;
    return { schema, document, operationName, contextValue, id, extra, service, prepared, variables, cost };
  } catch (error) {
    return [faultOf(error)];
  }
}

/** Executes a query or mutation when a slot is free. @returns its result, or the errors of a refusal */
export async function executeAdmitted({
  service,
  prepared,
  variables,
  contextValue,
}: SocketOperation): Promise<ExecutionResult> {
  try {
    const work = async () => prepared.run(variables, contextValue);
    return await service.admission.run(work, addressed(contextValue.ip));
  } catch (error) {
    return { errors: [faultOf(error)] };
  }
}

type Events = AsyncGenerator<ExecutionResult> | AsyncIterableIterator<ExecutionResult> | ExecutionResult;

/**
 * Subscriptions over sockets: the hub sends live states, the library sends events of fields with their own event
 * source.
 */
export class SocketLive {
  constructor(
    private readonly hub: LiveHub,
    private readonly credentials: CredentialWatch,
    private readonly results: Results,
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
