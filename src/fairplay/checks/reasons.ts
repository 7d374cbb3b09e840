import { isId } from '../../base/ids.js';
import {
  formattedNumber,
  type Measure,
  measuredText,
  shownNumber,
  unitBehind,
} from '../../base/value-format.js';
import type { BoardType, SortDirection } from '../../boards/board/board.js';
import type { CheckName } from './finding.js';

/** What a board's reasons are written with. */
export interface ReasonBoard extends Measure {
  boardType: BoardType;
  sortDirection: SortDirection;
}

/** A finding, as its flag keeps it. */
interface Finding {
  flagType: CheckName | 'manual';
  metadata: Record<string, unknown>;
}

type Numbers = Record<string, unknown>;

/** Between which values half of the others are, and their median. */
interface Usual {
  entries: number;
  median: number;
  from: number;
  to: number;
}

/** A figure of a finding in words. */
interface FindingDetail {
  label: string;
  text: string;
}

function plain(value: unknown): string {
  return typeof value === 'number' ? shownNumber(value) : String(value ?? '?');
}

function few(value: unknown): string {
  return typeof value === 'number' ? shownNumber(Number(value.toPrecision(3))) : plain(value);
}

function seconds(value: unknown): string {
  return value === 1 ? '1 second' : `${few(value)} seconds`;
}

/** A length of time: `1:04.4`. */
function duration(value: unknown): string {
  if (typeof value !== 'number') return '?';
  return measuredText({ format: { kind: 'time', decimals: 1, timeUnit: 'seconds' }, unit: null }, value);
}

/** Writes values as their board shows them. */
function writerOf(measure: Measure): (value: unknown) => string {
  return (value) => (typeof value === 'number' ? measuredText(measure, value) : plain(value));
}

function clamped(value: number): number {
  return Math.max(-Number.MAX_VALUE, Math.min(value, Number.MAX_VALUE));
}

/** The figures of a distribution. Half of all deviations are at most their median, so half of all values are that far around theirs. */
function rangeOf({ entries, median, mad, deviations }: Numbers): Usual | null {
  if (typeof entries !== 'number' || typeof median !== 'number' || typeof mad !== 'number') return null;
  const ends =
    deviations === 'logarithmic'
      ? [median * Math.exp(-mad), median * Math.exp(mad)]
      : [median - mad, median + mad];
  const [from, to] = ends.map(clamped) as [number, number];
  return { entries, median, from, to };
}

/** Among which values of the board the run was unusual when it was flagged. Null: it was compared with no values. */
export function usualValues({ flagType, metadata }: Finding): Usual | null {
  const isOfValues = ['value', 'sum', undefined].includes(metadata.measure as string | undefined);
  return flagType === 'outlier' && isOfValues ? rangeOf(metadata) : null;
}

function whoseHalf({ boardType }: ReasonBoard): string {
  return boardType === 'run_runs' ? 'runs' : 'players';
}

/** How each quantity is told: what is unusual, and what half of the others do. */
interface Told {
  far(text: string, board: ReasonBoard): string;
  half: string;
  suffix?: string;
  isCount?: true;
}

function betterWord({ format, sortDirection }: ReasonBoard): string {
  if (format?.kind.toLowerCase() !== 'time') return sortDirection === 'asc' ? 'lower' : 'higher';
  return sortDirection === 'asc' ? 'faster' : 'longer';
}

const TOLD: Record<string, Told> = {
  value: { far: (text, board) => `Far ${betterWord(board)} than other players: ${text}.`, half: 'are' },
  sum: { far: (text) => `A far better total than other players: ${text}.`, half: 'have' },
  gain: { far: (text) => `Far more at once than other players: ${text}.`, half: 'add' },
  rate: {
    far: (text) => `Far more within an hour than other players: ${text} per second.`,
    half: 'make',
    suffix: ' per second',
  },
  streak: {
    far: (text) => `Far more improvements in a row than other players: ${text}.`,
    half: 'have',
    isCount: true,
  },
  repeats: {
    far: (text) => `The same score far more often in a row than other players: ${text} times.`,
    half: 'repeat it',
    suffix: ' times',
    isCount: true,
  },
};

