import { randomInt } from 'node:crypto';
import { BOARD_EXPORT } from '../../base/transfer/exported.js';
import type { GlobalName } from '../../db/names.js';
import { kind } from '../../graphql/records/kinds.js';
import {
  asked,
  type Created,
  changeInput,
  createdAt,
  derived,
  fixed,
  idField,
  made,
  maybe,
  newInput,
  preset,
  RecordType,
  required,
  rowOf,
  type Updated,
  updatedAt,
} from '../../graphql/records/record.js';
import { Rule } from '../../graphql/rules.js';
import { AlsoInGraphQL } from '../../graphql/views.js';
import { closingRules } from '../closing-rules/closing-rule.js';
import { CreateRatioConfigInput, UpdateRatioConfigInput } from '../ratios/ratio-config.js';
import { recordingSettings } from '../recordings/settings.js';
import { ticketSettings } from '../tickets/settings.js';
import { verdictSettings } from '../verdicts/settings.js';
import { dimensions } from '../views/dimension.js';
import { BoardViewInput, timeOfDay, Weekday } from '../views/view.js';
import {
  type BoardPhase,
  BoardType,
  FriendsFrom,
  KeepStrategy,
  PublicField,
  SortDirection,
} from './enums.js';
import { BoardProof } from './proof.js';
import { TiePolicy } from './tie-policy.js';
import { valueFormat } from './value-format.js';

export { BoardPhase, BoardType, FriendsFrom, KeepStrategy, PublicField, SortDirection } from './enums.js';

/** True if a supplied code is well-formed, in either case. */
function isShortCode(code: unknown): boolean {
  return typeof code === 'string' && /^[A-Za-z0-9]{3,16}$/.test(code);
}

const shortCode = {
  ...kind.text,
  limits: '3 to 16 letters and digits.',
  rules: [
    Rule('short_code', 'must be 3 to 16 letters A–Z and digits', isShortCode, {
      pattern: '^[A-Za-z0-9]{3,16}$',
    }),
  ],
  stored: (code: string) => code.toUpperCase(),
};

const RERANKS = 'A change re-ranks the board from its events';
const LIKE_DIRECTION = 'like a change of `sortDirection`';

