import { Field, ID, InputType } from 'type-graphql';
import { IsIdOf, Matches, MaxLength, NotNull, Rule } from '../graph/rules.js';
import { JsonObject } from '../graph/scalars.js';
import { hasControl, lengthOf } from '../text.js';
import { DeviceStatus } from './device.js';
import { DeviceSessionStatus } from './device-session.js';

const DELETED = 'True deletes the record, false restores a deleted one.';
const LONGEST_FINGERPRINT = 128;

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

  @Rule('fingerprint', `must be 1 to ${LONGEST_FINGERPRINT} printable characters`, isFingerprint)
  @Field(() => String, { description: 'What the game tells its devices apart by, 1 to 128 characters.' })
  clientFingerprint!: string;

  @MaxLength(32)
  @Matches('platform', /^\P{Cc}*$/u, 'must not hold control characters')
  @Field(() => String, { nullable: true, description: 'Platform of the device, up to 32 characters.' })
  platform?: string | null;

  @Field(() => JsonObject, { nullable: true, description: 'Kept with the device; replaces what was kept.' })
  metadata?: Record<string, unknown> | null;

  @Field(() => Boolean, {
    nullable: true,
    description: "Whether this session's submissions are test data; false by default.",
  })
  testMode?: boolean | null;
}

@InputType({ description: 'Changes of a device; what is absent stays.' })
export class UpdateDeviceInput {
  @NotNull()
  @Field(() => DeviceStatus, { nullable: true, description: 'Bans, suspends or activates it.' })
  status?: DeviceStatus;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: DELETED })
  deleted?: boolean;
}

@InputType({ description: 'Changes of a device session; what is absent stays.' })
export class UpdateDeviceSessionInput {
  @NotNull()
  @Field(() => DeviceSessionStatus, { nullable: true, description: '`REVOKED` ends the session for ever.' })
  status?: DeviceSessionStatus;

  @NotNull()
  @Field(() => Boolean, { nullable: true, description: DELETED })
  deleted?: boolean;
}
