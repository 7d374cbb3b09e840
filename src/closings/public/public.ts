import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { NOT_FOR_VISITORS, references } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { Identity } from '../../players/identities/identity.js';

@ObjectType({
  description:
    'A line of the prizes of a published board: who is given it, and how players see it. Of `firstRank`, `percent` and `reached` at most one is set; none: everyone with an entry.',
  simpleResolvers: true,
})
export class PublicPrize {
  @Field(() => Int, { nullable: true, description: 'The first rank that is given it. Null: not by rank.' })
  firstRank!: number | null;

  @Field(() => Int, { nullable: true, description: 'The last rank that is given it. Null: not by rank.' })
  lastRank!: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'The best players in percent, rounded up. Null: not by share.',
  })
  percent!: number | null;

  @Field(() => Float, { nullable: true, description: 'Everyone who reached this value. Null: not by value.' })
  reached!: number | null;

  @Field(() => String, { description: 'Title.' })
  title!: string;

  @Field(() => String, { nullable: true, description: 'Address of a picture. Null: none.' })
  pictureUrl!: string | null;
}

@ObjectType({ description: 'A player on the podium of a closed ranking.', simpleResolvers: true })
export class PublicWinner {
  @Field(() => Int, { description: 'The rank to show, by the tie policy.' })
  displayRank!: number;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name that was shown.' })
  playerName!: string;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, { nullable: true, description: 'The text of the value. Null: none.' })
  valueDisplay!: string | null;
}

@ObjectType({ description: 'A closed ranking of a published board.', simpleResolvers: true })
export class PublicClosing {
  @Field(() => String, { nullable: true, description: "Key of the view's period. Null: none." })
  period!: string | null;

  @Field(() => DateTime, { description: 'When the ranking ended.' })
  endedAt!: Date;

  @Field(() => [PublicWinner], { description: 'Its podium, without players who were deleted since.' })
  podium!: PublicWinner[];
}

references(PublicWinner, { identity: { type: Identity, note: NOT_FOR_VISITORS } });
