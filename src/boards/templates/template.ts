import type { Pojo } from 'objection';
import { Field, ID, Int, ObjectType } from 'type-graphql';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { Rule } from '../../graphql/rules.js';
import { DateTime, JsonObject } from '../../graphql/scalars.js';
import { BoardType, FriendsFrom, KeepStrategy, PublicField, SortDirection } from '../board/board.js';
import { TiePolicy } from '../board/tie-policy.js';
import { ValueFormat } from '../board/value-format.js';
import { ClosingRule } from '../closing-rules/closing-rule.js';
import type { StoredView } from '../views/template-views.js';
import { Dimension, Weekday } from '../views/view.js';

@ObjectType({
  implements: Node,
  description: 'A schedule that creates boards for a game.',
  simpleResolvers: true,
})
export class BoardTemplate extends Row {
  static override tableName = 'board_templates';
  static override unaudited = ['boardsMade', 'lastError', 'failures', 'retryAt'];
  static override ids = { id: 'boardTemplate', accountId: 'account', gameId: 'game' } as const;

  @Field(() => ID, { description: 'The id, `tpl_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game it creates boards for. Never changes.' })
  gameId!: string;

  @Field(() => String, { description: 'Name of the template.' })
  name!: string;

  @Field(() => String, {
    nullable: true,
    description: 'Slug that its boards use one after the other. Null: derived from their names.',
  })
  slug!: string | null;

  @Field(() => String, {
    nullable: true,
    description: "Pattern for the names of its boards. Null: the template's name is the pattern.",
  })
  nameTemplate!: string | null;

  @Field(() => String, { nullable: true, description: "Name of its boards' series, e.g. `season`." })
  series!: string | null;

  @Field(() => String, { description: 'Length of each window, e.g. `1 week`.' })
  repeatInterval!: string;

  @Field(() => DateTime, { description: 'Start of the next window. Its board is created then.' })
  nextRunAt!: Date;

  @Field(() => Boolean, { description: 'True if it creates boards.' })
  isActive!: boolean;

  @Field(() => Boolean, { description: 'True if its boards have public pages.' })
  isPublished!: boolean;

  @Field(() => [PublicField], {
    description: 'Extra information that public pages of its boards show with each score.',
  })
  publicFields!: PublicField[];

  @Field(() => FriendsFrom, {
    description:
      'Where the list of players comes from when a caller without an API key requests a ranking of its boards among selected players.',
  })
  friendsFrom!: FriendsFrom;

  @Field(() => String, { nullable: true, description: 'Name of the icon its boards are shown with.' })
  icon!: string | null;

  @Field(() => String, { nullable: true, description: 'Unit of the values on its boards.' })
  unit!: string | null;

  @Field(() => ValueFormat, {
    nullable: true,
    description: 'How the values of its boards are shown. Null: as numbers.',
  })
  format!: ValueFormat | null;

  @Field(() => BoardType, { description: 'Type of its boards: which values they rank.' })
  boardType!: BoardType;

  @Field(() => SortDirection, { description: 'Whether high or low scores rank first.' })
  sortDirection!: SortDirection;

  @Field(() => KeepStrategy, { description: 'Which runs of each player are ranked.' })
  keepStrategy!: KeepStrategy;

  @Field(() => TiePolicy, { description: 'How ties are ranked on its boards.' })
  tiePolicy!: TiePolicy;

