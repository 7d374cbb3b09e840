import {
  Ctx,
  Field,
  FieldResolver,
  ID,
  ObjectType,
  Query,
  Resolver,
  Root,
  registerEnumType,
} from 'type-graphql';
import { Allow } from '../graphql/access.js';
import type { AdminCaller, ClientCaller, Context } from '../graphql/context.js';
import { Account } from './account.js';
import { ApiKey } from './keys/api-key.js';
import { accountById, apiKeyById, userById } from './read.js';
import { User } from './users/user.js';

const CallerKind = { ADMIN: 'admin', CLIENT: 'client' } as const;

registerEnumType(CallerKind, {
  name: 'CallerKind',
  description: 'The kind of credential used for a request.',
  valuesConfig: {
    ADMIN: { description: 'The API key of a user.' },
    CLIENT: { description: "The access token of a device's session." },
  },
});

@ObjectType({ description: 'The caller, as the service sees it.', simpleResolvers: true })
export class Me {
  @Field(() => CallerKind, { description: 'The kind of credential used.' })
  kind!: 'admin' | 'client';

  @Field(() => ID, { description: 'The account the caller belongs to.' })
  accountId!: string;

  @Field(() => Boolean, { description: 'True if the caller has access to every account.' })
  superAdmin!: boolean;

  /** Not in the schema; resolvers of modules above read it. */
  caller!: AdminCaller | ClientCaller;
}

@Resolver(() => Me)
export class MeResolver {
  @Allow(['admin', 'client'])
  @Query(() => Me, { description: 'The caller of this request.' })
  me(@Ctx() { caller }: Context): Me {
    const known = caller as AdminCaller | ClientCaller;
    const superAdmin = known.kind === 'admin' && known.superAdmin;
    return Object.assign(new Me(), {
      kind: known.kind,
      accountId: known.accountId,
      superAdmin,
      caller: known,
    });
  }

  @FieldResolver(() => Account, {
    nullable: true,
    description: "An administrator's account; null for a game client.",
  })
  account(@Root() { caller }: Me, @Ctx() context: Context) {
    return caller.kind === 'admin' ? context.loaders.of(accountById).load(caller.accountId) : null;
  }

  @FieldResolver(() => User, {
    nullable: true,
    description: 'The user who owns the API key. Null for a game client.',
  })
  user(@Root() { caller }: Me, @Ctx() context: Context) {
    return caller.kind === 'admin' ? context.loaders.of(userById).load(caller.userId) : null;
  }

  @FieldResolver(() => ApiKey, {
    nullable: true,
    description: 'The API key of this request; null for a game client.',
  })
  apiKey(@Root() { caller }: Me, @Ctx() context: Context) {
    return caller.kind === 'admin' ? context.loaders.of(apiKeyById).load(caller.keyId) : null;
  }
}
