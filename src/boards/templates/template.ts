import { checkedSlug } from '../../base/slug.js';
import { kind } from '../../graphql/records/kinds.js';
import {
  type Created,
  changeInput,
  computed,
  createdAt,
  derived,
  fixed,
  idField,
  made,
  maybe,
  newInput,
  RecordType,
  required,
  reworded,
  rowOf,
  type Updated,
  updatedAt,
  type ValuesOf,
  valuesIn,
} from '../../graphql/records/record.js';
import { boardFields as board } from '../board/board.js';
import type { StoredView } from '../views/template-views.js';
import { interval } from './interval.js';

/** Fields that its boards take over, in a template's words. */
const handedOn = {
  isActive: reworded(board.isActive, 'True if it creates boards.'),
  isPublished: reworded(board.isPublished, 'True if its boards have public pages.'),
  publicFields: reworded(
    board.publicFields,
    'Extra information that public pages of its boards show with each score.',
  ),
  friendsFrom: reworded(
    board.friendsFrom,
    'Where the list of players comes from when a caller without an API key requests a ranking of its boards among selected players.',
  ),
  icon: reworded(board.icon, 'Name of the icon its boards are shown with.'),
  unit: reworded(board.unit, 'Unit of the values on its boards, e.g. `points`.'),
  format: reworded(board.format, 'How the values of its boards are shown. Null: as numbers.'),
  defaultView: reworded(
    board.defaultView,
    'The view that the pages of its boards show first. Null: their own rankings.',
  ),
  boardType: reworded(
    board.boardType,
    'Type of its boards: which values they rank. `RATIO` is not possible.',
    { whenNew: board.boardType.whenNew },
  ),
  sortDirection: reworded(board.sortDirection),
  keepStrategy: reworded(board.keepStrategy, undefined, {
    whenNew: board.keepStrategy.whenNew,
    whenChanged: 'A change can switch future boards between the two run types.',
  }),
  tiePolicy: reworded(board.tiePolicy, 'How ties are ranked on its boards.'),
  holdTop: reworded(board.holdTop),
  holdHours: reworded(board.holdHours),
  proof: reworded(
    board.proof,
    'Whether its boards take runs of game clients only for players who have proven who they are.',
  ),
  tickets: reworded(
    board.tickets,
    'Tickets that game clients get at the start of a run on its boards. Null: none.',
    { whenChanged: board.tickets.whenChanged },
  ),
  recordings: reworded(board.recordings, 'Recordings of runs that its boards take and keep. Null: none.', {
    whenChanged: board.recordings.whenChanged,
  }),
  verdicts: reworded(board.verdicts, "Verdicts of the studio's verifier on runs of its boards. Null: none.", {
    whenChanged: board.verdicts.whenChanged,
  }),
  startsAt: reworded(board.startsAt, 'When each of its boards starts. Null: at the start of its window.'),
  endsAt: reworded(board.endsAt, 'When each of its boards ends. Null: at the end of its window.'),
  tags: reworded(board.tags, 'Free labels of its boards.'),
  timeZone: reworded(board.timeZone, 'IANA time zone of its windows, and of the periods of its boards.'),
  weekStart: board.weekStart,
  dayStart: board.dayStart,
  dimensions: reworded(
    board.dimensions,
    'Tags that submissions to its boards can have, in addition to country and platform.',
    { whenChanged: 'Replaces the whole list.' },
  ),
  views: reworded(board.views, 'Views of its boards. Their periods must be shorter than a window.', {
    whenChanged: 'Replaces the whole list.',
  }),
  closingRules: reworded(
    board.closingRules,
    'Rankings of its boards that are closed when they end. Others are not.',
    { whenChanged: 'Replaces the whole list.' },
  ),
};

