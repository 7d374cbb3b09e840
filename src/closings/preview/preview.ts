import { Field, Float, ID, InputType, Int, ObjectType } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import { PrizeTableInput } from '../../boards/prizes/prize-input.js';
import { PrizeTable } from '../../boards/prizes/prize-table.js';
import { enumOf } from '../../graphql/enums.js';
import { Nested } from '../../graphql/input-checks.js';
import { references } from '../../graphql/node.js';
import { IsIdOf, MaxLength } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { Identity } from '../../players/identities/identity.js';
import { IsViewName } from '../../scores/standings/view-args.js';
import { UndecidedRun } from '../closing.js';

/** Four tags of 64 characters. */
const LONGEST_GROUP = 259;

@InputType({ description: 'A ranking, and the prizes to try.' })
export class PreviewClosingInput {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @IsViewName()
  @Field(() => String, {
    nullable: true,
    description: "A view with periods, the current one of which is closed. Absent: the board's own ranking.",
  })
  view?: string | null;

  @MaxLength(LONGEST_GROUP)
  @Field(() => String, {
    nullable: true,
    description: "With a view by tags: their values in the view's order, with commas between them.",
  })
  group?: string | null;

  @Field(() => Boolean, { defaultValue: false, description: 'True: the ranking of test sessions.' })
  isTest?: boolean | null;

  @Nested()
  @Field(() => PrizeTableInput, {
    nullable: true,
    description: 'Prizes to try, which are not saved. Absent: those that apply to this ranking.',
  })
  prizes?: PrizeTableInput | null;
}

export const PrizeLimit = enumOf('PrizeLimit', 'What would keep a closing from granting its prizes.', {
  minimum_entries: 'Too few players: nothing is given.',
  tie_limit: 'Too many players of equal value: grants wait for a release.',
  grants_per_closing: 'Too many rewards for one closing: grants wait for a release.',
});
export type PrizeLimit = (typeof PrizeLimit)[keyof typeof PrizeLimit];

export const PrizesApply = enumOf('PrizesApply', 'When prizes of a ranking apply.', {
  now: 'To this ranking.',
  next_period: 'From the next period: those of the current one are fixed.',
  never: "The board has scores: its own ranking's prizes are fixed.",
});
export type PrizesApply = (typeof PrizesApply)[keyof typeof PrizesApply];

@ObjectType({ description: 'A player who would get a reward.', simpleResolvers: true })
export class PreviewedWinner {
  @Field(() => Int, { description: 'The rank among players.' })
  rank!: number;

  @Field(() => Int, { description: 'The rank to show, by the tie policy.' })
  displayRank!: number;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name that is shown.' })
  playerName!: string;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, {
    nullable: true,
    description: "The text sent with the value, or by the board's format. Null: neither.",
  })
  valueDisplay!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of players with the same value who would share it. Null: it is one player’s.',
  })
  sharedBy!: number | null;
}

@ObjectType({ description: 'Who would get what a line of a prize table gives.', simpleResolvers: true })
class PreviewedLine {
  @Field(() => String, { description: 'Name of the line.' })
  line!: string;

  @Field(() => String, { description: 'Title, for players.' })
  title!: string;

  @Field(() => Int, { description: 'Rewards that it would give, one to each player.' })
  rewardCount!: number;

  @Field(() => Int, { description: 'Players of the ranking that do not meet what the line asks for.' })
  leftOut!: number;

  @Field(() => Int, { description: 'Those of them with too few runs, who may be too new as well.' })
  tooFewRuns!: number;

  @Field(() => Int, { description: 'Those of them who are too new, who may have too few runs as well.' })
  tooNew!: number;

  @Field(() => [PreviewedWinner], { description: 'The first 100 of its players, by rank.' })
  winners!: PreviewedWinner[];
}

@ObjectType({ description: 'Who would get what if a ranking closed now.', simpleResolvers: true })
export class ClosingPreview {
  /** The board with the id of its account, by which webhooks are looked up. */
  board!: Board;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => String, { nullable: true, description: "Name of the view. Null: the board's own ranking." })
  view!: string | null;

  @Field(() => String, { nullable: true, description: 'Key of the current period. Null: none.' })
  period!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Values of the view's tags, with commas between them. Null: none.",
  })
  group!: string | null;

  @Field(() => Boolean, { description: 'True: the ranking of test sessions.' })
  isTest!: boolean;

  @Field(() => DateTime, { nullable: true, description: 'When the ranking ends. Null: nobody knows yet.' })
  endsAt!: Date | null;

  @Field(() => PrizeTable, { nullable: true, description: 'The prizes of this preview. Null: none.' })
  prizes!: PrizeTable | null;

  @Field(() => PrizesApply as never, {
    description: 'When the prizes of this preview apply, or would if they were saved.',
  })
  prizesApply!: PrizesApply;

  @Field(() => Int, { description: 'Players with an entry.' })
  playerCount!: number;

  @Field(() => Int, { description: 'Players who would get a reward.' })
  winnerCount!: number;

  @Field(() => Int, { description: 'Rewards that would be granted, all lines together.' })
  rewardCount!: number;

  @Field(() => [PrizeLimit as never], { description: 'What would keep prizes from being granted.' })
  limits!: PrizeLimit[];

  @Field(() => [PreviewedLine], { description: 'The lines of the prize table.' })
  lines!: PreviewedLine[];

  @Field(() => [UndecidedRun], {
    description: 'With `reviewTop`: runs that places would wait for, at most 100 of each kind.',
  })
  undecided!: UndecidedRun[];
}

references(ClosingPreview, { board: Board });
references(PreviewedWinner, { identity: Identity });
