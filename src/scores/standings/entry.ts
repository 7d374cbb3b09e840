import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { type Score, ScoreStatus, VALUE_TEXT } from '../../rankings/score.js';
import { valueTextOf } from '../value-text.js';
import type { Count, Ranking } from './ranking.js';

function shareBelow(rank: number, total: number): number {
  return total < 2 ? 100 : (100 * Math.max(0, total - rank)) / (total - 1);
}

/** A line of a ranking. It has no id: a client's cache keeps it with its list, whose ranks belong together. */
@ObjectType({
  description: "A player's or a run's line in a ranking.",
  simpleResolvers: true,
})
export class Entry {
  /** Plain properties, one assignment each: a page makes fifty. @param listed as the ranking has it */
  constructor(
    /** Not in the schema. */
    readonly listed: Score,
    /** Not in the schema: the field `ranking`. */
    readonly place: Ranking,
    total: Count,
  ) {
    const { view, key, where } = place.chosen;
    this.view = view;
    this.key = key;
    this.where = view !== null && Object.keys(where).length > 0 ? where : null;
    this.boardId = listed.boardId;
    this.scoreId = listed.id;
    this.identityId = listed.identityId;
    this.playerName = listed.playerName;
    this.value = listed.value;
    this.valueDisplay = valueTextOf(place.record, listed);
    this.metadata = listed.metadata;
    this.rank = listed.rank;
    this.displayRank = listed.displayRank;
    this.amongRank = listed.amongRank;
    this.status = listed.status;
    this.isTest = listed.isTest;
    this.isPlaceholder = listed.isPlaceholder;
    this.createdAt = listed.createdAt;
    this.updatedAt = listed.updatedAt;
    // Functions are called where the field is requested (graphql/schema.ts); rows of REST are of pages that are counted.
    this.total = total as number;
    this.percentile =
      typeof total === 'number'
        ? shareBelow(listed.rank, total)
        : ((async () => shareBelow(listed.rank, await total())) as unknown as number);
  }

  @Field(() => ID, { description: "The player's score on the board." })
  readonly scoreId: string;

  @Only('rest')
  @Field(() => String, { nullable: true, description: "Name of the view. Null: the board's own ranking." })
  readonly view: string | null;

  @Only('rest')
  @Field(() => String, {
    nullable: true,
    description:
      "The key of its period, e.g. `2026-W48`, or `all` if the view has none. Null in the board's own ranking.",
  })
  readonly key: string | null;

  @Only('rest')
  @Field(() => JsonObject, { nullable: true, description: 'The values of its tags; null: it has none.' })
  readonly where: Readonly<Record<string, string>> | null;

  @Only('rest')
  @Field(() => ID, { description: 'The board.' })
  readonly boardId: string;

  @Field(() => ID, { description: 'The player.' })
  readonly identityId: string;

  @Field(() => String, { description: 'The name sent with the submission it shows.' })
  readonly playerName: string;

  @Field(() => Float, { description: "The value in the ranking, in the board's unit." })
  readonly value: number;

  @Field(() => String, { nullable: true, description: VALUE_TEXT })
  readonly valueDisplay: string | null;

  @Field(() => JsonObject, {
    nullable: true,
    description:
      'Data that the game attached to the submission, if any. Null for callers who see published boards ' +
      'only, unless `publicFields` has `METADATA`.',
  })
  readonly metadata: Record<string, unknown> | null;

  @Field(() => Int, {
    description:
      'Unique position in the ranking, starting at 1: better values first, ties by the `tiePolicy` of the ' +
      'view or the board: earlier or, with `LATEST`, later first.',
  })
  readonly rank: number;

  @Field(() => Int, {
    description:
      'The rank to show, by the `tiePolicy` of the view or the board: the same as `rank`; with ' +
      '`COMPETITION`, the rank of the first tied entry; with `DENSE`, the number of better values + 1.',
  })
  readonly displayRank: number;

  @Only('rest')
  @Field(() => Int, {
    nullable: true,
    description: 'Rank among the players selected with `among`, starting at 1. Null without `among`.',
  })
  readonly amongRank: number | null;

  @Only('rest')
  @Field(() => Int, { description: 'Number of entries of the ranking.' })
  readonly total: number;

  @Field(() => Float, {
    description:
      'Percentage of other entries below this one, 0 to 100: 100 for rank 1, 0 for the last; 100 if it is the only one.',
  })
  readonly percentile: number;

  @Field(() => ScoreStatus, { description: '`ACTIVE`, or `UNDER_REVIEW` while a flag on it is pending.' })
  readonly status: ScoreStatus;

  @Field(() => Boolean, { description: 'True if it belongs to the test population.' })
  readonly isTest: boolean;

  @Only('rest')
  @Field(() => Boolean, { description: 'True if it is the hypothetical entry of an around-value window.' })
  readonly isPlaceholder: boolean;

  @Field(() => DateTime, {
    description: "When the player's first submission that counts in the ranking was made.",
  })
  readonly createdAt: Date;

  @Field(() => DateTime, { description: 'When the value was reached.' })
  readonly updatedAt: Date;
}
