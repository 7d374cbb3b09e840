import { Arg, Ctx, FieldResolver, Int, Resolver, Root } from 'type-graphql';
import { windowOf } from '../../db/keyset.js';
import type { Context } from '../../graphql/context.js';
import { SafeInt } from '../../graphql/scalars.js';
import { PublicBoard } from '../public/public.js';
import { publicPeriods } from '../public/read.js';
import { loadPeriod, readerOf } from '../templates/read.js';
import { Board, BoardPhase, phaseOf, secondsToEnd, secondsToStart } from './board.js';

const STATE = 'State of the board: upcoming, live, ended or inactive.';
const TO_START = 'Seconds until it starts. Null if it has started or never will.';
const TO_END = 'Seconds until it ends. Null if it has ended or has no end.';
const PREVIOUS = "The previous board of its template's series, e.g. last week's. Null if there is none.";
const NEXT = "The next board of its template's series. Null if there is none yet.";

/** The phase of a board and its countdown, for games that offer "this week, last week". */
@Resolver(() => Board)
export class BoardLifeResolver {
  @FieldResolver(() => BoardPhase, { description: STATE })
  state(@Root() board: Board, @Ctx() { clock }: Context) {
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
  previousPeriod(@Root() board: Board, @Ctx() context: Context) {
    return loadPeriod(context, board, 'previous', readerOf(context, board));
  }

  @FieldResolver(() => Board, { nullable: true, description: NEXT })
  nextPeriod(@Root() board: Board, @Ctx() context: Context) {
    return loadPeriod(context, board, 'next', readerOf(context, board));
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardLifeResolver {
  @FieldResolver(() => BoardPhase, { description: STATE })
  state(@Root() { board }: PublicBoard, @Ctx() { clock }: Context) {
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
  async previousPeriod(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    const found = await loadPeriod(context, board, 'previous', 'visitor');
    return found && PublicBoard.of(found);
  }

  @FieldResolver(() => PublicBoard, { nullable: true, description: NEXT })
  async nextPeriod(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    const found = await loadPeriod(context, board, 'next', 'visitor');
    return found && PublicBoard.of(found);
  }

  @FieldResolver(() => [PublicBoard], {
    description:
      "The latest boards of its template's series, newest first, including this board unless it is older. Empty if it is not part of a series.",
  })
  periods(
    @Root() { board }: PublicBoard,
    @Arg('first', () => Int, { defaultValue: 12, description: 'The largest number of boards, 1 to 100.' })
    first: number,
    @Ctx() context: Context,
  ) {
    return publicPeriods(context, board, windowOf({ first }).size);
  }
}