/** A board: what its table, its type and its inputs have. */
export const boardFields = {
  id: idField('board'),
  accountId: fixed(required(kind.idOf('account'), 'The account it belongs to.')),
  gameId: fixed(required(kind.idOf('game'), 'The game it belongs to, in the same account. Never changes.')),
  name: required(kind.label(100), 'Name, shown to players.'),
  slug: fixed(
    derived(kind.slug, 'Name used in URLs, unique among the active boards of the game.', {
      whenNew: 'Derived from the name if absent.',
    }),
  ),
  shortCode: derived(shortCode, 'Short code, unique among all boards, case-insensitive.', {
    whenNew: 'Generated if absent.',
  }),
  description: maybe(kind.longText(2_000), 'Description, shown on its page.'),
  icon: preset(kind.orNull(kind.label(64)), 'fa-crown', 'Name of the icon it is shown with.'),
  unit: maybe(kind.label(32), 'Unit of its values, e.g. `points`. Null: none.'),
  format: maybe(
    valueFormat,
    'How its values are shown. Null: as numbers. Not possible on ratio boards, which have their own.',
  ),
  isActive: preset(kind.flag, true, 'True if it accepts submissions between its start and end.'),
  isPublished: preset(kind.flag, true, 'True if it has a public page.'),
  publicFields: preset(
    kind.someOf(PublicField),
    [],
    'Extra information that public pages show with each score.',
  ),
  defaultView: maybe(
    kind.label(32),
    'Name of its view whose ranking its page shows first. Null: its own ranking.',
  ),
  friendsFrom: preset(
    kind.oneOf(FriendsFrom),
    'client',
    'Where the list of players comes from when a caller without an API key requests its ranking among selected players.',
  ),
  boardType: derived(kind.oneOf(BoardType), 'Type of the board: which values it ranks.', {
    whenNew: 'Default: `RUN_RUNS` if all runs are kept, otherwise `RUN_IDENTITY`.',
    whenChanged: 'Cannot be changed directly; see `keepStrategy`.',
  }),
  sortDirection: preset(kind.oneOf(SortDirection), 'desc', 'Whether high or low scores rank first.', {
    whenChanged: `${RERANKS}; large boards show the previous ranking until that is done.`,
  }),
  keepStrategy: derived(kind.oneOf(KeepStrategy), 'Which runs of each player are ranked.', {
    whenNew: 'Default: `ALL`, or `BEST` for `RUN_IDENTITY`.',
    whenChanged: `A change can switch between the two run types and re-ranks the board, ${LIKE_DIRECTION}.`,
  }),
  tiePolicy: preset(kind.oneOf(TiePolicy), 'earliest', 'How ties are ranked.', {
    whenChanged: `A change to or from \`LATEST\` re-ranks the board, ${LIKE_DIRECTION}; other changes apply immediately.`,
  }),
  ratioConfig: asked(
    kind.orNull(kind.inputs(CreateRatioConfigInput, UpdateRatioConfigInput)),
    'Rules of a ratio board.',
    {
      whenNew: 'Required for type `RATIO`, not allowed for others.',
      whenChanged: `Null or absent on other boards. A change recomputes all values, ${LIKE_DIRECTION}.`,
    },
  ),
  holdTop: preset(
    kind.whole(0, 100),
    0,
    'Flagged runs that would be among this many first ranks are held: not ranked until they are reviewed. 0: none are. Only on run boards.',
    { whenChanged: '0 ends the holds of the board.' },
  ),
  holdHours: preset(
    kind.orNull(kind.whole(1, 8_760)),
    48,
    'How many hours a run is held at most; afterwards it is ranked while its flags are pending. Null: until it is reviewed.',
    { whenChanged: 'Applies to runs that are held already, too.' },
  ),
  proof: preset(
    kind.oneOf(BoardProof),
    'off',
    'Whether it takes runs of game clients only for players who have proven who they are.',
    { whenChanged: 'Runs that are there stay.' },
  ),
  tickets: maybe(
    ticketSettings,
    'Tickets that game clients get at the start of a run. Null: none. Not possible on ratio boards.',
    { whenChanged: 'Replaces the settings as a whole.' },
  ),
  recordings: maybe(
    recordingSettings,
    'Recordings of runs that the board takes and keeps. Null: none. Not possible on ratio boards.',
    { whenChanged: 'Replaces the settings as a whole.' },
  ),
  verdicts: maybe(
    verdictSettings,
    "Verdicts of the studio's verifier on its recorded runs. Null: none. Only on boards with recordings.",
    { whenChanged: 'Replaces the settings as a whole.' },
  ),
  startsAt: maybe(kind.moment, 'When submissions open. Null: immediately.'),
  endsAt: maybe({ ...kind.moment, limits: 'After the start.' }, 'When submissions close. Null: never.'),
  tags: preset(kind.tags, [], 'Free labels.'),
  timeZone: preset(kind.timeZone, 'UTC', 'IANA time zone of the periods of its views.', {
    whenChanged: 'Periods that have started are not affected.',
  }),
  weekStart: preset(kind.oneOf(Weekday), 'monday', 'First day of their weeks.'),
  dayStart: preset(timeOfDay, '00:00', 'Start of their days, `hh:mm`.'),
  dimensions: preset(dimensions, [], 'Tags that submissions can have, in addition to country and platform.', {
    whenChanged: 'Replaces the whole list.',
  }),
  views: asked(
    kind.inputList(BoardViewInput),
    'Additional rankings of its submissions, by period, by tags or both.',
    {
      initial: [],
      whenChanged:
        'Replaces the whole list: views with the same name and rule are kept, new ones are built from the ' +
        "board's history, missing ones are dropped.",
    },
  ),
  closingRules: preset(closingRules, [], 'Rankings that are closed when they end. Others are not.', {
    whenChanged: 'Replaces the whole list. What has ended already is not closed.',
  }),
  templateName: maybe(kind.label(100), 'Name of the template it was created from, if any.'),
  createdFromTemplateId: maybe(kind.idOf('boardTemplate'), 'The template it was created from, if any.'),
  rehearsalOfId: made(
    kind.orNull(kind.idOf('board')),
    'The board whose end it rehearses; only administrators see it, and no list. Null: it is no rehearsal.',
  ),
  seriesNumber: made(
    kind.orNull(kind.count),
    "Position in its template's series, starting at 1. Null if it was not created by a template.",
  ),
  createdAt,
  updatedAt,
};

@AlsoInGraphQL(BOARD_EXPORT)
@RecordType(boardFields, 'A leaderboard of a game.')
export class Board extends rowOf(boardFields) {
  static override tableName = 'boards';
  static override unaudited = [] as string[];

  /** Start of the template window it was made for; its own bounds may differ. */
  periodStartsAt!: Date | null;

  override globalNames(): GlobalName[] {
    return this.deletedAt ? [] : [{ kind: 'short_code', name: this.shortCode }];
  }
}

export const CreateBoardInput = newInput('CreateBoardInput', 'A new board.', boardFields);
export type CreateBoardInput = Created<typeof boardFields>;

export const UpdateBoardInput = changeInput(
  'UpdateBoardInput',
  'Changes to a board. Absent fields stay unchanged. Null clears optional fields.',
  boardFields,
);
export type UpdateBoardInput = Updated<typeof boardFields> & { deleted?: boolean };

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

/** True while it takes runs, or will. */
export function isOpen(board: Life, now: number): boolean {
  const phase = phaseOf(board, now);
  return phase === 'live' || phase === 'upcoming';
}

/** Whole seconds, rounded up, until an open board ends; null for all others and when it has no end. */
export function secondsToEnd(board: Life, now: number): number | null {
  return isOpen(board, now) ? secondsUntil(board.endsAt, now) : null;
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
