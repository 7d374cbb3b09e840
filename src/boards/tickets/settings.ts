import { createHash } from 'node:crypto';
import { Field, Float, InputType, Int, ObjectType } from 'type-graphql';
import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { Nested } from '../../graphql/input-checks.js';
import { IsWithin, MaxLength, Rule } from '../../graphql/rules.js';

const MOST_ATTEMPTS = 100;
export const MOST_TICKETS = 100;
const MOST_HOURS = 720;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const LONGEST_CONTENT = 100;
/** Of settings that do not say. */
const INITIAL = { slackSeconds: 5, advance: 0, hours: 24, content: '' };

const TicketMode = enumOf('TicketMode', 'What a board does with runs without a ticket.', {
  asked:
    'A trial: runs count with and without a ticket, and nothing is flagged. `ticketFigures` has what `REQUIRED` would flag.',
  required: 'Game clients need a ticket for every run. Runs that do not fit the clock are flagged.',
});
type TicketMode = (typeof TicketMode)[keyof typeof TicketMode];

const TicketSeed = enumOf('TicketSeed', "Where a run's seed comes from.", {
  none: 'Runs have no seed.',
  run: 'Every run has its own.',
  period: 'Runs of a period of `view` share one; without `view`, all runs of the board do.',
});
export type TicketSeed = (typeof TicketSeed)[keyof typeof TicketSeed];

@ObjectType({
  description: 'How runs are compared with the time between their ticket and their submission.',
  simpleResolvers: true,
})
export class ClockSettings {
  @Field(() => Float, { description: 'No run takes less than so many seconds. 0: not checked.' })
  minSeconds!: number;

  @Field(() => Float, {
    nullable: true,
    description: 'Largest value that a second of play yields. Null: not checked.',
  })
  maxPerSecond!: number | null;

  @Field(() => Float, { description: 'Tolerance in seconds.' })
  slackSeconds!: number;

  @Field(() => Boolean, {
    description: 'True: the game can be paused, so more time than the run took may pass.',
  })
  pauses!: boolean;
}

@InputType({
  description: 'How runs are compared with the time between their ticket and their submission.',
})
class ClockSettingsInput {
  @IsWithin(0, DAY_SECONDS)
  @Field(() => Float, {
    defaultValue: 0,
    description: 'No run takes less than so many seconds, at most 86400. Default: 0, which checks nothing.',
  })
  minSeconds?: number;

  @Rule('range', 'must be more than 0', (value) => typeof value === 'number' && value > 0, {
    exclusiveMinimum: 0,
  })
  @Field(() => Float, {
    nullable: true,
    description: 'Largest value that a second of play yields. Null: not checked.',
  })
  maxPerSecond?: number | null;

  @IsWithin(1, HOUR_SECONDS)
  @Field(() => Float, {
    defaultValue: INITIAL.slackSeconds,
    description: `Tolerance in seconds, 1 to 3600. Default: ${INITIAL.slackSeconds}.`,
  })
  slackSeconds?: number;

  @Field(() => Boolean, {
    defaultValue: false,
    description: 'True: the game can be paused, so more time than the run took may pass. Default: false.',
  })
  pauses?: boolean;
}

@ObjectType({ description: 'Tickets that game clients get at the start of a run.', simpleResolvers: true })
export class TicketSettings {
  @Field(() => TicketMode, { description: 'What the board does with runs without a ticket.' })
  mode!: TicketMode;

  @Field(() => TicketSeed, { description: "Where a run's seed comes from." })
  seed!: TicketSeed;

  @Field(() => String, {
    nullable: true,
    description:
      'Name of the view whose periods end tickets, limit attempts and change the seed. Null: the board as a whole.',
  })
  view!: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Runs that a player can start in a period of `view`, or on the board. Null: not limited.',
  })
  attempts!: number | null;

  @Field(() => ClockSettings, {
    nullable: true,
    description: 'The clock check. Null: there is none, or the caller does not administer the board.',
  })
  clock!: ClockSettings | null;

  @Field(() => Int, { description: 'Tickets that a client can fetch ahead in a request. 0: none.' })
  advance!: number;

  @Field(() => Int, { description: 'Hours that a ticket lives at most.' })
  hours!: number;

  @Field(() => String, {
    description: "The studio's name for the present map, level or rules. A change makes open tickets stale.",
  })
  content!: string;
}

