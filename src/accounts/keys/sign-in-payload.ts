import { Field, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.js';
import { FailsAlone } from '../../graphql/views.js';
import { ApiKey } from './api-key.js';
import type { SignIn } from './console-key.js';

/**
 * What a sign-in to the console returns.
 * @param mutation that signs in
 * @param expiry when its key expires
 */
export function signInPayload(mutation: string, description: string, expiry = 'after 12 hours.') {
  @ObjectType(`${mutation}Payload`, { description, simpleResolvers: true })
  class Payload {
    @Field(() => String, { description: 'The whole key. Returned only in this response.' })
    key!: string;

    @FailsAlone()
    @Field(() => ApiKey, { description: 'The key. Revoke it to sign out.' })
    apiKey!: ApiKey;

    @Field(() => DateTime, { description: `When it expires${expiry.startsWith(':') ? '' : ', '}${expiry}` })
    expiresAt!: Date;
  }
  return Payload;
}

export const signedIn = ({ apiKey }: SignIn) => ({ key: apiKey.key, apiKey, expiresAt: apiKey.expiresAt });
