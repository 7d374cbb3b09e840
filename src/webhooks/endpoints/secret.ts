import { createHash, randomBytes } from 'node:crypto';
import { SECRET_PREFIX } from '../../base/outbound/webhook-signature.js';

/** A new secret, in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64');
}

/** The address as the audit log shows it: a path may hold a token. */
export function shownAddressOf(url: string): string {
  return `${new URL(url).origin}/… (${createHash('sha256').update(url).digest('hex').slice(0, 8)})`;
}
