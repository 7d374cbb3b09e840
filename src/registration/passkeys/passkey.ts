import type { Knex } from 'knex';
import { Field, ID, ObjectType } from 'type-graphql';
import { uuidOf } from '../../base/ids.js';
import { Row } from '../../db/row.js';
import { DateTime } from '../../graphql/scalars.js';

@ObjectType({ description: 'A passkey, which signs its user in to the console.', simpleResolvers: true })
export class Passkey extends Row {
  static override tableName = 'passkeys';
  static override unaudited = [
    ...['credentialId', 'publicKey', 'signCount', 'transports', 'isSynced', 'lastUsedAt'],
  ];
  static override ids = { id: 'passkey', accountId: 'account', userId: 'user' } as const;

  @Field(() => ID, { description: 'The id, `psk_<uuid>`.' })
  override id!: string;

  accountId!: string;
  userId!: string;

  @Field(() => String, { description: 'Name that its user gave it.' })
  name!: string;

  credentialId!: Buffer;
  publicKey!: Buffer;
  /** A decimal number, as Postgres returns a bigint. */
  signCount!: number;
  transports!: string[];

  @Field(() => Boolean, {
    description:
      'True if its provider copies it to other devices, such as iCloud Keychain or a password manager.',
  })
  isSynced!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'When it last signed its user in. Null: never.' })
  lastUsedAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was added.' })
  override createdAt!: Date;

  override updatedAt!: Date;
}

/** Identifies a user to authenticators: the account, so that a gateway finds its cell, and the user. */
export function userHandle({ accountId, userId }: { accountId: string; userId: string }): Buffer {
  return Buffer.from(`${accountId}${userId}`.replace(/(acc|usr)_|-/g, ''), 'hex');
}

/** The live passkeys of a user, the oldest first. */
export function passkeysOf(db: Knex, userId: string) {
  return Passkey.query(db)
    .where('user_id', uuidOf(userId))
    .whereNull('deleted_at')
    .orderBy(['created_at', 'id']);
}
