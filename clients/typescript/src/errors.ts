import type { components } from './generated/rest.js';

type Envelope = components['schemas']['Error'];

/** One fault of an invalid request: its place (`loc`), message (`msg`) and kind (`type`). */
export type FaultDetail = NonNullable<Envelope['details']>[number];

type Responses = components['responses'];
type CodeOf<Name extends keyof Responses> = Responses[Name] extends {
  content: { 'application/json': { code?: infer Code } };
}
  ? Code
  : never;

/** Codes of the service, from the responses of its OpenAPI document, which has none for a wrong method. */
export type ServiceCode =
  | NonNullable<{ [Name in keyof Responses]: CodeOf<Name> }[keyof Responses]>
  | 'METHOD_NOT_ALLOWED';

export type ErrorCode = ServiceCode | ClientCode;

/**
 * - `NETWORK`: no answer came. `TIMEOUT`: none within the time of one request.
 * - `NOT_THE_SERVICE`: the answer is not one of the service, for example the page of a hotel's Wi-Fi.
 * - `CANCELLED`: the caller's signal. `CLOSED`: the client was closed.
 * - `QUEUE_FULL`: the oldest waiting run gave way to a new one. `STORAGE`: the storage failed.
 */
export type ClientCode =
  | 'NETWORK'
  | 'TIMEOUT'
  | 'NOT_THE_SERVICE'
  | 'CANCELLED'
  | 'CLOSED'
  | 'QUEUE_FULL'
  | 'STORAGE';

/** An error of the service or of the way to it. The message is the service's own sentence where it answered. */
export class LeaderboardError extends Error {
  override readonly name = 'LeaderboardError';

  constructor(
    readonly code: ErrorCode,
    message: string,
    /** HTTP status; 0: there was no answer. */
    readonly status = 0,
    /** Id of the request in the logs of the service. */
    readonly requestId?: string,
    readonly details: FaultDetail[] = [],
    /** Seconds the service asks the client to wait. */
    readonly retryAfterSeconds?: number,
  ) {
    super(message);
  }

  /** True if no answer of the service arrived: it may have done what it was asked for. */
  get isUnheard(): boolean {
    const { code } = this;
    return code === 'NETWORK' || code === 'TIMEOUT' || code === 'NOT_THE_SERVICE';
  }

  /** True if the same request may succeed later. */
  get isTemporary(): boolean {
    const { status } = this;
    return this.isUnheard || status === 408 || status === 429 || status >= 500;
  }
}

/** The error of an envelope; undefined: the body is none. */
export function errorOf(
  body: unknown,
  status: number,
  retryAfterSeconds?: number,
): LeaderboardError | undefined {
  const { error, code, request_id, details } = (body ?? {}) as Partial<Envelope>;
  if (typeof error !== 'string' || typeof code !== 'string') return undefined;
  return new LeaderboardError(code as ErrorCode, error, status, request_id, details, retryAfterSeconds);
}
