import { ArgsType, Field, ID, InputType } from 'type-graphql';
import { hasControl, lengthOf, NO_CONTROL } from '../base/text.js';
import { RestorablePageArgs } from '../graphql/connection.js';
import { IsIdOf, IsName, Matches, MaxLength, NotNull, Rule } from '../graphql/rules.js';
import { JsonObject } from '../graphql/scalars.js';
import { DeviceStatus } from './devices/device.js';
import { IdentityKind, TrustTier } from './identities/identity.js';
import { DeviceSessionStatus } from './sessions/device-session.js';

const DELETED_PLAYER = 'True deletes the record, false restores a deleted one.';
const LONGEST_FINGERPRINT = 128;

const PRINTABLE = { minLength: 1, maxLength: LONGEST_FINGERPRINT, pattern: `^${NO_CONTROL}*$` };

function isFingerprint(value: unknown): boolean {
  if (typeof value !== 'string' || hasControl(value)) return false;
  const length = lengthOf(value);
  return length >= 1 && length <= LONGEST_FINGERPRINT;
}

@InputType({ description: 'A session to start on a device.' })
export class StartDeviceSessionInput {
  @IsIdOf('game')
  @Field(() => ID, { description: 'The game that runs on the device.' })
  gameId!: string;

  @Rule('fingerprint', `must be 1 to ${LONGEST_FINGERPRINT} printable characters`, isFingerprint, PRINTABLE)
  @Field(() => String, { description: "The game's own identifier of the device, 1 to 128 characters." })
  clientFingerprint!: string;

  @MaxLength(32)
  @Matches('platform', /^\P{Cc}*$/u, 'must not contain control characters')
  @Field(() => String, { nullable: true, description: 'Platform of the device, up to 32 characters.' })
  platform?: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description: 'Data to store with the device; replaces the stored data.',
  })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "True if this session's submissions are test data; false by default.",
  })
  testMode?: boolean | null;
}

@InputType({ description: 'Changes of a device; what is absent stays.' })
export class UpdateDeviceInput {
  @NotNull()
  @Field(() => DeviceStatus, { nullable: true, description: 'Bans, suspends or activates it.' })
  status?: DeviceStatus;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True deletes the device and its own player, whose scores leave all boards; false brings both back. Done when this is answered.',
  })
  deleted?: boolean;
}

@InputType({ description: 'Changes of a device session; what is absent stays.' })
export class UpdateDeviceSessionInput {
  @NotNull()
  @Field(() => DeviceSessionStatus, { nullable: true, description: '`REVOKED` ends the session for ever.' })
  status?: DeviceSessionStatus;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: DELETED_PLAYER })
  deleted?: boolean;
}

const KEY_SENTENCE = `must be 1 to ${LONGEST_FINGERPRINT} printable characters`;

@InputType({ description: "A player that the studio's own game server knows." })
export class CreateIdentityInput {
  @IsIdOf('game')
  @Field(() => ID, { description: 'The game it plays.' })
  gameId!: string;

  @Field(() => IdentityKind, {
    description:
      'The kind of key that identifies it. A session start of the device with this fingerprint takes up an identity of kind `DEVICE`.',
  })
  kind!: IdentityKind;

  @Rule('external_key', KEY_SENTENCE, isFingerprint, PRINTABLE)
  @Field(() => String, {
    description: 'Its key within its kind, 1 to 128 characters, unique among the players of the game.',
  })
  externalKey!: string;

  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    description: '1 to 64 characters; empty by default, until its first submission names it.',
  })
  displayName?: string | null;
}

@InputType({ description: 'Changes of a player; what is absent stays, null clears what may be empty.' })
export class UpdateIdentityInput {
  @NotNull()
  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    description:
      '1 to 64 characters. Every ranking shows it, and where every run is ranked, the runs with the name before do. Locks the name unless `nameLocked` is false.',
  })
  displayName?: string;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True keeps the name against submissions, which then show it, too; false lets the next production run name the player. True by default where a name is given.',
  })
  nameLocked?: boolean;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True, with a name: where every run is ranked, all runs of the player get it, not only those with the name before. False by default.',
  })
  allRuns?: boolean;

  @Field(() => TrustTier, {
    nullable: true,
    description: 'Strictness of its checks; null: the default.',
  })
  trustTier?: TrustTier | null;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True deletes it and takes it off all boards, past ones too; false brings a deleted one back, its scores as they were. Both are done when this is answered.',
  })
  deleted?: boolean;
}

/** Filters common to all lists of devices, sessions and players. */
@ArgsType()
export class PlayersArgs extends RestorablePageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only those of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only those of this game.' })
  gameId?: string | null;
}
