import { randomBytes } from 'node:crypto';
import { Field, InputType, Int } from 'type-graphql';
import { SECRET_PREFIX } from '../../base/outbound/webhook-signature.js';
import { IsWithin } from '../../graphql/rules.js';

/** A new secret, in the form of Standard Webhooks: `whsec_` and 32 random bytes in base64. */
export function newSecret(): string {
  return SECRET_PREFIX + randomBytes(32).toString('base64');
}

@InputType({ description: 'The endpoint whose secret to rotate.' })
export class RotateWebhookSecretInput {
  @IsWithin(0, 168)
  @Field(() => Int, {
    defaultValue: 24,
    description: 'For this many hours, requests are signed with both secrets, 0 to 168. Default: 24.',
  })
  overlapHours?: number | null;
}
