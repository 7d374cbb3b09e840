import {
  type ExecutionArgs,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import type { SubscribePayload } from 'graphql-ws';
import { DomainError } from '../errors.js';
import type { Context } from '../graph/context.js';
import type { Limits } from '../graph/cost.js';
import { checkOperation } from '../graph/operation.js';

/**
 * One operation that came over a socket, parsed, validated and within the limits.
 * @returns what to execute, or the errors that answer it
 */
export async function prepareOperation(
  schema: GraphQLSchema,
  limits: Limits,
  { query, operationName, variables }: SubscribePayload,
  contextOf: () => Promise<Context>,
): Promise<ExecutionArgs | readonly GraphQLError[]> {
  const variableValues = (variables ?? {}) as Record<string, unknown>;
  try {
    const document = parse(query, { maxTokens: limits.tokens });
    const faults = validate(schema, document);
    if (faults.length > 0) return faults;
    const operation = getOperationAST(document, operationName);
    if (!operation)
      throw new DomainError('BAD_REQUEST', 'Name one operation of the document in "operationName"');
    checkOperation(schema, document, operation, query, variableValues, limits);
    return { schema, document, operationName, variableValues, contextValue: await contextOf() };
  } catch (error) {
    if (error instanceof GraphQLError) return [error];
    const cause = error as Error;
    return [new GraphQLError(cause.message, { originalError: cause })];
  }
}
