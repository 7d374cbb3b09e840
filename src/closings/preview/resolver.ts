import { Arg, Ctx, Query, Resolver } from 'type-graphql';
import { COSTLY, Turns } from '../../base/limits.js';
import type { PeriodReads } from '../../boards/views/period-reads.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { Allow } from '../../graphql/rights.js';
import { ClosingPreview, PreviewClosingInput } from './preview.js';
import { previewClosing } from './read.js';

@Resolver()
export class ClosingPreviewResolver {
  readonly #previews = new Turns(COSTLY);

  constructor(
    private readonly periods: PeriodReads,
    private readonly mostGrants: number,
  ) {}

  @Allow('read')
  @Once()
  @Query(() => ClosingPreview, {
    complexity: 1_000,
    description:
      'Previews a closing: who would get what if the ranking closed now. It reads every player with a ' +
      'prize, so it is allowed once per operation and one at a time per account; further ones wait up to two seconds.',
  })
  previewClosing(
    @Arg('input', () => PreviewClosingInput, { description: 'The ranking, and the prizes to try.' })
    input: PreviewClosingInput,
    @Ctx() context: Context,
  ) {
    const { accountId } = adminOf(context);
    return this.#previews.run(() => previewClosing(context, this.periods, this.mostGrants, input), accountId);
  }
}
