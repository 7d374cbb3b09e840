import { Field, Float, Int, ObjectType, registerEnumType } from 'type-graphql';
import { DateTime } from '../../graphql/scalars.js';
import { TiePolicy } from '../board/tie-policy.js';
import type { ViewBuild } from './rows.js';

export const Weekday = {
  MONDAY: 'monday',
  TUESDAY: 'tuesday',
  WEDNESDAY: 'wednesday',
  THURSDAY: 'thursday',
  FRIDAY: 'friday',
  SATURDAY: 'saturday',
  SUNDAY: 'sunday',
} as const;
export type Weekday = (typeof Weekday)[keyof typeof Weekday];

registerEnumType(Weekday, {
  name: 'Weekday',
  description: 'A day of the week.',
  valuesConfig: {
    MONDAY: { description: 'Monday.' },
    TUESDAY: { description: 'Tuesday.' },
    WEDNESDAY: { description: 'Wednesday.' },
    THURSDAY: { description: 'Thursday.' },
    FRIDAY: { description: 'Friday.' },
    SATURDAY: { description: 'Saturday.' },
    SUNDAY: { description: 'Sunday.' },
  },
});

export const ViewPeriod = {
  DAY: 'day',
  WEEK: 'week',
  MONTH: 'month',
  QUARTER: 'quarter',
  YEAR: 'year',
} as const;
export type ViewPeriod = (typeof ViewPeriod)[keyof typeof ViewPeriod];

registerEnumType(ViewPeriod, {
  name: 'ViewPeriod',
  description: "A period of a view, in the board's time zone.",
  valuesConfig: {
    DAY: { description: 'Each day; keys like `2026-11-23`.' },
    WEEK: {
      description:
        'Each week; keys like `2026-W48` (ISO 8601), with another start than Monday the date of its first day.',
    },
    MONTH: { description: 'Each month; keys like `2026-11`.' },
    QUARTER: { description: 'Each quarter of a year; keys like `2026-Q4`.' },
    YEAR: { description: 'Each year; keys like `2026`.' },
  },
});

export const IntervalUnit = { DAY: 'day' } as const;
export type IntervalUnit = (typeof IntervalUnit)[keyof typeof IntervalUnit];

registerEnumType(IntervalUnit, {
  name: 'IntervalUnit',
  description: 'Unit of an interval.',
  valuesConfig: { DAY: { description: 'A day of the zone, whatever its length.' } },
});

export const TagSource = { SUBMISSION: 'submission', PLAYER: 'player' } as const;
export type TagSource = (typeof TagSource)[keyof typeof TagSource];

registerEnumType(TagSource, {
  name: 'TagSource',
  description: 'Origin of the value of a tag.',
  valuesConfig: {
    SUBMISSION: { description: 'Each submission has its own: a player stands in every group it played in.' },
    PLAYER: {
      description:
        'Each player has one, and its present value counts for all its submissions: `setPlayerTags`.',
    },
  },
});

export const TagSetter = { CLIENT: 'client', SERVER: 'server' } as const;
export type TagSetter = (typeof TagSetter)[keyof typeof TagSetter];

registerEnumType(TagSetter, {
  name: 'TagSetter',
  description: 'Callers that may send the value of a tag.',
  valuesConfig: {
    CLIENT: {
      description: 'Game clients and administrators; a client can claim any value, of its own player.',
    },
    SERVER: { description: 'Administrators and game servers only.' },
  },
});

const ViewState = { BUILDING: 'building', LIVE: 'live' } as const;

registerEnumType(ViewState, {
  name: 'ViewState',
  description: 'State of a view.',
  valuesConfig: {
    BUILDING: { description: "It is made from the board's history and cannot be read yet." },
    LIVE: { description: 'It ranks every submission.' },
  },
});

@ObjectType({
  description: 'A tag that submissions of a board, or their players, may have.',
  simpleResolvers: true,
})
export class Dimension {
  @Field(() => String, { description: 'Its name.' })
  name!: string;

  @Field(() => TagSource, { description: 'Origin of its values.' })
  source!: TagSource;

  @Field(() => TagSetter, { description: 'Callers that may send its values.' })
  setBy!: TagSetter;

  @Field(() => [String], { nullable: true, description: 'Its values; null: any.' })
  values!: string[] | null;
}

@ObjectType({ description: 'Periods of so many days.', simpleResolvers: true })
class ViewInterval {
  @Field(() => Int, { description: 'Number of units.' })
  every!: number;

  @Field(() => IntervalUnit, { description: 'The unit.' })
  unit!: IntervalUnit;

  @Field(() => String, { description: 'The first day of the first period, `yyyy-mm-dd`.' })
  from!: string;
}

@ObjectType({ description: 'A period with a name.', simpleResolvers: true })
class Season {
  @Field(() => String, { description: 'Its name, which is its key.' })
  name!: string;

  @Field(() => DateTime, { description: 'Its first moment.' })
  startsAt!: Date;

  @Field(() => DateTime, { description: 'Its end, which is no part of it.' })
  endsAt!: Date;
}

@ObjectType({ description: 'The rule of a view.', simpleResolvers: true })
abstract class ViewRule {
  @Field(() => String, { description: 'Its name, unique on its board.' })
  name!: string;

  @Field(() => ViewPeriod, { nullable: true, description: 'Its period; null: another kind, or all time.' })
  period!: ViewPeriod | null;

  @Field(() => ViewInterval, { nullable: true, description: 'Its interval, where it has one.' })
  every!: ViewInterval | null;

  @Field(() => [Season], { nullable: true, description: 'Its seasons, where it has some.' })
  seasons!: Season[] | null;

  @Field(() => [String], { description: 'Its tags: each combination of their values is a ranking.' })
  by!: string[];

  @Field(() => TiePolicy, { description: 'The ranks of equal values.' })
  tiePolicy!: TiePolicy;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of past periods whose rankings are kept; null: all.',
  })
  keepPeriods!: number | null;

  @Field(() => Int, { description: 'Number of places that stay of rankings that are not kept.' })
  keepPodium!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Periods that ended by then are not ranked; null: the whole history is.',
  })
  since!: Date | null;
}

@ObjectType({
  description: 'A view that the boards of a template have.',
  simpleResolvers: true,
})
export class TemplateView extends ViewRule {}

@ObjectType({
  description: 'A further ranking of the submissions of a board: by period, by tags, or both.',
  simpleResolvers: true,
})
export class BoardView extends ViewRule {
  @Field(() => ViewState, { description: 'Its state.' })
  status!: 'building' | 'live';

  @Field(() => Float, {
    nullable: true,
    description: 'While it is built: the share of players that are done, 0 to 1.',
  })
  progress!: number | null;

  /** Not in the schema. */
  boardId!: string;
  viewNo!: number;
}

/** Share of a build that is done, 0 to 1. */
export function progressOf(build: ViewBuild | null): number {
  return build && build.all > 0 ? Math.min(1, build.done / build.all) : 0;
}
