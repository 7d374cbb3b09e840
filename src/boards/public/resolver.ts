import { Args, ArgsType, Ctx, Field, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import type { Addresses } from '../../accounts/addresses.js';
import { GameKeyArgs } from '../../games/key.js';
import { gameById } from '../../games/read.js';
import { COVER_DOC, LOGO_DOC } from '../../games/resolver.js';
import { PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { BoardPhase } from '../board/board.js';
import { BoardKeyArgs, boardBy } from '../board/key.js';
import { PublicBoard, PublicBoardConnection, PublicGame } from './public.js';
import {
  findPublicBoard,
  listPublicBoards,
  publicBoardOfCode,
  publicBoardOfId,
  publicBoardOfSlug,
  publicGame,
} from './read.js';

@ArgsType()
class PublicBoardsArgs extends PageArgs {
  @Field(() => BoardPhase, { nullable: true, description: 'Only boards in this phase.' })
  phase?: BoardPhase | null;
}

@Resolver(() => PublicGame)
export class PublicGameResolver {
  constructor(private readonly addresses: Addresses) {}

  @Allow('anyone')
  @Query(() => PublicGame, { description: 'The public part of a game with at least one published board.' })
  publicGame(@Args(() => GameKeyArgs) { by }: GameKeyArgs, @Ctx() context: Context) {
    return publicGame(context, by);
  }

  @FieldResolver(() => PublicBoardConnection, { description: 'Its published boards, newest first.' })
  boards(
    @Root() game: PublicGame,
    @Args(() => PublicBoardsArgs) page: PublicBoardsArgs,
    @Ctx() context: Context,
  ) {
    return listPublicBoards(context, game.gameId, page.phase, page);
  }

  @FieldResolver(() => PublicBoard, {
    nullable: true,
    description: 'The board to show first. Null if none was chosen, or it is not public.',
  })
  async defaultBoard(@Root() { defaultBoardId }: PublicGame, @Ctx() context: Context) {
    const board = defaultBoardId && (await findPublicBoard(context, defaultBoardId));
    return board ? PublicBoard.of(board) : null;
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Public URL of its leaderboards. Null if the service has no public pages.',
  })
  url(@Root() { slug }: PublicGame) {
    return this.addresses.game(slug);
  }

  @FieldResolver(() => String, { nullable: true, description: LOGO_DOC })
  logoUrl(@Root() { logo }: PublicGame) {
    return this.addresses.picture(logo);
  }

  @FieldResolver(() => String, { nullable: true, description: COVER_DOC })
  coverUrl(@Root() { cover }: PublicGame) {
    return this.addresses.picture(cover);
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardResolver {
  constructor(private readonly addresses: Addresses) {}

  @Allow('anyone')
  @Query(() => PublicBoard, {
    description: 'The public part of a published board that is active or has ended.',
  })
  publicBoard(@Args(() => BoardKeyArgs) { by }: BoardKeyArgs, @Ctx() context: Context): Promise<PublicBoard> {
    return boardBy(by, {
      id: (id) => publicBoardOfId(context, id),
      shortCode: (code) => publicBoardOfCode(context, code),
      slug: (game, board) => publicBoardOfSlug(context, game, board),
    });
  }

  @FieldResolver(() => PublicGame, { nullable: true, description: 'Its game.' })
  async game(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    const game = await context.loaders.of(gameById).load(board.gameId);
    return game && PublicGame.of(game);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Short public URL. Null if the service has no public pages.',
  })
  urlShort(@Root() { shortCode }: PublicBoard) {
    return this.addresses.board(shortCode);
  }
}
