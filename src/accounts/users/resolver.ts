import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  Mutation,
  ObjectType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Allow } from '../../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IdArg, IsIdOf } from '../../graphql/rules.js';
import { Account } from '../account.js';
import { CreateUserInput, UpdateUserInput } from '../inputs.js';
import { ApiKeyConnection } from '../keys/resolver.js';
import { accountById, listApiKeys, listUsers, loadUser } from '../read.js';
import { createUser, updateUser } from './save.js';
import { User } from './user.js';

export const UserConnection = connectionOf(() => User, 'User');

@ObjectType({ description: 'A user that was written.', simpleResolvers: true })
class UserPayload {
  @Field(() => User, { description: 'The user.' })
  user!: User;
}

@ArgsType()
class UsersArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only users of this account.' })
  accountId?: string | null;
}

@Resolver(() => User)
export class UserResolver {
  @Allow('admin')
  @Query(() => User, { description: 'One user.' })
  user(@IdArg('user') id: string, @Ctx() context: Context) {
    return loadUser(context, id);
  }

  @Allow('admin')
  @Query(() => UserConnection, { description: "Users of the caller's account; a superadmin sees all." })
  users(@Args(() => UsersArgs) args: UsersArgs, @Ctx() context: Context) {
    return listUsers(context, args, args.accountId);
  }

  @Allow('admin')
  @Mutation(() => UserPayload, { description: 'Creates a user. The first of an account is its owner.' })
  async createUser(
    @Arg('input', () => CreateUserInput, { description: 'The user.' }) input: CreateUserInput,
    @Ctx() context: Context,
  ) {
    return { user: await createUser(context, input) };
  }

  @Allow('admin')
  @Mutation(() => UserPayload, { description: 'Changes, suspends, deletes or restores a user.' })
  async updateUser(
    @IdArg('user') id: string,
    @Arg('input', () => UpdateUserInput, { description: 'What changes.' }) input: UpdateUserInput,
    @Ctx() context: Context,
  ) {
    return { user: await updateUser(context, id, input) };
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Its account.' })
  account(@Root() user: User, @Ctx() context: Context) {
    return context.loaders.of(accountById).load(user.accountId);
  }

  @FieldResolver(() => ApiKeyConnection, { description: 'Keys that speak for this user.' })
  apiKeys(@Root() user: User, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listApiKeys(context, page, { accountId: user.accountId, userId: user.id });
  }
}
