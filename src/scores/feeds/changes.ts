import { Field, Float, ID, ObjectType } from 'type-graphql';
import { DateTime, SafeInt } from '../../graphql/scalars.js';
import { Score } from '../../rankings/score.js';
import { ScoreConnection } from '../schema/connection.js';

const VERSION =
  'Increases with every commit that changes the board for its readers; a gap shows missed changes, or, of a view, changes of other rankings.';

const DISPLAY_RANK = 'The rank to show, by the `tiePolicy` of the view or the board.';

@ObjectType({ description: 'The latest state of a watched board.', simpleResolvers: true })
export class BoardChange {
  @Field(() => ID, { description: 'The id of the board.' })
  id!: string;

  @Field(() => SafeInt, { description: VERSION })
  version!: number;

  @Field(() => String, { nullable: true, description: "The watched view; null: the board's own ranking." })
  view?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The key of its period. Changes when the period ends.',
  })
  key?: string | null;

  @Field(() => SafeInt, { description: 'Entries of the ranking.' })
  entryCount!: number;

  @Field(() => Boolean, { description: 'True if it accepts submissions between its start and end.' })
  isActive!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'End of submissions.' })
  endsAt!: Date | null;

  @Field(() => ScoreConnection, { description: 'The window at this version, with cursors to go on from.' })
  scores!: ScoreConnection;

  @Field(() => [Score], {
    description: 'The scores of the window, best first; of a view none, see `scores.standings`.',
  })
  window!: Score[];
}

@ObjectType({ description: 'The score ranked right above a watched one.', simpleResolvers: true })
export class NextAbove {
  @Field(() => SafeInt, { description: 'Its rank.' })
  rank!: number;

  @Field(() => SafeInt, { description: DISPLAY_RANK })
  displayRank!: number;

  @Field(() => Float, { description: "Its value, in the board's unit." })
  value!: number;

  @Field(() => String, { description: 'Displayed name.' })
  playerName!: string;

  @Field(() => ID, { description: 'The player whose score it is.' })
  identityId!: string;

  @Field(() => Float, {
    description: 'Gap in value: how much is needed to draw level. 0 or more.',
  })
  difference!: number;
}

@ObjectType({
  description: 'The rank of a watched player; with several scores, of the best one.',
  simpleResolvers: true,
})
export class RankChange {
  @Field(() => ID, { description: 'The id of the board.' })
  boardId!: string;

  @Field(() => SafeInt, { description: VERSION })
  version!: number;

  @Field(() => String, { nullable: true, description: "The watched view; null: the board's own ranking." })
  view?: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The key of its period. Changes when the period ends.',
  })
  key?: string | null;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => SafeInt, { nullable: true, description: "The player's rank. Null if not on the board." })
  rank!: number | null;

  @Field(() => SafeInt, { nullable: true, description: `${DISPLAY_RANK} Null: it is not on the board.` })
  displayRank!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'Its rank in the state before; null in the first message, and when it was not on the board.',
  })
  previousRank!: number | null;

  @Field(() => Float, { nullable: true, description: "The player's value. Null if not on the board." })
  value!: number | null;

  @Field(() => String, { nullable: true, description: 'Formatted value, as sent by the game.' })
  valueDisplay!: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'Displayed name. Null if not on the board.',
  })
  playerName!: string | null;

  @Field(() => SafeInt, { description: 'Entries of the ranking at this version.' })
  entryCount!: number;

  @Field(() => NextAbove, {
    nullable: true,
    description: 'The player right above; null for rank 1, and off the board.',
  })
  nextAbove!: NextAbove | null;
}

@ObjectType({ description: 'A player who passed a watched player.', simpleResolvers: true })
export class Overtaker {
  @Field(() => SafeInt, { description: 'Its rank now.' })
  rank!: number;

  @Field(() => Float, { description: "Its value, in the board's unit." })
  value!: number;

  @Field(() => String, { description: 'Displayed name.' })
  playerName!: string;

  @Field(() => ID, { description: 'The player whose score it is.' })
  identityId!: string;
}

@ObjectType({ description: 'The players who passed the player of a session.', simpleResolvers: true })
export class Overtaken {
  @Field(() => ID, { description: 'The id of the board.' })
  boardId!: string;

  @Field(() => SafeInt, { description: VERSION })
  version!: number;

  @Field(() => SafeInt, { nullable: true, description: 'Current rank. Null if not on the board.' })
  rank!: number | null;

  @Field(() => SafeInt, {
    nullable: true,
    description: 'The rank in the state before; null in the first message.',
  })
  previousRank!: number | null;

  @Field(() => Float, { nullable: true, description: "The player's value; null: not on the board." })
  value!: number | null;

  @Field(() => SafeInt, { description: 'Ranked scores of the board at this version.' })
  entryCount!: number;

  @Field(() => SafeInt, {
    description: 'Number of players who passed since the state before; 0 in the first message.',
  })
  count!: number;

  @Field(() => [Overtaker], {
    description: 'The players who passed, best first; of more than ten, the ten nearest.',
  })
  by!: Overtaker[];
}
