import { isDeepStrictEqual } from 'node:util';
import { getNullableType, isListType } from 'graphql';
import { readDateTime } from '../base/moments/date-time.js';
import { frameOriginOf } from '../base/outbound/web-origin.js';
import { addressOf } from './address.js';
import { canBeNull, ratioFields, recordFields } from './api.js';
import { type FilteredBoard, filteredBoards, filteredGames, named, rulesOf } from './check.js';
import { defaultFor } from './defaults.js';
import type { DesiredRecord, FileGame } from './desired.js';
import { type Kind, MADE_BY_SERVICE, MADE_IN_LISTS, referenceOf, UNORDERED, type Values } from './fields.js';
import type { StoredRecord } from './stored.js';

/** The values that a record of the file requires. Undefined: any; references are records of the file. */
export type Target = Map<string, unknown>;

const UNITS: Record<string, number> = { minute: 60e3, hour: 3_600e3, day: 86_400e3, week: 604_800e3 };

/** A record of the file in the place of its id. */
class Reference {
  constructor(readonly record: DesiredRecord) {}
}

const referencesTo = (records: DesiredRecord[]) => records.map((record) => new Reference(record));

/** Texts as the service stores them. */
function tidy(field: string, value: unknown): unknown {
  if (field === 'description') return value;
  if (field === 'format' && isMembers(value)) return wholeFormat(value);
  if (field === 'tickets' && isMembers(value)) return wholeTickets(value);
  if (field === 'overlay_origins' && Array.isArray(value))
    return [...new Set(value.map((item) => frameOriginOf(String(item)) ?? item))];
  if (UNORDERED.includes(field)) return (value as string[]).toSorted();
  if (Array.isArray(value)) return value.map((item) => tidy('', item));
  if (typeof value !== 'string') return value;
  if (field === 'accent_colour') return value.toLowerCase();
  return field === 'short_code' ? value.toUpperCase() : value.trim();
}

/** With the members that the service fills in. */
function wholeFormat({ kind, decimals = null, time_unit: unit }: Values): Values {
  return { kind, decimals, time_unit: unit ?? (kind === 'time' ? 'seconds' : null) };
}

/** The same. */
function wholeTickets({ clock, ...given }: Values): Values {
  const made = { seed: 'none', view: null, attempts: null, advance: 0, hours: 24, content: '' };
  const checks = { min_seconds: 0, max_per_second: null, slack_seconds: 5, pauses: false };
  return { ...made, ...given, clock: isMembers(clock) ? { ...checks, ...clock } : null };
}

function defaultOf(kind: Kind | 'ratio', field: string, isList: boolean): unknown {
  return defaultFor(kind, field) ?? (isList ? [] : null);
}

function millisOf(moment: unknown): number | undefined {
  return readDateTime(String(moment))?.getTime();
}

/** What the clock of a zone shows, as milliseconds of the same reading in UTC; NaN for an unknown zone, which the service refuses. */
function clockOf(timeZone: string, instant: number): number {
  try {
    const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'medium' });
    return millisOf(`${format.format(instant)}Z`)! + (instant % 1_000);
  } catch {
    return Number.NaN;
  }
}

/** True if windows that begin at both moments are windows of one series, and the wanted one has begun or is next. */
function sameSeries(wanted: number, stored: number, interval: string, zone: string, now: number): boolean {
  const [, count, unit = ''] = /^(\d+) (minute|hour|day|week)s?$/.exec(interval) ?? [];
  const of = unit === 'day' || unit === 'week' ? zone : 'UTC';
  const away = clockOf(of, wanted) - clockOf(of, stored);
  const whole = away % (Number(count) * UNITS[unit]!) === 0;
  return wanted === stored || (whole && wanted <= now);
}

/** True if the end of the board has come: the service then closes it by itself. */
export function hasEnded(endsAt: unknown, now: number): boolean {
  return typeof endsAt === 'string' && millisOf(endsAt)! <= now;
}

/** Computes targets of records from the file and what is stored. */
export class Targets {
  /**
   * @param known ids of stored records that a file can name
   * @param now epoch milliseconds
   * @param games of the file, which webhooks name
   * @param otherBoards ids of stored boards that no file can name
   */
  constructor(
    private readonly known: ReadonlySet<string>,
    private readonly now: number,
    private readonly games: FileGame[] = [],
    private readonly otherBoards: ReadonlySet<string> = new Set(),
  ) {}

