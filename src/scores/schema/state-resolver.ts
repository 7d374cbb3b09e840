import { Args, ArgsType, Ctx, Field, ID, InputType, Query, Resolver } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf, rootFilters } from '../../graphql/records/list.js';
import { Allow } from '../../graphql/rights.js';
import { IdArg, IsIdOf } from '../../graphql/rules.js';
import { Only } from '../../graphql/views.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { ScoreEvent } from '../event.js';
import { BOARD_STATES, listBoardStates, loadBoardState, SUBMISSION_RECORDS } from '../read/states.js';
import { BoardState, SubmissionRecord } from '../state.js';

@InputType({ description: 'Which board states to list.' })
class BoardStateFilter {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only states of this player.' })
  identityId?: string | null;

  @Only('graphql')
  @Field(() => Boolean, {
    nullable: true,
    description: 'True: only test data. False: only production. Absent: both.',
  })
  isTest?: boolean | null;
}

export const stateLists = listsOf(() => BoardState, 'BoardState', {
  sortable: BOARD_STATES.sortable,
  filter: BoardStateFilter,
  account: 'Only states of this account.',
});

@ArgsType()
class BoardStatesArgs extends stateLists.RootArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;
}

@InputType({ description: 'Which submission records to list.' })
class SubmissionRecordFilter {
  @IsIdOf('board')
  @Field(() => ID, { nullable: true, description: 'Only records of this board.' })
  boardId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only records of this game.' })
  gameId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only records of this player.' })
  identityId?: string | null;

  @IsIdOf('device')
  @Field(() => ID, {
    nullable: true,
    description: 'Only records whose latest submission came from this device.',
  })
  deviceId?: string | null;
}

export const submissionRecordLists = listsOf(() => SubmissionRecord, 'SubmissionRecord', {
  sortable: SUBMISSION_RECORDS.sortable,
  filter: SubmissionRecordFilter,
  account: 'Only records of this account.',
});

@Resolver(() => BoardState)
export class BoardStateResolver {
  @Allow('read')
  @Query(() => BoardState, { description: 'One board state.' })
  boardState(@IdArg('boardState') id: string, @Ctx() context: Context) {
    return loadBoardState(context, id);
  }

  @Allow('read')
  @Only('rest')
  @Query(() => stateLists.Connection, { description: 'States of the players of a board.' })
  boardStates(@Args(() => BoardStatesArgs) args: BoardStatesArgs, @Ctx() context: Context) {
    return listBoardStates(context, args, { ...rootFilters(args), boardId: args.boardId });
  }
}

export const SubmissionRecordQueries = crudOf(() => SubmissionRecord, {
  kind: 'submissionRecord',
  lists: submissionRecordLists,
  allow: { read: ['read'] },
  texts: {
    one: 'One submission record.',
    list: "Submission records of the caller's account. Superadmins see all accounts.",
  },
});

references(BoardState, { board: Board, identity: Identity, selectedEvent: ScoreEvent });
references(SubmissionRecord, {
  account: Account,
  game: Game,
  board: Board,
  identity: Identity,
  device: Device,
  scoreEvent: ScoreEvent,
});
