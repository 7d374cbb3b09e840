import { Args, Ctx, FieldResolver, Query, Resolver, Root } from 'type-graphql';
import { Board } from '../../boards/board/board.js';
import { boardById } from '../../boards/board/read.js';
import { Allow } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { listsOf, type RootListArgs, rootFilters } from '../../graphql/records/list.js';
import { IdArg } from '../../graphql/rules.js';
import { Identity } from '../../players/identities/identity.js';
import { identityById, identityFor } from '../../players/read.js';
import { ScoreEvent } from '../event.js';
import { listEvents, loadEvent, SORTABLE_EVENTS } from '../read/events.js';
import { ScoreEventFilter } from './inputs.js';

export const eventLists = listsOf(() => ScoreEvent, 'ScoreEvent', {
  sortable: SORTABLE_EVENTS,
  filter: ScoreEventFilter,
  account: 'Only events of this account.',
});

@Resolver(() => ScoreEvent)
export class ScoreEventResolver {
  @Allow('admin')
  @Query(() => ScoreEvent, { description: 'One score event.' })
  scoreEvent(@IdArg('scoreEvent') id: string, @Ctx() context: Context) {
    return loadEvent(context, id);
  }

  @Allow('admin')
  @Query(() => eventLists.Connection, {
    description: "Score events of the caller's account, newest first. Superadmins see all accounts.",
  })
  scoreEvents(
    @Args(() => eventLists.RootArgs) args: RootListArgs<ScoreEventFilter>,
    @Ctx() context: Context,
  ) {
    return listEvents(context, args, rootFilters(args));
  }

  @FieldResolver(() => Board, { description: 'The board it was submitted to.' })
  board(@Root() event: ScoreEvent, @Ctx() context: Context) {
    return context.loaders.of(boardById).load(event.boardId);
  }

  @FieldResolver(() => Identity, {
    nullable: true,
    description: 'The player who submitted it; null when the player was deleted.',
  })
  async identity(@Root() event: ScoreEvent, @Ctx() context: Context) {
    return identityFor(context, await context.loaders.of(identityById).load(event.identityId));
  }
}
