import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { Only } from '../../graphql/views.js';
import { listOwner } from '../friends/read.js';
import { Identity } from '../identities/identity.js';
import { IsPlayer } from '../inputs.js';
import { identityFor, loadIdentity } from '../read.js';
import type { ClientWrites } from '../sessions/client-write.js';
import type { NewGroups } from './new-groups.js';
import { PlayerTags, SetIdentityTagsInput, SetIdentityTagsPayload } from './player-tags.js';
import { readPlayerTags, tagsOfIdentity } from './read.js';
import { type FollowTags, setPlayerTags } from './save.js';
import { Tag, valuesOf } from './tag.js';

/** Every event of the player is re-ranked. */
const WRITE = 100;

@ArgsType()
class PlayerTagsArgs {
  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description: 'The player. Default for game clients: `me`, their own player.',
  })
  identityId?: string | null;
}

/** Tags of players: set by the game server and, where boards allow it, by the player's own clients. */
@Resolver(() => Identity)
export class PlayerTagsResolver {
  constructor(
    private readonly follow: FollowTags,
    private readonly newGroups: NewGroups,
    private readonly writes: ClientWrites,
  ) {}

  @Only('rest')
  @Allow(['read', 'client'])
  @Query(() => PlayerTags, { description: 'The current tags of a player.' })
  async playerTags(@Args(() => PlayerTagsArgs) { identityId }: PlayerTagsArgs, @Ctx() context: Context) {
    return readPlayerTags(context.db, await listOwner(context, identityId, ['identityId'], 'tags'));
  }

  @FieldResolver(() => [Tag], {
    nullable: true,
    description: 'Its tags. Null for game clients, except for their own player.',
  })
  tags(@Root() identity: Identity, @Ctx() context: Context) {
    const { caller } = context;
    const { id } = identity;
    const isSeen = caller.kind === 'client' ? caller.identityId === id : administers(context, identity);
    return isSeen ? context.loaders.of(tagsOfIdentity).load(id) : null;
  }

  @Allow(['submit', 'moderate', 'client'])
  @Mutation(() => SetIdentityTagsPayload, {
    complexity: WRITE,
    description:
      "Changes a player's tags. They apply to all of the player's events, including past ones. Returns when " +
      'all boards are up to date. Game clients need a nonce.',
  })
  async setIdentityTags(
    @Arg('input', () => SetIdentityTagsInput, { description: 'The player, and the changes to the tags.' })
    input: SetIdentityTagsInput,
    @Ctx() context: Context,
  ) {
    const useNonce = await this.writes.begin(context, input.nonce);
    const owner = await listOwner(context, input.identityId, ['identityId'], 'tags');
    const tags = input.tagValues ?? valuesOf(input.tags!);
    const playerTags = await setPlayerTags(context, this.follow, this.newGroups, useNonce, tags, owner);
    return { playerTags, identity: async () => identityFor(context, await loadIdentity(context, owner)) };
  }
}
