import { Arg, Args, Ctx, Field, InputType, Mutation, ObjectType, Resolver } from 'type-graphql';
import { changedById, changeOf, type PathId } from '../../../graphql/changed-record.js';
import type { Context } from '../../../graphql/context.js';
import { Once } from '../../../graphql/engine/cost.js';
import { Allow } from '../../../graphql/rights.js';
import { loadProvider } from '../read.js';
import { IsProofToken } from '../token.js';
import type { ProofVerifier, TestedProof } from './verify.js';

@InputType({ description: 'A token to test a provider with.' })
class TestPlayerProviderInput {
  @IsProofToken()
  @Field(() => String, {
    description:
      'What a game would send as the `token` of a proof. Neither stored nor used up here; an authorization code (DISCORD, ' +
      'PLAY_GAMES) is used up by its provider.',
  })
  token!: string;
}

@ObjectType({ description: 'What a provider says of a token.', simpleResolvers: true })
class TestPlayerProviderPayload implements TestedProof {
  @Field(() => Boolean, { description: 'True: a game could prove a player with it.' })
  isAccepted!: boolean;

  @Field(() => String, {
    nullable: true,
    description: 'The account that it proves, as the provider names it. Null: it was refused.',
  })
  subject!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Why it was refused, or why the provider couldn’t be asked. Null: it was accepted.',
  })
  reason!: string | null;
}

const TestArgs = changedById('playerProvider', TestPlayerProviderInput);

/** Providers that were just set up, tried by those who did. */
@Resolver()
export class ProviderTestResolver {
  constructor(private readonly proofs: ProofVerifier) {}

  @Allow('players')
  @Once()
  @Mutation(() => TestPlayerProviderPayload, {
    description:
      'Checks a token as a proof of a player would be, and says why it is refused. Nothing is stored.',
  })
  async testPlayerProvider(
    @Args(() => TestArgs) path: PathId,
    @Arg('input', () => TestPlayerProviderInput, { description: 'The provider, and a token of it.' })
    input: TestPlayerProviderInput,
    @Ctx() context: Context,
  ): Promise<TestPlayerProviderPayload> {
    const { id, changes } = changeOf(path, input);
    return this.proofs.test(context, await loadProvider(context, id), changes.token);
  }
}
