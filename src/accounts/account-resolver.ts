import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { connectionOf, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { crudOf } from '../graphql/crud.js';
import { IsIdOf } from '../graphql/rules.js';
import { Account } from './account.js';
import { CreateAccountInput, UpdateAccountInput } from './inputs.js';
import { ApiKeyConnection } from './keys/resolver.js';
import { listApiKeys, listUsers } from './read.js';
import { UserConnection } from './users/resolver.js';

export const AccountConnection = connectionOf(() => Account, 'Account');

@ArgsType()
class AccountsArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only this account.' })
  accountId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only the account with this slug.' })
  slug?: string | null;
}

export const AccountCrud = crudOf(() => Account, {
  kind: 'account',
  connection: AccountConnection,
  args: AccountsArgs,
  create: CreateAccountInput,
  update: UpdateAccountInput,
  roles: { create: ['superadmin'] },
  texts: {
    record: 'The account.',
    written: 'An account that was written.',
    one: 'One account.',
    list: 'Accounts: for a superadmin all, for others their own.',
    create: 'Creates an account. Superadmins only.',
    update: 'Changes, suspends, deletes or restores an account.',
  },
});

@Resolver(() => Account)
export class AccountResolver {
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
