import {
  Arg,
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Mutation,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../accounts/account.js';
import type { Addresses } from '../accounts/addresses.js';
import { AuditEntry } from '../accounts/audit/entry.js';
import { ApiKey } from '../accounts/keys/api-key.js';
import { Me } from '../accounts/me-resolver.js';
import type { PictureKind } from '../base/pictures/stored.js';
import { accountScope, administers, ofGame } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { enumOf } from '../graphql/enums.js';
import { NOT_FOR_CLIENTS, references } from '../graphql/node.js';
import { recordPayload } from '../graphql/payloads.js';
import { listBelow } from '../graphql/records/below.js';
import { crudOf } from '../graphql/records/crud.js';
import { IS_DELETED, listsOf } from '../graphql/records/list.js';
import { Allow } from '../graphql/rights.js';
import { IsIdOf } from '../graphql/rules.js';
import { JsonObject } from '../graphql/scalars.js';
import { Only } from '../graphql/views.js';
import { CreateGameInput, Game, UpdateGameInput } from './game.js';
import { GameKeyArgs } from './key.js';
import { saveGamePicture } from './pictures.js';
import { gameIdOfSlug, gameSort, listGames, loadGame } from './read.js';
import { GameThresholds, shownSettings } from './thresholds.js';

@ArgsType()
@InputType({ description: 'Which games to list.' })
class GameFilter {
  @Field(() => String, { nullable: true, description: 'Only the game with this slug.' })
  slug?: string | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const lists = listsOf(() => Game, 'Game', {
  sortable: gameSort,
  filter: GameFilter,
  account: 'Only games of this account.',
});

export const GameCrud = crudOf(() => Game, {
  kind: 'game',
  lists,
  create: CreateGameInput,
  update: UpdateGameInput,
  allow: { read: ['read'], create: ['configure'], update: ['configure'] },
  texts: {
    record: 'The game.',
    list: "Games of the caller's account. Superadmins see all accounts.",
    create: 'Creates a game.',
    update: 'Changes, deletes or restores a game.',
  },
});

const SETTINGS =
  "Fair-play settings of this game. Null if it uses the service's defaults, and for game clients.";
const WITHOUT_PAGES = 'if the service has no public pages, a path on the service. Null if it has none.';
export const LOGO_DOC = `URL of its logo; ${WITHOUT_PAGES}`;
export const COVER_DOC = `URL of its cover, the image behind its name on public pages; ${WITHOUT_PAGES}`;

const GamePicture = enumOf(
  'GamePicture',
  'A picture of a game. REST sets it with PUT; GraphQL only deletes it.',
  {
    logo: 'Its logo.',
    cover: 'The image behind its name on public pages.',
  } satisfies Record<PictureKind, string>,
);

@InputType({ description: 'A picture to delete.' })
class DeleteGamePictureInput {
  @IsIdOf('game')
  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @Field(() => GamePicture as never, { description: 'The picture to delete.' })
  picture!: PictureKind;
}

const DeleteGamePicturePayload = recordPayload('DeleteGamePicture', 'game', () => Game, 'The game.');

@Resolver(() => Game)
export class GameResolver {
  constructor(private readonly addresses: Addresses) {}

  @Allow('read')
  @Query(() => Game, { description: 'One game, by its id or its slug.' })
  async game(@Args(() => GameKeyArgs) { by: { id, slug } }: GameKeyArgs, @Ctx() context: Context) {
    return loadGame(context, id ?? (await gameIdOfSlug(context, slug!, accountScope(context, null))));
  }

  @Allow('configure')
  @Mutation(() => DeleteGamePicturePayload, { description: 'Deletes the logo or the cover of a game.' })
  async deleteGamePicture(
    @Arg('input', () => DeleteGamePictureInput, { description: 'The picture.' })
    { gameId, picture }: DeleteGamePictureInput,
    @Ctx() context: Context,
  ) {
    await saveGamePicture(context, gameId, picture, null);
    context.loaders.clear();
    return { game: await loadGame(context, gameId) };
  }

  @Only('graphql')
  @FieldResolver(() => GameThresholds, { nullable: true, description: SETTINGS })
  antiCheatSettings(@Root() game: Game, @Ctx() context: Context) {
    const { antiCheatSettings } = game;
    return antiCheatSettings && administers(context, ofGame(game)) ? shownSettings(antiCheatSettings) : null;
  }

  @Only('rest')
  @FieldResolver(() => JsonObject, { nullable: true, description: SETTINGS })
  antiCheatObject(@Root() game: Game, @Ctx() context: Context) {
    return administers(context, ofGame(game)) ? game.antiCheatSettings : null;
  }

  @FieldResolver()
  platformAppId(@Root() { id, platformAppId }: Game, @Ctx() { caller }: Context) {
    return caller.kind === 'client' && caller.gameId !== id ? null : platformAppId;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Public URL of its leaderboards. Null if the service has no public pages.',
  })
  url(@Root() game: Game) {
    return this.addresses.game(game.slug);
  }

  @FieldResolver(() => String, { nullable: true, description: `${LOGO_DOC} Set by an upload.` })
  logoUrl(@Root() { logo }: Game) {
    return this.addresses.picture(logo);
  }

  @FieldResolver(() => String, { nullable: true, description: `${COVER_DOC} Set by an upload.` })
  coverUrl(@Root() { cover }: Game) {
    return this.addresses.picture(cover);
  }
}

export const gamesBelowAccount = listBelow(Account, 'games', {
  lists,
  read: listGames,
  own: ({ id }) => ({ accountId: id }),
  description: 'Its games.',
});

references(Game, { account: { type: Account, note: NOT_FOR_CLIENTS } });
references(Me, { game: Game });
references(AuditEntry, { game: Game });
references(ApiKey, { game: Game });
