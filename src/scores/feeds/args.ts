import { ArgsType, Field, ID, Int } from 'type-graphql';
import { isId } from '../../base/ids.js';
import { TagFilter } from '../../boards/views/tag-filter.js';
import { DEFAULT_PAGE } from '../../db/keyset.js';
import { Nested } from '../../graphql/input-checks.js';
import { IsIdOf, Rule } from '../../graphql/rules.js';
import { AroundInput, RankingArgs } from '../standings/ranking-args.js';
import { IsPeriodKey, IsViewName } from '../standings/view-args.js';

/** Players one subscription may watch: enough for a friends list, not for a whole board. */
const MOST_WATCHED = 100;

const isAround = (value: unknown) => value === 'me' || isId('identity', value) || isId('score', value);
const areIdentities = (value: unknown) =>
  Array.isArray(value) &&
  value.length >= 1 &&
  value.length <= MOST_WATCHED &&
  value.every((id) => id === 'me' || isId('identity', id));

@ArgsType()
export class BoardChangedArgs extends RankingArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => Int, { defaultValue: DEFAULT_PAGE, description: 'Number of entries, 1 to 100.' })
  first!: number;

  @Nested()
  @Field(() => AroundInput, {
    nullable: true,
    description:
      'The player or score that the window stays around; `value` is not possible. Without it, and while the ' +
      'player or score is not ranked, the window begins at the top.',
  })
  around?: AroundInput | null;
}

/** Arguments of REST's stream of a board. */
@ArgsType()
export class WatchBoardArgs {
  @IsViewName()
  @Field(() => String, {
    nullable: true,
    description: "A view of the board, in place of the board's own ranking.",
  })
  view?: string | null;

  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description:
      'With `view`: its period, by key, or `current` (default), which goes over to the next one at its end, or `previous`.',
  })
  period?: string | null;

  @Field(() => TagFilter, { nullable: true, description: 'With a view by tags: the value of each tag.' })
  where?: Record<string, string> | null;

  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Field(() => Int, { defaultValue: DEFAULT_PAGE, description: 'Number of scores, 1 to 100.' })
  first!: number;

  @Rule('id', 'must be an id like scr_<uuid> or ide_<uuid>, or "me"', isAround)
  @Field(() => ID, {
    nullable: true,
    description:
      'A score or a player (`me`: the one of a client’s own session) around which the window stays; without ' +
      'it, and while it is not ranked there, the window begins at the top.',
  })
  around?: string | null;

  @Field(() => Boolean, {
    nullable: true,
    description: 'True for test scores instead of production. Visitors always see production.',
  })
  isTest?: boolean | null;
}

@ArgsType()
export class RankChangedArgs extends RankingArgs {
  @IsIdOf('board')
  @Field(() => ID, { description: 'The board.' })
  boardId!: string;

  @Rule('ids', `must be 1 to ${MOST_WATCHED} ids like ide_<uuid>, or "me"`, areIdentities)
  @Field(() => [ID], {
    description: `Players of the board's game, 1 to ${MOST_WATCHED}; \`me\`: the player of the client's own session.`,
  })
  identityIds!: string[];
}
