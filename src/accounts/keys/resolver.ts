import { ArgsType, Ctx, Field, FieldResolver, ID, Resolver, Root } from 'type-graphql';
import { connectionOf, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { crudOf } from '../../graphql/crud.js';
import { IsIdOf } from '../../graphql/rules.js';
import { Account } from '../account.js';
import { CreateApiKeyInput, UpdateApiKeyInput } from '../inputs.js';
import { accountById, userById } from '../read.js';
import { User } from '../users/user.js';
import { ApiKey, ApiKeyStatus } from './api-key.js';

export const ApiKeyConnection = connectionOf(() => ApiKey, 'ApiKey');

@ArgsType()
class ApiKeysArgs extends SortedPageArgs {
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
  create: CreateApiKeyInput,
  update: UpdateApiKeyInput,
  texts: {
    record: 'The key.',
    written: 'An API key that was written.',
    payload: 'The key. The whole text is in `key` when it was just created.',
    one: 'One API key.',
    list: "API keys of the caller's account; a superadmin sees all.",
    create: 'Creates an API key; its whole text is shown this once.',
    update: 'Revokes, deletes or restores an API key.',
  },
});

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  @FieldResolver(() => Account, { nullable: true, description: 'The account it acts in.' })
  account(@Root() key: ApiKey, @Ctx() context: Context) {
    return context.loaders.of(accountById).load(key.accountId);
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user it speaks for.' })
  user(@Root() key: ApiKey, @Ctx() context: Context) {
    return context.loaders.of(userById).load(key.userId);
  }
}
