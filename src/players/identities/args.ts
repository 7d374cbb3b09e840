import { ArgsType, Field, ID } from 'type-graphql';
import { SortedPageArgs } from '../../graphql/connection.js';
import { IsIdOf } from '../../graphql/rules.js';

/** Filters common to all lists of devices, sessions and players. */
@ArgsType()
export class PlayersArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only those of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only those of this game.' })
  gameId?: string | null;
}
