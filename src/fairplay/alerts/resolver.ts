import { Ctx, FieldResolver, Resolver, Root } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import { loadBoard } from '../../boards/board/read.js';
import { Game } from '../../games/game.js';
import type { Context } from '../../graphql/context.js';
import { references } from '../../graphql/node.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { FailsAlone } from '../../graphql/views.js';
import { Alert } from './alert.js';
import { explainAlert } from './explain.js';
import { AlertFilter, UpdateAlertInput } from './inputs.js';
import { alertSort } from './read.js';

const lists = listsOf(() => Alert, 'Alert', {
  sortable: alertSort,
  filter: AlertFilter,
  account: 'Only alerts of this account.',
});

export const AlertCrud = crudOf(() => Alert, {
  kind: 'alert',
  lists,
  update: UpdateAlertInput,
  allow: { read: ['read'], update: ['moderate'] },
  permanent: true,
  texts: {
    record: 'The alert.',
    one: 'One alert.',
    list: "Alerts of the caller's account: medians that jump, and bursts of new players. Superadmins see all accounts.",
    update: 'Dismisses or reopens an alert.',
  },
});

@Resolver(() => Alert)
export class AlertResolver {
  @FailsAlone()
  @FieldResolver(() => String, { description: 'What was noticed, for people to read.' })
  async explanation(@Root() alert: Alert, @Ctx() context: Context) {
    const board = alert.boardId === null ? null : await loadBoard(context, alert.boardId);
    return explainAlert(alert, board);
  }
}

references(Alert, { account: Account, game: Game, board: Board });
