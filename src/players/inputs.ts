import { Field, ID, InputType } from 'type-graphql';
import { isId } from '../base/ids.js';
import { hasControl, isVisible, lengthOf } from '../base/text.js';
import { TrustTier } from '../games/trust-tier.js';
import { Deletion } from '../graphql/changed-record.js';
import { Nested } from '../graphql/input-checks.js';
import { IS_DELETED } from '../graphql/records/list.js';
import { IsIdOf, IsName, Matches, MaxLength, NotNull, Rule, visibleText } from '../graphql/rules.js';
import { JsonObject } from '../graphql/scalars.js';
import { DeviceStatus } from './devices/device.js';
import { IdentityKind } from './identities/identity.js';
import { ProofInput } from './proofs/inputs.js';
import { DeviceSessionStatus } from './sessions/device-session.js';

const only = (description: string) => ({ nullable: true, description });
const LONGEST_KEY = 128;

/** A player, or `me`: that of a client's own session. */
export function IsPlayer(): PropertyDecorator {
  return Rule(
    'id',
    'must be an id like ide_<uuid>, or "me"',
    (value) => value === 'me' || isId('identity', value),
  );
}

/** A key by which a player is known: that of a device, of a platform or the studio's own. Blank ones are all the same player. */
function IsKey(type: string): PropertyDecorator {
  return Rule(
    type,
    `must be 1 to ${LONGEST_KEY} printable characters, not only blanks`,
    (value) =>
      typeof value === 'string' && !hasControl(value) && isVisible(value) && lengthOf(value) <= LONGEST_KEY,
    { minLength: 1, maxLength: LONGEST_KEY, pattern: visibleText(1) },
  );
}

function IsPlatform(): PropertyDecorator {
  const decorators = [
    MaxLength(32),
    Matches('platform', /^\P{Cc}*$/u, 'must not contain control characters'),
  ];
  return (target, property) => {
    for (const decorate of decorators) decorate(target, property);
  };
}

const PLATFORM = 'Platform of the device, up to 32 characters.';
const METADATA = 'Metadata to store with the device. Replaces the stored metadata.';
const TEST_MODE = "True if this session's submissions are test data. Default: false.";

@InputType({ description: 'A session to start on a device.' })
export class StartDeviceSessionInput {
  @IsIdOf('game')
  @Field(() => ID, { description: 'The game that runs on the device.' })
  gameId!: string;

  @IsKey('fingerprint')
  @Field(() => String, { description: "The game's identifier for the device, 1 to 128 characters." })
  clientFingerprint!: string;

  @IsPlatform()
  @Field(() => String, { nullable: true, description: PLATFORM })
  platform?: string | null;

  @Field(() => JsonObject, { nullable: true, description: METADATA })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, { defaultValue: false, description: TEST_MODE })
  testMode?: boolean | null;

  @Nested()
  @Field(() => ProofInput, {
    nullable: true,
    description:
      'Proves who plays: the session acts for the player of that account, found or created. Null: it acts for the player of the device.',
  })
  proof?: ProofInput | null;
}

@InputType({ description: 'A session to start for a player.' })
export class StartPlayerSessionInput {
  @NotNull()
  @IsKey('fingerprint')
  @Field(() => String, {
    nullable: true,
    description:
      "The game server's name for the device, 1 to 128 characters: one record for each device of a player. It opens nothing by itself. Without one, a random one.",
  })
  clientFingerprint?: string;

  @IsPlatform()
  @Field(() => String, { nullable: true, description: PLATFORM })
  platform?: string | null;

  @Field(() => JsonObject, { nullable: true, description: METADATA })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, { defaultValue: false, description: TEST_MODE })
  testMode?: boolean | null;
}

@InputType({ description: 'Changes to a device. Absent fields stay unchanged.' })
export class UpdateDeviceInput {
  @NotNull()
  @Field(() => DeviceStatus, { nullable: true, description: 'Bans, suspends or activates it.' })
  status?: DeviceStatus;

