import { Field, InputType, Int } from 'type-graphql';
import { Nested } from '../../graphql/input-checks.js';
import { Matches, Rule } from '../../graphql/rules.js';
import { DateTime } from '../../graphql/scalars.js';
import { TiePolicy } from '../board/tie-policy.js';
import { dayStartMillis } from './calendar.js';
import { dateNumber } from './named-period.js';
import { isTagValue } from './tag-value.js';
import { IntervalUnit, TagSetter, TagSource, ViewPeriod } from './view.js';

const NAME = /^[a-z][a-z0-9_]{0,31}$/;
const NAME_SENTENCE = 'must start with a lowercase letter, followed by up to 31 of a-z, 0-9 and _';

/** Largest numbers of items, independent of settings. */
const MOST_DIMENSIONS = 16;
const MOST_VALUES = 500;
const MOST_SEASONS = 200;

export function IsDayStart(): PropertyDecorator {
  return Rule(
    'day_start',
    'must be a time of day like 04:00',
    (value) => typeof value === 'string' && dayStartMillis(value) !== undefined,
    { pattern: '^([01]\\d|2[0-3]):[0-5]\\d$' },
  );
}

export function AreDimensions(): PropertyDecorator {
  return Rule('items', `must be at most ${MOST_DIMENSIONS}`, isListOf(MOST_DIMENSIONS), {
    maxItems: MOST_DIMENSIONS,
  });
}

function isListOf(most: number) {
  return (value: unknown) => Array.isArray(value) && value.length <= most;
}

@InputType({ description: "A tag that a board's submissions or players can have." })
export class DimensionInput {
  @Matches('name', NAME, NAME_SENTENCE)
  @Field(() => String, {
    description: 'Name of the tag: a lowercase letter, then up to 31 of a-z, 0-9 and _.',
  })
  name!: string;

  @Field(() => TagSource, {
    defaultValue: 'submission',
    description:
      'Where its values come from. Default: `SUBMISSION`. Cannot be changed once the board has submissions.',
  })
  source?: TagSource | null;

  @Field(() => TagSetter, {
    defaultValue: 'client',
    description: 'Who can set its values. Default: `CLIENT`.',
  })
  setBy?: TagSetter | null;

  @Rule(
    'values',
    `must be 1 to ${MOST_VALUES} different values of 1 to 64 characters without comma and colon`,
    (value) =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= MOST_VALUES &&
      value.every(isTagValue) &&
      new Set(value).size === value.length,
    { minItems: 1, maxItems: MOST_VALUES, items: { minLength: 1, maxLength: 64, pattern: '^[^,:]*$' } },
  )
  @Field(() => [String], { nullable: true, description: 'Allowed values. If absent, any value is allowed.' })
  values?: string[] | null;
}

@InputType({ description: 'Periods of a fixed number of days.' })
class ViewIntervalInput {
  @Rule('range', 'must be 1 to 366', (value) => Number(value) >= 1 && Number(value) <= 366, {
    minimum: 1,
    maximum: 366,
  })
  @Field(() => Int, { description: 'Number of days, 1 to 366.' })
  every!: number;

  @Field(() => IntervalUnit, { defaultValue: 'day', description: 'The unit; `DAY` by default.' })
  unit?: IntervalUnit | null;

  @Rule(
    'date',
    'must be a date like 2026-01-05, not before 1970',
    (value) => typeof value === 'string' && (dateNumber(value) ?? -1) >= 0,
    { pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  )
  @Field(() => String, { description: 'The first day of the first period, `yyyy-mm-dd`.' })
  from!: string;
}

@InputType({ description: 'A named period.' })
class SeasonInput {
  @Rule(
    'season',
    'must be 1 to 64 characters without commas or colons, and neither "current" nor "previous"',
    (value) => isTagValue(value) && value !== 'current' && value !== 'previous',
    { minLength: 1, maxLength: 64, pattern: '^[^,:]*$' },
  )
  @Field(() => String, { description: 'Its name, which is its key: 1 to 64 characters.' })
  name!: string;

  @Field(() => DateTime, { description: 'When it starts.' })
  startsAt!: Date;

  @Field(() => DateTime, { description: 'When it ends (exclusive).' })
  endsAt!: Date;
}

@InputType({
  description:
    "An additional ranking of a board's submissions. Set at most one of `period`, `every` and `seasons`; with none, it covers all time.",
})
export class BoardViewInput {
  @Matches('name', NAME, NAME_SENTENCE)
  @Field(() => String, {
    description: 'Name, unique on the board: a lowercase letter, then up to 31 of a-z, 0-9 and _.',
  })
  name!: string;

  @Field(() => ViewPeriod, {
    nullable: true,
    description: 'One ranking per day, week, month, quarter or year.',
  })
  period?: ViewPeriod | null;

  @Nested()
  @Field(() => ViewIntervalInput, { nullable: true, description: 'Periods of a fixed number of days.' })
  every?: ViewIntervalInput | null;

  @Nested()
  @Rule(
    'items',
    `must be 1 to ${MOST_SEASONS} seasons`,
    (value) => isListOf(MOST_SEASONS)(value) && (value as unknown[]).length > 0,
    { minItems: 1, maxItems: MOST_SEASONS },
  )
  @Field(() => [SeasonInput], {
    nullable: true,
    description:
      'Named periods that do not overlap. Submissions between them are not ranked. Seasons that have started cannot be changed.',
  })
  seasons?: SeasonInput[] | null;

  @Field(() => [String], {
    defaultValue: [],
    description:
      'Tags to group by: `country`, `platform` or names of `dimensions`. Each combination of values has its own ranking.',
  })
  by?: string[] | null;

  @Field(() => TiePolicy, {
    defaultValue: 'earliest',
    description:
      'How ties are ranked. Default: `EARLIEST`. An existing view cannot be changed to or from `LATEST` and `DENSE`.',
  })
  tiePolicy?: TiePolicy | null;

  @Rule('range', 'must be 1 to 520', (value) => Number(value) >= 1 && Number(value) <= 520, {
    minimum: 1,
    maximum: 520,
  })
  @Field(() => Int, {
    nullable: true,
    description:
      'Number of past periods whose rankings are kept: at most 520, or 366 for days. Default: 14 days, 26 ' +
      'weeks, 24 months, 8 periods for views with tags; otherwise all.',
  })
  keepPeriods?: number | null;

  @Rule('range', 'must be 0 to 100', (value) => Number(value) >= 0 && Number(value) <= 100, {
    minimum: 0,
    maximum: 100,
  })
  @Field(() => Int, {
    defaultValue: 3,
    description: 'Number of top ranks kept for periods whose ranking is dropped, 0 to 100. Default: 3.',
  })
  keepPodium?: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'Periods that ended before this are not ranked. By default, the whole history is ranked.',
  })
  since?: Date | null;
}
