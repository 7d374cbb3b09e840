import { Args, ArgsType, Ctx, Field, ID, Query, Resolver } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, SortedBy, SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { IdArg, IsIdOf } from '../../graphql/rules.js';
import { Device } from '../../players/devices/device.js';
import { Identity } from '../../players/identities/identity.js';
import { ScoreEvent } from '../event.js';
import {
  BOARD_STATES,
  listBoardStates,
  listSubmissionMetadata,
  loadBoardState,
  loadSubmissionMetadata,
  METADATA,
} from '../read/states.js';
import { BoardState, SubmissionMetadata } from '../state.js';

export const BoardStateConnection = connectionOf(() => BoardState, 'BoardState');
export const SubmissionMetadataConnection = connectionOf(() => SubmissionMetadata, 'SubmissionMetadata');

@ArgsType()
class BoardStatesArgs extends SortedPageArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only states of this account.' })
  accountId?: string | null;

  @IsIdOf('identity')
  @Field(() => ID, { nullable: true, description: 'Only states of this player.' })
  identityId?: string | null;
}

@ArgsType()
class SubmissionMetadataArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only records of this account.' })
  accountId?: string | null;

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

@Resolver(() => BoardState)
export class BoardStateResolver {
  @Allow('admin')
  @Query(() => BoardState, { description: 'One board state.' })
  boardState(@IdArg('boardState') id: string, @Ctx() context: Context) {
    return loadBoardState(context, id);
  }

  @Allow('admin')
  @SortedBy(BOARD_STATES.sortable)
  @Query(() => BoardStateConnection, { description: 'States of the players of a board.' })
  boardStates(@Args(() => BoardStatesArgs) args: BoardStatesArgs, @Ctx() context: Context) {
    return listBoardStates(context, args, args);
  }
}

@Resolver(() => SubmissionMetadata)
export class SubmissionMetadataResolver {
  @Allow('admin')
  @Query(() => SubmissionMetadata, { description: 'One submission metadata record.' })
  submissionMetadataRecord(@IdArg('submission') id: string, @Ctx() context: Context) {
    return loadSubmissionMetadata(context, id);
  }

  @Allow('admin')
  @SortedBy(METADATA.sortable)
  @Query(() => SubmissionMetadataConnection, {
    description: "Submission metadata of the caller's account. Superadmins see all accounts.",
  })
  submissionMetadata(
    @Args(() => SubmissionMetadataArgs) args: SubmissionMetadataArgs,
    @Ctx() context: Context,
  ) {
    return listSubmissionMetadata(context, args, args);
  }
}

references(BoardState, { board: Board, identity: Identity, selectedEvent: ScoreEvent });
references(SubmissionMetadata, {
  account: Account,
  game: Game,
  board: Board,
  identity: Identity,
  device: Device,
  scoreEvent: ScoreEvent,
});
