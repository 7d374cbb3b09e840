import { Arg, Ctx, FieldResolver, Mutation, Resolver, Root } from 'type-graphql';
import { COSTLY, Turns } from '../../base/limits.js';
import { Game } from '../../games/game.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { Closing } from '../closing.js';
import { Reissue, ReissuePrizesInput } from './difference.js';
import { releaseHeldPrizes, releasePrizes } from './hold.js';
import { reissuePrizes } from './reissue.js';

const ReleasePrizesPayload = recordPayload('ReleasePrizes', 'closing', () => Closing, 'The closing.');
const ReleasePrizesInput = recordInput('ReleasePrizes', 'closing', 'The closing that waits.');
const ReleaseHeldPrizesPayload = recordPayload('ReleaseHeldPrizes', 'game', () => Game, 'The game.');
const ReleaseHeldPrizesInput = recordInput('ReleaseHeldPrizes', 'game', 'The game whose prizes are held.');

/** Prizes that wait for somebody, and decisions that came late. */
@Resolver(() => Game)
export class HeldPrizesResolver {
  readonly #comparisons = new Turns(COSTLY);

  constructor(private readonly mostGrants: number) {}

  @Allow('configure')
  @Once()
  @Mutation(() => Reissue, {
    complexity: 1_000,
    description:
      'Compares what a closing granted with what its ranking would give now, after reviews, bans and ' +
      'imports, and grants what is missing, once. Nothing is taken back. One at a time per account; further ' +
      'ones wait up to two seconds.',
  })
  reissuePrizes(
    @Arg('input', () => ReissuePrizesInput, { description: 'The closing.' }) input: ReissuePrizesInput,
    @Ctx() context: Context,
  ) {
    const { accountId } = adminOf(context);
    return this.#comparisons.run(() => reissuePrizes(context, this.mostGrants, input), accountId);
  }

  @Allow('configure')
  @Mutation(() => ReleasePrizesPayload, {
    description: 'Lets a closing grant its prizes although a limit or a restored backup holds them.',
  })
  async releasePrizes(
    @Arg('input', () => ReleasePrizesInput, { description: 'The closing.' })
    { id }: InstanceType<typeof ReleasePrizesInput>,
    @Ctx() context: Context,
  ) {
    return { closing: await releasePrizes(context, id) };
  }

  @Allow('configure')
  @Mutation(() => ReleaseHeldPrizesPayload, {
    description: 'Releases all prizes of a game that are held because a backup was restored.',
  })
  async releaseHeldPrizes(
    @Arg('input', () => ReleaseHeldPrizesInput, { description: 'The game.' })
    { id }: InstanceType<typeof ReleaseHeldPrizesInput>,
    @Ctx() context: Context,
  ) {
    return { game: await releaseHeldPrizes(context, id) };
  }

  @ForAdministrators()
  @Only('graphql')
  @FieldResolver(() => DateTime, {
    nullable: true,
    description:
      'When a backup was restored: prizes of rankings that had begun are held until they are released. ' +
      'Null: none are. Only administrators see it.',
  })
  prizesHeldAt(@Root() { prizesHeldAt }: Game, @Ctx() { caller }: Context) {
    return caller.kind === 'admin' ? prizesHeldAt : null;
  }
}
