import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  OperationTypeNode,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { DomainError } from '../../base/errors.js';
import type { Context } from '../../graphql/context.js';
import { checkOperation } from '../../graphql/engine/check.js';
import { type Cost, type Limits, refuseTooMuch } from '../../graphql/engine/cost.js';
import type { Admission } from '../admission/admission.js';
import type { SocketDocuments } from './documents.js';

/** What every operation of the sockets is held against. */
export interface OperationRules {
  schema: GraphQLSchema;
  limits: Limits;
  documents: SocketDocuments;
}

/** What to execute, and what it may cost. */
export interface Prepared extends ExecutionArgs {
  cost: Cost;
  contextValue: Context;
  variableValues: Record<string, unknown>;
  /** The document's text. */
  query: string;
  isSubscription: boolean;
}

/**
 * One operation that came over a socket, parsed, validated and within the limits.
 * @returns what to execute, or the errors that answer it
 */
export async function prepareOperation(
  { schema, limits, documents }: OperationRules,
  { query, operationName, variables }: SubscribePayload,
  contextOf: () => Promise<Context>,
): Promise<Prepared | readonly GraphQLError[]> {
  const variableValues = (variables ?? {}) as Record<string, unknown>;
  try {
    const document = documents.read(query);
    if (!('kind' in document)) return document;
    const operation = getOperationAST(document, operationName);
    if (!operation)
      throw new DomainError('BAD_REQUEST', 'Name one operation of the document in "operationName"');
    const weight = checkOperation(schema, document, operation, query, variableValues);
    refuseTooMuch(weight, limits);
    const cost = { requested: weight.cost, limit: limits.cost };
    const contextValue = await contextOf();
    const isSubscription = operation.operation === OperationTypeNode.SUBSCRIPTION;
    return { schema, document, operationName, variableValues, contextValue, cost, query, isSubscription };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    const cause = error as Error;
    return [new GraphQLError(cause.message, { originalError: cause })];
  }
}

/** Executes a query or mutation when its turn comes. @returns the errors as well when it does not come */
export async function executeAdmitted(admission: Admission, args: ExecutionArgs): Promise<ExecutionResult> {
  try {
    return await admission.run(async () => execute(args));
  } catch (error) {
    const { message } = error as Error;
    return { errors: [new GraphQLError(message, { originalError: error as Error })] };
  }
}
