import { Args, Ctx, Query, Resolver } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import { Allow } from '../../graphql/access.js';
import { connectionOf, SortedBy } from '../../graphql/connection.js';
import type { Context } from '../../graphql/context.js';
import { NOT_FOR_CLIENTS, references } from '../../graphql/node.js';
import { IdArg } from '../../graphql/rules.js';
import { Identity } from '../../players/identities/identity.js';
import { ScoreEvent } from '../event.js';
import { listEvents, loadEvent, SORTABLE_EVENTS } from '../read/events.js';
import { ScoreEventsArgs } from './inputs.js';

export const ScoreEventConnection = connectionOf(() => ScoreEvent, 'ScoreEvent');

@Resolver(() => ScoreEvent)
export class ScoreEventResolver {
  @Allow('admin')
  @Query(() => ScoreEvent, { description: 'One score event.' })
  scoreEvent(@IdArg('scoreEvent') id: string, @Ctx() context: Context) {
    return loadEvent(context, id);
  }

  @Allow('admin')
  @SortedBy(SORTABLE_EVENTS)
  @Query(() => ScoreEventConnection, {
    description: "Score events of the caller's account, newest first. Superadmins see all accounts.",
  })
  scoreEvents(@Args(() => ScoreEventsArgs) args: ScoreEventsArgs, @Ctx() context: Context) {
    return listEvents(context, args);
  }
}

references(ScoreEvent, {
  account: { type: Account, note: NOT_FOR_CLIENTS },
  game: Game,
  board: { type: Board, nullable: false },
  identity: Identity,
});
