import { Args, type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { SafeInt } from '../../graphql/scalars.js';
import { PublicBoard, PublicBoardConnection } from '../public/public.js';
import { listPublicSeries } from '../public/read.js';
import { loadPeriod, readerOf } from '../templates/read.js';
import { Board, BoardPhase, phaseOf, secondsToEnd, secondsToStart } from './board.js';

const PREVIOUS = "The previous board of its template's series, e.g. last week's. Null if there is none.";
const NEXT = "The next board of its template's series. Null if there is none yet.";

/** The phase of a board and its countdown, and of what visitors see of one. */
function phaseOn<P extends object>(type: ClassType<P>, boardOf: (record: P) => Board): object {
  @Resolver(type)
  class PhaseResolver {
    @FieldResolver(() => BoardPhase, { description: 'Its phase: upcoming, live, ended or inactive.' })
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
  }
  return new PhaseResolver();
}

export const boardPhases = [phaseOn(Board, (board) => board), phaseOn(PublicBoard, ({ board }) => board)];

/** The neighbours of a board in its series, for games that offer "this week, last week". */
@Resolver(() => Board)
export class BoardSeriesResolver {
  @FieldResolver(() => Board, { nullable: true, description: PREVIOUS })
  previousBoard(@Root() board: Board, @Ctx() context: Context) {
    return loadPeriod(context, board, 'previous', readerOf(context, board));
  }

  @FieldResolver(() => Board, { nullable: true, description: NEXT })
  nextBoard(@Root() board: Board, @Ctx() context: Context) {
    return loadPeriod(context, board, 'next', readerOf(context, board));
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardSeriesResolver {
  @FieldResolver(() => PublicBoard, { nullable: true, description: PREVIOUS })
  async previousBoard(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    const found = await loadPeriod(context, board, 'previous', 'visitor');
    return found && PublicBoard.of(found);
  }

  @FieldResolver(() => PublicBoard, { nullable: true, description: NEXT })
  async nextBoard(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    const found = await loadPeriod(context, board, 'next', 'visitor');
    return found && PublicBoard.of(found);
  }

  @FieldResolver(() => PublicBoardConnection, {
    description: "The boards of its template's series, newest first. Empty if it is not part of a series.",
  })
  series(@Root() { board }: PublicBoard, @Args(() => PageArgs) page: PageArgs, @Ctx() context: Context) {
    return listPublicSeries(context, board, page);
  }
}
