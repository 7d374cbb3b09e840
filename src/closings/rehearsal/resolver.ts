import { Arg, Ctx, Mutation, Resolver } from 'type-graphql';
import { loadBoardRecord } from '../../boards/board/read.js';
import type { Context } from '../../graphql/context.js';
import { Allow } from '../../graphql/rights.js';
import { RehearseBoardInput, RehearseBoardPayload } from './payload.js';
import { rehearse } from './rehearse.js';

@Resolver()
export class RehearsalResolver {
  constructor(private readonly mostGrants: number) {}

  @Allow('configure')
  @Mutation(() => RehearseBoardPayload, {
    complexity: 100,
    description:
      "Rehearses the end of a ranking on a copy of its board: the copy plays the ranking's runs, or made-up ones, as those of test sessions, its time moves to the end, it closes, grants, and the winner claims. No webhook is sent, and the board stays as it is.",
  })
  async rehearseBoard(
    @Arg('input', () => RehearseBoardInput, { description: 'The ranking.' }) input: RehearseBoardInput,
    @Ctx() context: Context,
  ) {
    const { copy, ...rehearsal } = await rehearse(context, this.mostGrants, input);
    return { ...rehearsal, board: await loadBoardRecord(context, copy) };
  }
}
