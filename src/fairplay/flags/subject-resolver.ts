import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../../players/identities/identity.js';
import { ScoreEvent } from '../../scores/event.js';
import { Score } from '../../scores/score.js';
import { ScoreFlag } from './flag.js';
import { flagsOfEvent, flagsOfScore, scoreKey } from './flags-of.js';
import { FlagsPageArgs } from './inputs.js';
import { listFlags } from './read.js';
import { ScoreFlagConnection } from './resolver.js';

/** Fields that fair play adds to a score. */
@Resolver(() => Score)
export class ScoreFlagsResolver {
  @FieldResolver(() => [ScoreFlag], {
    nullable: true,
    description:
      'Flags of the event it shows; of a counter’s score, of every event of its sum. The newest 100. Null for game clients and visitors.',
  })
  flags(@Root() score: Score, @Ctx() context: Context) {
    if (score.scoreEventId === null) return null;
    return context.loaders.of(flagsOfScore).load(scoreKey(score));
  }
}

/** Fields that fair play adds to an event. */
@Resolver(() => ScoreEvent)
export class EventFlagsResolver {
  @FieldResolver(() => [ScoreFlag], {
    nullable: true,
    description: 'Its flags, oldest first. For administrators only.',
  })
  flags(@Root() event: ScoreEvent, @Ctx() context: Context) {
    adminOf(context);
    return context.loaders.of(flagsOfEvent).load(event.id);
  }
}

/** Fields that fair play adds to a player. */
@Resolver(() => Identity)
export class IdentityFlagsResolver {
  @FieldResolver(() => ScoreFlagConnection, {
    nullable: true,
    description: 'Flags of its submissions. For administrators only.',
  })
  flags(@Root() identity: Identity, @Args(() => FlagsPageArgs) args: FlagsPageArgs, @Ctx() context: Context) {
    adminOf(context);
    const { status, flagType } = args;
    return listFlags(context, args, {
      accountId: identity.accountId,
      identityId: identity.id,
      status,
      flagType,
    });
  }
}