  @Deletion(
    'Set to true to delete the device and its player, whose scores leave all boards, or to false to restore both. Complete when this returns.',
  )
  deleted?: boolean;
}

@InputType({ description: 'The device to reset.' })
export class ResetDeviceInput {
  @NotNull()
  @IsKey('fingerprint')
  @Field(() => String, {
    nullable: true,
    description:
      'Its new fingerprint, 1 to 128 characters. Without one, it gets a random one of 32 characters.',
  })
  clientFingerprint?: string;
}

@InputType({ description: 'Changes to a device session. Absent fields stay unchanged.' })
export class UpdateDeviceSessionInput {
  @NotNull()
  @Field(() => DeviceSessionStatus, {
    nullable: true,
    description: '`REVOKED` ends the session permanently.',
  })
  status?: DeviceSessionStatus;

  @Deletion()
  deleted?: boolean;
}

@InputType({ description: 'A new player.' })
export class CreateIdentityInput {
  @IsIdOf('game')
  @Field(() => ID, { description: "The player's game." })
  gameId!: string;

  @Field(() => IdentityKind, {
    description:
      'The kind of key that identifies the player. With `DEVICE`, a session started on the device with this fingerprint uses this player.',
  })
  kind!: IdentityKind;

  @IsKey('external_key')
  @Field(() => String, {
    description:
      'Its key within its kind, 1 to 128 characters, unique among the players of the game. Blanks around it are removed, except around that of a device.',
  })
  externalKey!: string;

  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    description: 'Name, 1 to 64 characters. Empty by default until the first submission sets it.',
  })
  displayName?: string | null;
}

@InputType({ description: 'Changes to a player. Absent fields stay unchanged. Null clears optional fields.' })
export class UpdateIdentityInput {
  @NotNull()
  @IsName(1, 64)
  @Field(() => String, {
    nullable: true,
    description:
      'Name, 1 to 64 characters. Shown in every ranking; on boards that rank every run, by runs with the previous name. Locks the name unless `nameLocked` is false.',
  })
  displayName?: string;

  @NotNull()
  @Field(() => Boolean, {
    nullable: true,
    description:
      'True keeps the name when submissions send another one. False lets the next production run change it. Default: true if a name is set.',
  })
  nameLocked?: boolean;

  @NotNull()
  @Field(() => Boolean, {
    defaultValue: false,
    description:
      'With a name: on boards that rank every run, renames all runs of the player, not only those with the previous name. Default: false.',
  })
  allRuns?: boolean;

  @Field(() => TrustTier, {
    nullable: true,
    description: 'How strictly its submissions are checked. Null: the default.',
  })
  trustTier?: TrustTier | null;

  @Deletion(
    'Set to true to delete the player and remove them from all boards, including past ones, or to false to restore them with their scores. Complete when this returns.',
  )
  deleted?: boolean;
}

@InputType({ description: 'Which devices to list.' })
export class DeviceFilter {
  @IsIdOf('game')
  @Field(() => ID, only('Only devices of this game.'))
  gameId?: string | null;

  @Field(() => DeviceStatus, only('Only devices with this status.'))
  status?: DeviceStatus | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

@InputType({ description: 'Which device sessions to list.' })
export class DeviceSessionFilter {
  @IsIdOf('game')
  @Field(() => ID, only('Only sessions of this game.'))
  gameId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, only('Only sessions on this device.'))
  deviceId?: string | null;

  @Field(() => DeviceSessionStatus, only('Only sessions with this status.'))
  status?: DeviceSessionStatus | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

@InputType({ description: 'Which players to list.' })
export class IdentityFilter {
  @IsIdOf('game')
  @Field(() => ID, only('Only players of this game.'))
  gameId?: string | null;

  @Field(() => IdentityKind, only('Only players of this kind.'))
  kind?: IdentityKind | null;

  @IsKey('external_key')
  @Field(
    () => String,
    only(
      "Only the player with this key, with a game and one of the kinds `platform` and `custom`: a device's key is a secret, which no filter may help to guess.",
    ),
  )
  externalKey?: string | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}
