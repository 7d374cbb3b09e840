import { Args, Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import type { Queryable } from '../../db/pool.js';
import type { Context } from '../../graphql/context.js';
import { filtersBelow, listBelow } from '../../graphql/records/below.js';
import type { ListArgs } from '../../graphql/records/list.js';
import { Identity } from '../../players/identities/identity.js';
import { listEvents } from '../read/events.js';
import { heldKey, heldRuns } from '../read/held.js';
import { listIdentityScores } from '../read/players.js';
import { listBoardStates, listSubmissionRecords } from '../read/states.js';
import { Held } from '../standings/submission.js';
import { requireTests } from '../visibility.js';
import { eventLists } from './event-resolver.js';
import type { ScoreFilter } from './inputs.js';
import { scoreLists } from './score-resolver.js';
import { stateLists, submissionRecordLists } from './state-resolver.js';

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
    requireTests(context, identity, isTest);
    return listIdentityScores(this.pool, context, identity, args, isTest ?? 'all');
  }
}

/** What a session reads of its own player on a board. */
@Resolver(() => Board)
export class BoardHeldRunsResolver {
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
}

const ofIdentity = ({ id, accountId }: Identity) => ({ accountId, identityId: id });
const ofBoard = ({ id, accountId }: Board) => ({ accountId, boardId: id });

/** Lists that scores add to players and boards. */
export const scoresBelow = [
  listBelow(Identity, 'scoreEvents', {
    lists: eventLists,
    read: listEvents,
    own: ofIdentity,
    description: 'Its score events.',
    forAdministrators: true,
  }),
  listBelow(Identity, 'submissionRecords', {
    lists: submissionRecordLists,
    read: listSubmissionRecords,
    own: ofIdentity,
    description: 'Its submission records, one per board and population.',
    forAdministrators: true,
  }),
  listBelow(Identity, 'boardStates', {
    lists: stateLists,
    read: listBoardStates,
    own: ofIdentity,
    description: 'Its board states, one per board and population.',
    forAdministrators: true,
  }),
  listBelow(Board, 'scoreEvents', {
    lists: eventLists,
    read: listEvents,
    own: ofBoard,
    description: 'Its score events.',
    forAdministrators: true,
  }),
  listBelow(Board, 'states', {
    lists: stateLists,
    read: listBoardStates,
    own: ofBoard,
    description: 'Its board states, one per player and population.',
    forAdministrators: true,
  }),
  listBelow(Board, 'submissionRecords', {
    lists: submissionRecordLists,
    read: listSubmissionRecords,
    own: ofBoard,
    description: 'Its submission records, one per player and population.',
    forAdministrators: true,
  }),
];
