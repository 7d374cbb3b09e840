import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { PageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { SafeInt } from '../../graphql/scalars.js';
import { PublicBoard, PublicBoardConnection } from '../public/public.js';
import { listSeries, loadPeriod, readerOf } from '../templates/read.js';
import { Board, BoardPhase, phaseOf, secondsToEnd, secondsToStart } from './board.js';
import { boardLists } from './resolver.js';

const PHASE = 'Its phase when this was read.';
const TO_START = 'Seconds until it starts. Null if it has started or never will.';
const TO_END = 'Seconds until it ends. Null if it has ended or has no end.';
const PREVIOUS = "The previous board of its template's series, e.g. last week's. Null if there is none.";
const NEXT = "The next board of its template's series. Null if there is none yet.";
const SERIES = "The boards of its template's series, newest first. Empty if it is not part of a series.";

/** The phase of a board and its countdown, for games that offer "this week, last week". */
@Resolver(() => Board)
export class BoardLifeResolver {
  @FieldResolver(() => BoardPhase, { description: PHASE })
  phase(@Root() board: Board, @Ctx() { clock }: Context) {
    return phaseOf(board, clock());
  }

  @FieldResolver(() => SafeInt, { nullable: true, description: TO_START })
  secondsToStart(@Root() board: Board, @Ctx() { clock }: Context) {
    return secondsToStart(board, clock());
  }

  @FieldResolver(() => SafeInt, { nullable: true, description: TO_END })
  secondsToEnd(@Root() board: Board, @Ctx() { clock }: Context) {
    return secondsToEnd(board, clock());
  }

  @FieldResolver(() => Board, { nullable: true, description: PREVIOUS })
  previousBoard(@Root() board: Board, @Ctx() context: Context) {
    return loadPeriod(context, board, 'previous', readerOf(context, board));
  }

  @FieldResolver(() => Board, { nullable: true, description: NEXT })
  nextBoard(@Root() board: Board, @Ctx() context: Context) {
    return loadPeriod(context, board, 'next', readerOf(context, board));
  }

  @FieldResolver(() => boardLists.Connection, { description: SERIES })
  series(@Root() board: Board, @Args(() => PageArgs) page: PageArgs, @Ctx() context: Context) {
    return listSeries(context, board, readerOf(context, board), page, (one) => one);
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardLifeResolver {
  @FieldResolver(() => BoardPhase, { description: PHASE })
  phase(@Root() { board }: PublicBoard, @Ctx() { clock }: Context) {
    return phaseOf(board, clock());
  }

  @FieldResolver(() => SafeInt, { nullable: true, description: TO_START })
  secondsToStart(@Root() { board }: PublicBoard, @Ctx() { clock }: Context) {
    return secondsToStart(board, clock());
  }

  @FieldResolver(() => SafeInt, { nullable: true, description: TO_END })
  secondsToEnd(@Root() { board }: PublicBoard, @Ctx() { clock }: Context) {
    return secondsToEnd(board, clock());
  }

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
    description: SERIES,
  })
  series(@Root() { board }: PublicBoard, @Args(() => PageArgs) page: PageArgs, @Ctx() context: Context) {
    return listSeries(context, board, 'visitor', page, PublicBoard.of);
  }
}
