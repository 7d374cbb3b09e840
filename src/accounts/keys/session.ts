import { Field, ID, ObjectType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.js';
import type { ApiKey } from './api-key.js';
import { SignInMethod } from './sign-in-method.js';

@ObjectType({
  description: 'A sign-in to the console: an API key that is valid for 12 hours.',
  simpleResolvers: true,
})
export class ConsoleSession {
  @Field(() => ID, { description: 'The id of its key, `key_<uuid>`.' })
  id!: string;

  @Field(() => SignInMethod, { nullable: true, description: 'How the user signed in. Null if unknown.' })
  method!: SignInMethod | null;

  @Field(() => String, {
    nullable: true,
    description: 'The address the user signed in from, for SESSION_ADDRESS_DAYS. Null if unknown.',
  })
  ipAddress!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The browser, as it describes itself, for SESSION_ADDRESS_DAYS. Null if unknown.',
  })
  userAgent!: string | null;

  @Field(() => Boolean, { description: 'True for the session of this request.' })
  isCurrent!: boolean;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it was last used, to the minute. Null: never.',
  })
  lastUsedAt!: Date | null;

  @Field(() => DateTime, { description: 'When the user signed in.' })
  createdAt!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When it expires.' })
  expiresAt!: Date | null;

  /** @param currentId the key of the request */
  static of(key: ApiKey, currentId: string): ConsoleSession {
    const { id, signedInWith: method, signedInFrom: ipAddress, signedInAgent: userAgent } = key;
    const { lastUsedAt, createdAt, expiresAt } = key;
    const facts = { id, method, ipAddress, userAgent, lastUsedAt, createdAt, expiresAt };
    return Object.assign(new ConsoleSession(), facts, { isCurrent: id === currentId });
  }
}