  /** @param game the record itself, or the game that it belongs to; undefined: a webhook's */
  of(record: DesiredRecord, game: FileGame | undefined, stored: StoredRecord | undefined): Target {
    const target: Target = new Map();
    const isOfGame = record.kind === 'board' || record.kind === 'template';
    const rules: Values = isOfGame ? { ...rulesOf(record) } : {};
    for (const [field, { type }] of recordFields(record.kind)) {
      const given = rules[field] ?? record.values[field];
      if (game && referenceOf(field)) target.set(field, this.#reference(field, given, game, stored));
      else if (given === null && canBeNull(record.kind, field)) target.set(field, null);
      else if (given != null) target.set(field, tidy(field, given));
      else if (!MADE_BY_SERVICE[record.kind].includes(field)) {
        target.set(field, defaultOf(record.kind, field, isListType(getNullableType(type))));
      }
    }
    if (game && record.kind === 'board') this.#board(target, record, game);
    if (record.kind === 'webhook') this.#webhook(target, record, stored);
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

  #webhook(target: Target, { values }: DesiredRecord, stored: StoredRecord | undefined): void {
    const games = ((values.games ?? []) as string[]).flatMap((name) => filteredGames(this.games, name));
    const given = (values.boards ?? []) as FilteredBoard[];
    const boards = given.flatMap((board) => filteredBoards(this.games, board));
    // What the file cannot name stays: a board of a template.
    const kept = ((stored?.values.boards ?? []) as string[]).filter((id) => this.otherBoards.has(id));
    target.set('games', referencesTo(games));
    target.set('boards', [...referencesTo(boards), ...kept]);
    target.set('url', addressOf(values.url));
  }

  #ratio(given: Values, game: FileGame): Values {
    const ratio: Values = {};
    for (const field of ratioFields()) {
      const value = given[field];
      ratio[field] = referenceOf(field)
        ? this.#reference(field, value, game, undefined)
        : (value ?? defaultOf('ratio', field, false));
    }
    return ratio;
  }

  #template(target: Target, { values, windowZone = 'UTC' }: StoredRecord): void {
    const [wanted, next] = [millisOf(target.get('next_run_at'))!, millisOf(values.next_run_at)!];
    const given = String(target.get('time_zone'));
    const zone = given === values.time_zone ? windowZone : given;
    const interval = String(target.get('repeat_interval'));
    if (sameSeries(wanted, next, interval, zone, this.now)) target.set('next_run_at', undefined);
  }
}

/** True if the stored value is the wanted one. @param idOf id of a record of the file, if it already exists */
export function isReached(
  wanted: unknown,
  stored: unknown,
  idOf: (record: DesiredRecord) => string | undefined,
): boolean {
  if (wanted === undefined) return true;
  const withoutNames = withIds(wanted, idOf);
  if (isRecords(withoutNames)) return isRecords(stored) && areReached(withoutNames, stored);
  return isDeepStrictEqual(withoutNames, stored ?? null);
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
    const preset = defaultFor('ratio', member) ?? defaultFor('board', member);
    if (stored == null || stored === preset || MADE_IN_LISTS.includes(member)) return true;
    return Array.isArray(stored) && stored.length === 0;
  }
  if (isRecords(wanted)) return isRecords(stored) && areReached(wanted, stored);
  if (isMembers(wanted)) {
    if (!isMembers(stored)) return false;
    const names = new Set([...Object.keys(wanted), ...Object.keys(stored)]);
    return [...names].every((name) => isMemberReached(wanted[name], stored[name], name));
  }
  if (Array.isArray(wanted) && wanted.length === 0) return stored == null || isDeepStrictEqual(stored, []);
  // Moments have several spellings.
  if (member.endsWith('_at') || member === 'since') return millisOf(wanted) === millisOf(stored);
  return isDeepStrictEqual(wanted, stored);
}

/** The value with ids in place of records. @param idOf undefined: the record is not there yet */
export function withIds(value: unknown, idOf: (record: DesiredRecord) => string | undefined): unknown {
  if (value instanceof Reference) return idOf(value.record);
  if (Array.isArray(value)) return idsIn(value, idOf);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withIds(member, idOf)]));
}

/** A list of references has no order. */
function idsIn(list: unknown[], idOf: (record: DesiredRecord) => string | undefined): unknown[] {
  const ids = list.map((item) => withIds(item, idOf));
  return list.some((item) => item instanceof Reference) ? ids.toSorted() : ids;
}

/**
 * A value for people: records by their names in the file.
 * @param nameOf name of a record of the file, or of a stored one by its id
 */
export function namedValue(value: unknown, nameOf: (record: DesiredRecord | string) => unknown): unknown {
  if (value instanceof Reference) return nameOf(value.record);
  if (typeof value === 'string' && /^(?:gam|brd|tpl)_[0-9a-f-]{36}$/.test(value)) return nameOf(value);
  if (Array.isArray(value)) return value.map((item) => namedValue(item, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, namedValue(member, nameOf)]),
  );
}
