import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { Board } from '../board/board.js';
import { PublicBoard } from '../public/public.js';
import { viewOf, viewRowsOfBoard } from './read.js';
import { BoardView } from './view.js';

const VIEWS = 'Additional rankings of its submissions, in the order they were declared.';

@Resolver(() => Board)
export class BoardViewsResolver {
  @FieldResolver(() => [BoardView], { description: VIEWS })
  views(@Root() board: Board, @Ctx() context: Context) {
    return viewsOf(context, board.id);
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardViewsResolver {
  @FieldResolver(() => [BoardView], { description: VIEWS })
  views(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return viewsOf(context, board.id);
  }
}

async function viewsOf(context: Context, boardId: string): Promise<BoardView[]> {
  return ((await context.loaders.of(viewRowsOfBoard).load(boardId)) ?? []).map(viewOf);
}
