import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { Board } from '../board/board.js';
import { findBoardRecord } from '../board/read.js';
import { RatioConfig } from './ratio-config.js';
import { ratioConfigOfBoard } from './read.js';

@Resolver(() => Board)
export class BoardRatioResolver {
  @FieldResolver(() => RatioConfig, {
    nullable: true,
    description: 'How a ratio board makes its values; null on boards of other types.',
  })
  ratioConfig(@Root() board: Board, @Ctx() context: Context) {
    return board.boardType === 'ratio' ? context.loaders.of(ratioConfigOfBoard).load(board.id) : null;
  }
}

@Resolver(() => RatioConfig)
export class RatioConfigResolver {
  @FieldResolver(() => Board, {
    nullable: true,
    description:
      'The board whose sums are divided; null when it was deleted since, or is not for the caller.',
  })
  numeratorBoard(@Root() config: RatioConfig, @Ctx() context: Context) {
    return findBoardRecord(context, config.numeratorBoardId);
  }

  @FieldResolver(() => Board, {
    nullable: true,
    description:
      'The board whose sums they are divided by; null when it was deleted since, or is not for the caller.',
  })
  denominatorBoard(@Root() config: RatioConfig, @Ctx() context: Context) {
    return findBoardRecord(context, config.denominatorBoardId);
  }
}
