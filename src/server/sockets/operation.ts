import type { ExecutionArgs, ExecutionResult, GraphQLError } from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import type { Context } from '../../graphql/context.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import { Prepared, type Variables } from '../../graphql/engine/execute.js';
import { faultOf } from '../../graphql/errors.js';
import type { Admission } from '../admission/admission.js';
import type { SocketConnection } from './connection.js';

/** An operation of a connection, and what it may cost. The library reads what `ExecutionArgs` requires. */
export interface SocketOperation extends ExecutionArgs {
  /** The peer's name of it. */
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
 * One operation that came over a socket, parsed, validated and within the limits.
 * @returns what to execute, or the errors that answer it
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

/** Executes a query or mutation when its turn comes. @returns the errors as well when it does not come */
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
