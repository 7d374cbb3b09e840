import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import {
  DomainError,
  type ErrorCode,
  type ErrorDetail,
  invalidField,
  isWorthRetrying,
  present,
  RETRY_AFTER_SECONDS,
} from '../base/errors.js';
import { enumOf } from './enums.js';

/** What each code says to the readers of the schema. */
const CODES: Readonly<Record<ErrorCode, string>> = {
  INVALID_CURSOR: 'The cursor is malformed: start again without one.',
  INVALID_SORT: 'The list cannot be sorted that way.',
  CURSOR_MISMATCH: 'The cursor belongs to a list with another order or other filters.',
  INVALID_AROUND:
    'A page cannot be around that place: it is not in the ranking, or the list has another order.',
  INVALID_VIEW: 'The board has no such view, period, group or tag, or cannot have it.',
  GAME_SLUG_REQUIRED: 'A board slug needs the slug of its game.',
  ACCOUNT_ID_REQUIRED: 'A superadmin has to name the account.',
  GAME_NOT_IN_ACCOUNT: 'The game belongs to another account.',
  BOARD_NOT_IN_GAME: 'The board belongs to another game.',
  INVALID_SLUG: 'The slug is malformed.',
  WRONG_BOARD_TYPE: 'A board of this type cannot do that.',
  BOARD_CLOSED: 'The board has not started, has ended or is inactive.',
  INVALID_TRANSITION: 'The record cannot change from its current state to that one.',
  INVALID_FLAG_UPDATE: 'The flag cannot be reviewed that way.',
  INVALID_CODE: 'The code is wrong, used up or expired.',
  REWARD_GONE: 'The reward has expired or was revoked.',
  TICKET_REQUIRED: 'The board counts only runs with a ticket.',
  TICKET_INVALID: 'The ticket was not issued to this device for this board.',
  TICKET_EXPIRED: 'The ticket has expired.',
  TICKET_STALE: 'The board has changed since the run started.',
  TICKET_USED: 'The ticket was already used.',
  ATTEMPTS_USED_UP: 'No attempts are left in this period.',
  RECORDING_NOT_WANTED: 'The recording of this run is not wanted, or not any more.',
  SEVERAL_ACCOUNTS: 'The request names accounts of several cells.',
  CELL_REQUIRED: 'The request has to name its cell.',
  BAD_REQUEST: 'The request is malformed or asks for too much.',
  API_KEY_REQUIRED: 'This is for administrators: send an API key.',
  INVALID_API_KEY: 'The API key is unknown, revoked or expired.',
  TOKEN_REQUIRED: 'This is for game clients: send an access token.',
  INVALID_TOKEN: 'The access token is unknown, expired or of a revoked session.',
  INVALID_REFRESH_TOKEN: 'The refresh token is unknown, used or expired.',
  PROOF_REFUSED: 'The proof of who the player is was refused.',
  FORBIDDEN: 'The record belongs to someone else.',
  SUPERADMIN_REQUIRED: 'This is for superadmins.',
  PASSKEY_REQUIRED:
    'Sign in with a passkey, or again: the account requires one, or lasting access takes a fresh sign-in.',
  ACCOUNT_SUSPENDED: 'The account is suspended.',
  USER_SUSPENDED: 'The user is suspended.',
  DEVICE_BLOCKED: 'The device is suspended or banned.',
  PROOF_REQUIRED: 'The board counts only runs of players who have proven who they are.',
  SCORE_REJECTED: 'A check rejected the score.',
  NOT_FOUND: 'There is no such record, or it was deleted.',
  METHOD_NOT_ALLOWED: 'The path has no such method.',
  CONFLICT: 'Another record already uses the value, or the request contradicts an earlier one.',
  PLAYER_CONFLICT: 'The session has a player with runs, and the proof belongs to another one.',
  NONCE_REQUIRED: 'The write needs a nonce.',
  NONCE_INVALID: 'The nonce is not one of this session.',
  NONCE_EXPIRED: 'The nonce has expired.',
  NONCE_USED: 'The nonce was used before.',
  BODY_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body has the wrong content type.',
  VALIDATION_FAILED: 'Values of the request break rules: `details` has each of them.',
  RATE_LIMITED: 'Too many requests: try again after `retryAfterSeconds`.',
  INTERNAL: 'The service has a bug: report the request id.',
  UNAVAILABLE: 'The service is busy or its database is away: try again after `retryAfterSeconds`.',
  ACCOUNT_MOVED: 'The account is being moved to another cell: try again after `retryAfterSeconds`.',
  PROVIDER_UNAVAILABLE: 'The provider of the proof did not answer as it should.',
};

export const ErrorCodes = enumOf(
  'ErrorCode',
  'The codes of `extensions.code` of every error, and of refused items of batches. Codes are added, never removed: keep a default case.',
  CODES,
);

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

/** Returns an error as GraphQL responses show it: the sentence, and in `extensions` code, request id and details. */
export function formatFault(
  error: GraphQLError | GraphQLFormattedError,
  requestId: string,
  cause: unknown = error,
): GraphQLFormattedError {
  const { message, code, details, retryAfterSeconds } = domainErrorOf(cause);
  const extensions: FaultExtensions = { code, requestId };
  if (details) extensions.details = details;
  if (isWorthRetrying(code)) extensions.retryAfterSeconds = retryAfterSeconds ?? RETRY_AFTER_SECONDS;
  return {
    message,
    ...(error.locations && { locations: error.locations }),
    ...(error.path && { path: error.path }),
    extensions,
  };
}
