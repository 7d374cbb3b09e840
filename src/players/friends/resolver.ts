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
import { PageArgs, SORT, SortedBy, type SortedRequest } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { Only } from '../../graphql/views.js';
import { Identity } from '../identities/identity.js';
import { IsPlayer } from '../inputs.js';
import { identitySort, loadIdentity } from '../read.js';
import { identityLists } from '../resolver.js';
import {
  type ChangeFriendsInput,
  type FriendList,
  friendsPayload,
  SetFriendsInput,
  someFriends,
} from './friend-list.js';
import { listFriends } from './read.js';
import { addFriends, removeFriends, setFriends } from './save.js';

const LIST = { description: 'The player, and the friends.' };
/** Each write checks up to a thousand players. */
const WRITE = 100;

const SetFriendsPayload = friendsPayload('SetFriends');
const AddFriendsInput = someFriends('AddFriends', 'Friends to add.');
const RemoveFriendsInput = someFriends('RemoveFriends', 'Friends to remove.');
const AddFriendsPayload = friendsPayload('AddFriends');
const RemoveFriendsPayload = friendsPayload('RemoveFriends');

function changed(context: Context, list: FriendList) {
  return { ...list, list, identity: () => loadIdentity(context, list.identityId) };
}

@ArgsType()
class FriendsArgs extends PageArgs {
  @IsPlayer()
  @Field(() => ID, {
    nullable: true,
    description: 'The player whose friends these are. Default for game clients: `me`, their own player.',
  })
  identityId?: string | null;

  @SortedBy(identitySort)
  @Field(() => String, SORT)
  sort?: string | null;
}

/** Lists of friends: written by the game server, read by it and by the player's clients. */
@Resolver()
export class FriendsResolver {
  @Allow(['read', 'client'])
  @Only('rest')
  @Query(() => identityLists.Connection, {
    description: 'The stored friends of a player, without deleted players.',
  })
  friends(@Args(() => FriendsArgs) args: FriendsArgs, @Ctx() context: Context) {
    return listFriends(context, args.identityId, args);
  }

  @Allow('submit')
  @Mutation(() => SetFriendsPayload, {
    complexity: WRITE,
    description: "Replaces a player's list of friends. Lists are one-way: each player has their own.",
  })
  async setFriends(
    @Arg('input', () => SetFriendsInput, LIST) input: SetFriendsInput,
    @Ctx() context: Context,
  ) {
    return changed(context, await setFriends(context, input));
  }

  @Allow('submit')
  @Mutation(() => AddFriendsPayload, {
    complexity: WRITE,
    description: "Adds friends to a player's list. Existing friends stay.",
  })
  async addFriends(
    @Arg('input', () => AddFriendsInput, LIST) input: ChangeFriendsInput,
    @Ctx() context: Context,
  ) {
    return changed(context, await addFriends(context, input));
  }

  @Allow('submit')
  @Mutation(() => RemoveFriendsPayload, {
    complexity: WRITE,
    description: "Removes friends from a player's list. Ids that are not in it are ignored.",
  })
  async removeFriends(
    @Arg('input', () => RemoveFriendsInput, LIST) input: ChangeFriendsInput,
    @Ctx() context: Context,
  ) {
    return changed(context, await removeFriends(context, input));
  }
}

@Resolver(() => Identity)
export class IdentityFriendsResolver {
  @FieldResolver(() => identityLists.Connection, {
    nullable: true,
    description:
      'Its stored friends, without deleted players. Null for game clients, except for their own player.',
  })
  friends(
    @Root() { id }: Identity,
    @Args(() => identityLists.PageArgs) page: SortedRequest,
    @Ctx() context: Context,
  ) {
    const { caller } = context;
    return caller.kind === 'client' && caller.identityId !== id ? null : listFriends(context, id, page);
  }
}
