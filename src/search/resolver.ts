import { Args, ArgsType, Ctx, Field, ID, Int, Query, Resolver } from 'type-graphql';
import { accountScope } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import { Once } from '../graphql/engine/cost.js';
import { Node } from '../graphql/node.js';
import { Allow } from '../graphql/rights.js';
import { IsIdOf, IsName, IsWithin } from '../graphql/rules.js';
import { search } from './search.js';

const MOST_HITS = 100;

@ArgsType()
class SearchArgs {
  @IsIdOf('account')
  @Field(() => ID, {
    nullable: true,
    description: "The account to search. Null: the caller's; for superadmins, all accounts.",
  })
  accountId?: string | null;

  @IsName(1, 64)
  @Field(() => String, {
    description:
      'A part of a name, code or id, 1 to 64 characters. Case does not matter, nor do accents in names.',
  })
  text!: string;

  @IsIdOf('game')
  @Field(() => ID, {
    nullable: true,
    description: 'The game whose players come first. Players of the 200 newest games are found.',
  })
  gameId?: string | null;

  @IsWithin(1, MOST_HITS)
  @Field(() => Int, {
    defaultValue: 5,
    description: `The largest number of records of each kind, 1 to ${MOST_HITS}.`,
  })
  first!: number;
}

@Resolver()
export class SearchResolver {
  @Allow('read')
  @Once()
  @Query(() => [Node], {
    complexity: 200,
    description:
      'Everything that a text names: games, boards, templates, users, API keys and, for ' +
      'superadmins, accounts (if all are searched) and jam codes whose names, codes or ids contain it, of the ' +
      'newest 5,000 of each kind; ' +
      'players with a word of their name that starts with it. Once per operation.',
  })
  search(@Args(() => SearchArgs) args: SearchArgs, @Ctx() context: Context) {
    return search(context, { ...args, accountId: args.accountId ?? accountScope(context, null) });
  }
}
