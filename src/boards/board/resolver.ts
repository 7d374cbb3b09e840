import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Account } from '../../accounts/account.js';
import type { Addresses } from '../../accounts/addresses.js';
import { Game } from '../../games/game.js';
import { administers } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { NOT_FOR_CLIENTS, references } from '../../graphql/node.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { DateTimeRange, IS_DELETED, listsOf } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { IsIdOf } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { RatioConfig } from '../ratios/ratio-config.js';
import { TicketSettings } from '../tickets/settings.js';
import { Board, CreateBoardInput, UpdateBoardInput } from './board.js';
import { BoardKeyArgs, boardBy } from './key.js';
import {
  boardOfCode,
  boardOfSlug,
  boardsOfGame,
  listBoards,
  loadBoardRecord,
  ratioConfigOfBoard,
  sortableBoards,
} from './read.js';

@ArgsType()
@InputType({ description: 'Which boards to list.' })
class BoardFilter {
  @IsIdOf('game')
  @Field(() => ID, {
    nullable: true,
    description: 'Only boards of this game. For game clients, games of other accounts match nothing.',
  })
  gameId?: string | null;

  @Field(() => String, { nullable: true, description: 'Only boards of the game with this slug.' })
  gameSlug?: string | null;

  @Field(() => String, { nullable: true, description: 'Only the board with this short code.' })
  shortCode?: string | null;

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

  @Only('graphql')
  @Field(() => DateTimeRange, { nullable: true, description: 'Only boards that start in this range.' })
  startsAt?: DateTimeRange | null;

  @Only('graphql')
  @Field(() => DateTimeRange, { nullable: true, description: 'Only boards that end in this range.' })
  endsAt?: DateTimeRange | null;

  @Only('rest')
  @Field(() => DateTime, { nullable: true, description: 'Only boards that start before this moment.' })
  startsBefore?: Date | null;

  @Only('rest')
  @Field(() => DateTime, { nullable: true, description: 'Only boards that start after this moment.' })
  startsAfter?: Date | null;

  @Only('rest')
  @Field(() => DateTime, { nullable: true, description: 'Only boards that end before this moment.' })
  endsBefore?: Date | null;

  @Only('rest')
  @Field(() => DateTime, { nullable: true, description: 'Only boards that end after this moment.' })
  endsAfter?: Date | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

export const boardLists = listsOf(() => Board, 'Board', {
  sortable: sortableBoards,
  filter: BoardFilter,
  account: 'Only boards of this account.',
});

export const BoardCrud = crudOf(() => Board, {
  kind: 'board',
  lists: boardLists,
  create: CreateBoardInput,
  update: UpdateBoardInput,
  allow: { read: ['read', 'test', 'client'], create: ['configure'], update: ['configure'] },
  texts: {
    record: 'The board.',
    list:
      "Boards of the caller's account. Superadmins see all accounts. Game clients see boards of their own " +
      "game and published ones of the account's other games.",
    create: 'Creates a board.',
    update: 'Changes, deletes or restores a board.',
  },
});

@Resolver(() => Board)
export class BoardTicketsResolver {
  /** The bounds of the clock check help whoever wants to pass it. */
  @FieldResolver(() => TicketSettings, { nullable: true })
  tickets(@Root() board: Board, @Ctx() context: Context) {
    const { tickets } = board;
    return tickets && { ...tickets, clock: administers(context, board) ? tickets.clock : null };
  }
}

@Resolver(() => Board)
export class BoardResolver {
  constructor(private readonly addresses: Addresses) {}

  @Allow(['read', 'test', 'client'])
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
    return isPublished ? this.addresses.board(shortCode) : null;
  }
}

export const boardsBelow = [
  listBelow(Account, 'boards', {
    lists: boardLists,
    read: listBoards,
    own: ({ id }) => ({ accountId: id }),
    description: 'Its boards.',
  }),
  listBelow(Game, 'boards', {
    lists: boardLists,
    read: boardsOfGame,
    own: (game) => ({ gameId: game.id, game }),
    description: 'Its boards.',
  }),
];

@Resolver(() => Board)
export class BoardRatioResolver {
  @FieldResolver(() => RatioConfig, {
    nullable: true,
    description: 'Rules of a ratio board. Null on boards of other types.',
  })
  ratioConfig(@Root() board: Board, @Ctx() context: Context) {
    return board.boardType === 'ratio' ? context.loaders.of(ratioConfigOfBoard).load(board.id) : null;
  }
}

references(Game, { defaultBoard: Board });
references(Board, {
  account: { type: Account, note: NOT_FOR_CLIENTS },
  game: Game,
  rehearsalOf: { type: Board, note: NOT_FOR_CLIENTS },
});
references(RatioConfig, { numeratorBoard: Board, denominatorBoard: Board });
