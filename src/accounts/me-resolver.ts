import { Ctx, Field, ID, ObjectType, Query, Resolver } from 'type-graphql';
import type { AdminCaller, ClientCaller, Context } from '../graphql/context.js';
import { enumOf } from '../graphql/enums.js';
import { references } from '../graphql/node.js';
import { Allow, Right } from '../graphql/rights.js';
import { Only } from '../graphql/views.js';
import { Account } from './account.js';
import { ApiKey } from './keys/api-key.js';
import { UserRole } from './users/role.js';
import { User } from './users/user.js';

const CallerKind = enumOf('CallerKind', 'The kind of credential of a request.', {
  admin: 'The API key of a user.',
  client: "The access token of a device's session.",
});

@ObjectType({ description: 'The caller of a request.', simpleResolvers: true })
export class Me {
  @Field(() => CallerKind, { description: 'The kind of credential that was sent.' })
  kind!: 'admin' | 'client';

  @Field(() => ID, { description: 'The account the caller belongs to.' })
  accountId!: string;

  @Field(() => Boolean, { description: 'True if the caller has access to every account.' })
  superAdmin!: boolean;

  @Field(() => UserRole, { nullable: true, description: "The user's role. Null for game clients." })
  role!: UserRole | null;

  @Field(() => [Right], {
    description: "What this API key may do: its user's role, within its scopes. Empty for game clients.",
  })
  rights!: readonly Right[];

  @Only('graphql')
  @Field(() => Boolean, {
    description:
      'True if this sign-in can only add the first passkey of the user, which its account demands (`demandsPasskeys`).',
  })
  needsPasskey!: boolean;

  @Field(() => [ID], {
    nullable: true,
    description: 'The only games this API key reaches. Null: all of the account.',
  })
  gameIds!: readonly string[] | null;

  @Field(() => ID, { nullable: true, description: 'The user who owns the API key. Null for game clients.' })
  userId!: string | null;

  @Field(() => ID, { nullable: true, description: 'The API key of this request. Null for game clients.' })
  apiKeyId!: string | null;

  @Field(() => ID, { nullable: true, description: "The game client's game. Null for administrators." })
  gameId!: string | null;

  @Field(() => ID, { nullable: true, description: "The game client's player. Null for administrators." })
  identityId!: string | null;

  @Field(() => ID, { nullable: true, description: "The game client's device. Null for administrators." })
  deviceId!: string | null;
}

@Resolver(() => Me)
export class MeResolver {
  @Allow(['own', 'client'])
  @Query(() => Me, { description: 'The caller of this request.' })
  me(@Ctx() { caller }: Context): Me {
    const { kind, accountId } = caller as AdminCaller | ClientCaller;
    const admin = caller.kind === 'admin' ? caller : undefined;
    const client = caller.kind === 'client' ? caller : undefined;
    return Object.assign(new Me(), {
      kind,
      accountId,
      superAdmin: admin?.superAdmin ?? false,
      role: admin?.role ?? null,
      rights: admin?.rights ?? [],
      needsPasskey: admin?.needsPasskey ?? false,
      gameIds: admin?.games ?? null,
      userId: admin?.userId ?? null,
      apiKeyId: admin?.keyId ?? null,
      gameId: client?.gameId ?? null,
      identityId: client?.identityId ?? null,
      deviceId: client?.deviceId ?? null,
    });
  }
}

references(Me, {
  account: { type: Account, description: 'The account the caller belongs to. Null for game clients.' },
  user: User,
  apiKey: ApiKey,
});
