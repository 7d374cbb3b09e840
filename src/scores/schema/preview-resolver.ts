import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { COSTLY, Turns } from '../../base/limits.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { Allow } from '../../graphql/rights.js';
import { BoardChangePreview, PreviewBoardChangeInput, previewBoardChange } from './preview.js';

@Resolver()
export class PreviewResolver {
  readonly #previews = new Turns(COSTLY);

  @Allow('configure')
  @Once()
  @Query(() => BoardChangePreview, {
    complexity: 1_000,
    description:
      'Previews `updateBoard` with other rules: how many scores and which podium ranks would move. It reads ' +
      "all of the board's events, so it is allowed once per operation and one at a time per account; " +
      'further ones wait up to two seconds.',
  })
  previewBoardChange(
    @Arg('input', () => PreviewBoardChangeInput, { description: 'The board, and the rules to try.' })
    input: PreviewBoardChangeInput,
    @Ctx() context: Context,
  ) {
    return this.#previews.run(() => previewBoardChange(context, input), adminOf(context).accountId);
  }
}
