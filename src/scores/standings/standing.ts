import { Field, Float, ID, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime, JsonObject, SafeInt } from '../../graphql/scalars.js';
import type { ChosenRanking } from '../../rankings/address.js';
import { type Score, ScoreStatus } from '../../rankings/score.js';

const OF = 'The key of its period: `2026-W48`; `all` where the view has none.';

@ObjectType({
  description: "A player's place in a ranking of a board: in one of a view, or in the board's own.",
  simpleResolvers: true,
})
export class Standing {
  @Field(() => ID, { description: "The score of the board's own ranking that its player has." })
  scoreId!: string;

  @Field(() => String, { nullable: true, description: "The view; null: the board's own ranking." })
  view!: string | null;

  @Field(() => String, { nullable: true, description: `${OF} Null in the board's own ranking.` })
  key!: string | null;

  @Field(() => JsonObject, { nullable: true, description: 'The values of its tags; null: it has none.' })
  where!: Readonly<Record<string, string>> | null;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name sent with the submission it shows.' })
  playerName!: string;

  @Field(() => Float, { description: "The value in the ranking, in the board's unit." })
  value!: number;

  @Field(() => String, { nullable: true, description: 'Formatted value, as sent by the game.' })
  valueDisplay!: string | null;

  @Field(() => JsonObject, { nullable: true, description: 'Data that the game attached to the submission.' })
  metadata!: Record<string, unknown> | null;

  @Field(() => SafeInt, {
    description: 'Position in the ranking, from 1: better value first, among equals who came first. Unique.',
  })
  rank!: number;

  @Field(() => SafeInt, {
    description:
      'The rank to show, by the `tiePolicy` of the view or the board: equal to `rank`, that of the first of equal values with `COMPETITION`, or the number of better values + 1 with `DENSE`.',
  })
  displayRank!: number;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'Rank among the players selected with `among`, starting at 1. Null without `among`.',
  })
  amongRank!: number | null;

  @Field(() => SafeInt, { description: 'Number of entries of the ranking.' })
  total!: number;

  @Field(() => Float, {
    description:
      'Percentage of other entries below this one, 0 to 100: 100 for rank 1, 0 for the last; 100 if it is the only one.',
  })
  percentile!: number;

  @Field(() => ScoreStatus, { description: 'Its status.' })
  status!: ScoreStatus;

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  isTest!: boolean;

  @Field(() => Boolean, { description: 'True if it is the hypothetical entry of an around-value window.' })
  isPlaceholder!: boolean;

  @Field(() => DateTime, { description: "When the player's first submission that counts there came." })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When the value was reached.' })
  updatedAt!: Date;

  /** @param entry as the ranking has it */
  static of(entry: Score, ranking: Pick<ChosenRanking, 'view' | 'key' | 'where'>, total: number): Standing {
    const standing = new Standing();
    standing.scoreId = entry.id;
    standing.view = ranking.view;
    standing.key = ranking.key;
    standing.where = Object.keys(ranking.where).length > 0 ? ranking.where : null;
    standing.boardId = entry.boardId;
    standing.identityId = entry.identityId;
    standing.playerName = entry.playerName;
    standing.value = entry.value;
    standing.valueDisplay = entry.valueDisplay;
    standing.metadata = entry.metadata;
    standing.rank = entry.rank;
    standing.displayRank = entry.displayRank;
    standing.amongRank = entry.amongRank;
    standing.total = total;
    standing.percentile = total < 2 ? 100 : (100 * Math.max(0, total - entry.rank)) / (total - 1);
    standing.status = entry.status;
    standing.isTest = entry.isTest;
    standing.isPlaceholder = entry.isPlaceholder;
    standing.createdAt = entry.createdAt;
    standing.updatedAt = entry.updatedAt;
    return standing;
  }
}

export const StandingState = {
  RANKED: 'ranked',
  NOT_RANKED: 'not_ranked',
  BUILDING: 'building',
  TOO_MANY_GROUPS: 'too_many_groups',
} as const;
export type StandingState = (typeof StandingState)[keyof typeof StandingState];

registerEnumType(StandingState, {
  name: 'StandingState',
  description: 'Result of ranking a submission in a view.',
  valuesConfig: {
    RANKED: { description: 'It is.' },
    NOT_RANKED: { description: 'It lacks a tag of the view, or no period of the view has begun.' },
    BUILDING: { description: 'The view is being built; it will be ranked.' },
    TOO_MANY_GROUPS: { description: 'The period has as many groups as a view may have.' },
  },
});

@ObjectType({ description: "A player's place in a view after a submission.", simpleResolvers: true })
export class SubmissionStanding {
  @Field(() => String, { description: 'The view.' })
  view!: string;

  @Field(() => String, { nullable: true, description: `${OF} Null where it is not ranked.` })
  key!: string | null;

  @Field(() => JsonObject, { nullable: true, description: 'The values of its tags; null: it has none.' })
  where!: Record<string, string> | null;

  @Field(() => StandingState, { description: 'Result of ranking the submission there.' })
  state!: StandingState;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'The rank after the submission; null where it is not ranked.',
  })
  rank!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'The rank to show, by the `tiePolicy` of the view; null where it is not ranked.',
  })
  displayRank!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'Entries of the ranking; null where it is not ranked.',
  })
  total!: number | null;

  @Field(() => SafeInt, { nullable: true, description: 'The previous rank. Null if there was none.' })
  previousRank!: number | null;

  @Field(() => Boolean, { description: 'True if this submission moved the entry there.' })
  improved!: boolean;
}