  @Field(() => Int, {
    description:
      'Flagged runs that would be among this many first ranks are held: not ranked on its boards until they are reviewed. 0: none are.',
  })
  holdTop!: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many hours a run is held at most; afterwards it is ranked while its flags are pending. Null: until it is reviewed.',
  })
  holdHours!: number | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards starts. Null: at the start of its window.',
  })
  startsAt!: Date | null;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When each of its boards ends. Null: at the end of its window.',
  })
  endsAt!: Date | null;

  @Field(() => [String], { description: 'Free labels of its boards.' })
  tags!: string[];

  @Field(() => String, { description: 'IANA time zone of the periods of its boards.' })
  timeZone!: string;

  @Field(() => Weekday, { description: 'First day of their weeks.' })
  weekStart!: Weekday;

  @Field(() => String, { description: 'Start of their days, `hh:mm`.' })
  dayStart!: string;

  @Field(() => [Dimension], {
    description: 'Tags that submissions to its boards can have, in addition to country and platform.',
  })
  dimensions!: Dimension[];

  @Field(() => [ClosingRule], {
    description: 'Rankings of its boards that are closed when they end. Others are not.',
  })
  closingRules!: ClosingRule[];

  /** As they were requested. */
  views!: StoredView[];

  @Field(() => JsonObject, {
    description: 'Free-form settings. Stored, but not used by the service.',
  })
  config!: Record<string, unknown>;

  @Field(() => Int, { description: 'Number of boards it has created.' })
  boardsMade!: number;

  @Field(() => String, {
    nullable: true,
    description: 'Why its latest run created no board. Null if it did.',
  })
  lastError!: string | null;

  failures!: number;

  @Field(() => DateTime, {
    nullable: true,
    description: 'When it will be retried after a failure. Null if there was none.',
  })
  retryAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  /** Postgres takes a bare array for one of its own, not for JSON. */
  override $formatDatabaseJson(json: Pojo): Pojo {
    const row = super.$formatDatabaseJson(json);
    for (const column of ['dimensions', 'views', 'closing_rules']) {
      if (Array.isArray(row[column])) row[column] = JSON.stringify(row[column]);
    }
    return row;
  }

  /** When it makes its next board, or retries. */
  get dueAt(): Date {
    return this.retryAt && this.retryAt > this.nextRunAt ? this.retryAt : this.nextRunAt;
  }

  /** The pattern of its boards' names. */
  get namePattern(): string {
    return this.nameTemplate ?? this.name;
  }
}

const MINUTE_MS = 60_000;
const UNITS: Record<string, number> = {
  minute: MINUTE_MS,
  hour: 60 * MINUTE_MS,
  day: 24 * 60 * MINUTE_MS,
  week: 7 * 24 * 60 * MINUTE_MS,
};
const INTERVAL_PATTERN = /^([1-9]\d{0,8}) (minute|hour|day|week)s?$/;

/** Upper limit: no useful calendar is longer, and dates would leave the range that can be written. */
const LONGEST_INTERVAL = 100 * 366 * 24 * 60 * MINUTE_MS;

/**
 * Milliseconds of a repeat interval, `<n> minutes|hours|days|weeks` with n from 1, singular accepted; undefined when it
 * is none. All units have a constant length: windows are counted in UTC.
 */
export function intervalMillis(text: string): number | undefined {
  const [, count, unit = ''] = INTERVAL_PATTERN.exec(text) ?? [];
  const millis = Number(count) * (UNITS[unit] ?? Number.NaN);
  return millis <= LONGEST_INTERVAL ? millis : undefined;
}

export function IsInterval(): PropertyDecorator {
  return Rule(
    'interval',
    'must be like "1 week": a number from 1, then minutes, hours, days or weeks, at most 100 years',
    (value) => typeof value === 'string' && intervalMillis(value) !== undefined,
    { pattern: INTERVAL_PATTERN.source },
  );
}

/** From `start` up to and without `end`. */
export interface TemplateWindow {
  start: Date;
  end: Date;
}

/**
 * The window of a series that contains `now`; windows entirely in the past are skipped.
 * @param first start of the first window that was not processed yet, not after `now`
 */
export function windowAt(first: Date, millis: number, now: Date): TemplateWindow {
  const skipped = Math.floor((now.getTime() - first.getTime()) / millis);
  const start = first.getTime() + skipped * millis;
  return { start: new Date(start), end: new Date(start + millis) };
}
