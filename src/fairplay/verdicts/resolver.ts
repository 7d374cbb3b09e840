import { Arg, Ctx, Field, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import type { Context } from '../../graphql/context.js';
import { Once } from '../../graphql/engine/cost.js';
import { Allow } from '../../graphql/rights.js';
import type { Ratios } from '../../rankings/upkeep/ratios.js';
import { Verdict } from '../../scores/verdicts/verdict.js';
import { BoardReview } from '../reviews/review.js';
import type { VerdictCounts } from './counts.js';
import { giveVerdict } from './give.js';
import { GiveVerdictInput, UndoVerdictsInput } from './inputs.js';
import { undoVerdicts } from './undo.js';

@ObjectType({ description: 'The result of `giveVerdict`.', simpleResolvers: true })
class GiveVerdictPayload {
  @Field(() => Verdict, {
    description: "The verifier's verdict on the run: the first one, if it was repeated.",
  })
  verdict!: Verdict;
}

@ObjectType({ description: 'The result of `undoVerdicts`.', simpleResolvers: true })
class UndoVerdictsPayload {
  @Field(() => Int, { description: 'Verdicts that were taken back.' })
  undoneCount!: number;

  @Field(() => BoardReview, { description: 'The effect on the board.' })
  effect!: BoardReview;
}

@Resolver()
export class VerdictResolver {
  constructor(
    private readonly ratios: Ratios,
    private readonly counts: VerdictCounts,
  ) {}

  @Allow('verify')
  @Mutation(() => GiveVerdictPayload, {
    description:
      'Stores the verdict of a verifier on a run. What follows from it is set by `verdicts` of the board.',
  })
  async giveVerdict(
    @Arg('input', () => GiveVerdictInput, { description: 'The verdict.' }) input: GiveVerdictInput,
    @Ctx() context: Context,
  ): Promise<GiveVerdictPayload> {
    return { verdict: await giveVerdict(context, this.ratios, this.counts, input) };
  }

  @Allow('moderate')
  @Once()
  @Mutation(() => UndoVerdictsPayload, {
    complexity: 200,
    description:
      'Takes back all verdicts of a verifier on a board, and what followed from them: flags that they settled are pending again. ' +
      'Passes that were applied keep their effect until they are undone.',
  })
  undoVerdicts(
    @Arg('input', () => UndoVerdictsInput, { description: 'Whose verdicts.' }) input: UndoVerdictsInput,
    @Ctx() context: Context,
  ): Promise<UndoVerdictsPayload> {
    return undoVerdicts(context, this.ratios, input);
  }
}
