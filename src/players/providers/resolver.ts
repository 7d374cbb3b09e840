import { Field, ID, InputType } from 'type-graphql';
import { Account } from '../../accounts/account.js';
import { Game } from '../../games/game.js';
import { references } from '../../graphql/node.js';
import { listBelow } from '../../graphql/records/below.js';
import { crudOf } from '../../graphql/records/crud.js';
import { IS_DELETED, listsOf } from '../../graphql/records/list.js';
import { IsIdOf } from '../../graphql/rules.js';
import { CreatePlayerProviderInput, PlayerProvider, UpdatePlayerProviderInput } from './provider.js';
import { listProviders, sortableProviders } from './read.js';

@InputType({ description: 'Which providers to list.' })
class PlayerProviderFilter {
  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only providers of this game.' })
  gameId?: string | null;

  @Field(() => Boolean, IS_DELETED)
  isDeleted?: boolean;
}

const lists = listsOf(() => PlayerProvider, 'PlayerProvider', {
  sortable: sortableProviders,
  filter: PlayerProviderFilter,
  account: 'Only providers of this account.',
});

export const PlayerProviderCrud = crudOf(() => PlayerProvider, {
  kind: 'playerProvider',
  lists,
  create: CreatePlayerProviderInput,
  update: UpdatePlayerProviderInput,
  allow: { read: ['read'], create: ['players'], update: ['players'] },
  texts: {
    record: 'The provider.',
    one: 'One provider that vouches for players.',
    list: "Providers of the caller's account that vouch for players. Superadmins see all accounts.",
    create: 'Creates a provider that vouches for the players of a game: ten a game.',
    update: 'Changes, deletes or restores a provider.',
  },
});

export const providersBelow = listBelow(Game, 'playerProviders', {
  lists,
  read: listProviders,
  own: (game) => ({ gameId: game.id, game }),
  description: 'Who vouches for its players.',
  forAdministrators: true,
});

references(PlayerProvider, { account: Account, game: Game });
