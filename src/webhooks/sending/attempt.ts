import type { Clock } from '../../base/clock.js';
import { retryAfterMillis } from '../../base/moments/retry-after.js';
import { type GuardedFetch, OutboundError } from '../../base/outbound/guarded-fetch.js';
import { signatureOf } from '../../base/outbound/webhook-signature.js';
import type { Seal } from '../../mail/outbox.js';
import { bodyOf } from '../deliveries/payload.js';
import type { WebhookEndpoint } from '../endpoints/endpoint.js';
import type { ClaimedDelivery } from './claim.js';

const HEAD_BYTES = 2_048;

/** How one attempt ended. */
export interface AttemptOutcome {
  /** Null: delivered. */
  error: string | null;
  /** Text for the operator's log alone; null: nothing more to say. */
  detail: string | null;
  /** The endpoint wants no more: 410. */
  isGone: boolean;
  status: number | null;
  bytes: number | null;
  millis: number;
  head: string | null;
  retryAfterMs: number | null;
}

export interface AttemptParts {
  fetch: GuardedFetch;
  seal: Seal;
  clock: Clock;
  /** False: answers may come from internal services, and are not stored. */
  keepsAnswers: boolean;
}

/** Sends a delivery once. Never fails: what went wrong is its outcome. */
export async function attempt(
  parts: AttemptParts,
  endpoint: WebhookEndpoint,
  claimed: ClaimedDelivery,
  signal: AbortSignal,
): Promise<AttemptOutcome> {
  const { fetch, clock, keepsAnswers } = parts;
  const began = performance.now();
  const took = () => Math.round(performance.now() - began);
  const none = { detail: null, isGone: false, status: null, bytes: null, head: null, retryAfterMs: null };
  try {
    const { url, request } = requestOf(parts, endpoint, claimed);
    const response = await fetch(url, { ...request, signal });
    const answer = Buffer.from(await response.arrayBuffer());
    return {
      error: response.ok ? null : refusal(response.status),
      detail: null,
      isGone: response.status === 410,
      status: response.status,
      bytes: answer.length,
      millis: took(),
      head: keepsAnswers ? storable(answer.subarray(0, HEAD_BYTES)) : null,
      retryAfterMs: response.ok ? null : retryAfterMillis(response.headers.get('retry-after'), clock()),
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) {
      return { ...none, error: 'The request could not be made.', millis: took() };
    }
    return { ...none, error: error.message, detail: error.detail, millis: took() };
  }
}

function refusal(status: number): string {
  if (status >= 300 && status < 400) return `It redirected (${status}). Redirects are not followed.`;
  return `It answered ${status}.`;
}

/** Postgres stores no NUL. */
function storable(answer: Buffer): string {
  return answer.toString('utf8').replaceAll('\0', '');
}

function requestOf(
  { seal, clock }: AttemptParts,
  endpoint: WebhookEndpoint,
  { delivery, event }: ClaimedDelivery,
) {
  const body = JSON.stringify(bodyOf(endpoint, delivery, event));
  const at = Math.floor(clock() / 1_000);
  const signed = {
    'webhook-id': delivery.id,
    'webhook-timestamp': String(at),
    'webhook-signature': signatureOf(secretsOf(seal, endpoint, clock()), delivery.id, at, body),
  };
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'leaderboard-webhooks',
    ...(endpoint.format === 'json' && signed),
  };
  return { url: endpoint.url, request: { method: 'POST', headers, body } };
}

/** The secrets that sign, the newest first. */
function secretsOf(seal: Seal, endpoint: WebhookEndpoint, now: number): string[] {
  const { id, sealedSecret, previousSecret, previousSecretUntil } = endpoint;
  const both = previousSecret && previousSecretUntil && previousSecretUntil.getTime() > now;
  return [sealedSecret, ...(both ? [previousSecret] : [])].map((sealed) => seal.open(id, sealed));
}
