import type { GuardedFetch } from '../../../base/outbound/guarded-fetch.js';
import type { PlayerProvider } from '../provider.js';

/** A proof to check. */
export interface GivenProof {
  provider: PlayerProvider;
  /** Of the provider, opened; null: it has none. */
  secret: string | null;
  token: string;
  /** Epoch milliseconds. */
  now: number;
  /** In the turns of the provider's account. */
  fetch: GuardedFetch;
}

/** Whom a proof proves. */
export interface Proven {
  /** The account, as the provider names it. */
  subject: string;
  /** What makes the proof this one: whoever has it can't vary this text without a new proof. */
  once: string;
  /** Epoch milliseconds until which the provider's proof could be used again. */
  until: number;
}

/** The proof is not accepted. The message is for administrators and the log, never for players. */
export class ProofRefusal extends Error {}

/** The provider can't be asked, or its answer makes no sense. The message is for administrators and the log. */
export class ProviderFault extends Error {}

const MOST_SUBJECT = 255;

/** @throws ProofRefusal unless it can name an account */
export function checkedSubject(subject: unknown): string {
  const isText = typeof subject === 'string' && subject.length >= 1 && subject.length <= MOST_SUBJECT;
  if (isText && !/[\p{Cc}\p{Cs}]/u.test(subject)) return subject;
  throw new ProofRefusal(`The subject is not a text of 1 to ${MOST_SUBJECT} characters.`);
}

const MOST_SHOWN = 200;

/** What somebody else wrote, for a sentence. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing');
  return `"${text.replaceAll(/[\p{Cc}\p{Cs}]/gu, '?').slice(0, MOST_SHOWN)}"`;
}

/** A response as JSON. @throws ProviderFault */
export async function jsonOf(response: Response, from: string): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = JSON.parse(await response.text());
  } catch {
    value = undefined;
  }
  if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  throw new ProviderFault(`${from} responded with status ${response.status} and no JSON.`);
}
