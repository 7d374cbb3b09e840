import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Field, ID, ObjectType } from 'type-graphql';
import type { GlobalName } from '../../db/names.js';
import { Row } from '../../db/row.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { KeyScope } from '../users/role.js';
import type { SignInMethod } from './sign-in-method.js';

export const ApiKeyStatus = enumOf('ApiKeyStatus', 'The status of an API key.', {
  active: 'The key works until it expires.',
  revoked: 'The key is permanently disabled.',
});
export type ApiKeyStatus = (typeof ApiKeyStatus)[keyof typeof ApiKeyStatus];

/** Of sessions: audit entries of sign-ins have them. */
const SIGNED_IN = ['signedInWith', 'signedInFrom', 'signedInAgent'];

@ObjectType({
  implements: Node,
  description: 'A credential of a user, for servers and tools.',
  simpleResolvers: true,
})
export class ApiKey extends Row {
  static override tableName = 'api_keys';
  static override unaudited = [
    'prefix',
    'hash',
    'key',
    'lastUsedAt',
    'lastUsedFrom',
    'isConsole',
    ...SIGNED_IN,
  ];
  static override ids = { id: 'apiKey', accountId: 'account', userId: 'user', onlyGameId: 'game' } as const;

  @Field(() => ID, { description: 'The id, `key_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account the key gives access to.' })
  accountId!: string;

  @Field(() => ID, { description: 'The user who owns the key.' })
  userId!: string;

  @Field(() => String, { description: 'What the key is for.' })
  name!: string;

  @Field(() => String, { description: 'The first 14 characters of the key, which tell keys apart.' })
  prefix!: string;

  /** HMAC-SHA256 of the whole key. */
  hash!: Buffer;

  @Only('rest')
  @Field(() => String, {
    nullable: true,
    description: 'The whole key. Returned only once, when the key is created.',
  })
  key?: string;

  @Field(() => ApiKeyStatus, { description: 'Status of the key. Only active keys work.' })
  status!: ApiKeyStatus;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When the key was last used, to the minute. Null: never.',
  })
  lastUsedAt!: Date | null;

  @Field(() => String, {
    nullable: true,
    description: 'The address it was last used from, for SESSION_ADDRESS_DAYS.',
  })
  lastUsedFrom!: string | null;

  @Field(() => [KeyScope], {
    nullable: true,
    description: "The parts of its user's role that it has. Null: the whole role.",
  })
  scopes!: KeyScope[] | null;

  @Field(() => ID, {
    name: 'gameId',
    simple: false,
    nullable: true,
    description: 'The only game it reaches. Null: all games of its user.',
  })
  onlyGameId!: string | null;

  @Field(() => DateTime, { nullable: true, description: 'When it expires. Null: never.' })
  expiresAt!: Date | null;

  /** Made by a sign-in to the console; null in other keys, and where it is not known. */
  isConsole!: boolean;
  signedInWith!: SignInMethod | null;
  signedInFrom!: string | null;
  signedInAgent!: string | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  override globalNames(): GlobalName[] {
    return [{ kind: 'key_prefix', name: this.prefix }];
  }
}

/** Number of leading characters of a key that are public and unique; keys are looked up by them. */
const PREFIX_LENGTH = 14;

/** A new key: the configured prefix and 43 URL-safe characters of 32 random bytes. */
export function generateKey(keyPrefix: string): string {
  return keyPrefix + randomBytes(32).toString('base64url');
}

export function prefixOf(key: string): string {
  return key.slice(0, PREFIX_LENGTH);
}

/** The stored form of a key. A keyed hash: a stolen table alone confirms no guess. */
export function hashKey(secret: string, key: string): Buffer {
  return createHmac('sha256', secret).update(key).digest();
}

export function matchesHash(secret: string, key: string, hash: Buffer): boolean {
  return timingSafeEqual(hashKey(secret, key), hash);
}
