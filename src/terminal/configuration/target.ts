import { isDeepStrictEqual } from 'node:util';
import { getNullableType, isListType } from 'graphql';
import { canBeNull, ratioFields, recordFields } from './api.js';
import { named, rulesOf } from './check.js';
import type { DesiredRecord, FileGame } from './desired.js';
import { DEFAULTS, MADE_BY_SERVICE, MADE_IN_LISTS, referenceOf, type Values } from './fields.js';
import type { StoredRecord } from './stored.js';

/** The values that a record of the file requires. Undefined: any; references are records of the file. */
export type Target = Map<string, unknown>;

const UNITS: Record<string, number> = { minute: 60e3, hour: 3_600e3, day: 86_400e3, week: 604_800e3 };

/** A record of the file in the place of its id. */
class Reference {
  constructor(readonly record: DesiredRecord) {}
}

/** Texts as the service stores them. */
function tidy(field: string, value: unknown): unknown {
  if (field === 'description') return value;
  if (field === 'format') return wholeFormat(value as Values);
  if (Array.isArray(value)) return value.map((item) => tidy('', item));
  if (typeof value !== 'string') return value;
  if (field === 'accent_colour') return value.toLowerCase();
  return field === 'short_code' ? value.toUpperCase() : value.trim();
}

/** With the members that the service fills in. */
function wholeFormat({ kind, decimals = null, time_unit: unit }: Values): Values {
  return { kind, decimals, time_unit: unit ?? (kind === 'time' ? 'seconds' : null) };
}

function defaultOf(field: string, isList: boolean): unknown {
  return DEFAULTS[field] ?? (isList ? [] : null);
}

/** True if windows that begin at both moments are windows of one series, and the wanted one has begun or is next. */
function sameSeries(wanted: string, stored: string, interval: string, now: number): boolean {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day|week)s?$/.exec(interval) ?? [];
  const away = Date.parse(wanted) - Date.parse(stored);
  const whole = away % (Number(count) * UNITS[unit]!) === 0;
  return away === 0 || (whole && Date.parse(wanted) <= now);
}

/** True if the end of the board has come: the service then closes it by itself. */
export function hasEnded(endsAt: unknown, now: number): boolean {
  return typeof endsAt === 'string' && Date.parse(endsAt) <= now;
}

/** Computes targets of records from the file and what is stored. */
export class Targets {
  /**
   * @param known ids of stored records that a file can name
   * @param now epoch milliseconds
   */
  constructor(
    private readonly known: ReadonlySet<string>,
    private readonly now: number,
  ) {}

  /** @param game the record itself, or the game that it belongs to */
  of(record: DesiredRecord, game: FileGame, stored: StoredRecord | undefined): Target {
    const target: Target = new Map();
    const rules: Values = record.kind === 'game' ? {} : { ...rulesOf(record) };
    for (const [field, { type }] of recordFields(record.kind)) {
      const given = rules[field] ?? record.values[field];
      if (referenceOf(field)) target.set(field, this.#reference(field, given, game, stored));
      else if (given === null && canBeNull(record.kind, field)) target.set(field, null);
      else if (given != null) target.set(field, tidy(field, given));
      else if (!MADE_BY_SERVICE[record.kind].includes(field)) {
        target.set(field, defaultOf(field, isListType(getNullableType(type))));
      }
    }
    if (record.kind === 'board') this.#board(target, record, game);
    if (record.kind === 'template' && stored) this.#template(target, stored);
    return target;
  }

  /** If the file names none, a stored one is kept that no file can name, e.g. a board of a template or of an absent list. */
  #reference(field: string, given: unknown, game: FileGame, stored: StoredRecord | undefined): unknown {
    const list = referenceOf(field) === 'board' ? game.boards : game.templates;
    const [record] = typeof given === 'string' ? named(list ?? [], given) : [];
    if (record) return new Reference(record);
    const present = stored?.values[field];
    const stays = list === undefined || (typeof present === 'string' && !this.known.has(present));
    return stays ? undefined : null;
  }

  #board(target: Target, { values }: DesiredRecord, game: FileGame): void {
    if (hasEnded(values.ends_at, this.now)) target.set('is_active', undefined);
    const given = values.ratio_config as Values | null | undefined;
    target.set('ratio_config', given ? this.#ratio(given, game) : undefined);
  }

  #ratio(given: Values, game: FileGame): Values {
    const ratio: Values = {};
    for (const field of ratioFields()) {
      const value = given[field];
      ratio[field] = referenceOf(field)
        ? this.#reference(field, value, game, undefined)
        : (value ?? defaultOf(field, false));
    }
    return ratio;
  }

  #template(target: Target, { values }: StoredRecord): void {
    const [wanted, interval] = [target.get('next_run_at'), target.get('repeat_interval')];
    const next = String(values.next_run_at);
    if (sameSeries(String(wanted), next, String(interval), this.now)) target.set('next_run_at', undefined);
  }
}

/** True if the stored value is the wanted one. @param idOf id of a record of the file, if it already exists */
export function isReached(
  wanted: unknown,
  stored: unknown,
  idOf: (record: DesiredRecord) => string | undefined,
): boolean {
  if (wanted === undefined) return true;
  if (isRecords(wanted)) return isRecords(stored) && areReached(wanted, stored);
  return isDeepStrictEqual(withIds(wanted, idOf), stored ?? null);
}

function isRecords(value: unknown): value is Values[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => isMembers(item));
}

function isMembers(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const nameIn = ({ name, view }: Values) => name ?? view ?? null;

/** Lists of views, dimensions, seasons and closing rules: their order is of no effect, and members may have been filled in. */
function areReached(wanted: readonly Values[], stored: readonly Values[]): boolean {
  if (wanted.length !== stored.length) return false;
  return wanted.every((item) => {
    const present = stored.find((other) => nameIn(other) === nameIn(item));
    return present !== undefined && isMemberReached(item, present);
  });
}

function isMemberReached(wanted: unknown, stored: unknown, member = ''): boolean {
  if (wanted === undefined || wanted === null) {
    if (stored == null || stored === DEFAULTS[member] || MADE_IN_LISTS.includes(member)) return true;
    return Array.isArray(stored) && stored.length === 0;
  }
  if (isRecords(wanted)) return isRecords(stored) && areReached(wanted, stored);
  if (isMembers(wanted)) {
    if (!isMembers(stored)) return false;
    const names = new Set([...Object.keys(wanted), ...Object.keys(stored)]);
    return [...names].every((name) => isMemberReached(wanted[name], stored[name], name));
  }
  if (Array.isArray(wanted) && wanted.length === 0) return stored == null || isDeepStrictEqual(stored, []);
  // Moments may be spelled with or without milliseconds.
  if (member.endsWith('_at') || member === 'since')
    return Date.parse(String(wanted)) === Date.parse(String(stored));
  return isDeepStrictEqual(wanted, stored);
}

/** The value with ids in place of records. @param idOf undefined: the record is not there yet */
export function withIds(value: unknown, idOf: (record: DesiredRecord) => string | undefined): unknown {
  if (value instanceof Reference) return idOf(value.record);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIds(member, idOf)]));
}

/**
 * A value for people: records by their names in the file.
 * @param nameOf name of a record of the file, or of a stored one by its id
 */
export function namedValue(value: unknown, nameOf: (record: DesiredRecord | string) => unknown): unknown {
  if (value instanceof Reference) return nameOf(value.record);
  if (typeof value === 'string' && /^(?:brd|tpl)_[0-9a-f-]{36}$/.test(value)) return nameOf(value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, namedValue(member, nameOf)]),
  );
}
