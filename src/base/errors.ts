/** Every error code with its HTTP status. The set is closed: no other code can be thrown. */
export const statusOf = {
  INVALID_CURSOR: 400,
  INVALID_SORT: 400,
  CURSOR_MISMATCH: 400,
  INVALID_AROUND: 400,
  INVALID_VIEW: 400,
  GAME_SLUG_REQUIRED: 400,
  ACCOUNT_ID_REQUIRED: 400,
  GAME_NOT_IN_ACCOUNT: 400,
  BOARD_NOT_IN_GAME: 400,
  INVALID_SLUG: 400,
  WRONG_BOARD_TYPE: 400,
  BOARD_CLOSED: 400,
  INVALID_TRANSITION: 400,
  INVALID_FLAG_UPDATE: 400,
  INVALID_CODE: 400,
  REWARD_GONE: 400,
  TICKET_REQUIRED: 400,
  TICKET_INVALID: 400,
  TICKET_EXPIRED: 400,
  TICKET_STALE: 400,
  TICKET_USED: 400,
  ATTEMPTS_USED_UP: 400,
  RECORDING_NOT_WANTED: 400,
  SEVERAL_ACCOUNTS: 400,
  CELL_REQUIRED: 400,
  BAD_REQUEST: 400,
  API_KEY_REQUIRED: 401,
  INVALID_API_KEY: 401,
  TOKEN_REQUIRED: 401,
  INVALID_TOKEN: 401,
  INVALID_REFRESH_TOKEN: 401,
  PROOF_REFUSED: 401,
  FORBIDDEN: 403,
  SUPERADMIN_REQUIRED: 403,
  PASSKEY_REQUIRED: 403,
  ACCOUNT_SUSPENDED: 403,
  USER_SUSPENDED: 403,
  DEVICE_BLOCKED: 403,
  PROOF_REQUIRED: 403,
  SCORE_REJECTED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  PLAYER_CONFLICT: 409,
  NONCE_REQUIRED: 412,
  NONCE_INVALID: 412,
  NONCE_EXPIRED: 412,
  NONCE_USED: 412,
  BODY_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  VALIDATION_FAILED: 422,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
  ACCOUNT_MOVED: 503,
  PROVIDER_UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statusOf;

/** Location of a fault in a request: `["body", "tags", 3]`. */
export type Loc = (string | number)[];

/** One fault of a request: its location, a sentence, and a short stable type. */
export interface ErrorDetail {
  loc: Loc;
  msg: string;
  type: string;
  /** With PLAYER_CONFLICT: the places of both players on a board; null: none. */
  standings?: Record<'current' | 'proven', { rank: number; value: number } | null>;
}

/** An error that the caller sees unchanged: `message` is a sentence for a human, `code` determines the status. */
export class DomainError extends Error {
  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: ErrorDetail[],
    /** Seconds after which the caller may try again; for codes whose responses include it. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
    this.name = 'DomainError';
  }

  get status(): number {
    return statusOf[this.code];
  }
}

/** A record that does not exist, is deleted, or belongs to a deleted one. `kind` is its name, e.g. "Board". */
export function notFound(kind: string): DomainError {
  return new DomainError('NOT_FOUND', `${kind} not found`);
}

/** A fault that the request alone shows (422). The sentence has the first one: many readers see nothing else. */
export function invalid(details: ErrorDetail[]): DomainError {
  return new DomainError('VALIDATION_FAILED', sentenceOf(details), details);
}

/** First members of a `loc` that say nothing to its caller. */
const ROOTS: ReadonlySet<unknown> = new Set(['body', 'variables', 'input', 'query', 'path', 'header']);

function sentenceOf([first, ...others]: ErrorDetail[]): string {
  if (!first) return 'Invalid request';
  const { loc, msg } = first;
  const start = loc.findIndex((part) => !ROOTS.has(part));
  const place = loc.slice(Math.max(0, start)).join('.');
  const fault = place === '' ? msg : `${place} ${msg}`;
  const more = others.length > 0 ? ` (and ${others.length} more, see details)` : '';
  return `Invalid request: ${fault}${more}`;
}

/** The same error with other `details`; the sentence of {@link invalid} follows them. */
export function withDetails(error: DomainError, details: ErrorDetail[]): DomainError {
  const isMade = error.code === 'VALIDATION_FAILED' && error.message === sentenceOf(error.details ?? []);
  return isMade
    ? invalid(details)
    : new DomainError(error.code, error.message, details, error.retryAfterSeconds);
}

/** 422 for one field; `loc` as the caller wrote it. */
export function invalidField(loc: (string | number)[], msg: string, type = 'value'): DomainError {
  return invalid([{ loc, msg, type }]);
}

/** Seconds after which a caller that got a 503 may try again. */
export const RETRY_AFTER_SECONDS = 1;

export function unavailable(
  why = 'The service is temporarily unavailable. Try again in a moment.',
): DomainError {
  return new DomainError('UNAVAILABLE', why);
}

/** The account is being moved, or was moved, to another database (cells/). Neither its data nor "not found" may be returned. */
class AccountMoved extends DomainError {
  constructor() {
    super('ACCOUNT_MOVED', 'This account is being moved to another database. Try again in a moment.');
    this.name = 'AccountMoved';
  }
}

export function accountMoved(): AccountMoved {
  return new AccountMoved();
}

/** True if the same request may succeed shortly. */
export function isWorthRetrying(code: unknown): code is 'UNAVAILABLE' | 'ACCOUNT_MOVED' | 'RATE_LIMITED' {
  return code === 'UNAVAILABLE' || code === 'ACCOUNT_MOVED' || code === 'RATE_LIMITED';
}

/** The database connection was lost during a write, whose outcome is unknown. The same request, retried, finds out. */
export class OutcomeUnknown extends DomainError {
  constructor(why: string) {
    super('UNAVAILABLE', why);
  }
}

/**
 * The coded error for each violated constraint, by its name in the migrations. A violated constraint that is not listed
 * here is a bug and is presented as INTERNAL.
 */
const constraints: Record<string, () => DomainError> = {
  verdicts_verifiers: () =>
    new DomainError('CONFLICT', 'This run has verdicts of 20 verifiers already, which is the limit.'),
  accounts_name_key: () => conflict('name', 'account'),
  accounts_slug_key: () => conflict('slug', 'account'),
  users_email_key: () => conflict('email', 'user'),
  games_name_key: () => conflict('name', 'game of this account'),
  games_slug_key: () => conflict('slug', 'game'),
  boards_slug_key: () => conflict('slug', 'active board of this game'),
  boards_short_code_key: () => conflict('short_code', 'board'),
  boards_template_period_key: () => conflict('period', 'board of the same template'),
  identities_external_key: () => conflict('external_key', 'identity of this kind in the game'),
  jam_codes_code_key: () => conflict('code', 'jam code'),
  // The sweeper of names was first (cells/): the write took longer than a minute.
  name_claims_pkey: () => unavailable(),
  account_moved: accountMoved,
  passkeys_credential_key: () => conflict('credential', 'passkey'),
  identity_providers_account_key: () => conflict('account', 'identity provider'),
  identity_providers_domains_key: () => conflict('domain', 'account'),
  provider_links_subject_key: () => conflict('sign-in', 'user'),
  player_providers_slug_key: () => conflict('slug', 'provider of this game'),
  devices_label_key: () => conflict('client_fingerprint', 'device of this player'),
  devices_fingerprint_key: () => conflict('client_fingerprint', 'device of this game'),
};

/** The error of a write that would violate a constraint, where it is known before. */
export function violated(constraint: string): DomainError {
  return constraints[constraint]!();
}

function conflict(field: string, kind: string): DomainError {
  return new DomainError('CONFLICT', `Another ${kind} already uses this ${field}.`);
}

interface DatabaseFault {
  code: string;
  constraint?: string;
}

function isDatabaseFault(error: unknown): error is DatabaseFault {
  return error instanceof Error && typeof (error as { code?: unknown }).code === 'string';
}

/** SQLSTATE classes and Node socket codes that mean "the database is away, read-only or overloaded", not "you are wrong". */
const AWAY =
  /^(08...|57P0[1-5]|57014|53...|55P03|25P03|25006|40...|E(CONN(REFUSED|RESET|ABORTED)|(HOST|NET)(UNREACH|DOWN)|NETRESET|NOENT|PIPE|TIMEDOUT|NOTFOUND|AI_AGAIN)|ERR_STREAM_DESTROYED|CONNECTION_ENDED)$/;
const AWAY_TEXT =
  /Connection terminated|Client has encountered a connection error|Query read timeout|timeout expired|timeout exceeded when trying to connect|Timeout acquiring a connection|pool is draining|connection is closed|not queryable/i;

/** True if the database cannot be reached or aborted the work, so that a retry may succeed. */
export function isDatabaseAway(error: unknown): boolean {
  const inner = (error as { nativeError?: unknown } | null)?.nativeError ?? error;
  if (isDatabaseFault(inner) && AWAY.test(inner.code)) return true;
  return inner instanceof Error && AWAY_TEXT.test(inner.message);
}

/** Returns any thrown value as an error that a caller may see. Unknown errors become INTERNAL without any of their text. */
export function present(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const inner = (error as { nativeError?: unknown } | null)?.nativeError ?? error;
  if (isDatabaseFault(inner) && inner.constraint) {
    const known = constraints[inner.constraint];
    if (known) return known();
  }
  if (isDatabaseAway(error)) return unavailable();
  return new DomainError(
    'INTERNAL',
    'Something went wrong on our side. If it happens again, report the request id.',
  );
}

/** An error that prevents the start. The message is one sentence: the fault and its remedy. */
export class SetupError extends Error {
  override readonly name = 'SetupError';
}
