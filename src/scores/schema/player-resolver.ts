import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { adminOf } from '../../graphql/access.js';
import { SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../../players/identities/identity.js';
import { listEvents } from '../read/events.js';
import { listIdentityScores } from '../read/players.js';
import { listBoardStates, listSubmissionRecords } from '../read/states.js';
import { ScoreConnection } from './connection.js';
import { ScoreEventConnection } from './event-resolver.js';
import { IdentityScoresArgs } from './inputs.js';
import { BoardStateConnection, SubmissionRecordConnection } from './state-resolver.js';

/** Fields that scores add to a player. */
@Resolver(() => Identity)
export class IdentityScoresResolver {
  constructor(private readonly pool: Queryable) {}

  @FieldResolver(() => ScoreConnection, {
    // It reads every board of the game, and, where every run counts, all runs of the player.
    complexity: 20,
    description: 'Its scores on all boards of its game, each with its rank there; newest first.',
  })
  scores(
    @Root() identity: Identity,
    @Args(() => IdentityScoresArgs) page: IdentityScoresArgs,
    @Ctx() context: Context,
  ) {
    return listIdentityScores(this.pool, context, identity, page, page.isTest ?? false);
  }

  @FieldResolver(() => ScoreEventConnection, {
    nullable: true,
    description: 'Its score events. For administrators only.',
  })
  events(
    @Root() identity: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listEvents(
      context,
      Object.assign(page, { accountId: identity.accountId, identityId: identity.id }),
    );
  }

  @FieldResolver(() => SubmissionRecordConnection, {
    nullable: true,
    description: 'Its submission records, one for each board. For administrators only.',
  })
  submissionRecords(
    @Root() { id, accountId }: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listSubmissionRecords(context, page, { accountId, identityId: id });
  }

  @FieldResolver(() => BoardStateConnection, {
    nullable: true,
    description: 'Its state on each board. For administrators only.',
  })
  boardStates(
    @Root() { id, accountId }: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listBoardStates(context, page, { accountId, identityId: id });
  }
}

/** Fields that states add to a board. */
@Resolver(() => Board)
export class BoardStatesResolver {
  @FieldResolver(() => BoardStateConnection, {
    nullable: true,
    description: 'States of its players. For administrators only.',
  })
  states(
    @Root() { id, accountId }: Board,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listBoardStates(context, page, { accountId, boardId: id });
  }

  @FieldResolver(() => SubmissionRecordConnection, {
    nullable: true,
    description: 'Submission records of its players. For administrators only.',
  })
  submissionRecords(
    @Root() { id, accountId }: Board,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    adminOf(context);
    return listSubmissionRecords(context, page, { accountId, boardId: id });
  }
}