/** A template: what its table, its type and its inputs have. */
export const templateFields = {
  id: idField('boardTemplate'),
  accountId: board.accountId,
  gameId: fixed(
    required(kind.idOf('game'), 'The game it creates boards for, in the same account. Never changes.'),
  ),
  name: required(kind.label(100), 'Name of the template.'),
  slug: maybe(
    { ...kind.slug, stored: checkedSlug },
    'Slug that its boards use one after the other. Null: derived from their names.',
  ),
  nameTemplate: maybe(
    kind.label(200),
    'Pattern for the names of its boards. `{year}`, `{month}`, `{month_short}`, `{week}` (ISO), ' +
      '`{quarter}` (Q1 to Q4), `{date}` and `{series}` (number of the board) are replaced, for the date on ' +
      "which the window starts in the time zone. Null: the template's name is the pattern.",
  ),
  series: maybe(kind.label(100), "Name of its boards' series, e.g. `season`."),
  repeatInterval: required(
    interval,
    'Length of each window, e.g. `1 week`. Days and weeks are those of the time zone, however its clock is set.',
  ),
  nextRunAt: required(
    kind.moment,
    'Start of the next window. Its board is created then. Windows that are entirely in the past are skipped.',
  ),
  ...handedOn,
  windowTimeZone: computed(
    kind.text,
    'Time zone of its windows and of the names of its boards: its own, or UTC for a template that was ' +
      'last saved by a version without zones, until it is saved again.',
  ),
  config: derived(kind.jsonObject, 'Free-form settings. Stored, but not used by the service.'),
  boardsMade: made(kind.count, 'Number of boards it has created.'),
  lastError: made(kind.orNull(kind.text), 'Why its latest run created no board. Null if it did.'),
  retryAt: made(kind.orNull(kind.moment), 'When it will be retried after a failure. Null if there was none.'),
  createdAt,
  updatedAt,
};

@RecordType(templateFields, 'A schedule that creates boards for a game.')
export class BoardTemplate extends rowOf(templateFields, { json: ['views'] }) {
  static override tableName = 'board_templates';
  static override unaudited = ['boardsMade', 'lastError', 'failures', 'retryAt'];

  /** As they were requested. */
  views!: StoredView[];
  failures!: number;

  /**
   * A window began then, or would have: those of days and weeks begin when the zone's clock shows the same time. Null: last saved by a
   * version whose windows were in UTC.
   */
  windowsFrom!: Date | null;

  get windowTimeZone(): string {
    return this.windowsFrom ? this.timeZone : 'UTC';
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

export const CreateBoardTemplateInput = newInput(
  'CreateBoardTemplateInput',
  'A new board template.',
  templateFields,
);
export type CreateBoardTemplateInput = Created<typeof templateFields>;

export const UpdateBoardTemplateInput = changeInput(
  'UpdateBoardTemplateInput',
  'Changes to a template. They apply to future boards. Absent fields stay unchanged. Null clears optional fields.',
  templateFields,
);
export type UpdateBoardTemplateInput = Updated<typeof templateFields> & { deleted?: boolean };

const { nameTemplate, series, repeatInterval, nextRunAt, timeZone, startsAt, endsAt } = templateFields;
const WITHOUT_STORED = 'Required without a stored template.';
const previewed = {
  id: maybe(
    kind.idOf('boardTemplate'),
    'The stored template whose other fields apply. Leave it out to preview a new template.',
  ),
  name: maybe(kind.label(100), `Its name. ${WITHOUT_STORED}`),
  nameTemplate,
  series,
  repeatInterval: maybe(interval, `${repeatInterval.about} ${WITHOUT_STORED}`),
  nextRunAt: maybe(kind.moment, `${nextRunAt.about} ${WITHOUT_STORED}`),
  timeZone: maybe(kind.timeZone, `${timeZone.about} Null: that of the stored template, or UTC.`),
  startsAt,
  endsAt,
};

export const PreviewBoardTemplateInput = newInput(
  'PreviewBoardTemplateInput',
  'A template to preview, or changes to a stored one.',
  previewed,
);
export type PreviewBoardTemplateInput = Created<typeof previewed>;

/** What a new board takes over from its template, or from another board. */
export function settingsIn(record: ValuesOf<typeof handedOn>) {
  return valuesIn(handedOn, record);
}
