import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { ForAdministrators } from '../../graphql/access.js';
import { SortedPageArgs } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { Identity } from '../../players/identities/identity.js';
import { listEvents } from '../read/events.js';
import { listIdentityScores } from '../read/players.js';
import { listBoardStates, listSubmissionMetadata } from '../read/states.js';
import { ScoreConnection } from './connection.js';
import { ScoreEventConnection } from './event-resolver.js';
import { IdentityScoresArgs } from './inputs.js';
import { BoardStateConnection, SubmissionMetadataConnection } from './state-resolver.js';

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

  @ForAdministrators()
  @FieldResolver(() => ScoreEventConnection, {
    nullable: true,
    description: 'Its score events. Null for callers who do not administer it.',
  })
  events(
    @Root() identity: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listEvents(
      context,
      Object.assign(page, { accountId: identity.accountId, identityId: identity.id }),
    );
  }

  @ForAdministrators()
  @FieldResolver(() => SubmissionMetadataConnection, {
    nullable: true,
    description:
      'Its submission metadata, a record for each board. Null for callers who do not administer it.',
  })
  submissionMetadata(
    @Root() { id, accountId }: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listSubmissionMetadata(context, page, { accountId, identityId: id });
  }

  @ForAdministrators()
  @FieldResolver(() => BoardStateConnection, {
    nullable: true,
    description: 'Its state on each board. Null for callers who do not administer it.',
  })
  boardStates(
    @Root() { id, accountId }: Identity,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listBoardStates(context, page, { accountId, identityId: id });
  }
}

/** Fields that states add to a board. */
@Resolver(() => Board)
export class BoardStatesResolver {
  @ForAdministrators()
  @FieldResolver(() => BoardStateConnection, {
    nullable: true,
    description: 'States of its players. Null for callers who do not administer it.',
  })
  states(
    @Root() { id, accountId }: Board,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listBoardStates(context, page, { accountId, boardId: id });
  }

  @ForAdministrators()
  @FieldResolver(() => SubmissionMetadataConnection, {
    nullable: true,
    description: 'Submission metadata of its players. Null for callers who do not administer it.',
  })
  submissionMetadata(
    @Root() { id, accountId }: Board,
    @Args(() => SortedPageArgs) page: SortedPageArgs,
    @Ctx() context: Context,
  ) {
    return listSubmissionMetadata(context, page, { accountId, boardId: id });
  }
}
