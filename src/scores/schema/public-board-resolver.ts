import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { PublicBoard } from '../../boards/public/public.js';
import type { Context } from '../../graphql/context.js';
import { SafeInt } from '../../graphql/scalars.js';
import type { ScoreLoaders } from '../loaders.js';

@Resolver(() => PublicBoard)
export class PublicBoardVersionResolver {
  constructor(private readonly loaders: ScoreLoaders) {}

  @FieldResolver(() => SafeInt, {
    description: 'Increases with every visible change to the board.',
  })
  async version(@Root() { board }: PublicBoard, @Ctx() context: Context) {
    return (await context.loaders.of(this.loaders.versions).load(board.id)) ?? 0;
  }
}
