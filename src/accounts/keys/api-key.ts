import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { GlobalName } from '../../db/names.js';
import { enumOf } from '../../graphql/enums.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  computed,
  createdAt,
  fixed,
  idField,
  later,
  made,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { Rule } from '../../graphql/rules.js';
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

const scopes: FieldKind<KeyScope[]> = {
  ...kind.someOf(KeyScope),
  rules: [
    Rule(
      'length',
      'must name at least one scope, or be null for the whole role',
      (value) => Array.isArray(value) && value.length > 0,
      { minItems: 1 },
    ),
  ],
  stored: (given) => [...new Set(given)],
};

export const apiKeyFields = {
  id: idField('apiKey'),
  accountId: fixed(required(kind.idOf('account'), 'The account the key gives access to.')),
  userId: fixed(required(kind.idOf('user'), 'The user of that account who owns the key.')),
  name: fixed(required(kind.label(100), 'What the key is for.')),
  prefix: made(kind.text, 'The first 14 characters of the key, which tell keys apart.'),
  key: computed(kind.orNull(kind.text), 'The whole key. Returned only once, when the key is created.'),
  status: later(
    preset(kind.oneOf(ApiKeyStatus), 'active', 'Status of the key. Only active keys work.', {
      whenChanged: '`REVOKED` ends the key permanently.',
    }),
  ),
  lastUsedAt: made(kind.orNull(kind.moment), 'When the key was last used, to the minute. Null: never.'),
  lastUsedFrom: made(kind.orNull(kind.text), 'The address it was last used from, for SESSION_ADDRESS_DAYS.'),
  expiresAt: fixed(maybe(kind.moment, 'When it expires. Null: never.')),
  scopes: fixed(
    maybe(scopes, "The parts of its user's role that it has. Null: the whole role, also when that changes."),
  ),
  gameId: fixed(
    asked(kind.orNull(kind.idOf('game')), 'The only game it reaches. Null: all games of its user.'),
  ),
  createdAt,
  updatedAt,
};

@RecordType(apiKeyFields, 'A credential of a user, for servers and tools.')
export class ApiKey extends rowOf(apiKeyFields, { ids: { onlyGameId: 'game' } }) {
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

  /** HMAC-SHA256 of the whole key. */
  hash!: Buffer;

  @Only('rest')
  key?: string;

  onlyGameId!: string | null;
  /** Made by a sign-in to the console; null in other keys, and where it is not known. */
  isConsole!: boolean;
  signedInWith!: SignInMethod | null;
  signedInFrom!: string | null;
  signedInAgent!: string | null;

  get gameId(): string | null {
    return this.onlyGameId;
  }

  override globalNames(): GlobalName[] {
    return [{ kind: 'key_prefix', name: this.prefix }];
  }
}

export const CreateApiKeyInput = newInput('CreateApiKeyInput', 'A new API key.', apiKeyFields);
export type CreateApiKeyInput = Created<typeof apiKeyFields>;

export const UpdateApiKeyInput = changeInput(
  'UpdateApiKeyInput',
  'Changes to an API key. Absent fields stay unchanged.',
  apiKeyFields,
);
export type UpdateApiKeyInput = Updated<typeof apiKeyFields> & { deleted?: boolean };

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
