import { randomBytes } from 'node:crypto';
import { SECRET_PREFIX } from '../../base/outbound/webhook-signature.js';

/** A new secret, in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64');
}
