import { randomInt } from 'node:crypto';
import type { Pojo } from 'objection';
import { Field, ID, Int, ObjectType, registerEnumType } from 'type-graphql';
import { BOARD_EXPORT } from '../../base/transfer/exported.js';
import type { GlobalName } from '../../db/names.js';
import { Row } from '../../db/row.js';
import { Node } from '../../graphql/node.js';
import { DateTime } from '../../graphql/scalars.js';
import { AlsoInGraphQL } from '../../graphql/views.js';
import { ClosingRule } from '../closing-rules/closing-rule.js';
import { Dimension, Weekday } from '../views/view.js';
import { TiePolicy } from './tie-policy.js';
import { FORMAT_TEXT, ValueFormat } from './value-format.js';

export const BoardType = {
  RUN_IDENTITY: 'run_identity',
  RUN_RUNS: 'run_runs',
  COUNTER: 'counter',
  RATIO: 'ratio',
} as const;
export type BoardType = (typeof BoardType)[keyof typeof BoardType];

registerEnumType(BoardType, {
  name: 'BoardType',
  description: 'The type of a board: which values it ranks.',
  valuesConfig: {
    RUN_IDENTITY: { description: 'One run per player: the best, first or last.' },
    RUN_RUNS: { description: 'Every run.' },
    COUNTER: { description: "The sum of each player's submissions." },
    RATIO: { description: 'The ratio of two counter boards.' },
  },
});

export const SortDirection = { ASC: 'asc', DESC: 'desc' } as const;
export type SortDirection = (typeof SortDirection)[keyof typeof SortDirection];

registerEnumType(SortDirection, {
  name: 'SortDirection',
  description: 'Whether high or low scores rank first.',
  valuesConfig: {
    ASC: { description: 'Lower is better: times, strokes.' },
    DESC: { description: 'Higher is better: points.' },
  },
});

export const KeepStrategy = { ALL: 'all', BEST: 'best', FIRST: 'first', LAST: 'last' } as const;
export type KeepStrategy = (typeof KeepStrategy)[keyof typeof KeepStrategy];

registerEnumType(KeepStrategy, {
  name: 'KeepStrategy',
  description: 'Which runs of each player are ranked.',
  valuesConfig: {
    ALL: { description: 'All of them.' },
    BEST: { description: 'The best one; of equal ones the earliest.' },
    FIRST: { description: 'The first one.' },
    LAST: { description: 'The last one.' },
  },
});

export const PublicField = {
  DATE: 'date',
  GAP: 'gap',
  COUNTRY: 'country',
  PLATFORM: 'platform',
  METADATA: 'metadata',
  HISTORY: 'history',
} as const;
export type PublicField = (typeof PublicField)[keyof typeof PublicField];

registerEnumType(PublicField, {
  name: 'PublicField',
  description: 'Extra information about a score that visitors can see.',
  valuesConfig: {
    DATE: { description: 'The date of the submission.' },
    GAP: { description: 'The gap to first place.' },
    COUNTRY: { description: 'The country of the submission.' },
    PLATFORM: { description: 'The platform of the device that submitted it.' },
    METADATA: {
      description:
        'Metadata that the game attached to the submission. Available to visitors through the API, but not shown on pages.',
    },
    HISTORY: {
      description:
        "A player's runs over time, and ranks on other published boards of the game, also on the player's page. Held and rejected runs never appear.",
    },
  },
});

/** Returns each field once, in the order of the enum. */
export function publicFieldsOf(fields: readonly PublicField[]): PublicField[] {
  return Object.values(PublicField).filter((field) => fields.includes(field));
}

export const FriendsFrom = { CLIENT: 'client', SERVER: 'server' } as const;
export type FriendsFrom = (typeof FriendsFrom)[keyof typeof FriendsFrom];

