import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { JsonObject } from '../../graphql/scalars.js';

export const PrizeTies = enumOf('PrizeTies', 'Who is given prizes among players of equal value.', {
  rank: 'Everybody what their own rank gives: whoever was first is better.',
  all: 'All of them what the best of them is given.',
  share: 'The same, and they share it where a line has fewer ranks than they are.',
});
export type PrizeTies = (typeof PrizeTies)[keyof typeof PrizeTies];

@ObjectType({
  description:
    'Who is given a prize, and how players see it. Of `firstRank`, `percent` and `reached` at most one is ' +
    'set; none: everyone with an entry.',
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

  @Field(() => Int, {
    nullable: true,
    description:
      'Only players with so many counted runs in the ranking’s time. The line ranks and counts these alone. Null: any.',
  })
  minimumRuns!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Only players who were first seen so many hours before the ranking ended. The line ranks and counts these alone. Null: any.',
  })
  minimumAgeHours!: number | null;

  @Field(() => Boolean, {
    nullable: true,
    description:
      'True: only players who had proven who they are when the ranking ended. The line ranks and counts these alone. Null: any.',
  })
  provenOnly!: boolean | null;

  @Field(() => String, { description: 'Title, for players.' })
  title!: string;

  @Field(() => String, { nullable: true, description: 'Address of a picture. Null: none.' })
  pictureUrl!: string | null;
}

@ObjectType({
  description:
    'A line of a prize table: who is given what. Of `firstRank`, `percent` and `reached` at most one is set; none: everyone with an entry.',
  simpleResolvers: true,
})
export class PrizeLine extends PublicPrize {
  @Field(() => String, { description: 'Name of the line, unique in the table.' })
  name!: string;

  @Field(() => JsonObject, { description: 'What is given, in the words of the game: items, amounts.' })
  grant!: Record<string, unknown>;
}

@ObjectType({ description: 'What the places of a closed ranking are given.', simpleResolvers: true })
export class PrizeTable {
  @Field(() => Int, { description: 'With fewer players nothing is given.' })
  minimumEntries!: number;

  @Field(() => PrizeTies as never, { description: 'Who is given prizes among players of equal value.' })
  ties!: PrizeTies;

  @Field(() => Int, {
    description:
      'With `ties` ALL: how many more players than ranks a line may be given to. Beyond it grants wait for a release.',
  })
  tieLimit!: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Days after which an unclaimed reward expires. Null: never.',
  })
  expiresDays!: number | null;

  @Field(() => [PrizeLine], { description: 'Its lines. A player is given each that applies.' })
  lines!: PrizeLine[];
}
