import { Field, ID, InputType, Int, ObjectType } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { references } from '../../graphql/node.js';
import { IsIdOf } from '../../graphql/rules.js';
import { Identity } from '../../players/identities/identity.js';
import { Closing } from '../closing.js';
import { Reward } from './reward.js';

export const DifferenceKind = enumOf(
  'PrizeDifferenceKind',
  'How a reward of a closing differs from what its ranking would give now.',
  {
    wrong: 'It was granted, and would not be now. Only you can revoke it, while it is open.',
    missing: 'It was not granted, and would be now.',
    shared: 'It was granted, but another number of players would share it now.',
  },
);
export type DifferenceKind = (typeof DifferenceKind)[keyof typeof DifferenceKind];

@ObjectType({
  description: 'A reward that decisions after the closing have made wrong, or that is missing.',
  simpleResolvers: true,
})
export class PrizeDifference {
  @Field(() => DifferenceKind as never, { description: 'What is different.' })
  kind!: DifferenceKind;

  @Field(() => String, { description: 'Name of the line of the prize table.' })
  line!: string;

  @Field(() => Int, { description: "The player's rank now; of a wrong one that when it was granted." })
  rank!: number;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of players who would share it now. Null: it is one player’s, or wrong.',
  })
  sharedBy!: number | null;

  @Field(() => ID, { nullable: true, description: 'The reward. Null: it is missing.' })
  rewardId!: string | null;
}

@InputType({ description: 'A closing whose prizes to grant again.' })
export class ReissuePrizesInput {
  @IsIdOf('closing')
  @Field(() => ID, { description: 'The closing.' })
  id!: string;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'Returns the differences without granting anything. Default: false.',
  })
  dryRun?: boolean | null;
}

@ObjectType('ReissuePrizesPayload', { description: 'The result of `reissuePrizes`.', simpleResolvers: true })
export class Reissue {
  @Field(() => Closing, { description: 'The closing. Its fixed places stay as they are.' })
  closing!: Closing;

  @Field(() => Int, { description: 'Rewards that were granted now, at most 10,000: repeat it for more.' })
  grantedCount!: number;

  @Field(() => Int, { description: 'Rewards that were missing before.' })
  missingCount!: number;

  @Field(() => Int, {
    description: 'Rewards that would not be granted now. Those that expired or were revoked are not counted.',
  })
  wrongCount!: number;

  @Field(() => Int, { description: 'Rewards that another number of players would share now.' })
  sharedCount!: number;

  @Field(() => [PrizeDifference], {
    description: 'The differences before, wrong ones first, by rank: the first 200 of each kind.',
  })
  differences!: PrizeDifference[];
}

references(PrizeDifference, { identity: Identity, reward: Reward });
