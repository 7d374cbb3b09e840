import { Arg, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { Board } from '../board/board.js';
import { PublicBoard } from '../public/public.js';
import { viewOf, viewRowsOfBoard } from './read.js';
import { unknownView } from './rules.js';
import { BoardView } from './view.js';

const VIEWS = 'Additional rankings of its submissions, in the order they were declared.';
const VIEW = 'One of its views. Fails with INVALID_VIEW if none has this name.';
const NAME = 'The name of the view.';

@Resolver(() => Board)
export class BoardViewsResolver {
  @FieldResolver(() => [BoardView], { description: VIEWS })
  views(@Root() board: Board, @Ctx() context: Context) {
    return viewsOf(context, board.id);
  }

  @FieldResolver(() => BoardView, { description: VIEW })
  view(
    @Root() board: Board,
    @Arg('name', () => String, { description: NAME }) name: string,
    @Ctx() context: Context,
  ) {
    return viewNamed(context, board.id, name);
  }
}

@Resolver(() => PublicBoard)
export class PublicBoardViewsResolver {
  @FieldResolver(() => [BoardView], { description: VIEWS })
  views(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return viewsOf(context, board.id);
  }

  @FieldResolver(() => BoardView, { description: VIEW })
  view(
    @Root() { board }: PublicBoard,
    @Arg('name', () => String, { description: NAME }) name: string,
    @Ctx() context: Context,
  ) {
    return viewNamed(context, board.id, name);
  }
}

async function viewsOf(context: Context, boardId: string): Promise<BoardView[]> {
  return ((await context.loaders.of(viewRowsOfBoard).load(boardId)) ?? []).map(viewOf);
}

/** @throws DomainError INVALID_VIEW */
async function viewNamed(context: Context, boardId: string, name: string): Promise<BoardView> {
  const views = await viewsOf(context, boardId);
  const view = views.find((one) => one.name === name);
  if (!view) throw unknownView(name, views);
  return view;
}
