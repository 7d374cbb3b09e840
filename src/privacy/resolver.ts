import { Arg, Ctx, FieldResolver, Mutation, Query, Resolver, Root } from 'type-graphql';
import { Board } from '../boards/board/board.js';
import type { Context } from '../graphql/context.js';
import { Once } from '../graphql/engine/cost.js';
import { references } from '../graphql/node.js';
import { Allow } from '../graphql/rights.js';
import { IdArg } from '../graphql/rules.js';
import { FailsAlone } from '../graphql/views.js';
import { eraseIdentity, loadErasure } from './erase.js';
import {
  EraseIdentityInput,
  EraseIdentityPayload,
  ErasureBoard,
  IdentityErasure,
  StoredRecords,
} from './erasure.js';
import type { ErasureList } from './list.js';
import { boardsOfPlayer, storedRecords } from './preview.js';
import type { ErasureWorker } from './worker.js';

@Resolver(() => IdentityErasure)
export class PrivacyResolver {
  constructor(
    private readonly worker: ErasureWorker,
    private readonly list: ErasureList,
    private readonly refuse: (players: readonly string[]) => Promise<void>,
  ) {}

  @Allow('privacy')
  @Query(() => IdentityErasure, {
    complexity: 50,
    description: "The erasure of a player's personal data, or a preview before it is requested.",
  })
  identityErasure(
    @IdArg('identity', 'identityId', 'The player, erased or not.') id: string,
    @Ctx() context: Context,
  ) {
    return loadErasure(context, id);
  }

  @Allow('privacy')
  @Once()
  @Mutation(() => EraseIdentityPayload, {
    complexity: 500,
    description:
      "Permanently erases a player's personal data. Long histories are erased in the background; send the " +
      'same request again to see the progress.',
  })
  async eraseIdentity(
    @Arg('input', () => EraseIdentityInput, { description: 'The player, and what happens to the scores.' })
    input: EraseIdentityInput,
    @Ctx() context: Context,
  ): Promise<EraseIdentityPayload> {
    return { erasure: await eraseIdentity(context, this.worker, this.list, this.refuse, input) };
  }

  @FailsAlone()
  @FieldResolver(() => StoredRecords, { description: 'How many records of the player there are now.' })
  records(@Root() { identityId }: IdentityErasure, @Ctx() context: Context) {
    return storedRecords(context, identityId);
  }

  @FailsAlone()
  @FieldResolver(() => [ErasureBoard], {
    description:
      'Boards that the player has submitted to, with test and production separately, including ratio boards.',
  })
  boards(@Root() { identityId }: IdentityErasure, @Ctx() context: Context) {
    return boardsOfPlayer(context, identityId);
  }
}

references(ErasureBoard, { board: Board });
