import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { Allow } from '../graph/access.js';
import type { Context } from '../graph/context.js';
import { Once } from '../graph/cost.js';
import { IdArg } from '../graph/rules.js';
import { type TurnLimits, Turns } from '../turns.js';
import { BoardChangePreview, PreviewBoardChangeInput, previewBoardChange } from './preview.js';

/** Of each process: one of a large board reads for seconds. */
const PREVIEWS: TurnLimits = { atATime: 2, waiting: 10, patienceMs: 2_000 };

@Resolver()
export class PreviewResolver {
  readonly #previews = new Turns(PREVIEWS);

  @Allow('admin')
  @Once()
  @Query(() => BoardChangePreview, {
    complexity: 1_000,
    description:
      "A dry run of `updateBoard` with other rules: how many scores and which places of the podium would move. It reads all the board's events: once in an operation, and two at a time; others wait up to two seconds.",
  })
  previewBoardChange(
    @IdArg('board') id: string,
    @Arg('input', () => PreviewBoardChangeInput, { description: 'The rules to try.' })
    input: PreviewBoardChangeInput,
    @Ctx() context: Context,
  ) {
    return this.#previews.run(() => previewBoardChange(context, id, input));
  }
}
