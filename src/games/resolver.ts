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
import { Account } from '../accounts/account.js';
import { accountById } from '../accounts/read.js';
import { invalidField } from '../base/errors.js';
import { Allow, accountScope, administers, adminOf } from '../graphql/access.js';
import { connectionOf, SortedPageArgs } from '../graphql/connection.js';
import type { Context } from '../graphql/context.js';
import { IdArg, IsIdOf } from '../graphql/rules.js';
import { JsonObject } from '../graphql/scalars.js';
import type { FiringHooks } from '../hooks/firing.js';
import { Game } from './game.js';
import { CreateGameInput, UpdateGameInput } from './inputs.js';
import { gameIdOfSlug, listGames, loadGame } from './read.js';
import { createGame, updateGame } from './save.js';

export const GameConnection = connectionOf(() => Game, 'Game');

@ObjectType({ description: 'A game that was written.', simpleResolvers: true })
class GamePayload {
  @Field(() => Game, { description: 'The game.' })
  game!: Game;
}

@ArgsType()
class GameArgs {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'The id; or else the slug.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The slug; or else the id.' })
  slug?: string | null;
}

@ArgsType()
class GamesArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only games of this account.' })
  accountId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only the game with this slug.' })
  slug?: string | null;
}

/** Where public pages live, without a slash at the end; undefined: nowhere. */
export interface PublicPages {
  publicUiUrl: string | undefined;
}

@Resolver(() => Game)
export class GameResolver {
  constructor(
    private readonly pages: PublicPages,
    private readonly hooks: FiringHooks,
  ) {}

  @Allow('admin')
  @Query(() => Game, { description: 'One game, by its id or its slug.' })
  async game(@Args(() => GameArgs) { id, slug }: GameArgs, @Ctx() context: Context) {
    if ((id == null) === (slug == null)) throw invalidField(['id'], 'give either id or slug');
    return loadGame(context, id ?? (await gameIdOfSlug(context, slug!, accountScope(context, null))));
  }

  @Allow('admin')
  @Query(() => GameConnection, { description: "Games of the caller's account; a superadmin sees all." })
  games(@Args(() => GamesArgs) args: GamesArgs, @Ctx() context: Context) {
    return listGames(context, args, args);
  }

  @Allow('admin')
  @Mutation(() => GamePayload, { description: 'Creates a game.' })
  async createGame(
    @Arg('input', () => CreateGameInput, { description: 'The game.' }) input: CreateGameInput,
    @Ctx() context: Context,
  ) {
    return { game: await createGame(context, this.hooks, input) };
  }

  @Allow('admin')
  @Mutation(() => GamePayload, { description: 'Changes, deletes or restores a game.' })
  async updateGame(
    @IdArg('game') id: string,
    @Arg('input', () => UpdateGameInput, { description: 'What changes.' }) input: UpdateGameInput,
    @Ctx() context: Context,
  ) {
    return { game: await updateGame(context, id, input) };
  }

  @FieldResolver(() => Account, { nullable: true, description: 'Its account. For administrators only.' })
  account(@Root() game: Game, @Ctx() context: Context) {
    adminOf(context);
    return context.loaders.of(accountById).load(game.accountId);
  }

  @FieldResolver(() => JsonObject, {
    nullable: true,
    description:
      'Thresholds of its own for the checks of submissions; null: the service’s, and for game clients.',
  })
  antiCheatSettings(@Root() game: Game, @Ctx() context: Context) {
    return administers(context, game.accountId) ? game.antiCheatSettings : null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Its identifier on a distribution platform; null for clients of other games.',
  })
  platformAppId(@Root() { id, platformAppId }: Game, @Ctx() { caller }: Context) {
    return caller.kind === 'client' && caller.gameId !== id ? null : platformAppId;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Public address of its leaderboards; null when the service shows no public pages.',
  })
  url(@Root() game: Game) {
    return this.pages.publicUiUrl ? `${this.pages.publicUiUrl}/games/${game.slug}` : null;
  }
}

@Resolver(() => Account)
export class AccountGamesResolver {
  @FieldResolver(() => GameConnection, { description: 'Its games.' })
  games(@Root() account: Account, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return listGames(context, page, { accountId: account.id });
  }
}