registerEnumType(FriendsFrom, {
  name: 'FriendsFrom',
  description:
    'Where the list of players comes from when a caller without an API key requests a ranking among selected players.',
  valuesConfig: {
    CLIENT: { description: 'Callers can name any players, or use their own stored list.' },
    SERVER: {
      description: "Only the list that the game server stored for the session's player.",
    },
  },
});

@AlsoInGraphQL(BOARD_EXPORT)
@ObjectType({
  implements: Node,
  description: 'A leaderboard of a game.',
  simpleResolvers: true,
})
export class Board extends Row {
  static override tableName = 'boards';
  static override unaudited = [] as string[];
  static override ids = {
    id: 'board',
    accountId: 'account',
    gameId: 'game',
    createdFromTemplateId: 'boardTemplate',
    rehearsalOfId: 'board',
  } as const;

  @Field(() => ID, { description: 'The id, `brd_<uuid>`.' })
  override id!: string;

  @Field(() => ID, { description: 'The account it belongs to.' })
  accountId!: string;

  @Field(() => ID, { description: 'The game it belongs to. Never changes.' })
  gameId!: string;

  @Field(() => String, { description: 'Name, shown to players.' })
  name!: string;

  @Field(() => String, { description: 'Name used in URLs, unique among the active boards of the game.' })
  slug!: string;

  @Field(() => String, { description: 'Short code, unique among all boards, case-insensitive.' })
  shortCode!: string;

  @Field(() => String, { nullable: true, description: 'Description, shown on its page.' })
  description!: string | null;

  @Field(() => String, { nullable: true, description: 'Name of the icon it is shown with.' })
  icon!: string | null;

  @Field(() => String, { nullable: true, description: 'Unit of its values, e.g. `points`. Null: none.' })
  unit!: string | null;

  @Field(() => ValueFormat, FORMAT_TEXT)
  format!: ValueFormat | null;

  @Field(() => Boolean, { description: 'True if it accepts submissions between its start and end.' })
  isActive!: boolean;

  @Field(() => Boolean, { description: 'True if it has a public page.' })
  isPublished!: boolean;

  @Field(() => [PublicField], { description: 'Extra information that public pages show with each score.' })
  publicFields!: PublicField[];

  @Field(() => FriendsFrom, {
    description:
      'Where the list of players comes from when a caller without an API key requests its ranking among selected players.',
  })
  friendsFrom!: FriendsFrom;

  @Field(() => BoardType, { description: 'Type of the board: which values it ranks.' })
  boardType!: BoardType;

  @Field(() => SortDirection, { description: 'Whether high or low scores rank first.' })
  sortDirection!: SortDirection;

  @Field(() => KeepStrategy, { description: 'Which runs of each player are ranked.' })
  keepStrategy!: KeepStrategy;

  @Field(() => TiePolicy, { description: 'How ties are ranked.' })
  tiePolicy!: TiePolicy;

