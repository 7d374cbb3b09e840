import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Allow } from '../graph/access.js';
import type { Context } from '../graph/context.js';
import { IdArg } from '../graph/rules.js';
import { BoardChangePreview, PreviewBoardChangeInput, previewBoardChange } from './preview.js';

@Resolver()
export class PreviewResolver {
  @Allow('admin')
  @Query(() => BoardChangePreview, {
    description:
      "A dry run of `updateBoard` with other rules: how many scores and which places of the podium would move. It reads all the board's events.",
  })
  previewBoardChange(
    @IdArg('board') id: string,
    @Arg('input', () => PreviewBoardChangeInput, { description: 'The rules to try.' })
    input: PreviewBoardChangeInput,
    @Ctx() context: Context,
  ) {
    return previewBoardChange(context, id, input);
  }
}
