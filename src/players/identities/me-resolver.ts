import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Me } from '../../accounts/me-resolver.js';
import type { Context } from '../../graphql/context.js';
import { Device } from '../devices/device.js';
import { deviceById, identityById, identityFor } from '../read.js';
import { Identity } from './identity.js';

@Resolver(() => Me)
export class MePlayerResolver {
  @FieldResolver(() => Device, {
    nullable: true,
    description: "A game client's device; null for an administrator.",
  })
  device(@Root() { caller }: Me, @Ctx() context: Context) {
    return caller.kind === 'client' ? context.loaders.of(deviceById).load(caller.deviceId) : null;
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: "A game client's player; null for an administrator.",
  })
  async identity(@Root() { caller }: Me, @Ctx() context: Context) {
    if (caller.kind !== 'client') return null;
    return identityFor(context, await context.loaders.of(identityById).load(caller.identityId));
  }
}
