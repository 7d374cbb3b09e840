import { createHmac } from 'node:crypto';

/** Secrets of Standard Webhooks begin with it. */
export const SECRET_PREFIX = 'whsec_';

/**
 * The value of `webhook-signature` (https://www.standardwebhooks.com): one signature for each secret.
 * @param at seconds since 1970, as in `webhook-timestamp`
 */
export function signatureOf(secrets: readonly string[], id: string, at: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(SECRET_PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${at}.${body}`).digest('base64')}`;
    })
    .join(' ');
}
