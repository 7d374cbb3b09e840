import type { Pojo } from 'objection';
import { Field, Float, ID, Int, ObjectType } from 'type-graphql';
import { Account } from '../accounts/account.js';
import { Board } from '../boards/board/board.js';
import { BareRow } from '../db/row.js';
import { Game } from '../games/game.js';
import { enumOf } from '../graphql/enums.js';
import { Node, references } from '../graphql/node.js';
import { DateTime } from '../graphql/scalars.js';
import { Identity } from '../players/identities/identity.js';
import { ScoreEvent } from '../scores/event.js';

export const ClosingStatus = enumOf('ClosingStatus', 'The status of a closing.', {
  settling: 'The ranking has ended. Reviews still change it.',
  frozen: 'Its places are fixed.',
  withdrawn: 'The board was opened again, or the view dropped, before the places were fixed.',
});
export type ClosingStatus = (typeof ClosingStatus)[keyof typeof ClosingStatus];

const ClosingReason = enumOf('ClosingReason', 'Why a ranking was closed.', {
  ended: 'The end of the board or period came.',
  replaced: "Its template's next board replaced it.",
  closed: 'An administrator closed it.',
});
type ClosingReason = (typeof ClosingReason)[keyof typeof ClosingReason];

export const PrizesStatus = enumOf('PrizesStatus', 'How far the prizes of a closing are.', {
  none: 'Nothing is given: no prizes, or too few players.',
  pending: 'The places are not fixed yet.',
  granting: 'Rewards are being granted.',
  granted: 'All rewards are granted.',
  waiting_for_limit: 'More would be given than a limit allows: it waits for a release.',
  held: 'A backup was restored: it waits for a release.',
});
type PrizesStatus = (typeof PrizesStatus)[keyof typeof PrizesStatus];

const VIEW_OF = "Name of the view. Null: the board's own ranking.";

@ObjectType({ description: 'A fixed place of a closed ranking.', simpleResolvers: true })
export class ClosingPlace {
  @Field(() => Int, { description: 'The rank among players, each of whom has one place.' })
  rank!: number;

  @Field(() => Int, { description: 'The rank to show, by the tie policy.' })
  displayRank!: number;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name that was shown.' })
  playerName!: string;

  @Field(() => Float, { description: "The value, in the board's unit." })
  value!: number;

  @Field(() => String, {
    nullable: true,
    description: "The text sent with the value, or by the board's format. Null: neither.",
  })
  valueDisplay!: string | null;
}

@ObjectType({
  description: 'A run that waits for a decision on a closing, or that had none when its places were fixed.',
  simpleResolvers: true,
})
export class UndecidedRun {
  @Field(() => ID, { description: 'The run.' })
  scoreEventId!: string;

  @Field(() => ID, { description: 'The player.' })
  identityId!: string;

  @Field(() => String, { description: 'The name sent with the run.' })
  playerName!: string;

  @Field(() => Float, { description: "The submitted value, in the board's unit." })
  value!: number;

  @Field(() => String, {
    nullable: true,
    description: "The text sent with the value, or by the board's format. Null: neither.",
  })
  valueDisplay!: string | null;

  @Field(() => Boolean, {
    description: 'True: it is held and does not count. False: it has open flags and counts.',
  })
  isHeld!: boolean;
}

@ObjectType('Closing', {
  implements: Node,
  description:
    'The end of a ranking, and its places once they are fixed. Unique by board, view, period, group and population.',
  simpleResolvers: true,
})
export class Closing extends BareRow {
  static override tableName = 'closings';
  static override ids = { id: 'closing', accountId: 'account', gameId: 'game', boardId: 'board' } as const;

  @Field(() => ID, {
    description: 'The id, `cls_<uuid>`: made from the names of its ranking, hence the same after a restore.',
  })
  override id!: string;

  @Field(() => ID, { description: 'The account.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game.' })
  gameId!: string;

  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => String, { nullable: true, description: VIEW_OF })
  view!: string | null;

  @Field(() => String, { nullable: true, description: "Key of the view's period. Null: none." })
  period!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Values of the view's tags, with commas between them. Null: none.",
  })
  group!: string | null;

  @Field(() => Boolean, { description: 'True: the ranking of test sessions.' })
  isTest!: boolean;

  @Field(() => ClosingReason as never, { description: 'Why it was closed.' })
  reason!: ClosingReason;

  @Field(() => ClosingStatus as never, { description: 'Its status.' })
  status!: ClosingStatus;

  @Field(() => DateTime, { description: 'When the ranking ended.' })
  endedAt!: Date;

  @Field(() => DateTime, { description: 'When its places are fixed, or looked at again.' })
  settlesAt!: Date;

  @Field(() => DateTime, { description: 'How long open flags and held runs delay that at most.' })
  reviewUntil!: Date;

  @Field(() => DateTime, { nullable: true, description: 'When its places were fixed. Null: not yet.' })
  frozenAt!: Date | null;

  @Field(() => Int, { nullable: true, description: 'Number of entries then. Null: not yet.' })
  totalCount!: number | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Open flags on the first places then; entries under review count. Null: nobody asked.',
  })
  openFlags!: number | null;

  @Field(() => Int, {
    nullable: true,
    description:
      'Held runs then that would have been among the first places; they do not count. Null: nobody asked.',
  })
  heldRuns!: number | null;

  @Field(() => PrizesStatus as never, { description: 'How far its prizes are.' })
  prizesStatus!: PrizesStatus;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of players with an entry when places were fixed. Null: not yet, or no prizes.',
  })
  playerCount!: number | null;

  @Field(() => Int, { description: 'Number of rewards that were granted.' })
  grantedCount!: number;

  prizeNumber!: number | null;

  viewName!: string;

  @Field(() => DateTime, { description: 'When it was created.' })
  createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  updatedAt!: Date;

  override $parseDatabaseJson(json: Pojo): Pojo {
    const row = super.$parseDatabaseJson(json);
    const { viewName, periodKey, groupKey, entryCount, playerCount, grantedCount } = row;
    return {
      ...row,
      totalCount: countOf(entryCount),
      playerCount: countOf(playerCount),
      grantedCount: countOf(grantedCount),
      prizesStatus: row.status === ClosingStatus.WITHDRAWN ? PrizesStatus.NONE : row.prizesStatus,
      ...{ view: viewName || null, period: periodKey || null, group: groupKey || null },
    };
  }
}

const countOf = (text: unknown) => (text == null ? null : Number(text));

references(Closing, { account: Account, board: Board, game: Game });
references(ClosingPlace, { identity: Identity });
references(UndecidedRun, { identity: Identity, scoreEvent: ScoreEvent });
