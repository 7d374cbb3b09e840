import { Field, Int, ObjectType } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { JsonObject } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { Tag, tagList } from '../../players/tags/tag.js';

const PERIOD = 'The key of its period, e.g. `2026-W48`, or `all` if the view has none.';

export const SubmissionRankState = enumOf(
  'SubmissionRankState',
  'The result of ranking a submission in a view.',
  {
    ranked: 'It is ranked.',
    not_ranked: 'It is not ranked, because it lacks a tag of the view.',
    building: 'The view is being built, and will rank it.',
    too_many_groups: 'It is not ranked: the period already has as many groups as a view can have.',
  },
);
export type SubmissionRankState = (typeof SubmissionRankState)[keyof typeof SubmissionRankState];

@ObjectType({ description: "A player's rank in a view after a submission.", simpleResolvers: true })
export class SubmissionRank {
  @Field(() => String, { description: 'Name of the view.' })
  view!: string;

  @Field(() => String, { nullable: true, description: `${PERIOD} Null while the view is being built.` })
  periodKey!: string | null;

  @Only('rest')
  @Field(() => JsonObject, { nullable: true, description: 'The values of its tags; null: it has none.' })
  where!: Record<string, string> | null;

  @Field(() => [Tag], { description: 'The tags of its group. Empty if it has none.' })
  get tags(): Tag[] {
    return tagList(this.where ?? {});
  }

  @Field(() => SubmissionRankState, { description: 'The result of ranking the submission in the view.' })
  state!: SubmissionRankState;

  @Field(() => Int, {
    nullable: true,
    description: 'The rank after the submission. Null if it is not ranked.',
  })
  rank!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The rank to show, by the `tiePolicy` of the view. Null if it is not ranked.',
  })
  displayRank!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of entries in the ranking. Null if it is not ranked.',
  })
  totalCount!: number | null;

  @Field(() => Int, { nullable: true, description: 'The previous rank. Null if there was none.' })
  previousRank!: number | null;

  @Field(() => Boolean, { description: 'True if this submission moved the entry in the view.' })
  improved!: boolean;
}
