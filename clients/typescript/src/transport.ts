import { errorOf, LeaderboardError } from './errors.js';
import type { Settled } from './options.js';

export type Query = Record<string, string | number | boolean | undefined>;

export interface Request {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT';
  path: string;
  query?: Query;
  body?: unknown;
  /** In place of `body`: bytes as they are, with a `content-type` of the headers. */
  file?: Uint8Array;
  token?: string | undefined;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Timers end at 24 days and then fire immediately, and a proxy may ask for any time. */
const LONGEST_RETRY_AFTER = 3_600;

/** Seconds of a `retry-after` header: a number, as the service sends it, at most an hour. A date is for other clocks. */
function retryAfterOf(response: Response): number | undefined {
  const text = response.headers.get('retry-after')?.trim() ?? '';
  return /^\d+(\.\d+)?$/.test(text) ? Math.min(Number(text), LONGEST_RETRY_AFTER) : undefined;
}

/**
 * Sends one request and reads its whole answer.
 * @throws LeaderboardError for every answer that is not the service's success
 */
export async function send<T>(settings: Settled, request: Request): Promise<T> {
  const ending = limitOf(settings.timeoutMs, request.signal);
  try {
    const response = await open(settings, request, ending.signal);
    return (await bodyOf(response)) as T;
  } catch (error) {
    throw ending.reason ?? networkError(error);
  } finally {
    ending.done();
  }
}

/** The open answer of a stream. */
export async function openStream(
  settings: Settled,
  request: Request & { signal: AbortSignal },
): Promise<Response> {
  const ending = limitOf(settings.timeoutMs, request.signal);
  try {
    const response = await open(settings, request, ending.signal);
    if (!response.ok) await bodyOf(response);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) throw strange(response);
    return response;
  } catch (error) {
    throw ending.reason ?? networkError(error);
  } finally {
    // The caller's signal still ends the stream; the time limit was one for its beginning.
    ending.disarm();
  }
}

/** With its question mark; empty: nothing is asked for. React Native's URL can't add it. */
export function queryOf(query: Query): string {
  const parts = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`],
  );
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

function open(settings: Settled, request: Request, signal: AbortSignal): Promise<Response> {
  const { method = 'GET', path, query = {}, body, file, token, headers } = request;
  return settings.fetch(settings.url + path + queryOf(query), {
    method,
    signal,
    // The credential is meant for one address.
    redirect: 'error',
    cache: 'no-store',
    headers: {
      ...headers,
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    // Undefined stays so.
    body: (file as BodyInit | undefined) ?? JSON.stringify(body),
  });
}

async function bodyOf(response: Response): Promise<unknown> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    throw strange(response);
  }
  if (response.ok && typeof body === 'object' && body !== null) return body;
  throw errorOf(body, response.status, retryAfterOf(response)) ?? strange(response);
}

function strange(response: Response): LeaderboardError {
  const { status } = response;
  const message = `The response (${status}) is not from the leaderboard service. Check the URL.`;
  return new LeaderboardError('NOT_THE_SERVICE', message, status, undefined, [], retryAfterOf(response));
}

function networkError(error: unknown): LeaderboardError {
  if (error instanceof LeaderboardError) return error;
  const { message, cause } = error as { message?: string; cause?: { message?: string } };
  return new LeaderboardError('NETWORK', cause?.message ?? message ?? String(error));
}

/** Ends a request after `ms`, or with the caller's signal. `reason` is the error of the one that came first. */
function limitOf(ms: number, outer: AbortSignal | undefined) {
  const ending = new AbortController();
  const limit = {
    signal: ending.signal,
    reason: undefined as LeaderboardError | undefined,
    disarm: () => clearTimeout(timer),
    done: () => {
      clearTimeout(timer);
      outer?.removeEventListener('abort', cancel);
    },
  };
  const end = (reason: LeaderboardError) => {
    limit.reason ??= reason;
    ending.abort();
  };
  const timer = setTimeout(() => end(new LeaderboardError('TIMEOUT', `No response within ${ms} ms.`)), ms);
  const cancel = () => end(new LeaderboardError('CANCELLED', 'The request was cancelled.'));
  if (outer?.aborted) cancel();
  outer?.addEventListener('abort', cancel);
  return limit;
}
