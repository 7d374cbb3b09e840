import { Arg, Args, ArgsType, Ctx, Field, ID, Mutation, Query, Resolver } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { Allow } from '../../graphql/access.js';
import { SortedBy, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Rule } from '../../graphql/rules.js';
import { identitySort } from '../read.js';
import { IdentityConnection } from '../resolver.js';
import { ChangeFriendsInput, FriendListPayload, SetFriendsInput } from './friend-list.js';
import { listFriends } from './read.js';
import { addFriends, removeFriends, setFriends } from './save.js';

const LIST = { description: 'The player and its friends.' };
/** Each write checks up to a thousand players. */
const WRITE = 100;

@ArgsType()
class FriendsArgs extends SortedPageArgs {
  @Rule('id', 'must be an id like ide_<uuid>, or "me"', (value) => value === 'me' || isId('identity', value))
  @Field(() => ID, {
    nullable: true,
    description: 'The player whose friends they are; by default a game client’s own, `me`.',
  })
  identityId?: string | null;
}

/** Lists of friends: written by the game server, read by it and by the player's clients. */
@Resolver()
export class FriendsResolver {
  @Allow(['admin', 'client'])
  @SortedBy(identitySort)
  @Query(() => IdentityConnection, { description: 'The stored friends of a player, deleted ones apart.' })
  friends(@Args(() => FriendsArgs) args: FriendsArgs, @Ctx() context: Context) {
    return listFriends(context, args.identityId, args);
  }

  @Allow('admin')
  @Mutation(() => FriendListPayload, {
    complexity: WRITE,
    description: 'Stores the whole list of a player’s friends. Lists are one-way: each player has its own.',
  })
  setFriends(@Arg('input', () => SetFriendsInput, LIST) input: SetFriendsInput, @Ctx() context: Context) {
    return setFriends(context, input);
  }

  @Allow('admin')
  @Mutation(() => FriendListPayload, {
    complexity: WRITE,
    description: 'Adds friends to the list of a player; those that are in it stay.',
  })
  addFriends(
    @Arg('input', () => ChangeFriendsInput, LIST) input: ChangeFriendsInput,
    @Ctx() context: Context,
  ) {
    return addFriends(context, input);
  }

  @Allow('admin')
  @Mutation(() => FriendListPayload, {
    complexity: WRITE,
    description: 'Takes friends out of the list of a player; ids that are not in it are ignored.',
  })
  removeFriends(
    @Arg('input', () => ChangeFriendsInput, LIST) input: ChangeFriendsInput,
    @Ctx() context: Context,
  ) {
    return removeFriends(context, input);
  }
}
