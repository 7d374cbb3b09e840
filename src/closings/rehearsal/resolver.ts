import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { COSTLY, Turns } from '../../base/limits.js';
import { loadBoardRecord } from '../../boards/board/read.js';
import { adminOf } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { Allow } from '../../graphql/rights.js';
import { RehearseBoardInput, RehearseBoardPayload } from './payload.js';
import { rehearse } from './rehearse.js';

@Resolver()
export class RehearsalResolver {
  readonly #rehearsals = new Turns(COSTLY);

  constructor(private readonly mostGrants: number) {}

  @Allow('configure')
  @Once()
  @Mutation(() => RehearseBoardPayload, {
    complexity: 1_000,
    description:
      "Rehearses the end of a ranking on a copy of its board: the copy plays the ranking's runs, or made-up " +
      'ones, as those of test sessions, its time moves to the end, it closes, grants, and the winner ' +
      'claims. No webhook is sent, and the board stays as it is. A board has up to 5 rehearsals and an ' +
      'account up to 20. Allowed once per operation and one at a time per account; further ones wait up to ' +
      'two seconds.',
  })
  async rehearseBoard(
    @Arg('input', () => RehearseBoardInput, { description: 'The ranking.' }) input: RehearseBoardInput,
    @Ctx() context: Context,
  ) {
    const { accountId } = adminOf(context);
    const made = () => rehearse(context, this.mostGrants, input);
    const { copy, ...rehearsal } = await this.#rehearsals.run(made, accountId);
    return { ...rehearsal, board: await loadBoardRecord(context, copy) };
  }
}
