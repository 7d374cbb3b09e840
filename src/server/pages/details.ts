import { type Html, html } from '../../base/html.js';
import type { Measure } from '../../base/value-format.js';
import { platformName } from '../../base/words/platform-name.js';
import { shownDate, texts } from './texts.js';
import { gapOf, type Valued } from './value.js';

/** Names of GraphQL's enum values. */
export type ShownField = 'DATE' | 'GAP' | 'COUNTRY' | 'PLATFORM' | 'METADATA' | 'HISTORY' | 'SPLITS';

/** A value with the facts about it that its board makes public. */
export interface DetailedValue extends Valued {
  /** Of places in a ranking. */
  rank?: number;
  displayRank?: number;
  /** Of boards whose public fields name the date. */
  updatedAt?: string;
  /** Of boards whose public fields name country or platform. */
  country?: string | null;
  platform?: string | null;
  /** Null: its run was not verified. */
  verifiedAt?: string | null;
}

/** Renders that a run was played again. */
export function verifiedMark(at: string): Html {
  return html`<span class="verified" title="${texts.verifiedBy(shownDate(new Date(at)))}"><span aria-hidden="true">✓</span> ${texts.verified}</span>`;
}

/** Values that were verified, with the time, by the ids of their scores: a section of a ranking has them in its data. */
export type VerifiedValues = Record<string, [number, string]>;

export function verifiedValues(scores: readonly (DetailedValue & { id: string })[]): VerifiedValues {
  return Object.fromEntries(
    scores.flatMap(({ id, value, verifiedAt }) => (verifiedAt ? [[id, [value, verifiedAt]]] : [])),
  );
}

/** The extra information that a board shows with each score, and what it is computed from. */
export interface Details {
  fields: readonly ShownField[];
  /** The first place. */
  leader: Valued | undefined;
  /** Path to the root of the service. */
  up: string;
  /** True: verified runs are marked. */
  isMarked?: boolean;
  /** Of a score, before its other facts. */
  prize?: ((score: DetailedValue) => Html | undefined) | undefined;
}

/** The distance to the first place; undefined for it, and for values that the game writes in its own way. */
function gap(measure: Measure, score: Valued, leader: Valued | undefined): string | undefined {
  const size = leader && score.value !== leader.value ? gapOf(measure, score, leader) : undefined;
  return size && `${score.value > leader!.value ? '+' : '−'}${size}`;
}

const names = new Map<string, string>();

/** Name of a country of two letters, in the language of the page. */
export function countryName(code: string): string {
  if (!names.has(code)) {
    const { language } = texts;
    names.set(code, new Intl.DisplayNames(language, { type: 'region', fallback: 'code' }).of(code) ?? code);
  }
  return names.get(code)!;
}

/** The flag of a country next to its name or code. @param up path to the root of the service @param code two letters */
export function countryFlag(up: string, code: string): Html | undefined {
  if (!/^[A-Z]{2}$/.test(code)) return undefined;
  return html`<img class="flag" src="${up}pages/flags/${code}.svg" alt="" width="20" height="14" loading="lazy">`;
}

function detail(
  score: DetailedValue,
  measure: Measure,
  field: ShownField,
  { leader, up }: Details,
): Html | undefined {
  const { updatedAt, country, platform } = score;
  if (field === 'DATE' && updatedAt !== undefined) {
    return html`<time datetime="${updatedAt}">${shownDate(new Date(updatedAt))}</time>`;
  }
  if (field === 'GAP') {
    const distance = gap(measure, score, leader);
    return distance === undefined ? undefined : html`<span title="${texts.gap}">${distance}</span>`;
  }
  if (field === 'COUNTRY' && country) {
    return html`${countryFlag(up, country)}<abbr title="${countryName(country)}">${country}</abbr>`;
  }
  if (field === 'PLATFORM' && platform) return html`<bdi>${platformName(platform)}</bdi>`;
  return undefined;
}

/** Renders the facts of a score that its board makes public; undefined: there are none. */
export function detailsOf(
  score: DetailedValue,
  measure: Measure,
  details: Details | undefined,
): Html | undefined {
  const { verifiedAt } = score;
  const verified = details?.isMarked && verifiedAt ? verifiedMark(verifiedAt) : undefined;
  const prize = details?.prize?.(score);
  const named = details?.fields.flatMap((field) => detail(score, measure, field, details) ?? []) ?? [];
  const parts = [verified, prize, ...named].filter((part) => part !== undefined);
  if (parts.length === 0) return undefined;
  return html`<small class="extra">${parts.map((part, n) => html`${n > 0 && ' · '}${part}`)}</small>`;
}
