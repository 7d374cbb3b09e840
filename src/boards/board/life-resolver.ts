import { Args, type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { SafeInt } from '../../graphql/scalars.js';
import { PublicBoard, PublicBoardConnection } from '../public/public.js';
import { listSeries, loadPeriod, readerOf, type TemplateReader } from '../templates/read.js';
import { Board, BoardPhase, phaseOf, secondsToEnd, secondsToStart } from './board.js';
import { boardLists } from './resolver.js';

/** A board as some of its readers see it. */
interface Seen<P> {
  type: ClassType<P & object>;
  Connection: ClassType;
  boardOf(record: P): Board;
  recordOf(board: Board): P;
  readerOf(context: Context, board: Board): TemplateReader;
}

/** The phase of a board, its countdown and its series, for games that offer "this week, last week". */
function lifeOf<P extends object>({ type, Connection, boardOf, recordOf, readerOf }: Seen<P>): object {
  async function neighbour(context: Context, record: P, side: 'previous' | 'next'): Promise<P | null> {
    const board = boardOf(record);
    const neighbouring = await loadPeriod(context, board, side, readerOf(context, board));
    return neighbouring && recordOf(neighbouring);
  }

  @Resolver(type)
  class LifeResolver {
    @FieldResolver(() => BoardPhase, { description: 'Its phase when this was read.' })
    phase(@Root() record: P, @Ctx() { clock }: Context) {
      return phaseOf(boardOf(record), clock());
    }

    @FieldResolver(() => SafeInt, {
      nullable: true,
      description: 'Seconds until it starts. Null if it has started or never will.',
    })
    secondsToStart(@Root() record: P, @Ctx() { clock }: Context) {
      return secondsToStart(boardOf(record), clock());
    }

    @FieldResolver(() => SafeInt, {
      nullable: true,
      description: 'Seconds until it ends. Null if it has ended or has no end.',
    })
    secondsToEnd(@Root() record: P, @Ctx() { clock }: Context) {
      return secondsToEnd(boardOf(record), clock());
    }

    @FieldResolver(() => type, {
      nullable: true,
      description: "The previous board of its template's series, e.g. last week's. Null if there is none.",
    })
    previousBoard(@Root() record: P, @Ctx() context: Context) {
      return neighbour(context, record, 'previous');
    }

    @FieldResolver(() => type, {
      nullable: true,
      description: "The next board of its template's series. Null if there is none yet.",
    })
    nextBoard(@Root() record: P, @Ctx() context: Context) {
      return neighbour(context, record, 'next');
    }

    @FieldResolver(() => Connection, {
      description: "The boards of its template's series, newest first. Empty if it is not part of a series.",
    })
    series(@Root() record: P, @Args(() => PageArgs) page: PageArgs, @Ctx() context: Context) {
      const board = boardOf(record);
      return listSeries(context, board, readerOf(context, board), page, recordOf);
    }
  }
  return new LifeResolver();
}

export const boardLives = [
  lifeOf({
    type: Board,
    Connection: boardLists.Connection,
    boardOf: (board) => board,
    recordOf: (board) => board,
    readerOf,
  }),
  lifeOf({
    type: PublicBoard,
    Connection: PublicBoardConnection,
    boardOf: ({ board }) => board,
    recordOf: PublicBoard.of,
    readerOf: () => 'visitor',
  }),
];
