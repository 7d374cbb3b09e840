import { Account } from '../../accounts/account.js';
import { Board } from '../../boards/board/board.js';
import { Game } from '../../games/game.js';
import { NOT_FOR_CLIENTS, references } from '../../graphql/node.js';
import { crudOf } from '../../graphql/records/crud.js';
import { listsOf } from '../../graphql/records/list.js';
import { Identity } from '../../players/identities/identity.js';
import { ScoreEvent } from '../event.js';
import { SORTABLE_EVENTS } from '../read/events.js';
import { ScoreEventFilter } from './inputs.js';

export const eventLists = listsOf(() => ScoreEvent, 'ScoreEvent', {
  sortable: SORTABLE_EVENTS,
  filter: ScoreEventFilter,
  account: 'Only events of this account.',
});

export const EventQueries = crudOf(() => ScoreEvent, {
  kind: 'scoreEvent',
  lists: eventLists,
  allow: { read: ['read', 'test', 'verify'] },
  texts: {
    one: 'One score event.',
    list: "Score events of the caller's account. Superadmins see all accounts.",
  },
});

references(ScoreEvent, {
  account: { type: Account, note: NOT_FOR_CLIENTS },
  game: Game,
  board: { type: Board, nullable: false },
  identity: Identity,
});
