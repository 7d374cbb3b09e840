import { Field, ID, ObjectType } from 'type-graphql';
import { IDENTITY_EXPORT } from '../../base/transfer/exported.js';
import { Row } from '../../db/row.js';
import { TrustTier } from '../../games/trust-tier.js';
import { enumOf } from '../../graphql/enums.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { AlsoInGraphQL } from '../../graphql/views.js';
import { SHORTENED } from '../session-text.js';

export const IdentityKind = enumOf('IdentityKind', 'The kind of key that identifies a player.', {
  device: 'The fingerprint of its device.',
  platform: 'An account on a distribution platform.',
  custom: "The game server's own key.",
});
export type IdentityKind = (typeof IdentityKind)[keyof typeof IdentityKind];

@AlsoInGraphQL(IDENTITY_EXPORT)
@ObjectType({ implements: Node, description: 'A player of a game.', simpleResolvers: true })
export class Identity extends Row {
  static override tableName = 'identities';
  static override unaudited = [
    'externalKey',
    'trustTier',
    'trustTierReason',
    'trustTierGiven',
    'trustTierGivenAt',
    'provenAt',
    'deletedWith',
  ];
  static override ids = {
    id: 'identity',
    accountId: 'account',
    gameId: 'game',
    deletedWith: 'device',
    madeBy: 'scoreImport',
    mergedInto: 'identity',
  } as const;

  @Field(() => ID, { description: 'The id, `ide_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account of its game.' })
  accountId!: string;

  @Field(() => ID, { description: "The player's game." })
  gameId!: string;

  @Field(() => IdentityKind, { description: 'The kind of key that identifies the player.' })
  kind!: IdentityKind;

  @Field(() => String, {
    simple: false,
    nullable: true,
    description: `Key that identifies the player within its kind. Null for game clients. For devices, it is the fingerprint. ${SHORTENED}`,
  })
  externalKey!: string | null;

  @Field(() => String, {
    description:
      'Current name, shown in rankings: from the latest production run, or as set by an administrator. Can be empty before the first run.',
  })
  displayName!: string;

  @Field(() => Boolean, {
    description: 'True if submissions do not change the name, and show it instead of their own.',
  })
  nameLocked!: boolean;

  @Field(() => TrustTier, {
    nullable: true,
    description:
      'How strictly its submissions are checked. Null if the default applies, and for game clients.',
  })
  trustTier!: TrustTier | null;

  @Field(() => String, {
    nullable: true,
    description:
      'The confirmed flag that changed its tier from the one an administrator set. Null if none did, and for game clients.',
  })
  trustTierReason!: string | null;

  /**
   * The tier that an administrator set, and when; `trustTier` equals it unless the player was caught cheating since.
   */
  trustTierGiven!: string | null;
  trustTierGivenAt!: Date | null;

  /** When it first proved who it is. Null: it has no proof. */
  provenAt!: Date | null;

  /** The import that made it. */
  madeBy!: string | null;

  /** The device with whose deletion it was deleted. */
  deletedWith!: string | null;

  @Field(() => ID, {
    name: 'mergedIntoId',
    simple: false,
    nullable: true,
    description:
      'The player that its runs count for since a merge. Null if it is not merged, and for game clients.',
  })
  mergedInto!: string | null;

  /** When its personal data were erased; it stays deleted. */
  erasedAt!: Date | null;

  /** True: its scores stay on the boards although it is deleted. Only with `erasedAt`. */
  keepsScores!: boolean;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;
}
