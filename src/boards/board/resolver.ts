import { Args, ArgsType, Ctx, Field, FieldResolver, ID, Query, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Game } from '../../games/game.js';
import type { PublicPages } from '../../games/resolver.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, RestorablePageArgs, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { crudOf } from '../../graphql/crud.js';
import { NOT_FOR_CLIENTS, references } from '../../graphql/node.js';
import { IsIdOf } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { RatioConfig } from '../ratios/ratio-config.js';
import { Board } from './board.js';
import { CreateBoardInput, UpdateBoardInput } from './inputs.js';
import { BoardKeyArgs, boardBy } from './key.js';
import {
  boardOfCode,
  boardOfSlug,
  boardsOfGame,
  loadBoardRecord,
  ratioConfigOfBoard,
  sortableBoards,
} from './read.js';

export const BoardConnection = connectionOf(() => Board, 'Board');

@ArgsType()
class BoardsArgs extends RestorablePageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only boards of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, {
    nullable: true,
    description: 'Only boards of this game. For game clients, games of other accounts match nothing.',
  })
  gameId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only boards of the game with this slug.' })
  gameSlug?: string | null;

  @Field(() => String, { nullable: true, description: 'Only the board with this short code.' })
  code?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Only boards with this slug. Boards can share a slug over time. Requires `gameSlug`.',
  })
  slug?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only active boards. False: only inactive ones.',
  })
  isActive?: boolean | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only published boards. False: only unpublished ones.',
  })
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
    list: "Boards of the caller's account. Superadmins see all accounts. Game clients see boards of their own game and published ones of the account's other games.",
    create: 'Creates a board.',
    update: 'Changes, deletes or restores a board.',
  },
});

@Resolver(() => Board)
export class BoardResolver {
  constructor(private readonly pages: PublicPages) {}

  @Allow(['admin', 'client'])
  @Query(() => Board, { description: 'One board, by its id, its short code, or its slug within a game.' })
  board(@Args(() => BoardKeyArgs) { by }: BoardKeyArgs, @Ctx() context: Context): Promise<Board> {
    return boardBy(by, {
      id: (id) => loadBoardRecord(context, id),
      shortCode: (code) => boardOfCode(context, code),
      slug: (game, board) => boardOfSlug(context, game, board),
    });
  }

  @FieldResolver(() => String, {
    nullable: true,
    description: 'Short public URL. Null if the board is not published or the service has no public pages.',
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

references(Game, { defaultBoard: Board });
references(Board, { account: { type: Account, note: NOT_FOR_CLIENTS }, game: Game });
references(RatioConfig, { numeratorBoard: Board, denominatorBoard: Board });
