import { Arg, Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { pictureUrl } from '../../games/pictures.js';
import { gameById } from '../../games/read.js';
import { COVER_DOC, LOGO_DOC, type PublicPages } from '../../games/resolver.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { IsIdOf } from '../../graphql/rules.js';
import { BoardPhase } from '../board/board.js';
import { PublicBoard, PublicGame } from './public.js';
import {
  findPublicBoard,
  listPublicBoards,
  publicBoardOfCode,
  publicBoardOfId,
  publicBoardOfSlug,
  publicGame,
} from './read.js';

const PublicBoardConnection = connectionOf(() => PublicBoard, 'PublicBoard');

@ArgsType()
class PublicBoardArgs {
  @IsIdOf('board')
  @Field(() => ID, {
    nullable: true,
    description: 'The id. Otherwise use the short code, or game slug and slug.',
  })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The short code. Otherwise use game slug and slug.' })
  shortCode?: string | null;

  @Field(() => String, { nullable: true, description: "With `slug`: the game's slug." })
  gameSlug?: string | null;

  @Field(() => String, { nullable: true, description: "With `gameSlug`: the board's slug." })
  slug?: string | null;
}

@ArgsType()
class PublicBoardsArgs extends PageArgs {
  @Field(() => BoardPhase, { nullable: true, description: 'Only boards in this state.' })
  state?: BoardPhase | null;
}

@Resolver(() => PublicGame)
export class PublicGameResolver {
  constructor(private readonly pages: PublicPages) {}

  @Allow('anyone')
  @Query(() => PublicGame, { description: 'The public part of a game with at least one published board.' })
  publicGame(
    @Arg('slug', () => String, { description: "The game's slug." }) slug: string,
    @Ctx() context: Context,
  ) {
    return publicGame(context, slug);
  }

  @FieldResolver(() => PublicBoardConnection, { description: 'Its published boards, newest first.' })
  boards(
    @Root() game: PublicGame,
    @Args(() => PublicBoardsArgs) page: PublicBoardsArgs,
    @Ctx() context: Context,
  ) {
    return listPublicBoards(context, game.id, page.state, page);
  }

  @FieldResolver(() => PublicBoard, {
    nullable: true,
    description: 'The board to show first. Null if it is not public.',
  })
  async defaultBoard(@Root() { defaultBoardId }: PublicGame, @Ctx() context: Context) {
    const board = defaultBoardId && (await findPublicBoard(context, defaultBoardId));
    return board ? PublicBoard.of(board) : null;
  }

  @FieldResolver(() => String, { nullable: true, description: 'Public URL of its leaderboards.' })
  url(@Root() { slug }: PublicGame) {
    return this.pages.publicUiUrl ? `${this.pages.publicUiUrl}/games/${slug}` : null;
  }

  @FieldResolver(() => String, { nullable: true, description: LOGO_DOC })
  logoUrl(@Root() { logo }: PublicGame) {
    return pictureUrl(this.pages.publicUiUrl, logo);
  }

  @FieldResolver(() => String, { nullable: true, description: COVER_DOC })
  coverUrl(@Root() { cover }: PublicGame) {
    return pictureUrl(this.pages.publicUiUrl, cover);
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardResolver {
  constructor(private readonly pages: PublicPages) {}

  @Allow('anyone')
  @Query(() => PublicBoard, { description: 'A published board, active or ended.' })
  publicBoard(
    @Args(() => PublicBoardArgs) { id, shortCode, gameSlug, slug }: PublicBoardArgs,
    @Ctx() context: Context,
  ) {
    const names = [id, shortCode, gameSlug ?? slug].filter((name) => name != null);
    if (names.length === 1) {
      if (id != null) return publicBoardOfId(context, id);
      if (shortCode != null) return publicBoardOfCode(context, shortCode);
      if (gameSlug != null && slug != null) return publicBoardOfSlug(context, gameSlug, slug);
    }
    throw invalidField(['shortCode'], 'requires exactly one of: id, shortCode, or gameSlug with slug');
  }

  @FieldResolver(() => PublicGame, { nullable: true, description: 'Its game.' })
  async game(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    const game = await context.loaders.of(gameById).load(board.gameId);
    return game && PublicGame.of(game);
  }

  @FieldResolver(() => String, { nullable: true, description: 'Short public URL.' })
  urlShort(@Root() { shortCode }: PublicBoard) {
    return this.pages.publicUiUrl ? `${this.pages.publicUiUrl}/b/${shortCode}` : null;
  }
}
