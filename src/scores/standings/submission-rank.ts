import { Field, Int, ObjectType, registerEnumType } from 'type-graphql';
import { JsonObject } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { Tag, tagList } from '../../players/tags/tag.js';

const PERIOD = 'The key of its period: `2026-W48`; `all` where the view has none.';

export const SubmissionRankState = {
  RANKED: 'ranked',
  NOT_RANKED: 'not_ranked',
  BUILDING: 'building',
  TOO_MANY_GROUPS: 'too_many_groups',
} as const;
export type SubmissionRankState = (typeof SubmissionRankState)[keyof typeof SubmissionRankState];

registerEnumType(SubmissionRankState, {
  name: 'SubmissionRankState',
  description: 'Result of ranking a submission in a view.',
  valuesConfig: {
    RANKED: { description: 'It is.' },
    NOT_RANKED: { description: 'It lacks a tag of the view, or no period of the view has begun.' },
    BUILDING: { description: 'The view is being built; it will be ranked.' },
    TOO_MANY_GROUPS: { description: 'The period has as many groups as a view may have.' },
  },
});

@ObjectType({ description: "A player's place in a view after a submission.", simpleResolvers: true })
export class SubmissionRank {
  @Field(() => String, { description: 'The view.' })
  view!: string;

  @Field(() => String, { nullable: true, description: `${PERIOD} Null where it is not ranked.` })
  periodKey!: string | null;

  @Only('rest')
  @Field(() => JsonObject, { nullable: true, description: 'The values of its tags; null: it has none.' })
  where!: Record<string, string> | null;

  @Field(() => [Tag], { description: 'The values of the tags of its group. Empty: it has none.' })
  get tags(): Tag[] {
    return tagList(this.where ?? {});
  }

  @Field(() => SubmissionRankState, { description: 'Result of ranking the submission there.' })
  state!: SubmissionRankState;

  @Field(() => Int, {
    nullable: true,
    description: 'The rank after the submission; null where it is not ranked.',
  })
  rank!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'The rank to show, by the `tiePolicy` of the view; null where it is not ranked.',
  })
  displayRank!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Entries of the ranking; null where it is not ranked.',
  })
  totalCount!: number | null;

  @Field(() => Int, { nullable: true, description: 'The previous rank. Null if there was none.' })
  previousRank!: number | null;

  @Field(() => Boolean, { description: 'True if this submission moved the entry there.' })
  improved!: boolean;
}
