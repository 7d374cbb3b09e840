import { Field, Float, ObjectType } from 'type-graphql';
import { enumOf } from '../../graphql/enums.js';
import { type FieldKind, kind } from '../../graphql/records/kinds.js';
import {
  maybe,
  newColumns,
  newInput,
  PartType,
  partKind,
  preset,
  required,
  withFields,
} from '../../graphql/records/record.js';
import { Rule } from '../../graphql/rules.js';
import { TiePolicy } from '../board/tie-policy.js';
import { dayStartMillis } from './calendar.js';
import { ruleName } from './dimension.js';
import { dateNumber, NAMED_PERIODS, type NamedPeriod, namedPeriod } from './named-period.js';
import type { ViewBuild } from './rows.js';
import { isTagValue } from './tag-value.js';

const MOST_SEASONS = 200;

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
const ViewPeriod = enumOf(
  'ViewPeriod',
  "A period of a view, in the board's time zone.",
  Object.fromEntries(periods.map((period) => [period, namedPeriod(period).description])) as {
    [P in NamedPeriod]: string;
  },
);
export type ViewPeriod = NamedPeriod;

const IntervalUnit = enumOf('IntervalUnit', 'Unit of an interval.', {
  day: "A calendar day in the board's time zone, even if it is not 24 hours long.",
});

const ViewState = enumOf('ViewState', 'State of a view.', {
  building: "It is being built from the board's history and cannot be read yet.",
  live: 'It ranks every submission.',
});

/** When the days of a board start. */
export const timeOfDay: FieldKind<string> = {
  ...kind.text,
  rules: [
    Rule(
      'day_start',
      'must be a time of day like 04:00',
      (value) => typeof value === 'string' && dayStartMillis(value) !== undefined,
      { pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
    ),
  ],
};

const date = {
  ...kind.text,
  rules: [
    Rule(
      'date',
      'must be a date like 2026-01-05, not before 1970',
      (value) => typeof value === 'string' && (dateNumber(value) ?? -1) >= 0,
      { pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
    ),
  ],
};

const intervalFields = {
  every: required(kind.whole(1, 366), 'Number of days in each period.'),
  unit: preset(kind.oneOf(IntervalUnit), 'day', 'The unit.'),
  from: required(date, 'The first day of the first period, `yyyy-mm-dd`.'),
};

const ABOUT_INTERVAL = 'Periods of a fixed number of days.';

@PartType(intervalFields, ABOUT_INTERVAL)
class ViewInterval extends withFields(intervalFields) {}

const seasonName = {
  ...kind.text,
  limits: '1 to 64 characters.',
  rules: [
    Rule(
      'season',
      'must be 1 to 64 characters without commas or colons, and neither "current" nor "previous"',
      (value) => isTagValue(value) && value !== 'current' && value !== 'previous',
      { minLength: 1, maxLength: 64, pattern: '^[^,:]*$' },
    ),
  ],
};

const seasonFields = {
  name: required(seasonName, 'Its name, which is its key.'),
  startsAt: required(kind.moment, 'When it starts.'),
  endsAt: required(kind.moment, 'When it ends (exclusive).'),
};

const ABOUT_SEASON = 'A named period.';

@PartType(seasonFields, ABOUT_SEASON)
class Season extends withFields(seasonFields) {}

const seasons = kind.objects(
  Season,
  newInput('SeasonInput', ABOUT_SEASON, seasonFields),
  (given) => given.map((season) => newColumns(seasonFields, season)),
  [
    Rule(
      'items',
      `must be 1 to ${MOST_SEASONS} seasons`,
      (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_SEASONS,
      { minItems: 1, maxItems: MOST_SEASONS },
    ),
  ],
);

const tagNames: FieldKind<string[]> = { type: () => [String] };

export const viewFields = {
  name: required(ruleName, 'Name, unique on the board.'),
  period: maybe(
    kind.oneOf(ViewPeriod),
    'One ranking per day, week, month, quarter or year. Null: it has an interval or seasons, or covers all time.',
  ),
  every: maybe(
    partKind(ViewInterval, ['ViewIntervalInput', ABOUT_INTERVAL], intervalFields),
    'Periods of a fixed number of days. Null: none.',
  ),
  seasons: maybe(
    seasons,
    'Named periods that do not overlap. Submissions between them are not ranked. Null: none.',
    {
      whenNew: 'Seasons that have started cannot be changed.',
    },
  ),
  by: preset(
    tagNames,
    [],
    'Tags to group by: `country`, `platform` or names of `dimensions`. Each combination of values has its own ranking.',
  ),
  tiePolicy: preset(kind.oneOf(TiePolicy), 'earliest', 'How ties are ranked.', {
    whenNew: 'An existing view cannot be changed to or from `LATEST` and `DENSE`.',
  }),
  keepPeriods: maybe(
    kind.whole(1, 520),
    'Number of past periods whose rankings are kept. Null on a board: all.',
    {
      whenNew:
        'At most 366 for days. Absent: 14 days, 26 weeks, 24 months, 8 periods for views with tags; otherwise all.',
    },
  ),
  keepPodium: preset(kind.whole(0, 100), 3, 'Number of top ranks kept for periods whose ranking is dropped.'),
  since: maybe(
    kind.moment,
    'Periods that ended before this are not ranked. Null: the whole history is ranked.',
  ),
};

const ABOUT =
  "An additional ranking of a board's submissions. Set at most one of `period`, `every` and `seasons`; with none, it covers all time.";

export const BoardViewInput = newInput('BoardViewInput', ABOUT, viewFields);
export type BoardViewInput = InstanceType<typeof BoardViewInput>;

@PartType(viewFields, 'The rule of a view.')
abstract class ViewRule extends withFields(viewFields) {}

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
