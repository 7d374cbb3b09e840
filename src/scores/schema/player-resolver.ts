import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import { ForAdministrators } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { filtersBelow, type ListArgs } from '../../graphql/records/list.js';
import { Identity } from '../../players/identities/identity.js';
import { listEvents } from '../read/events.js';
import { heldKey, heldRuns } from '../read/held.js';
import { listIdentityScores } from '../read/players.js';
import { listBoardStates, listSubmissionRecords } from '../read/states.js';
import { Held } from '../standings/submission.js';
import { eventLists } from './event-resolver.js';
import type { ScoreEventFilter, ScoreFilter } from './inputs.js';
import { scoreLists } from './score-resolver.js';
import {
  type BoardStateFilter,
  type SubmissionRecordFilter,
  stateLists,
  submissionRecordLists,
} from './state-resolver.js';

/** Fields that scores add to a player. */
@Resolver(() => Identity)
export class IdentityScoresResolver {
  constructor(private readonly pool: Queryable) {}

  @FieldResolver(() => scoreLists.Connection, {
    // It reads every board of the game, and, where every run counts, all runs of the player.
    complexity: 20,
    description: 'Its scores on all boards of its game, each with its rank.',
  })
  scores(
    @Root() identity: Identity,
    @Args(() => scoreLists.Args) args: ListArgs<ScoreFilter>,
    @Ctx() context: Context,
  ) {
    const { isTest } = filtersBelow(args, { identityId: identity.id });
    return listIdentityScores(this.pool, context, identity, args, isTest ?? 'all');
  }

  @ForAdministrators()
  @FieldResolver(() => eventLists.Connection, {
    nullable: true,
    description: 'Its score events. Null for callers who do not administer it.',
  })
  scoreEvents(
    @Root() { id, accountId }: Identity,
    @Args(() => eventLists.Args) args: ListArgs<ScoreEventFilter>,
    @Ctx() context: Context,
  ) {
    return listEvents(context, args, filtersBelow(args, { accountId, identityId: id }));
  }

  @ForAdministrators()
  @FieldResolver(() => submissionRecordLists.Connection, {
    nullable: true,
    description:
      'Its submission records, one per board and population. Null for callers who do not administer it.',
  })
  submissionRecords(
    @Root() { id, accountId }: Identity,
    @Args(() => submissionRecordLists.Args) args: ListArgs<SubmissionRecordFilter>,
    @Ctx() context: Context,
  ) {
    return listSubmissionRecords(context, args, filtersBelow(args, { accountId, identityId: id }));
  }

  @ForAdministrators()
  @FieldResolver(() => stateLists.Connection, {
    nullable: true,
    description: 'Its board states, one per board and population. Null for callers who do not administer it.',
  })
  boardStates(
    @Root() { id, accountId }: Identity,
    @Args(() => stateLists.Args) args: ListArgs<BoardStateFilter>,
    @Ctx() context: Context,
  ) {
    return listBoardStates(context, args, filtersBelow(args, { accountId, identityId: id }));
  }
}

/** Lists that scores add to a board. */
@Resolver(() => Board)
export class BoardStatesResolver {
  @FieldResolver(() => [Held], {
    nullable: true,
    description:
      "The runs of the session's player that are held here, newest first, at most 100. Null for callers without a session of its game.",
  })
  heldRuns(@Root() { id, gameId }: Board, @Ctx() context: Context) {
    const { caller } = context;
    if (caller.kind !== 'client' || caller.gameId !== gameId) return null;
    return context.loaders.of(heldRuns).load(heldKey(id, caller));
  }

  @ForAdministrators()
  @FieldResolver(() => eventLists.Connection, {
    nullable: true,
    description: 'Its score events. Null for callers who do not administer it.',
  })
  scoreEvents(
    @Root() { id, accountId }: Board,
    @Args(() => eventLists.Args) args: ListArgs<ScoreEventFilter>,
    @Ctx() context: Context,
  ) {
    return listEvents(context, args, filtersBelow(args, { accountId, boardId: id }));
  }

  @ForAdministrators()
  @FieldResolver(() => stateLists.Connection, {
    nullable: true,
    description:
      'Its board states, one per player and population. Null for callers who do not administer it.',
  })
  states(
    @Root() { id, accountId }: Board,
    @Args(() => stateLists.Args) args: ListArgs<BoardStateFilter>,
    @Ctx() context: Context,
  ) {
    return listBoardStates(context, args, filtersBelow(args, { accountId, boardId: id }));
  }

  @ForAdministrators()
  @FieldResolver(() => submissionRecordLists.Connection, {
    nullable: true,
    description:
      'Its submission records, one per player and population. Null for callers who do not administer it.',
  })
  submissionRecords(
    @Root() { id, accountId }: Board,
    @Args(() => submissionRecordLists.Args) args: ListArgs<SubmissionRecordFilter>,
    @Ctx() context: Context,
  ) {
    return listSubmissionRecords(context, args, filtersBelow(args, { accountId, boardId: id }));
  }
}