@InputType({ description: 'Tickets that game clients get at the start of a run.' })
export class TicketSettingsInput {
  @Field(() => TicketMode, { description: 'What the board does with runs without a ticket.' })
  mode!: TicketMode;

  @Field(() => TicketSeed, {
    defaultValue: 'none',
    description: "Where a run's seed comes from. Default: `NONE`.",
  })
  seed?: TicketSeed;

  @Field(() => String, {
    nullable: true,
    description:
      'Name of a view with periods, which end tickets, limit attempts and change the seed. The view cannot ' +
      'be dropped. Null: the board as a whole.',
  })
  view?: string | null;

  @IsWithin(1, MOST_ATTEMPTS)
  @Field(() => Int, {
    nullable: true,
    description:
      `Runs that a player can start in a period of \`view\`, or on the board, 1 to ${MOST_ATTEMPTS}. ` +
      `Only with \`REQUIRED\`. Null: not limited.`,
  })
  attempts?: number | null;

  @Nested()
  @Field(() => ClockSettingsInput, { nullable: true, description: 'The clock check. Null: none.' })
  clock?: ClockSettingsInput | null;

  @IsWithin(0, MOST_TICKETS)
  @Field(() => Int, {
    defaultValue: INITIAL.advance,
    description: `Tickets that a client can fetch ahead in a request, for runs without a connection, 0 to ${MOST_TICKETS}. Default: 0.`,
  })
  advance?: number;

  @IsWithin(1, MOST_HOURS)
  @Field(() => Int, {
    defaultValue: INITIAL.hours,
    description: `Hours that a ticket lives at most, 1 to ${MOST_HOURS}. Default: ${INITIAL.hours}.`,
  })
  hours?: number;

  @MaxLength(LONGEST_CONTENT)
  @Field(() => String, {
    defaultValue: INITIAL.content,
    description: `Your name for the present map, level or rules, up to ${LONGEST_CONTENT} characters. A change makes open tickets stale.`,
  })
  content?: string;
}

/** The settings as they are stored. @throws DomainError VALIDATION_FAILED */
export function checkedTickets(given: TicketSettingsInput): TicketSettings {
  const { mode, seed, view, attempts, clock, advance, hours, content } = given;
  if (attempts != null && mode !== 'required')
    throw invalidField(['tickets', 'attempts'], 'is only allowed with mode REQUIRED');
  return {
    mode,
    seed: seed ?? 'none',
    view: view ?? null,
    attempts: attempts ?? null,
    clock: clock
      ? {
          minSeconds: clock.minSeconds ?? 0,
          maxPerSecond: clock.maxPerSecond ?? null,
          slackSeconds: clock.slackSeconds ?? INITIAL.slackSeconds,
          pauses: clock.pauses ?? false,
        }
      : null,
    advance: advance ?? INITIAL.advance,
    hours: hours ?? INITIAL.hours,
    content: content ?? INITIAL.content,
  };
}

/** @throws DomainError VALIDATION_FAILED on ratio boards, and for a view that the board does not have with periods */
export function checkTicketsFit(
  tickets: TicketSettings | null,
  boardType: string,
  views: readonly { name: string; hasPeriods: boolean }[],
): void {
  if (!tickets) return;
  if (boardType === 'ratio')
    throw invalidField(['tickets'], 'is not allowed on ratio boards: set it on their source boards');
  const { view } = tickets;
  if (view !== null && !views.some(({ name, hasPeriods }) => name === view && hasPeriods))
    throw invalidField(
      ['tickets', 'view'],
      `must be a view of the board that has periods, which ${view} is not`,
    );
}

/** A number for the settings that make runs comparable: a ticket with another one is stale. */
export function termsOf(settings: TicketSettings): number {
  const known = TERMS.get(settings);
  if (known !== undefined) return known;
  const { seed, view, content } = settings;
  const terms = createHash('sha256')
    .update(JSON.stringify([seed, view, content]))
    .digest()
    .readUInt32BE(0);
  TERMS.set(settings, terms);
  return terms;
}

/** Every submission of a batch asks. */
const TERMS = new WeakMap<TicketSettings, number>();
