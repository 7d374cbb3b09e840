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
import { CreateApiKeyInput, UpdateApiKeyInput } from '../inputs.js';
import { accountById, listApiKeys, loadApiKey, userById } from '../read.js';
import { User } from '../users/user.js';
import { ApiKey, ApiKeyStatus } from './api-key.js';
import { createApiKey, type KeySettings, updateApiKey } from './save.js';

export const ApiKeyConnection = connectionOf(() => ApiKey, 'ApiKey');

@ObjectType({ description: 'An API key that was written.', simpleResolvers: true })
class ApiKeyPayload {
  @Field(() => ApiKey, { description: 'The key. The whole text is in `key` when it was just created.' })
  apiKey!: ApiKey;
}

@ArgsType()
class ApiKeysArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only keys of this account.' })
  accountId?: string | null;

  @Field(() => ApiKeyStatus, { nullable: true, description: 'Only keys of this status.' })
  status?: ApiKeyStatus | null;
}

@Resolver(() => ApiKey)
export class ApiKeyResolver {
  constructor(private readonly settings: KeySettings) {}

  @Allow('admin')
  @Query(() => ApiKey, { description: 'One API key.' })
  apiKey(@IdArg('apiKey') id: string, @Ctx() context: Context) {
    return loadApiKey(context, id);
  }

  @Allow('admin')
  @Query(() => ApiKeyConnection, { description: "API keys of the caller's account; a superadmin sees all." })
  apiKeys(@Args(() => ApiKeysArgs) args: ApiKeysArgs, @Ctx() context: Context) {
    return listApiKeys(context, args, args);
  }

  @Allow('admin')
  @Mutation(() => ApiKeyPayload, { description: 'Creates an API key; its whole text is shown this once.' })
  async createApiKey(
    @Arg('input', () => CreateApiKeyInput, { description: 'The key.' }) input: CreateApiKeyInput,
    @Ctx() context: Context,
  ) {
    return { apiKey: await createApiKey(context, this.settings, input) };
  }

  @Allow('admin')
  @Mutation(() => ApiKeyPayload, { description: 'Revokes, deletes or restores an API key.' })
  async updateApiKey(
    @IdArg('apiKey') id: string,
    @Arg('input', () => UpdateApiKeyInput, { description: 'What changes.' }) input: UpdateApiKeyInput,
    @Ctx() context: Context,
  ) {
    return { apiKey: await updateApiKey(context, id, input) };
  }

  @FieldResolver(() => Account, { nullable: true, description: 'The account it acts in.' })
  account(@Root() key: ApiKey, @Ctx() context: Context) {
    return context.loaders.of(accountById).load(key.accountId);
  }

  @FieldResolver(() => User, { nullable: true, description: 'The user it speaks for.' })
  user(@Root() key: ApiKey, @Ctx() context: Context) {
    return context.loaders.of(userById).load(key.userId);
  }
}
