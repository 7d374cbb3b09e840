import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import type { Context } from '../../graphql/context.js';
import type { AnswerLimit } from '../../graphql/engine/answer-limit.js';
import type { Cost } from '../../graphql/engine/cost.js';
import type { Documents } from '../../graphql/engine/documents.js';
import type { Prepared } from '../../graphql/engine/execute.js';
import { faultOf, formatFault } from '../../graphql/errors.js';

/** A request body of valid shape. */
export interface GraphqlBody {
  query?: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

/** The `contextValue` of a request in Apollo. */
export interface Passage {
  readonly context: Context;
  /** The operation to execute, once it has passed validation. */
  prepared?: Prepared;
  cost?: Cost;
  /** The result if the fast path has executed the operation: a mutation must not run twice. */
  executed?: Promise<ExecutionResult>;
}

/** Replaces a result that is larger than MAX_ANSWER_BYTES; its status is 400. */
export function refusalInPlace(
  error: unknown,
  { extensions }: FormattedExecutionResult,
  requestId: string,
): FormattedExecutionResult {
  return { errors: [formatFault(faultOf(error), requestId)], extensions };
}

/**
 * Responds to an operation of a cached document: Apollo's processing takes as long as checking, executing and
 * serializing it. Apollo handles every other case than a result with data only: new documents, faults of variables,
 * errors of resolvers.
 * @returns undefined: Apollo is to respond
 */
export async function answerKnown(
  documents: Documents,
  limit: AnswerLimit,
  { query: source, operationName, variables: given }: GraphqlBody,
  passage: Passage,
): Promise<{ status: number; json: Buffer | string } | undefined> {
  const prepared = source ? documents.known(source, operationName) : undefined;
  if (!prepared?.operation || prepared.isSubscription) return undefined;
  const variables = given ?? {};
  let cost: Cost;
  try {
    cost = prepared.weigh(variables);
  } catch {
    return undefined;
  }
  const parts = prepared.partsRun();
  const executed = (async () => prepared.run(variables, passage.context, parts))();
  const result = await executed.catch(() => undefined);
  if (!result || result.errors) {
    Object.assign(passage, { prepared, cost, executed } satisfies Partial<Passage>);
    return undefined;
  }
  const shown = { data: result.data as Record<string, unknown>, extensions: { cost } };
  try {
    limit.check(shown, parts?.remembered);
  } catch (error) {
    const refusal = refusalInPlace(error, shown, passage.context.requestId);
    return { status: 400, json: `${JSON.stringify(refusal)}\n` };
  }
  return { status: 200, json: parts ? parts.print(shown) : `${JSON.stringify(shown)}\n` };
}
