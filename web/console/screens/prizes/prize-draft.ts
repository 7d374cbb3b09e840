import type { StoredRule } from '../../api/closing-rules.js';
import type { PrizeLineInput, PrizeTableInput, PrizeTies } from '../../generated/graphql.js';
import { newKey } from '../boards/view-draft.js';
import { PRIZE_TEXTS as text } from './texts.js';

/** Who a line gives to. */
export type LineKind = 'RANK' | 'SHARE' | 'VALUE' | 'ALL';

/** A line of a prize table as the form holds it: numbers as texts of their fields. */
export interface LineDraft {
  key: number;
  name: string;
  kind: LineKind;
  firstRank: string;
  /** Empty: the first one alone. */
  lastRank: string;
  percent: string;
  reached: string;
  /** Empty: any. */
  minimumRuns: string;
  minimumAgeHours: string;
  provenOnly: boolean;
  title: string;
  pictureUrl: string;
  /** JSON. Empty: an empty object. */
  grant: string;
}

export interface PrizeDraft {
  minimumEntries: string;
  ties: PrizeTies;
  tieLimit: string;
  /** Empty: never. */
  expiresDays: string;
  lines: readonly LineDraft[];
}

type Stored = NonNullable<StoredRule['prizes']>;

const MOST_GRANT_BYTES = 4_096;

export function newLine(lines: readonly LineDraft[]): LineDraft {
  const last = Math.max(0, ...lines.map(({ firstRank, lastRank }) => Number(lastRank || firstRank)));
  const rank = String(last + 1);
  return {
    ...{ key: newKey(), name: '', kind: 'RANK', firstRank: rank, lastRank: '', percent: '10', reached: '' },
    ...{ minimumRuns: '', minimumAgeHours: '', provenOnly: false, title: '', pictureUrl: '', grant: '' },
  };
}

export function newPrizes(): PrizeDraft {
  return { minimumEntries: '1', ties: 'RANK', tieLimit: '100', expiresDays: '', lines: [newLine([])] };
}

const textOf = (value: number | string | null | undefined) => (value == null ? '' : String(value));

export function prizeDraft({ minimumEntries, ties, tieLimit, expiresDays, lines }: Stored): PrizeDraft {
  return {
    ...{ minimumEntries: String(minimumEntries), ties, tieLimit: String(tieLimit) },
    expiresDays: textOf(expiresDays),
    lines: lines.map((line) => ({
      ...{ key: newKey(), name: line.name, title: line.title, pictureUrl: line.pictureUrl ?? '' },
      kind: kindOf(line),
      firstRank: textOf(line.firstRank),
      lastRank: line.lastRank === line.firstRank ? '' : textOf(line.lastRank),
      ...{ percent: textOf(line.percent), reached: textOf(line.reached) },
      ...{ minimumRuns: textOf(line.minimumRuns), minimumAgeHours: textOf(line.minimumAgeHours) },
      provenOnly: line.provenOnly === true,
      grant: Object.keys(line.grant).length === 0 ? '' : JSON.stringify(line.grant, null, 2),
    })),
  };
}

function kindOf({ firstRank, percent, reached }: Stored['lines'][number]): LineKind {
  if (firstRank != null) return 'RANK';
  if (percent != null) return 'SHARE';
  return reached == null ? 'ALL' : 'VALUE';
}

function parsed(json: string): unknown {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

/** What is wrong with the text of a grant; empty: nothing. */
export function grantFault(json: string): string {
  const grant = parsed(json);
  if (typeof grant !== 'object' || grant === null || Array.isArray(grant)) return text.grantFault;
  return new TextEncoder().encode(JSON.stringify(grant)).length > MOST_GRANT_BYTES ? text.grantTooLarge : '';
}

/** The item of a grant that is nothing else; empty: another grant, or none. */
export function itemOf(json: string): string {
  const grant = parsed(json) as { item?: unknown } | undefined;
  return isItem(json) ? String(grant?.item ?? '') : '';
}

/** True if the grant is one item, or nothing: it can be typed as a text. */
export function isItem(json: string): boolean {
  const grant = parsed(json);
  if (typeof grant !== 'object' || grant === null) return false;
  const entries = Object.entries(grant);
  return (
    entries.length === 0 || (entries.length === 1 && typeof (grant as { item?: unknown }).item === 'string')
  );
}

export function withItem(item: string): string {
  return item === '' ? '' : JSON.stringify({ item });
}

const LONGEST_NAME = 60;

/** The names of lines for programs: their own, or made from their titles. */
export function lineNames(lines: readonly LineDraft[]): string[] {
  const taken = new Set(lines.map(({ name }) => name.trim()));
  return lines.map(({ name, title }, index) => {
    if (name.trim() !== '') return name.trim();
    const plain = title.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
    const made = plain
      .replace(/[^\p{L}\p{N}]+/gu, '_')
      .replace(/^_|_$/g, '')
      .slice(0, LONGEST_NAME);
    const first = made || `line_${index + 1}`;
    let free = first;
    for (let n = 2; taken.has(free); n += 1) free = `${first}_${n}`;
    taken.add(free);
    return free;
  });
}

function lineInput({ kind, ...line }: LineDraft, name: string): PrizeLineInput {
  const first = Number(line.firstRank);
  return {
    name,
    firstRank: kind === 'RANK' ? first : null,
    lastRank: kind === 'RANK' ? Number(line.lastRank || first) : null,
    percent: kind === 'SHARE' ? Number(line.percent) : null,
    reached: kind === 'VALUE' ? Number(line.reached) : null,
    minimumRuns: line.minimumRuns.trim() === '' ? null : Number(line.minimumRuns),
    minimumAgeHours: line.minimumAgeHours.trim() === '' ? null : Number(line.minimumAgeHours),
    provenOnly: line.provenOnly || null,
    title: line.title.trim(),
    pictureUrl: line.pictureUrl.trim() || null,
    // The form is not sent while it has a fault.
    grant: grantFault(line.grant) ? {} : (parsed(line.grant) as Record<string, unknown>),
  };
}

export function prizeInput({ lines, expiresDays, ...prizes }: PrizeDraft): PrizeTableInput {
  return {
    minimumEntries: Number(prizes.minimumEntries),
    ties: prizes.ties,
    tieLimit: Number(prizes.tieLimit),
    expiresDays: expiresDays.trim() === '' ? null : Number(expiresDays),
    lines: lines.map((line, index) => lineInput(line, lineNames(lines)[index]!)),
  };
}

/** Whether all that is required is there. */
export function isComplete({ lines, minimumEntries, tieLimit }: PrizeDraft): boolean {
  const isWhole = ({ title, kind, firstRank, percent, reached, grant }: LineDraft) =>
    title.trim() !== '' &&
    !grantFault(grant) &&
    { RANK: firstRank, SHARE: percent, VALUE: reached, ALL: 'all' }[kind].trim() !== '';
  return lines.length > 0 && minimumEntries !== '' && tieLimit !== '' && lines.every(isWhole);
}

/** Who a line gives to, as people say it. */
export function lineRule({ kind, firstRank, lastRank, percent, reached }: LineDraft): string {
  if (kind === 'RANK') return text.ranks(firstRank, lastRank || firstRank);
  if (kind === 'SHARE') return text.share(percent);
  return kind === 'VALUE' ? text.value(reached) : text.kinds.ALL;
}
