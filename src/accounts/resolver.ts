import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { connectionOf, RestorablePageArgs, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { crudOf } from '../graphql/crud.js';
import { references } from '../graphql/node.js';
import { IsIdOf } from '../graphql/rules.js';
import { Account } from './account.js';
import {
  CreateAccountInput,
  CreateApiKeyInput,
  CreateUserInput,
  UpdateAccountInput,
  UpdateApiKeyInput,
  UpdateUserInput,
} from './inputs.js';
import { ApiKey, ApiKeyStatus } from './keys/api-key.js';
import { accountSort, keySort, listApiKeys, listUsers, userSort } from './read.js';
import { User } from './users/user.js';

const ApiKeyConnection = connectionOf(() => ApiKey, 'ApiKey');

@ArgsType()
class ApiKeysArgs extends RestorablePageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only keys of this account.' })
  accountId?: string | null;

  @Field(() => ApiKeyStatus, { nullable: true, description: 'Only keys of this status.' })
  status?: ApiKeyStatus | null;
}

export const ApiKeyCrud = crudOf(() => ApiKey, {
  kind: 'apiKey',
  connection: ApiKeyConnection,
  args: ApiKeysArgs,
  sortable: keySort,
  create: CreateApiKeyInput,
  update: UpdateApiKeyInput,
  secret: { name: 'key', description: 'The whole key. Returned only in this response.' },
  texts: {
    record: 'The key.',
    one: 'One API key.',
    list: "API keys of the caller's account. Superadmins see all accounts.",
    create: 'Creates an API key. The whole key is returned only once.',
    update: 'Revokes, deletes or restores an API key.',
  },
});

const UserConnection = connectionOf(() => User, 'User');

@ArgsType()
class UsersArgs extends RestorablePageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only users of this account.' })
  accountId?: string | null;
}

export const UserCrud = crudOf(() => User, {
  kind: 'user',
  connection: UserConnection,
  args: UsersArgs,
  sortable: userSort,
  create: CreateUserInput,
  update: UpdateUserInput,
  texts: {
    record: 'The user.',
    one: 'One user.',
    list: "Users of the caller's account. Superadmins see all accounts.",
    create: 'Creates a user. The first of an account is its owner.',
    update: 'Changes, suspends, deletes or restores a user.',
  },
});

@Resolver(() => User)
export class UserResolver {
  @FieldResolver(() => ApiKeyConnection, { description: 'Keys of this user.' })
  apiKeys(@Root() user: User, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listApiKeys(context, page, { accountId: user.accountId, userId: user.id });
  }
}

const AccountConnection = connectionOf(() => Account, 'Account');

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
  sortable: accountSort,
  create: CreateAccountInput,
  update: UpdateAccountInput,
  roles: { create: ['superadmin'] },
  texts: {
    record: 'The account.',
    one: 'One account.',
    list: "The caller's account. Superadmins see all accounts.",
    create: 'Creates an account. Superadmins only.',
    update: 'Changes, suspends, deletes or restores an account.',
  },
});

@Resolver(() => Account)
export class AccountResolver {
  @FieldResolver(() => UserConnection, { description: 'Its users.' })
  users(@Root() account: Account, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listUsers(context, page, { accountId: account.id });
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

references(User, { account: Account });
references(ApiKey, { account: Account, user: User });
