import { type Html, html } from '../../base/html.js';
import { countryFlag } from './flags.js';
import { shownDate, shownNumber, texts } from './texts.js';

/** Names of GraphQL's enum values. */
export type ShownField = 'DATE' | 'GAP' | 'COUNTRY' | 'PLATFORM' | 'METADATA';

interface Measured {
  value: number;
  valueDisplay: string | null;
}

/** A value with the facts about it that its board makes public. */
export interface DetailedValue extends Measured {
  /** Of boards whose public fields name the date. */
  updatedAt?: string;
  /** Of boards whose public fields name country or platform. */
  country?: string | null;
  platform?: string | null;
}

/** The extra information that a board shows with each score, and what it is computed from. */
export interface Details {
  fields: readonly ShownField[];
  /** The first place. */
  leader: Measured | undefined;
  /** Path to the root of the service. */
  up: string;
}

/** The distance to the first place; undefined for it, and for values that the game writes in its own way. */
function gap({ value, valueDisplay }: Measured, leader: Measured | undefined): string | undefined {
  const isNumber = valueDisplay === null && leader?.valueDisplay === null;
  if (!isNumber || value === leader.value) return undefined;
  return `${value > leader.value ? '+' : '−'}${shownNumber(Math.abs(value - leader.value))}`;
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

function detail(score: DetailedValue, field: ShownField, { leader, up }: Details): Html | undefined {
  const { updatedAt, country, platform } = score;
  if (field === 'DATE' && updatedAt !== undefined) {
    return html`<time datetime="${updatedAt}">${shownDate(new Date(updatedAt))}</time>`;
  }
  if (field === 'GAP') {
    const distance = gap(score, leader);
    return distance === undefined ? undefined : html`<span title="${texts.gap}">${distance}</span>`;
  }
  if (field === 'COUNTRY' && country) {
    return html`${countryFlag(up, country)}<abbr title="${countryName(country)}">${country}</abbr>`;
  }
  if (field === 'PLATFORM' && platform) return html`<bdi>${platform}</bdi>`;
  return undefined;
}

/** Renders the facts of a score that its board makes public; undefined: there are none. */
export function detailsOf(score: DetailedValue, details: Details | undefined): Html | undefined {
  const parts = details?.fields.flatMap((field) => detail(score, field, details) ?? []) ?? [];
  if (parts.length === 0) return undefined;
  return html`<small class="extra">${parts.map((part, n) => html`${n > 0 && ' · '}${part}`)}</small>`;
}
