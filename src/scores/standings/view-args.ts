import { ArgsType, Field, ID } from 'type-graphql';
import { TagFilter } from '../../boards/views/tag-filter.js';
import { PageArgs } from '../../graphql/connection.js';
import { Matches, Rule } from '../../graphql/rules.js';
import { IsPlayer } from '../../players/inputs.js';

export function IsViewName(): PropertyDecorator {
  return Matches('name', /^[a-z][a-z0-9_]{0,31}$/, 'must be the name of a view');
}

export function IsPeriodKey(): PropertyDecorator {
  return Rule(
    'length',
    'must be 1 to 64 characters',
    (value) => typeof value === 'string' && value.length >= 1 && value.length <= 64,
    { minLength: 1, maxLength: 64 },
  );
}

/** Most views that one request names: more than a board has. */
const MOST_VIEWS = 32;

function areViewNames(value: unknown): boolean {
  return Array.isArray(value) && value.length >= 1 && value.length <= MOST_VIEWS;
}

export function AreViewNames(): PropertyDecorator {
  return Rule('items', `must be 1 to ${MOST_VIEWS} names of views`, areViewNames);
}

const PLAYER = 'The player: an identity, or `me` for the identity of a client’s own session.';

@ArgsType()
export class StandingsArgs {
  @IsPlayer()
  @Field(() => ID, { description: PLAYER })
  identityId!: string;

  @Field(() => Boolean, {
    nullable: true,
    description: 'Of the test population instead of production; by default that of a client’s session.',
  })
  isTest?: boolean | null;
}

@ArgsType()
export class StandingArgs extends StandingsArgs {
  @IsViewName()
  @Field(() => String, { nullable: true, description: "The view; the board's own ranking when absent." })
  view?: string | null;

  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description: 'With `view`: its period, by key, or `current` (default) or `previous`.',
  })
  period?: string | null;

  @Field(() => TagFilter, { nullable: true, description: 'With a view by tags: the value of each tag.' })
  where?: Record<string, string> | null;
}

/** Arguments of a view's periods. */
@ArgsType()
export class ViewPeriodsArgs extends PageArgs {
  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description:
      'A page around this period, by key, or `current` or `previous`; half of the page is newer. Without ' +
      'it, the page begins with the newest. Not with a cursor or `last`.',
  })
  period?: string | null;
}

/** Arguments of a view's groups. */
@ArgsType()
export class ViewGroupsArgs extends PageArgs {
  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description: 'The period, by key, or `current` (default) or `previous`.',
  })
  period?: string | null;
}

@ArgsType()
export class PeriodsArgs extends PageArgs {
  @IsViewName()
  @Field(() => String, { description: 'The view.' })
  view!: string;

  /** Not in the schema. */
  period?: string | null;
}

@ArgsType()
export class GroupsArgs extends PageArgs {
  @IsViewName()
  @Field(() => String, { description: 'The view.' })
  view!: string;

  @IsPeriodKey()
  @Field(() => String, {
    nullable: true,
    description: 'Its period, by key, or `current` (default) or `previous`.',
  })
  period?: string | null;
}
