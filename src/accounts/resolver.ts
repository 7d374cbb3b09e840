import { Field, InputType } from 'type-graphql';
import { references } from '../graphql/node.js';
import { listBelow } from '../graphql/records/below.js';
import { crudOf } from '../graphql/records/crud.js';
import { IS_DELETED, listsOf } from '../graphql/records/list.js';
import { IsName } from '../graphql/rules.js';
import { Only } from '../graphql/views.js';
import { Account, CreateAccountInput, UpdateAccountInput } from './account.js';
import { ApiKey, ApiKeyStatus, CreateApiKeyInput, UpdateApiKeyInput } from './keys/api-key.js';
import { accountSort, keySort, listApiKeys, listUsers, userSort } from './read.js';
import { CreateUserInput, UpdateUserInput, User, UserStatus } from './users/user.js';

@InputType({ description: 'Which API keys to list.' })
class ApiKeyFilter {
  @Field(() => ApiKeyStatus, { nullable: true, description: 'Only keys with this status.' })
  status?: ApiKeyStatus | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const keyLists = listsOf(() => ApiKey, 'ApiKey', {
  sortable: keySort,
  filter: ApiKeyFilter,
  account: 'Only keys of this account.',
});

export const ApiKeyCrud = crudOf(() => ApiKey, {
  kind: 'apiKey',
  lists: keyLists,
  create: CreateApiKeyInput,
  update: UpdateApiKeyInput,
  allow: { read: ['own'], create: ['configure', 'people'], update: ['own'] },
  secret: { name: 'key', description: 'The whole key. Returned only in this response.' },
  texts: {
    record: 'The key.',
    one: 'One API key.',
    list: "API keys of the caller's account. Superadmins see all accounts.",
    create: 'Creates an API key. The whole key is returned only once.',
    update: 'Revokes, deletes or restores an API key.',
  },
});

@InputType({ description: 'Which users to list.' })
class UserFilter {
  @Only('graphql')
  @Field(() => UserStatus, { nullable: true, description: 'Only users with this status.' })
  status?: UserStatus | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const userLists = listsOf(() => User, 'User', {
  sortable: userSort,
  filter: UserFilter,
  account: 'Only users of this account.',
});

export const UserCrud = crudOf(() => User, {
  kind: 'user',
  lists: userLists,
  create: CreateUserInput,
  update: UpdateUserInput,
  allow: { read: ['own'], create: ['people'], update: ['own'], remove: ['people'] },
  texts: {
    record: 'The user.',
    one: 'One user.',
    list: "Users of the caller's account. Superadmins see all accounts.",
    create: 'Creates a user. The first of an account is its owner.',
    update: 'Changes, suspends, deletes or restores a user.',
  },
});

@InputType({ description: 'Which accounts to list.' })
class AccountFilter {
  @Field(() => String, { nullable: true, description: 'Only the account with this slug.' })
  slug?: string | null;

  @Only('graphql')
  @IsName(1, 100)
  @Field(() => String, {
    nullable: true,
    description: 'Only accounts whose name or slug contains this. Case and accents do not matter.',
  })
  text?: string | null;
}

export const AccountCrud = crudOf(() => Account, {
  kind: 'account',
  lists: listsOf(() => Account, 'Account', {
    sortable: accountSort,
    filter: AccountFilter,
    account: 'Only this account.',
  }),
  create: CreateAccountInput,
  update: UpdateAccountInput,
  allow: { read: ['own'], create: ['superadmin'], update: ['people'] },
  texts: {
    record: 'The account.',
    one: 'One account.',
    list: "The caller's account. Superadmins see all accounts.",
    create: 'Creates an account. Superadmins only.',
    update: 'Changes, suspends, deletes or restores an account.',
  },
});

export const accountsBelow = [
  listBelow(Account, 'users', {
    lists: userLists,
    read: listUsers,
    own: ({ id }) => ({ accountId: id }),
    description: 'Its users.',
  }),
  listBelow(Account, 'apiKeys', {
    lists: keyLists,
    read: listApiKeys,
    own: ({ id }) => ({ accountId: id }),
    description: 'Its API keys.',
  }),
  listBelow(User, 'apiKeys', {
    lists: keyLists,
    read: listApiKeys,
    own: ({ id, accountId }) => ({ accountId, userId: id }),
    description: 'Keys of this user.',
  }),
];

references(User, { account: Account });
references(ApiKey, { account: Account, user: User });
