import { createHash } from 'node:crypto';
import { invalidField } from '../../base/errors.js';
import { enumOf } from '../../graphql/enums.js';
import { kind } from '../../graphql/records/kinds.js';
import { maybe, PartType, partKind, preset, required, withFields } from '../../graphql/records/record.js';

const MOST_ATTEMPTS = 100;
export const MOST_TICKETS = 100;
const MOST_HOURS = 720;
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const LONGEST_CONTENT = 100;

const TicketMode = enumOf('TicketMode', 'What a board does with runs without a ticket.', {
  asked:
    'A trial: runs count with and without a ticket, and nothing is flagged. `ticketFigures` has what `REQUIRED` would flag.',
  required: 'Game clients need a ticket for every run. Runs that do not fit the clock are flagged.',
});

const TicketSeed = enumOf('TicketSeed', "Where a run's seed comes from.", {
  none: 'Runs have no seed.',
  run: 'Every run has its own.',
  period: 'Runs of a period of `view` share one; without `view`, all runs of the board do.',
});
export type TicketSeed = (typeof TicketSeed)[keyof typeof TicketSeed];

const clockFields = {
  minSeconds: preset(
    kind.decimal(0, DAY_SECONDS),
    0,
    'No run takes less than so many seconds. 0: not checked.',
  ),
  maxPerSecond: maybe(kind.above0, 'Largest value that a second of play yields. Null: not checked.'),
  slackSeconds: preset(kind.decimal(1, HOUR_SECONDS), 5, 'Tolerance in seconds.'),
  pauses: preset(kind.flag, false, 'True: the game can be paused, so more time than the run took may pass.'),
};

const ABOUT_CLOCK = 'How runs are compared with the time between their ticket and their submission.';

@PartType(clockFields, ABOUT_CLOCK)
export class ClockSettings extends withFields(clockFields) {}

const fields = {
  mode: required(kind.oneOf(TicketMode), 'What the board does with runs without a ticket.'),
  seed: preset(kind.oneOf(TicketSeed), 'none', "Where a run's seed comes from."),
  view: maybe(
    kind.text,
    'Name of the view whose periods end tickets, limit attempts and change the seed. Null: the board as a whole.',
    { whenNew: 'The view cannot be dropped.' },
  ),
  attempts: maybe(
    kind.whole(1, MOST_ATTEMPTS),
    'Runs that a player can start in a period of `view`, or on the board. Null: not limited.',
    { whenNew: 'Only with `REQUIRED`.' },
  ),
  clock: maybe(
    partKind(ClockSettings, ['ClockSettingsInput', ABOUT_CLOCK], clockFields),
    'The clock check, which only administrators see. Null: none.',
  ),
  advance: preset(
    kind.whole(0, MOST_TICKETS),
    0,
    'Tickets that a client can fetch ahead in a request, for runs without a connection. 0: none.',
  ),
  hours: preset(kind.whole(1, MOST_HOURS), 24, 'Hours that a ticket lives at most.'),
  content: preset(
    kind.longText(LONGEST_CONTENT),
    '',
    "The studio's name for the present map, level or rules. A change makes open tickets stale.",
  ),
};

const ABOUT = 'Tickets that game clients get at the start of a run.';

@PartType(fields, ABOUT)
export class TicketSettings extends withFields(fields) {}

export const ticketSettings = partKind(TicketSettings, ['TicketSettingsInput', ABOUT], fields, (settings) => {
  if (settings.attempts !== null && settings.mode !== 'required')
    throw invalidField(['tickets', 'attempts'], 'is only allowed with mode REQUIRED');
  return settings;
});

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
