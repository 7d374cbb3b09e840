import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import {
  DomainError,
  type ErrorCode,
  type ErrorDetail,
  present,
  RETRY_AFTER_SECONDS,
} from '../base/errors.js';
import { withoutSuggestion } from './engine/introspection.js';

/** The thrown error at the root of a GraphQL error; GraphQL's own errors are their own root. */
function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof GraphQLError && root.originalError) root = root.originalError;
  return root;
}

/**
 * Anything that comes out of an execution, as the one coded error a caller may see. What GraphQL itself refuses
 * (syntax, unknown fields, missing operations) is BAD_REQUEST; faults of variables are found before, see operation.ts.
 */
export function domainErrorOf(error: unknown): DomainError {
  const root = rootOf(error);
  if (root instanceof DomainError) return root;
  // Without a path nothing ran yet: the document or the request itself is at fault.
  if (error instanceof GraphQLError && error.path === undefined) {
    return new DomainError('BAD_REQUEST', error.message);
  }
  if (root instanceof GraphQLError && isArgumentFault(root)) {
    return new DomainError('VALIDATION_FAILED', root.message);
  }
  return present(root);
}

/** graphql-js reports a bad literal or a null argument of a field that it reached with the field's path. */
function isArgumentFault(error: GraphQLError): boolean {
  return error.originalError === undefined && /^(Argument|Variable) "/.test(error.message);
}

/** Anything that was thrown, as an error of GraphQL. */
export function faultOf(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const cause = error as Error;
  return new GraphQLError(cause.message, { originalError: cause });
}

/** Another try may do, in a moment. */
export function isWorthRetrying(code: ErrorCode): boolean {
  return code === 'UNAVAILABLE' || code === 'RATE_LIMITED';
}

/** What an error's `extensions` hold. */
interface FaultExtensions extends Record<string, unknown> {
  code: string;
  requestId: string;
  details?: ErrorDetail[];
  /** With UNAVAILABLE and RATE_LIMITED; over HTTP the header `retry-after` says the same. */
  retryAfterSeconds?: number;
}

/**
 * An error as GraphQL answers show it: the sentence, and in `extensions` code, request id and details.
 * @param suggestions whether names of the schema may be offered for misspelt ones
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
