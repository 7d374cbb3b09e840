import { registerEnumType } from 'type-graphql';
import type { ErrorCode } from '../base/errors.js';

const DESCRIPTIONS: Readonly<Record<ErrorCode, string>> = {
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
  INVALID_TRANSITION: 'The record cannot change from its present state to that one.',
  INVALID_FLAG_UPDATE: 'The flag cannot be reviewed that way.',
  INVALID_CODE: 'The code is wrong, used up or expired.',
  SEVERAL_ACCOUNTS: 'The request names accounts of several cells.',
  CELL_REQUIRED: 'The request has to name its cell.',
  BAD_REQUEST: 'The request is malformed or asks for too much.',
  API_KEY_REQUIRED: 'This is for administrators: send an API key.',
  INVALID_API_KEY: 'The API key is unknown, revoked or expired.',
  TOKEN_REQUIRED: 'This is for game clients: send an access token.',
  INVALID_TOKEN: 'The access token is unknown, expired or of a revoked session.',
  INVALID_REFRESH_TOKEN: 'The refresh token is unknown, used or expired.',
  FORBIDDEN: 'The record belongs to someone else.',
  SUPERADMIN_REQUIRED: 'This is for superadmins.',
  ACCOUNT_SUSPENDED: 'The account is suspended.',
  USER_SUSPENDED: 'The user is suspended.',
  DEVICE_BLOCKED: 'The device is suspended or banned.',
  SCORE_REJECTED: 'A check rejected the score.',
  NOT_FOUND: 'There is no such record, or it was deleted.',
  METHOD_NOT_ALLOWED: 'The path has no such method.',
  CONFLICT: 'Another record already uses the value, or the request contradicts an earlier one.',
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
};

export const ErrorCodes = Object.fromEntries(
  Object.keys(DESCRIPTIONS).map((code) => [code, code]),
) as Readonly<Record<ErrorCode, ErrorCode>>;

registerEnumType(ErrorCodes, {
  name: 'ErrorCode',
  description:
    'The codes of `extensions.code` of every error, and of refused items of batches. Codes are added, never removed: keep a default case.',
  valuesConfig: Object.fromEntries(
    Object.entries(DESCRIPTIONS).map(([code, description]) => [code, { description }]),
  ),
});
