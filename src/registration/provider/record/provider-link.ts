import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { Field, ID, ObjectType } from 'type-graphql';
import { uuidOf } from '../../../base/ids.js';
import type { GlobalName } from '../../../db/names.js';
import { Row } from '../../../db/row.js';
import { DateTime } from '../../../graphql/scalars.js';

@ObjectType({
  description: 'A person at an issuer, who signs in as a user with single sign-on.',
  simpleResolvers: true,
})
export class ProviderLink extends Row {
  static override tableName = 'provider_links';
  static override unaudited = ['subject', 'subjectKey', 'signedInAt'];
  static override ids = {
    id: 'providerLink',
    accountId: 'account',
    userId: 'user',
    providerId: 'identityProvider',
  } as const;

  @Field(() => ID, { description: 'The id, `lnk_<uuid>`.' })
  override id!: string;

  accountId!: string;
  userId!: string;
  /** Null: the installation's issuer. */
  providerId!: string | null;

  @Field(() => String, { description: 'Address of the issuer.' })
  issuer!: string;

  subject!: string;
  subjectKey!: string;

  @Field(() => DateTime, { nullable: true, description: 'When it last signed its user in. Null: never.' })
  signedInAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was added.' })
  override createdAt!: Date;

  override updatedAt!: Date;

  override globalNames(): GlobalName[] {
    return this.deletedAt ? [] : [{ kind: 'provider_subject', name: this.subjectKey }];
  }
}

interface Subject {
  /** Prefixed; null: the installation's issuer. */
  providerId: string | null;
  issuer: string;
  subject: string;
}

/** What is unique of a person: tenants who use the same issuer do not meet. */
export function subjectKeyOf({ providerId, issuer, subject }: Subject): string {
  return createHash('sha256')
    .update([providerId ?? '', issuer, subject].join('\0'))
    .digest('base64url');
}

/** The live links of a user, the oldest first. */
export function linksOf(db: Knex, userId: string) {
  return ProviderLink.query(db)
    .where('user_id', uuidOf(userId))
    .whereNull('deleted_at')
    .orderBy(['created_at', 'id']);
}
