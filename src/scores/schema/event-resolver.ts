import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import { Allow } from '../../graphql/access.js';
import type { Context } from '../../graphql/context.js';
import { NOT_FOR_CLIENTS, references } from '../../graphql/node.js';
import { listsOf, type RootListArgs, rootFilters } from '../../graphql/records/list.js';
import { IdArg } from '../../graphql/rules.js';
import { Identity } from '../../players/identities/identity.js';
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
    description: "Score events of the caller's account. Superadmins see all accounts.",
  })
  scoreEvents(
    @Args(() => eventLists.RootArgs) args: RootListArgs<ScoreEventFilter>,
    @Ctx() context: Context,
  ) {
    return listEvents(context, args, rootFilters(args));
  }
}

references(ScoreEvent, {
  account: { type: Account, note: NOT_FOR_CLIENTS },
  game: Game,
  board: { type: Board, nullable: false },
  identity: Identity,
});
