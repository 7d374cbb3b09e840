import { Arg, type ClassType, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { FailsAlone } from '../../graphql/views.js';
import { Board } from '../board/board.js';
import { PublicBoard } from '../public/public.js';
import { viewOf, viewRowsOfBoard } from './read.js';
import { unknownView } from './rules.js';
import { BoardView } from './view.js';

/** The views of a board, and of what visitors see of one. */
function viewsOn<P extends object>(type: ClassType<P>, boardOf: (record: P) => Board): object {
  @Resolver(type)
  class ViewsResolver {
    @FailsAlone()
    @FieldResolver(() => [BoardView], {
      description: 'Additional rankings of its submissions, in the order they were declared.',
    })
    views(@Root() record: P, @Ctx() context: Context) {
      return viewsOf(context, boardOf(record).id);
    }

    @FieldResolver(() => BoardView, {
      description: 'One of its views. Fails with INVALID_VIEW if none has this name.',
    })
    view(
      @Root() record: P,
      @Arg('name', () => String, { description: 'The name of the view.' }) name: string,
      @Ctx() context: Context,
    ) {
      return viewNamed(context, boardOf(record).id, name);
    }
  }
  return new ViewsResolver();
}

export const boardViews = [viewsOn(Board, (board) => board), viewsOn(PublicBoard, ({ board }) => board)];

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
