import { DomainError, invalidField, type Loc, violated } from '../base/errors.js';
import { slugify } from '../base/slug.js';
import type { Kind, Values } from './fields.js';
import type { Refusals } from './refusals.js';

/** A record that a file wants. */
export interface WantedRecord {
  kind: Kind;
  /** Its place in the file. */
  path: Loc;
  name: string;
  slug: string | undefined;
  renamedFrom: string | undefined;
  /** The given fields by the file's names. */
  values: Values;
  /** Undefined: a webhook. Of a game: itself. */
  game: WantedGame | undefined;
}

/** A game of the file; a list that is absent says nothing about its records. */
export interface WantedGame extends WantedRecord {
  boards: WantedRecord[] | undefined;
  templates: WantedRecord[] | undefined;
}

/** What a file says. */
export interface WantedFile {
  games: WantedGame[];
  /** Absent: nothing about them. */
  webhooks: WantedRecord[] | undefined;
}

/** Bytes of a file as compact JSON. */
const LARGEST_FILE = 256 * 1_024;
/** Records of a file, of all kinds. */
const MOST_RECORDS = 2_000;

const DAY = /^\d{4}-\d\d-\d\d$/;
/** Moments of records, of which a file may have the day alone. */
const MOMENTS = ['starts_at', 'ends_at', 'next_run_at'];

export const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Reads a file; what is wrong with its form is noted.
 * @throws DomainError BODY_TOO_LARGE, VALIDATION_FAILED (more than 2,000 records)
 */
export function readFile(file: object, refusals: Refusals): WantedFile {
  const text = JSON.stringify(file);
  if (Buffer.byteLength(text) > LARGEST_FILE) {
    throw new DomainError('BODY_TOO_LARGE', `The file is too large. The limit is ${LARGEST_FILE} bytes.`);
  }
  const { games, webhooks, ...others } = JSON.parse(text) as Values;
  for (const name of Object.keys(others)) refusals.note([name], 'is not a known field');
  const read = new FileReader(refusals);
  const wanted: WantedFile = {
    games: read.list('game', games ?? refusals.note(['games'], 'is required'), ['games']).map(read.game),
    webhooks: webhooks == null ? undefined : read.list('webhook', webhooks, ['webhooks']),
  };
  if (read.count > MOST_RECORDS) {
    throw invalidField(['file'], `must have at most ${MOST_RECORDS.toLocaleString('en')} records`, 'items');
  }
  return wanted;
}

class FileReader {
  count = 0;

  constructor(private readonly refusals: Refusals) {}

  list(kind: Kind, items: unknown, path: Loc, game?: WantedGame): WantedRecord[] {
    if (items === undefined) return [];
    if (!Array.isArray(items)) {
      this.refusals.note(path, 'must be a list');
      return [];
    }
    return items.flatMap((item: unknown, index) => {
      if (isValues(item)) return this.#record(kind, item, [...path, index], game);
      this.refusals.note([...path, index], 'must be a JSON object');
      return [];
    });
  }

  game = (record: WantedRecord): WantedGame => {
    const { boards, templates, ...values } = record.values;
    const game: WantedGame = { ...record, values, boards: undefined, templates: undefined };
    game.game = game;
    if (boards != null) game.boards = this.list('board', boards, [...record.path, 'boards'], game);
    if (templates != null)
      game.templates = this.list('template', templates, [...record.path, 'templates'], game);
    return game;
  };

  #record(kind: Kind, item: Values, path: Loc, game: WantedGame | undefined): WantedRecord {
    this.count += 1;
    const { renamed_from: renamedFrom, ...values } = item;
    if (renamedFrom != null && typeof renamedFrom !== 'string')
      this.refusals.note([...path, 'renamed_from'], 'must be a string');
    for (const field of MOMENTS) {
      const value = values[field];
      if (typeof value === 'string' && DAY.test(value)) values[field] = `${value}T00:00:00Z`;
    }
    return {
      kind,
      path,
      name: String(values.name ?? '').trim(),
      // A template has one, too, which does not identify it.
      slug: kind !== 'template' && typeof values.slug === 'string' ? values.slug : undefined,
      renamedFrom: typeof renamedFrom === 'string' ? renamedFrom.trim() : undefined,
      values,
      game,
    };
  }
}

/** Records by what a file calls them. */
interface Names {
  slugs: Map<string, WantedRecord[]>;
  names: Map<string, WantedRecord[]>;
  /** Boards without a slug, by the one that the service makes. */
  made: Map<string, WantedRecord[]>;
}

const indexes = new WeakMap<readonly WantedRecord[], Names>();

function namesOf(records: readonly WantedRecord[]): Names {
  const unslugged = records.filter(({ kind, slug }) => kind === 'board' && slug === undefined);
  const index = {
    slugs: grouped(records, ({ slug }) => slug),
    names: grouped(records, ({ name }) => name),
    made: grouped(unslugged, ({ name }) => slugify(name, 'board')),
  };
  indexes.set(records, index);
  return index;
}

/** Items by a key; those without one are left out. */
export function grouped<T>(items: readonly T[], keyOf: (item: T) => string | undefined): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}

/**
 * The records that a name refers to: a board's slug, given or as the service makes it, or a name.
 * @param records those of one game, or games
 */
export function named(records: readonly WantedRecord[], name: string): WantedRecord[] {
  const { slugs, names, made } = indexes.get(records) ?? namesOf(records);
  return slugs.get(name) ?? names.get(name.trim()) ?? made.get(name) ?? [];
}

/** Notes records that a file has twice. */
export function refuseTwins({ games, webhooks = [] }: WantedFile, refusals: Refusals): void {
  const once = (
    records: readonly WantedRecord[],
    field: string,
    read: (record: WantedRecord) => unknown,
    constraint?: string,
  ) => {
    const seen = new Set<unknown>();
    for (const record of records) {
      const value = read(record);
      if (value == null || value === '') continue;
      if (seen.has(value)) {
        const own = `must be unique in the file: another ${record.kind} has it`;
        const { message, code } = constraint ? violated(constraint) : { message: own, code: undefined };
        refusals.note([...record.path, field], message, code);
      }
      seen.add(value);
    }
  };
  const slugOf = ({ slug }: WantedRecord) => slug;
  const nameOf = ({ name }: WantedRecord) => name;
  once(games, 'name', nameOf, 'games_name_key');
  once(games, 'slug', slugOf, 'games_slug_key');
  once(webhooks, 'name', nameOf);
  const boards = games.flatMap((game) => game.boards ?? []);
  const codeOf = ({ values }: WantedRecord) => values.short_code && String(values.short_code).toUpperCase();
  once(boards, 'short_code', codeOf, 'boards_short_code_key');
  for (const { boards = [], templates = [] } of games) {
    once(templates, 'name', nameOf);
    once(boards, 'slug', slugOf, 'boards_slug_key');
    // Boards may share a name if slugs distinguish them.
    const unslugged = new Set(boards.filter(({ slug }) => slug === undefined).map(nameOf));
    once(boards, 'name', ({ name }) => (unslugged.has(name) ? name : undefined));
  }
}
