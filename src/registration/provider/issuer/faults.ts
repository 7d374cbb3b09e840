import { DomainError, unavailable } from '../../../base/errors.js';
import { OutboundError } from '../../../base/outbound/guarded-fetch.js';

function causesOf(error: unknown): Error[] {
  const found: Error[] = [];
  for (let at = error; at instanceof Error && found.length < 5; at = at.cause) found.push(at);
  return found;
}

export const outboundOf = (error: unknown) =>
  causesOf(error).find((one): one is OutboundError => one instanceof OutboundError);

/** The status with which an issuer answered, if that is what is wrong. */
export function answeredStatus(error: unknown): number | undefined {
  for (const one of causesOf(error)) {
    for (const { status } of [one, one.cause ?? {}] as { status?: unknown }[]) {
      if (typeof status === 'number') return status;
    }
  }
  return undefined;
}

/** The error code of OAuth that an issuer sent, such as `invalid_client`. */
export function oauthCodeOf(error: unknown): string | undefined {
  const codes = causesOf(error).map((one) => (one as { error?: unknown }).error);
  return codes.find((code): code is string => typeof code === 'string' && /^[a-z_]{1,40}$/.test(code));
}

/** A sentence for whoever sets the issuer up. */
export function reasonOf(error: unknown): string {
  return (outboundOf(error) ?? causesOf(error)[0])?.message ?? 'unknown fault';
}

interface Comparison {
  expected?: unknown;
  claim?: string;
  claims?: Record<string, unknown>;
}

/** Claims that tell nothing about a person. */
const PUBLIC = new Set(['iss', 'aud', 'azp', 'iat', 'exp', 'nbf']);
const LONGEST = 500;

/** The same for the log, with what the issuer says and what was compared, and without what it says about people. */
export function faultFactsOf(error: unknown): Record<string, unknown> {
  const causes = causesOf(error);
  const said = causes.find((one) => 'error_description' in one) as
    | { error_description?: unknown }
    | undefined;
  const compared = causes.map((one) => one.cause as Comparison).find((cause) => cause?.claims && cause.claim);
  const { expected, claim = '', claims } = compared ?? {};
  const isPublic = PUBLIC.has(claim);
  return {
    reason: [...new Set(causes.map(({ message }) => message))].join(': ').slice(0, LONGEST),
    outbound: outboundOf(error)?.detail,
    status: answeredStatus(error),
    oauth: oauthCodeOf(error),
    description:
      typeof said?.error_description === 'string' ? said.error_description.slice(0, LONGEST) : undefined,
    ...(isPublic && { claim, expected, received: claims![claim] }),
  };
}

export function wrongSignIn(
  sentence = 'This sign-in could not be verified: it has expired, was used, or began in another browser. Sign in again.',
): DomainError {
  return new DomainError('INVALID_CODE', sentence);
}

/** What the caller is told about a failed exchange with an issuer. */
export function exchangeFault(error: unknown): DomainError {
  if (error instanceof DomainError) return error;
  const outbound = outboundOf(error);
  if (outbound || (answeredStatus(error) ?? 0) >= 500) {
    return unavailable(`The identity provider could not be asked. ${outbound?.message ?? ''}`.trim());
  }
  const code = oauthCodeOf(error);
  return wrongSignIn(
    code
      ? `The identity provider refused this sign-in (${code}). Sign in again.`
      : 'The response of the identity provider is not valid. Sign in again, or ask whoever runs it.',
  );
}
