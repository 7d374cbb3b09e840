import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { DateTime, SafeInt } from '../../graphql/scalars.js';
import { Only } from '../../graphql/views.js';
import { type ChosenRanking, isOwn } from '../../rankings/address.js';
import { Score, VALUE_TEXT } from '../../rankings/score.js';
import { EntryConnection } from '../schema/connection.js';
import { Ranking } from '../standings/ranking.js';

const VERSION =
  'Version of the board, which increases with every change that readers can see. A gap means missed ' +
  'changes or, when watching a view, changes to other rankings.';

@ObjectType({ description: 'The latest state of a watched ranking.', simpleResolvers: true })
export class BoardChange {
  @Field(() => ID, { description: 'The id of the board.' })
  boardId!: string;

  @Field(() => SafeInt, { description: VERSION })
  version!: number;

  @Only('rest')
  @Field(() => String, { nullable: true, description: "The watched view; null: the board's own ranking." })
  get view(): string | null {
    return this.ranking.view;
  }

  @Only('rest')
  @Field(() => String, {
    nullable: true,
    description: 'The key of its period. Changes when the period ends.',
  })
  get key(): string | null {
    return this.ranking.periodKey;
  }

  @Only('rest')
  @Field(() => Int, { description: 'Entries of the ranking.' })
  get entryCount(): number {
    return this.entries.totalCount;
  }

  @Field(() => Boolean, { description: 'True if it accepts submissions between its start and end.' })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'When submissions close. Null: never.' })
  endsAt!: Date | null;

  @Field(() => Ranking, {
    description:
      'The watched ranking. When the current period ends, the one of the next period takes its place.',
  })
  ranking!: Ranking;

  @Field(() => EntryConnection, { description: 'The window at this version, with cursors to continue from.' })
  entries!: EntryConnection;

  @Only('rest')
  @Field(() => [Score], {
    description: 'The scores of the window, best first; of a view none, see `scores.standings`.',
  })
  get window(): Score[] {
    return isOwn(this.ranking.chosen) ? this.entries.scores : [];
  }
}

@ObjectType({
  description: "A player's entry at one moment: in a live message, or in a preview.",
  simpleResolvers: true,
})
export class LiveEntry {
  @Field(() => Int, { description: 'Unique position in the ranking, starting at 1.' })
  rank!: number;

  @Field(() => Int, { description: 'The rank to show, by the `tiePolicy` of the view or the board.' })
  displayRank!: number;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, { nullable: true, description: VALUE_TEXT })
  valueDisplay!: string | null;

  @Field(() => String, { description: 'The name shown.' })
  playerName!: string;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;
}

@ObjectType({
  description: 'The latest state of a watched player. Where every run is ranked, it is about the best one.',
  simpleResolvers: true,
})
export class RankChange {
  @Field(() => ID, { description: 'The id of the board.' })
  boardId!: string;

  @Field(() => SafeInt, { description: VERSION })
  version!: number;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => LiveEntry, {
    nullable: true,
    description: "The player's entry. Null if the player is not ranked.",
  })
  entry!: LiveEntry | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The rank in the previous state. Null in the first message, and if the player was not ranked.',
  })
  previousRank!: number | null;

  @Field(() => LiveEntry, {
    nullable: true,
    description: 'The entry right above. Null for rank 1, and if the player is not ranked.',
  })
  nextAbove!: LiveEntry | null;

  @Field(() => Float, {
    nullable: true,
    description:
      "What the player lacks to draw level with `nextAbove`, 0 or more, in the board's unit. Null if `nextAbove` is.",
  })
  gapToNext!: number | null;

  @Field(() => Int, { description: 'Number of entries in the ranking at this version.' })
  totalCount!: number;

  /** Not in the schema: the fields `ranking` are made from these. */
  chosen!: ChosenRanking;
  isTest!: boolean;
}

@ObjectType({ description: "The players who passed the session's player.", simpleResolvers: true })
export class Overtaken {
  @Field(() => ID, { description: 'The id of the board.' })
  boardId!: string;

  @Field(() => SafeInt, { description: VERSION })
  version!: number;

  @Field(() => LiveEntry, {
    nullable: true,
    description: "The player's entry. Null if the player is not ranked.",
  })
  entry!: LiveEntry | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'The rank in the previous state. Null in the first message, and if the player was not ranked.',
  })
  previousRank!: number | null;

  @Field(() => [LiveEntry], {
    description: 'The players who passed, best first; of more than ten, the ten nearest.',
  })
  by!: LiveEntry[];

  @Field(() => Int, {
    description: 'Number of players who passed since the previous state. 0 in the first message.',
  })
  count!: number;

  @Field(() => Int, { description: 'Number of entries in the ranking at this version.' })
  totalCount!: number;
}
