import { Arg, Args, Ctx, Field, ID, InputType, Int, Mutation, ObjectType, Resolver } from 'type-graphql';
import { changedById, changeOf, type PathId } from '../../graphql/changed-record.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { Allow } from '../../graphql/rights.js';
import { IsSlug, MaxLength } from '../../graphql/rules.js';
import { Identity } from '../identities/identity.js';
import { removeProof } from './remove.js';

@InputType({ description: 'The proof to remove from a player.' })
class RemovePlayerProofInput {
  @IsSlug()
  @Field(() => String, { description: 'The slug of the provider.' })
  provider!: string;

  @MaxLength(5)
  @Field(() => String, {
    nullable: true,
    description:
      'Which account, as `proofs` shows it (`…4287`), for a player with several of the provider: others are merged into it.',
  })
  subject?: string | null;
}

@ObjectType({ description: 'The result of `removePlayerProof`.', simpleResolvers: true })
class RemovePlayerProofPayload {
  @Field(() => ID, { description: 'The player, `ide_<uuid>`.' })
  identityId!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'How many sessions ended. Null: the player has no proof of that provider.',
  })
  count!: number | null;
}

references(RemovePlayerProofPayload, { identity: Identity });

const RemoveArgs = changedById('identity', RemovePlayerProofInput);

@Resolver()
export class RemoveProofResolver {
  @Allow('moderate')
  @Mutation(() => RemovePlayerProofPayload, {
    description:
      'Removes the account of a provider from a player, such as one of another person: it proves a new player from then on. The player ' +
      'keeps its runs, its own device and linked ones; sessions that others started with a proof end.',
  })
  async removePlayerProof(
    @Args(() => RemoveArgs) path: PathId,
    @Arg('input', () => RemovePlayerProofInput, { description: 'The player and the provider.' })
    input: RemovePlayerProofInput,
    @Ctx() context: Context,
  ) {
    const { id, changes } = changeOf(path, input);
    return { identityId: id, count: await removeProof(context, id, changes) };
  }
}
