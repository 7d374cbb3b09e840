import { Arg, Args, Ctx, Field, Mutation, ObjectType, Resolver } from 'type-graphql';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { FailsAlone } from '../../graphql/views.js';
import { ResetDeviceInput } from '../inputs.js';
import { Device } from './device.js';
import { resetDevice } from './reset.js';

@ObjectType({ description: 'The result of `resetDevice`.', simpleResolvers: true })
class ResetDevicePayload {
  @FailsAlone()
  @Field(() => Device, { description: 'The device with its new fingerprint.' })
  device!: Device;
}

const ResetArgs = changedById('device', ResetDeviceInput);

@Resolver()
export class ResetDeviceResolver {
  @Allow('moderate')
  @Mutation(() => ResetDevicePayload, {
    description:
      'Gives a device another fingerprint and ends its sessions: the former one and its tokens open nothing ' +
      'any more. Its player and scores stay. Give the new fingerprint to the game on that device.',
  })
  async resetDevice(
    @Args(() => ResetArgs) path: PathId,
    @Arg('input', () => ResetDeviceInput, { description: 'The device.' }) input: ResetDeviceInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { device: await resetDevice(context, id, changes.clientFingerprint) };
  }
}
