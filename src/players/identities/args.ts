import { ArgsType, Field, ID } from 'type-graphql';
import { SortedPageArgs } from '../../graphql/connection.js';
import { IsIdOf } from '../../graphql/rules.js';

/** What every list of devices, sessions and players can be limited to. */
@ArgsType()
export class PlayersArgs extends SortedPageArgs {
  @IsIdOf('account')
  @Field(() => ID, { nullable: true, description: 'Only those of this account.' })
  accountId?: string | null;

  @IsIdOf('game')
  @Field(() => ID, { nullable: true, description: 'Only those of this game.' })
  gameId?: string | null;
}
