import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { crudOf } from '../../graphql/crud.js';
import { IsIdOf } from '../../graphql/rules.js';
import { Account } from '../account.js';
import { CreateUserInput, UpdateUserInput } from '../inputs.js';
import { ApiKeyConnection } from '../keys/resolver.js';
import { accountById, listApiKeys } from '../read.js';
import { User } from './user.js';

export const UserConnection = connectionOf(() => User, 'User');

@ArgsType()
class UsersArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only users of this account.' })
  accountId?: string | null;
}

export const UserCrud = crudOf(() => User, {
  kind: 'user',
  connection: UserConnection,
  args: UsersArgs,
  create: CreateUserInput,
  update: UpdateUserInput,
  texts: {
    record: 'The user.',
    written: 'A user that was written.',
    one: 'One user.',
    list: "Users of the caller's account; a superadmin sees all.",
    create: 'Creates a user. The first of an account is its owner.',
    update: 'Changes, suspends, deletes or restores a user.',
  },
});

@Resolver(() => User)
export class UserResolver {
  @FieldResolver(() => Account, { nullable: true, description: 'Its account.' })
  account(@Root() user: User, @Ctx() context: Context) {
    return context.loaders.of(accountById).load(user.accountId);
  }

  @FieldResolver(() => ApiKeyConnection, { description: 'Keys that speak for this user.' })
  apiKeys(@Root() user: User, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listApiKeys(context, page, { accountId: user.accountId, userId: user.id });
  }
}