  @Field(() => Int, {
    description:
      'Flagged runs that would be among this many first ranks are held: not ranked until they are reviewed. 0: none are.',
  })
  holdTop!: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'How many hours a run is held at most; afterwards it is ranked while its flags are pending. Null: until it is reviewed.',
  })
  holdHours!: number | null;

  @Field(() => DateTime, { nullable: true, description: 'When submissions open. Null: immediately.' })
  startsAt!: Date | null;

  @Field(() => DateTime, { nullable: true, description: 'When submissions close. Null: never.' })
  endsAt!: Date | null;

  @Field(() => [String], { description: 'Free labels.' })
  tags!: string[];

  @Field(() => String, { description: 'IANA time zone of the periods of its views.' })
  timeZone!: string;

  @Field(() => Weekday, { description: 'First day of their weeks.' })
  weekStart!: Weekday;

  @Field(() => String, { description: 'Start of their days, `hh:mm`.' })
  dayStart!: string;

  @Field(() => [Dimension], {
    description: 'Tags that submissions can have, in addition to country and platform.',
  })
  dimensions!: Dimension[];

  @Field(() => [ClosingRule], { description: 'Rankings that are closed when they end. Others are not.' })
  closingRules!: ClosingRule[];

  @Field(() => String, {
    nullable: true,
    description: 'Name of the template it was created from, if any.',
  })
  templateName!: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The template it was created from, if any.',
  })
  createdFromTemplateId!: string | null;

  @Field(() => ID, {
    nullable: true,
    description:
      'The board whose end it rehearses; only administrators see it, and no list. Null: it is no rehearsal.',
  })
  rehearsalOfId!: string | null;

  @Field(() => Int, {
    nullable: true,
    description:
      "Position in its template's series, starting at 1. Null if it was not created by a template.",
  })
  seriesNumber!: number | null;

  /** Start of the template window it was made for; its own bounds may differ. */
  periodStartsAt!: Date | null;

  @Field(() => DateTime, { description: 'When it was created.' })
  override createdAt!: Date;

  @Field(() => DateTime, { description: 'When it was last changed.' })
  override updatedAt!: Date;

  /** Postgres takes a bare array for one of its own, not for JSON. */
  override $formatDatabaseJson(json: Pojo): Pojo {
    const row = super.$formatDatabaseJson(json);
    for (const column of ['dimensions', 'closing_rules']) {
      if (Array.isArray(row[column])) row[column] = JSON.stringify(row[column]);
    }
    return row;
  }

  override globalNames(): GlobalName[] {
    return this.deletedAt ? [] : [{ kind: 'short_code', name: this.shortCode }];
  }
}

export const BoardPhase = {
  UPCOMING: 'upcoming',
  LIVE: 'live',
  ENDED: 'ended',
  INACTIVE: 'inactive',
} as const;
export type BoardPhase = (typeof BoardPhase)[keyof typeof BoardPhase];

registerEnumType(BoardPhase, {
  name: 'BoardPhase',
  description: 'The phase of a board, from its times and `isActive`.',
  valuesConfig: {
    UPCOMING: { description: 'It has not started yet.' },
    LIVE: { description: 'It accepts submissions.' },
    ENDED: { description: 'It has ended, and its ranking is final.' },
    INACTIVE: { description: 'It was deactivated before its end.' },
  },
});

type Life = Pick<Board, 'isActive' | 'startsAt' | 'endsAt'>;

/** @param now epoch milliseconds; an ended board may still be active until the job has run */
export function phaseOf({ isActive, startsAt, endsAt }: Life, now: number): BoardPhase {
  if (endsAt && endsAt.getTime() <= now) return 'ended';
  if (!isActive) return 'inactive';
  return startsAt && startsAt.getTime() > now ? 'upcoming' : 'live';
}

/** Whole seconds, rounded up, until an upcoming board starts; null for all others. */
export function secondsToStart(board: Life, now: number): number | null {
  return phaseOf(board, now) === 'upcoming' ? secondsUntil(board.startsAt, now) : null;
}

/** Whole seconds, rounded up, until a live or upcoming board ends; null for all others and when it has no end. */
export function secondsToEnd(board: Life, now: number): number | null {
  const phase = phaseOf(board, now);
  return phase === 'live' || phase === 'upcoming' ? secondsUntil(board.endsAt, now) : null;
}

function secondsUntil(moment: Date | null, now: number): number | null {
  return moment && Math.ceil((moment.getTime() - now) / 1_000);
}

/** No 0, O, 1, I: codes are read out and typed. */
const ALPHABET = '23456789ABCDEFGHJKMNPQRSTUVWXYZ';
const LENGTH = 6;

export function generateShortCode(): string {
  let code = '';
  for (let index = 0; index < LENGTH; index += 1) code += ALPHABET[randomInt(ALPHABET.length)];
  return code;
}

/** True if a supplied code is well-formed, in either case. */
export function isShortCode(code: unknown): boolean {
  return typeof code === 'string' && /^[A-Za-z0-9]{3,16}$/.test(code);
}
