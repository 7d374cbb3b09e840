import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { Context } from '../../graphql/context.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { Prepared, type Variables } from '../../graphql/engine/execute.js';
import { faultOf } from '../../graphql/errors.js';
import type { Admission } from '../admission.js';
import type { SocketConnection } from './connection.js';

/** An operation of a connection, with its weight. The library reads the members of `ExecutionArgs`. */
export interface SocketOperation extends ExecutionArgs {
  /** The operation's id, given by the peer. */
  id: string;
  extra: SocketConnection;
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
 * Parses, validates and weighs one operation of a socket.
 * @returns the operation to execute, or the errors to respond with
 */
export async function prepareOperation(
  documents: Documents,
  { id, payload, extra }: Subscribe,
  contextOf: () => Promise<Context>,
): Promise<SocketOperation | readonly GraphQLError[]> {
  const variables = (payload.variables ?? {}) as Variables;
  try {
    const prepared = documents.prepare(payload.query, payload.operationName);
    if (!(prepared instanceof Prepared)) return prepared;
    const cost = prepared.weigh(variables);
    const { schema, document, operationName } = prepared;
    const contextValue = await contextOf();
    return { schema, document, operationName, contextValue, id, extra, prepared, variables, cost };
  } catch (error) {
    return [faultOf(error)];
  }
}

/** Executes a query or mutation when a slot is free. @returns its result, or the errors of a refusal */
export async function executeAdmitted(
  admission: Admission,
  { prepared, variables, contextValue }: SocketOperation,
): Promise<ExecutionResult> {
  try {
    return await admission.run(async () => prepared.run(variables, contextValue));
  } catch (error) {
    return { errors: [faultOf(error)] };
  }
}
