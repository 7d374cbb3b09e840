import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import {
  DomainError,
  type ErrorDetail,
  invalidField,
  isWorthRetrying,
  present,
  RETRY_AFTER_SECONDS,
} from '../base/errors.js';
import { withoutSuggestion } from './engine/introspection.js';

/** Returns the thrown error at the root of a GraphQL error; GraphQL's own errors are their own root. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof GraphQLError && root.originalError) root = root.originalError;
  return root;
}

/**
 * Returns any error of an execution as a coded error that the caller may see. Errors of GraphQL itself (syntax, unknown
 * fields, missing operations) are BAD_REQUEST; faults of variables are found before, see engine/check.ts. A number that
 * its type does not hold is refused as a variable would be.
 */
export function domainErrorOf(error: unknown): DomainError {
  const root = rootOf(error);
  if (root instanceof DomainError) return root;
  // No path: execution has not begun. The document is at fault where the error names a part of it, or is GraphQL's own.
  if (
    error instanceof GraphQLError &&
    error.path === undefined &&
    (error.nodes || root instanceof GraphQLError)
  ) {
    const kind = error.nodes?.[0]?.kind;
    if (kind === Kind.INT || kind === Kind.FLOAT) return invalidField([], error.message, 'type');
    return new DomainError('BAD_REQUEST', error.message);
  }
  if (root instanceof GraphQLError && isArgumentFault(root)) {
    return new DomainError('VALIDATION_FAILED', root.message);
  }
  return present(root);
}

/** True for a bad literal or a null argument: graphql-js reports these with the path of the field. */
function isArgumentFault(error: GraphQLError): boolean {
  return error.originalError === undefined && /^(Argument|Variable) "/.test(error.message);
}

/** Returns any thrown value as a GraphQL error. */
export function faultOf(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const cause = error as Error;
  return new GraphQLError(cause.message, { originalError: cause });
}

/** The `extensions` of an error. */
interface FaultExtensions extends Record<string, unknown> {
  code: string;
  requestId: string;
  details?: ErrorDetail[];
  /** With UNAVAILABLE, ACCOUNT_MOVED and RATE_LIMITED, seconds; the same value as the HTTP header `retry-after`. */
  retryAfterSeconds?: number;
}

/**
 * Returns an error as GraphQL responses show it: the sentence, and in `extensions` code, request id and details.
 * @param suggestions true if the message may suggest names of the schema for misspelt ones
 */
export function formatFault(
  error: GraphQLError | GraphQLFormattedError,
  requestId: string,
  cause: unknown = error,
  suggestions = true,
): GraphQLFormattedError {
  const { message, code, details, retryAfterSeconds } = domainErrorOf(cause);
  const sentence = (text: string) => (suggestions ? text : withoutSuggestion(text));
  const extensions: FaultExtensions = { code, requestId };
  if (details) extensions.details = details.map((detail) => ({ ...detail, msg: sentence(detail.msg) }));
  if (isWorthRetrying(code)) extensions.retryAfterSeconds = retryAfterSeconds ?? RETRY_AFTER_SECONDS;
  return {
    message: sentence(message),
    ...(error.locations && { locations: error.locations }),
    ...(error.path && { path: error.path }),
    extensions,
  };
}
