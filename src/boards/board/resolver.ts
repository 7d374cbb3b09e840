import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { Game } from '../../games/game.js';
import { loadGame } from '../../games/read.js';
import type { PublicPages } from '../../games/resolver.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, RestorablePageArgs, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { crudOf } from '../../graphql/crud.js';
import { IsIdOf } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { RatioConfig } from '../ratios/ratio-config.js';
import { Board } from './board.js';
import { CreateBoardInput, UpdateBoardInput } from './inputs.js';
import {
  boardOfCode,
  boardOfSlug,
  boardsOfGame,
  findBoardRecord,
  loadBoardRecord,
  ratioConfigOfBoard,
  sortableBoards,
} from './read.js';

export const BoardConnection = connectionOf(() => Board, 'Board');

@ArgsType()
class BoardArgs {
  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'The id; or else the short code, or game slug and slug.' })
  id?: string | null;

  @Field(() => String, { nullable: true, description: 'The short code, in either case.' })
  shortCode?: string | null;

  @Field(() => String, { nullable: true, description: "With `slug`: the game's slug." })
  gameSlug?: string | null;

  @Field(() => String, {
    nullable: true,
    description:
      "With `gameSlug`: the board's slug. Of several boards the active one, else the latest started.",
  })
  slug?: string | null;
}

@ArgsType()
class BoardsArgs extends RestorablePageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only boards of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, {
    nullable: true,
    description: 'Only boards of this game. Of game clients another account’s matches nothing.',
  })
  gameId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only boards of the game with this slug.' })
  gameSlug?: string | null;

  @Field(() => String, { nullable: true, description: 'Only the board with this short code.' })
  code?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only boards with this slug, which boards share over time; needs `gameSlug` beside it.',
  })
  slug?: string | null;

  @Field(() => Boolean, { nullable: true, description: 'Only active ones, or only others.' })
  isActive?: boolean | null;

  @Field(() => Boolean, { nullable: true, description: 'Only published ones, or only others.' })
  isPublished?: boolean | null;

  @Field(() => DateTime, { nullable: true, description: 'Only boards that start before this moment.' })
  startsBefore?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Only boards that start after this moment.' })
  startsAfter?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Only boards that end before this moment.' })
  endsBefore?: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'Only boards that end after this moment.' })
  endsAfter?: Date | null;
}

export const BoardCrud = crudOf(() => Board, {
  kind: 'board',
  connection: BoardConnection,
  args: BoardsArgs,
  sortable: sortableBoards,
  create: CreateBoardInput,
  update: UpdateBoardInput,
  roles: { read: ['admin', 'client'] },
  texts: {
    record: 'The board.',
    written: 'A board that was written.',
    list: "Boards of the caller's account; a superadmin sees all. A game client sees those of its own game, and the published ones of the account's other games.",
    create: 'Creates a board.',
    update: 'Changes, deletes or restores a board.',
  },
});

@Resolver(() => Board)
export class BoardResolver {
  constructor(private readonly pages: PublicPages) {}

  @Allow(['admin', 'client'])
  @Query(() => Board, { description: 'One board, by its id, its short code, or its slug within a game.' })
  board(@Args(() => BoardArgs) { id, shortCode, gameSlug, slug }: BoardArgs, @Ctx() context: Context) {
    const ways = [id, shortCode, gameSlug ?? slug].filter((way) => way != null).length;
    if (ways !== 1)
      throw invalidField(['id'], 'requires exactly one of: id, shortCode, or gameSlug with slug');
    if (id != null) return loadBoardRecord(context, id);
    if (shortCode != null) return boardOfCode(context, shortCode);
    if (gameSlug == null || slug == null) throw invalidField(['slug'], 'requires both gameSlug and slug');
    return boardOfSlug(context, gameSlug, slug);
  }

  @FieldResolver(() => Game, { nullable: true, description: 'Its game.' })
  game(@Root() board: Board, @Ctx() context: Context) {
    return loadGame(context, board.gameId);
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Short public address; null when it is not published or the service shows no public pages.',
  })
  urlShort(@Root() { isPublished, shortCode }: Board) {
    const { publicUiUrl } = this.pages;
    return publicUiUrl && isPublished ? `${publicUiUrl}/b/${shortCode}` : null;
  }
}

@Resolver(() => Game)
export class GameBoardsResolver {
  @FieldResolver(() => BoardConnection, { description: 'Its boards.' })
  boards(@Root() game: Game, @Args(() => SortedPageArgs) page: SortedPageArgs, @Ctx() context: Context) {
    return boardsOfGame(context, page, game);
  }

  @FieldResolver(() => Board, { nullable: true, description: 'The board to show first.' })
  defaultBoard(@Root() { defaultBoardId }: Game, @Ctx() context: Context) {
    return findBoardRecord(context, defaultBoardId);
  }
}

@Resolver(() => Board)
export class BoardRatioResolver {
  @FieldResolver(() => RatioConfig, {
    nullable: true,
    description: 'Rules of a ratio board; null on boards of other types.',
  })
  ratioConfig(@Root() board: Board, @Ctx() context: Context) {
    return board.boardType === 'ratio' ? context.loaders.of(ratioConfigOfBoard).load(board.id) : null;
  }
}

@Resolver(() => RatioConfig)
export class RatioConfigResolver {
  @FieldResolver(() => Board, {
    nullable: true,
    description:
      'The board whose sums are divided; null when it was deleted since, or is not for the caller.',
  })
  numeratorBoard(@Root() config: RatioConfig, @Ctx() context: Context) {
    return findBoardRecord(context, config.numeratorBoardId);
  }

  @FieldResolver(() => Board, {
    nullable: true,
    description:
      'The board whose sums they are divided by; null when it was deleted since, or is not for the caller.',
  })
  denominatorBoard(@Root() config: RatioConfig, @Ctx() context: Context) {
    return findBoardRecord(context, config.denominatorBoardId);
  }
}
