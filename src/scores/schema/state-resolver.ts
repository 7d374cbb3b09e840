import {
  Args,
  ArgsType,
  Ctx,
  Field,
  FieldResolver,
  ID,
  InputType,
  Query,
  Resolver,
  Root,
} from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { Game } from '../../games/game.js';
import { loadGame } from '../../games/read.js';
import { Allow } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { listsOf, type RootListArgs, rootFilters } from '../../graphql/records/list.js';
import { IdArg, IsIdOf } from '../../graphql/rules.js';
import { Only } from '../../graphql/views.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { deviceById, identityById } from '../../players/read.js';
import { ScoreEvent } from '../event.js';
import { eventById } from '../read/events.js';
import {
  BOARD_STATES,
  listBoardStates,
  listSubmissionRecords,
  loadBoardState,
  loadSubmissionRecord,
  SUBMISSION_RECORDS,
} from '../read/states.js';
import { BoardState, SubmissionRecord } from '../state.js';

@InputType({ description: 'Which states a list has.' })
export class BoardStateFilter {
  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only states of this player.' })
  identityId?: string | null;
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

@InputType({ description: 'Which submission records a list has.' })
export class SubmissionRecordFilter {
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
    description: 'Only records whose last submission came from this device.',
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
  @Allow('admin')
  @Query(() => BoardState, { description: 'One board state.' })
  boardState(@IdArg('boardState') id: string, @Ctx() context: Context) {
    return loadBoardState(context, id);
  }

  @Allow('admin')
  @Only('rest')
  @Query(() => stateLists.Connection, { description: 'States of the players of a board.' })
  boardStates(@Args(() => BoardStatesArgs) args: BoardStatesArgs, @Ctx() context: Context) {
    return listBoardStates(context, args, { ...rootFilters(args), boardId: args.boardId });
  }

  @FieldResolver(() => Board, { nullable: true, description: 'The board.' })
  board(@Root() state: BoardState, @Ctx() context: Context) {
    return loadBoard(context, state.boardId);
  }

  @FieldResolver(() => Identity, { nullable: true, description: 'The player whose submissions they are.' })
  identity(@Root() state: BoardState, @Ctx() context: Context) {
    return context.loaders.of(identityById).load(state.identityId);
  }

  @FieldResolver(() => ScoreEvent, { nullable: true, description: 'The event that the score shows.' })
  selectedEvent(@Root() { selectedEventId }: BoardState, @Ctx() context: Context) {
    return selectedEventId && context.loaders.of(eventById).load(selectedEventId);
  }
}

@Resolver(() => SubmissionRecord)
export class SubmissionRecordResolver {
  @Allow('admin')
  @Query(() => SubmissionRecord, { description: 'One submission metadata record.' })
  submissionRecord(@IdArg('submissionRecord') id: string, @Ctx() context: Context) {
    return loadSubmissionRecord(context, id);
  }

  @Allow('admin')
  @Query(() => submissionRecordLists.Connection, {
    description: "Submission metadata of the caller's account. Superadmins see all accounts.",
  })
  submissionRecords(
    @Args(() => submissionRecordLists.RootArgs) args: RootListArgs<SubmissionRecordFilter>,
    @Ctx() context: Context,
  ) {
    return listSubmissionRecords(context, args, rootFilters(args));
  }

  @FieldResolver(() => Board, { nullable: true, description: 'The board.' })
  board(@Root() record: SubmissionRecord, @Ctx() context: Context) {
    return loadBoard(context, record.boardId);
  }

  @FieldResolver(() => Game, { nullable: true, description: 'The game of its board.' })
  game(@Root() record: SubmissionRecord, @Ctx() context: Context) {
    return loadGame(context, record.gameId);
  }

  @FieldResolver(() => Identity, { nullable: true, description: 'The player who submitted.' })
  identity(@Root() record: SubmissionRecord, @Ctx() context: Context) {
    return context.loaders.of(identityById).load(record.identityId);
  }

  @FieldResolver(() => Device, {
    nullable: true,
    description: 'The device that submitted last; null when it was deleted, too.',
  })
  device(@Root() { deviceId }: SubmissionRecord, @Ctx() context: Context) {
    return deviceId && context.loaders.of(deviceById).load(deviceId);
  }

  @FieldResolver(() => ScoreEvent, { nullable: true, description: 'The most recent score event.' })
  event(@Root() { scoreEventId }: SubmissionRecord, @Ctx() context: Context) {
    return scoreEventId && context.loaders.of(eventById).load(scoreEventId);
  }
}
