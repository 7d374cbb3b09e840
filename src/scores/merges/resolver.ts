import { Arg, Ctx, Field, FieldResolver, Mutation, ObjectType, Resolver, Root } from 'type-graphql';
import { COSTLY, Turns } from '../../base/limits.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { recordInput, recordPayload } from '../../graphql/payloads.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { Allow, ForAdministrators } from '../../graphql/rights.js';
import { IdArg } from '../../graphql/rules.js';
import { Only } from '../../graphql/views.js';
import { Identity } from '../../players/identities/identity.js';
import { nameOfMerged } from '../../players/merges/read.js';
import { loadMergeable } from '../../players/read.js';
import type { MergeWorker } from '../../rankings/upkeep/merges.js';
import {
  BoardMerge,
  MergePlayersInput,
  PlayerMerge,
  PlayerMergeFilter,
  UpdatePlayerMergeInput,
} from './merge.js';
import { listMerges, sortableMerges } from './read.js';
import { mergePlayers, previewMerge, updateMerge } from './save.js';

const lists = listsOf(() => PlayerMerge, 'PlayerMerge', {
  sortable: sortableMerges,
  filter: PlayerMergeFilter,
  account: 'Only merges of this account.',
});

export const MergeQueries = crudOf(() => PlayerMerge, {
  kind: 'playerMerge',
  lists,
  allow: { read: ['read'] },
  texts: {
    one: 'One merge of players.',
    list: "Merges of players in the caller's account. Superadmins see all accounts.",
  },
});

@ObjectType({ description: 'A merge of players, saved or previewed.', simpleResolvers: true })
class MergePlayersPayload {
  @Field(() => PlayerMerge, { nullable: true, description: 'The merge. Null in a dry run.' })
  playerMerge!: PlayerMerge | null;

  @Field(() => [BoardMerge], { description: 'In a dry run: every board that would change. Otherwise empty.' })
  boards!: BoardMerge[];
}

const UndoPlayerMergePayload = recordPayload(
  'UndoPlayerMerge',
  'playerMerge',
  () => PlayerMerge,
  'The merge.',
);
const UpdatePlayerMergePayload = recordPayload(
  'UpdatePlayerMerge',
  'playerMerge',
  () => PlayerMerge,
  'The merge.',
);
const UndoPlayerMergeInput = recordInput('UndoPlayerMerge', 'playerMerge', 'The merge to undo.');

@Resolver(() => PlayerMerge)
export class MergeResolver {
  readonly #previews = new Turns(COSTLY);

  constructor(private readonly worker: MergeWorker) {}

  @ForAdministrators()
  @Only('graphql')
  @FieldResolver(() => String, {
    nullable: true,
    description: 'The name of the source, which can’t be read while it is merged. Empty: it has none.',
  })
  async sourceName(@Root() { sourceId }: PlayerMerge, @Ctx() { loaders }: Context) {
    return (await loaders.of(nameOfMerged).load(sourceId)) ?? null;
  }

  @Allow('moderate')
  @Once()
  @Mutation(() => MergePlayersPayload, {
    // All runs of both players are derived again on every board of the game.
    complexity: 500,
    description:
      'Makes all runs of a player count for another one of the game, in every ranking, also past ones. Devices and ' +
      "sessions of the source become the target's. It can be undone exactly.",
  })
  async mergePlayers(
    @Arg('input', () => MergePlayersInput, { description: 'The players.' }) input: MergePlayersInput,
    @Ctx() context: Context,
  ): Promise<MergePlayersPayload> {
    if (!input.dryRun) return { playerMerge: await mergePlayers(context, this.worker, input), boards: [] };
    const { accountId } = await loadMergeable(context, input.sourceId);
    return {
      playerMerge: null,
      boards: await this.#previews.run(() => previewMerge(context, input), accountId),
    };
  }

  @Allow('moderate')
  @Once()
  @Mutation(() => UndoPlayerMergePayload, {
    complexity: 500,
    description:
      'Undoes a merge of players: every run counts for the player who played it again, also runs since, and devices and sessions return.',
  })
  async undoPlayerMerge(
    @Arg('input', () => UndoPlayerMergeInput, { description: 'The merge to undo.' }) { id }: { id: string },
    @Ctx() context: Context,
  ) {
    return { playerMerge: await updateMerge(context, this.worker, id, true) };
  }

  @Allow('moderate')
  @Only('rest')
  @Mutation(() => UpdatePlayerMergePayload, { description: 'Undoes a merge of players.' })
  async updatePlayerMerge(
    @IdArg('playerMerge') id: string,
    @Arg('input', () => UpdatePlayerMergeInput, { description: 'The change.' }) input: UpdatePlayerMergeInput,
    @Ctx() context: Context,
  ) {
    return { playerMerge: await updateMerge(context, this.worker, id, input.undone) };
  }
}

/** Merges of a player. */
export const mergesBelowPlayer = listBelow(Identity, 'merges', {
  lists,
  read: listMerges,
  own: ({ id, accountId }) => ({ accountId, identityId: id }),
  description: 'Merges of the player, as source or target.',
  forAdministrators: true,
});
