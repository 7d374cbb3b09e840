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
import { Allow } from '../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { IdArg, IsIdOf } from '../graphql/rules.js';
import { Account } from './account.js';
import { CreateAccountInput, UpdateAccountInput } from './inputs.js';
import { ApiKeyConnection } from './keys/resolver.js';
import { listAccounts, listApiKeys, listUsers, loadAccount } from './read.js';
import { createAccount, updateAccount } from './save-account.js';
import { UserConnection } from './users/resolver.js';

export const AccountConnection = connectionOf(() => Account, 'Account');

@ObjectType({ description: 'An account that was written.', simpleResolvers: true })
class AccountPayload {
  @Field(() => Account, { description: 'The account.' })
  account!: Account;
}

@ArgsType()
class AccountsArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only this account.' })
  accountId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only the account with this slug.' })
  slug?: string | null;
}

@Resolver(() => Account)
export class AccountResolver {
  @Allow('admin')
  @Query(() => Account, { description: 'One account.' })
  account(@IdArg('account') id: string, @Ctx() context: Context) {
    return loadAccount(context, id);
  }

  @Allow('admin')
  @Query(() => AccountConnection, { description: 'Accounts: for a superadmin all, for others their own.' })
  accounts(@Args(() => AccountsArgs) args: AccountsArgs, @Ctx() context: Context) {
    return listAccounts(context, args, args);
  }

  @Allow('superadmin')
  @Mutation(() => AccountPayload, { description: 'Creates an account. Superadmins only.' })
  async createAccount(
    @Arg('input', () => CreateAccountInput, { description: 'The account.' }) input: CreateAccountInput,
    @Ctx() context: Context,
  ) {
    return { account: await createAccount(context, input) };
  }

  @Allow('admin')
  @Mutation(() => AccountPayload, { description: 'Changes, suspends, deletes or restores an account.' })
  async updateAccount(
    @IdArg('account') id: string,
    @Arg('input', () => UpdateAccountInput, { description: 'What changes.' }) input: UpdateAccountInput,
    @Ctx() context: Context,
  ) {
    return { account: await updateAccount(context, id, input) };
  }

  @FieldResolver(() => UserConnection, { description: 'Its users.' })
  users(@Root() account: Account, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listUsers(context, page, account.id);
  }

  @FieldResolver(() => ApiKeyConnection, { description: 'Its API keys.' })
  apiKeys(
    @Root() account: Account,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listApiKeys(context, page, { accountId: account.id });
  }
}