function toldOf({ measure }: Numbers): Told {
  return TOLD[String(measure ?? 'value')] ?? TOLD.value!;
}

/** The range in words: `between 1:12 and 1:21`. The unit is said once. */
function between(board: ReasonBoard, { from, to }: Usual, { isCount, suffix = '' }: Told): string {
  const write = isCount ? shownNumber : writerOf(board);
  const unit = isCount ? null : unitBehind(board.format, board.unit);
  const [low, high] = [write(from), write(to)];
  if (low === high) return `exactly ${low}${suffix}`;
  const bare = unit === null ? low : numberOf(board, from);
  return `between ${bare} and ${high}${suffix}`;
}

function numberOf({ format }: ReasonBoard, value: number): string {
  return format ? formattedNumber(format, value) : shownNumber(value);
}

function outlying(numbers: Numbers, board: ReasonBoard): string {
  const told = toldOf(numbers);
  const write = told.isCount ? plain : writerOf(board);
  const far = told.far(write(numbers.value), board);
  const range = rangeOf(numbers);
  if (!range) return far;
  const isValue = told === TOLD.value;
  const half = `${range.from === range.to ? 'At least half' : 'Half'} of all ${isValue ? whoseHalf(board) : 'players'}`;
  const verb = isValue && board.boardType !== 'run_runs' ? 'have' : told.half;
  return `${far} ${half} ${verb} ${between(board, range, told)}.`;
}

type Telling = (numbers: Numbers, board: ReasonBoard) => string;

const SENTENCES: Record<CheckName | 'manual', Telling> = {
  rate_limit: ({ count, limit, window_seconds: window }) => {
    const within = window === 3_600 ? 'an hour' : seconds(window);
    return `Too many submissions: ${plain(count)} within ${within} before this one. The limit is ${plain(limit)}.`;
  },
  velocity: ({ seconds: apart, value, previous_value: before, threshold_seconds: least }, board) => {
    const write = writerOf(board);
    return `Two submissions ${seconds(apart)} apart: ${write(before)}, then ${write(value)}. At least ${seconds(least)} are expected.`;
  },
  duplicate: ({ seconds: apart, value, repetitions }, board) => {
    const again = Number(repetitions ?? 1);
    const times = again > 1 ? `${plain(again + 1)} times, the last two` : 'twice';
    return `The same score ${times} within ${seconds(apart)}: ${writerOf(board)(value)}.`;
  },
  progression: ({ value, previous_value: before }, board) => {
    const write = writerOf(board);
    return `A sudden jump: ${write(value)}. The player's best before was ${write(before)}.`;
  },
  outlier: outlying,
  clock: (numbers, board) => {
    const { fault, seconds: passed, idle_seconds: idle, run_seconds: run } = numbers;
    const sent = `${duration(passed)} after it started`;
    if (fault === 'short') return `Sent ${sent}. No run takes less than ${duration(numbers.min_seconds)}.`;
    if (fault === 'rate') {
      const most = plain(numbers.max_per_second);
      return `${writerOf(board)(numbers.value)}, sent ${sent}. At most ${most} per second are possible.`;
    }
    if (fault === 'fast') return `A run of ${duration(run)}, sent ${sent}.`;
    const rest = Number(idle) >= 1 ? `, ${duration(idle)} of them idle` : '';
    return `A run of ${duration(run)} took ${duration(passed)}${rest}: the game ran slower than the clock.`;
  },
  recording: ({ announced }) =>
    announced === 'yes' ? 'Its recording has not been sent.' : 'It was sent without a recording.',
  verdict: ({ announced, verdict }) => {
    if (verdict === 'rejected') return 'The verifier played its recording again, with another result.';
    return announced === 'no'
      ? 'It was sent without a recording to verify.'
      : 'It waits for a verdict of the verifier.';
  },
  manual: ({ identity_review_id: review }) =>
    isId('identityReview', review)
      ? 'Part of a review of all runs of this player or device.'
      : 'Flagged by an administrator.',
};

