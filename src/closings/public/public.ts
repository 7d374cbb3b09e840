import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { PrizeTies, PublicPrize } from '../../boards/prizes/prize-table.js';
import { NOT_FOR_VISITORS, references } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { Identity } from '../../players/identities/identity.js';

@ObjectType({ description: 'The prizes of a ranking, without what they give.', simpleResolvers: true })
export class PublicPrizes {
  @Field(() => Int, { description: 'With fewer players nothing is given.' })
  minimumEntries!: number;

  @Field(() => PrizeTies as never, { description: 'Who is given prizes among players of equal value.' })
  ties!: PrizeTies;

  @Field(() => [PublicPrize], { description: 'The prizes. A player is given each that applies.' })
  lines!: PublicPrize[];
}

@ObjectType({ description: 'A rank and its prize.', simpleResolvers: true })
export class PrizeOfRank {
  @Field(() => Int, { description: 'The rank.' })
  rank!: number;

  @Field(() => PublicPrize, { description: 'The first prize that the rank would be given.' })
  prize!: PublicPrize;
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
