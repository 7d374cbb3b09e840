import { Field, Float, Int, ObjectType } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { DateTime } from '../../graphql/scalars.js';
import { TiePolicy } from '../board/tie-policy.js';
import { NAMED_PERIODS, type NamedPeriod, namedPeriod } from './named-period.js';
import type { ViewBuild } from './rows.js';

export const Weekday = enumOf('Weekday', 'A day of the week.', {
  monday: 'Monday.',
  tuesday: 'Tuesday.',
  wednesday: 'Wednesday.',
  thursday: 'Thursday.',
  friday: 'Friday.',
  saturday: 'Saturday.',
  sunday: 'Sunday.',
});
export type Weekday = (typeof Weekday)[keyof typeof Weekday];

const periods = Object.keys(NAMED_PERIODS) as NamedPeriod[];
export const ViewPeriod = enumOf(
  'ViewPeriod',
  "A period of a view, in the board's time zone.",
  Object.fromEntries(periods.map((period) => [period, namedPeriod(period).description])) as {
    [P in NamedPeriod]: string;
  },
);
export type ViewPeriod = NamedPeriod;

export const IntervalUnit = enumOf('IntervalUnit', 'Unit of an interval.', {
  day: "A calendar day in the board's time zone, even if it is not 24 hours long.",
});
export type IntervalUnit = (typeof IntervalUnit)[keyof typeof IntervalUnit];

export const TagSource = enumOf('TagSource', 'Where the value of a tag comes from.', {
  submission: 'Each submission has its own value. Players appear in every group they played in.',
  player:
    "Each player has one value, which is set on the player. It applies to all of the player's submissions, including past ones.",
});
export type TagSource = (typeof TagSource)[keyof typeof TagSource];

export const TagSetter = enumOf('TagSetter', 'Who can set the value of a tag.', {
  client: 'Game clients (for their own player, with any value) and administrators.',
  server: 'Administrators and game servers only.',
});
export type TagSetter = (typeof TagSetter)[keyof typeof TagSetter];

const ViewState = enumOf('ViewState', 'State of a view.', {
  building: "It is being built from the board's history and cannot be read yet.",
  live: 'It ranks every submission.',
});

@ObjectType({
  description: "A tag that a board's submissions or players can have.",
  simpleResolvers: true,
})
export class Dimension {
  @Field(() => String, { description: 'Name of the tag.' })
  name!: string;

  @Field(() => TagSource, { description: 'Where its values come from.' })
  source!: TagSource;

  @Field(() => TagSetter, { description: 'Who can set its values.' })
  setBy!: TagSetter;

  @Field(() => [String], { nullable: true, description: 'Allowed values. Null: any.' })
  values!: string[] | null;
}

@ObjectType({ description: 'Periods of a fixed number of days.', simpleResolvers: true })
class ViewInterval {
  @Field(() => Int, { description: 'Number of units in each period.' })
  every!: number;

  @Field(() => IntervalUnit, { description: 'The unit.' })
  unit!: IntervalUnit;

  @Field(() => String, { description: 'The first day of the first period, `yyyy-mm-dd`.' })
  from!: string;
}

@ObjectType({ description: 'A named period.', simpleResolvers: true })
class Season {
  @Field(() => String, { description: 'Its name, which is its key.' })
  name!: string;

  @Field(() => DateTime, { description: 'When it starts.' })
  startsAt!: Date;

  @Field(() => DateTime, { description: 'When it ends (exclusive).' })
  endsAt!: Date;
}

@ObjectType({ description: 'The rule of a view.', simpleResolvers: true })
abstract class ViewRule {
  @Field(() => String, { description: 'Its name, unique on its board.' })
  name!: string;

  @Field(() => ViewPeriod, {
    nullable: true,
    description: 'Its period. Null if it has an interval or seasons, or covers all time.',
  })
  period!: ViewPeriod | null;

  @Field(() => ViewInterval, { nullable: true, description: 'Its interval. Null if it has none.' })
  every!: ViewInterval | null;

  @Field(() => [Season], { nullable: true, description: 'Its seasons. Null if it has none.' })
  seasons!: Season[] | null;

  @Field(() => [String], {
    description: 'Tags it groups by. Each combination of values has its own ranking.',
  })
  by!: string[];

  @Field(() => TiePolicy, { description: 'How ties are ranked.' })
  tiePolicy!: TiePolicy;

  @Field(() => Int, {
    nullable: true,
    description: 'Number of past periods whose rankings are kept. Null: all.',
  })
  keepPeriods!: number | null;

  @Field(() => Int, { description: 'Number of top ranks kept for periods whose ranking is dropped.' })
  keepPodium!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Periods that ended before this are not ranked. Null: the whole history is ranked.',
  })
  since!: Date | null;
}

@ObjectType({
  description: 'A view that a template gives its boards.',
  simpleResolvers: true,
})
export class TemplateView extends ViewRule {}

@ObjectType({
  description: "An additional ranking of a board's submissions: by period, by tags or both.",
  simpleResolvers: true,
})
export class BoardView extends ViewRule {
  @Field(() => ViewState, { description: 'Whether it is being built or can be read.' })
  status!: 'building' | 'live';

  @Field(() => Float, {
    nullable: true,
    description: 'The share of players processed while it is being built, 0 to 1. Otherwise null.',
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