/** Why a run was flagged, in sentences for people, its values as the board shows them. */
export function explainFinding({ flagType, metadata }: Finding, board: ReasonBoard): string {
  return SENTENCES[flagType](metadata, board);
}

type Line = [label: string, text: string];

function tierOf({ tier }: Numbers): Line {
  return ['Trust tier', String(tier ?? '?').toUpperCase()];
}

function distance({ z, scale, deviations }: Numbers): string {
  const size =
    deviations === 'logarithmic' ? ', on a log scale' : scale === undefined ? '' : ` of ${few(scale)}`;
  return `${few(z)} robust deviations${size}`;
}

const DETAILS: Record<CheckName | 'manual', (numbers: Numbers, board: ReasonBoard) => Line[]> = {
  rate_limit: (numbers) => [
    ['Submissions before', plain(numbers.count)],
    ['Limit', plain(numbers.limit)],
    ['Within', seconds(numbers.window_seconds)],
    tierOf(numbers),
  ],
  velocity: (numbers, board) => [
    ['Value', writerOf(board)(numbers.value)],
    ['Value before', writerOf(board)(numbers.previous_value)],
    ['Time between', seconds(numbers.seconds)],
    ['Flagged below', seconds(numbers.threshold_seconds)],
    tierOf(numbers),
  ],
  duplicate: (numbers, board) => [
    ['Value', writerOf(board)(numbers.value)],
    ['Equal scores before', plain(numbers.repetitions ?? 1)],
    ['Time between', seconds(numbers.seconds)],
    ['Flagged within', seconds(numbers.threshold_seconds)],
    tierOf(numbers),
  ],
  progression: (numbers, board) => [
    ['Value', writerOf(board)(numbers.value)],
    ['Best before', writerOf(board)(numbers.previous_value)],
    ['Improvement', `${few(numbers.percentage)}%`],
    ['Flagged above', `${few(numbers.threshold_percent)}%`],
    tierOf(numbers),
  ],
  outlier: (numbers, board) => {
    const told = toldOf(numbers);
    const write = told.isCount ? plain : writerOf(board);
    const range = rangeOf(numbers);
    return [
      ['Value', `${write(numbers.value)}${told.suffix ?? ''}`],
      ['Median', `${write(numbers.median)}${told.suffix ?? ''}`],
      ...(range ? [['Half of all', between(board, range, told)] satisfies Line] : []),
      ['Compared with', `${plain(numbers.entries)} ${told === TOLD.value ? 'entries' : 'players'}`],
      ['Distance from the median', distance(numbers)],
      ['Flagged above', plain(numbers.threshold_z)],
      tierOf(numbers),
    ];
  },
  clock: (numbers, board) => [
    ['Value', writerOf(board)(numbers.value)],
    ...(numbers.run_seconds === undefined
      ? []
      : [['Length of the run', duration(numbers.run_seconds)] satisfies Line]),
    ['From ticket to submission', duration(numbers.seconds)],
    ['Idle, as the game says', duration(numbers.idle_seconds)],
    ['Tolerance', seconds(numbers.slack_seconds)],
  ],
  recording: () => [],
  verdict: () => [],
  manual: (numbers) =>
    Object.entries(numbers).map(([name, value]): Line => {
      const label = name === 'identity_review_id' ? 'Review' : name;
      return [label, typeof value === 'string' ? value : JSON.stringify(value)];
    }),
};

/** The figures behind the sentence, and the limits that they were compared with. */
export function reasonDetails({ flagType, metadata }: Finding, board: ReasonBoard): FindingDetail[] {
  return DETAILS[flagType](metadata, board).map(([label, text]) => ({ label, text }));
}
