import { createHash, createHmac, randomBytes } from 'node:crypto';

const PREFIX = 'whsec_';

/** A new secret, in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

/**
 * The value of `webhook-signature` (https://www.standardwebhooks.com): one signature for each secret.
 * @param at seconds since 1970, as in `webhook-timestamp`
 */
export function signatureOf(secrets: readonly string[], id: string, at: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
    })
    .join(' ');
}

/** The address as the audit log shows it: a path may hold a token. */
export function shownAddressOf(url: string): string {
  return `${new URL(url).origin}/… (${createHash('sha256').update(url).digest('hex').slice(0, 8)})`;
}
