import anyAscii from 'any-ascii';
import { addressOf, isSecretAddress, variableOf } from './address.js';
import type { DesiredRecord, FileContent, FileGame } from './desired.js';
import type { Values } from './fields.js';
import type { ValuePath, YamlFile } from './file.js';

/** The rules of entries and their order; each follows from the others where it is absent, as in the service. */
interface Rules {
  board_type: string;
  keep_strategy: string;
}

/** The rules that a record of the file gives. */
export function rulesOf({ values }: DesiredRecord): Rules {
  const type = values.board_type as string | null | undefined;
  const keep = values.keep_strategy as string | null | undefined;
  if (type != null) {
    return { board_type: type, keep_strategy: keep ?? (type === 'run_identity' ? 'best' : 'all') };
  }
  return {
    board_type: (keep ?? 'all') === 'all' ? 'run_runs' : 'run_identity',
    keep_strategy: keep ?? 'all',
  };
}

/** The slug that the service will make of a name, where it needs no random word. */
function slugOf(name: string): string | undefined {
  const slug = anyAscii(name.normalize('NFC'))
    .toLowerCase()
    .replace(/[\s_]+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-')
    .replace(/^-/, '')
    .slice(0, 50)
    .replace(/-$/, '');
  if (slug.length === 1 && [...name.trim()].length === 1) return `${slug}-1`;
  return slug.length >= 2 ? slug : undefined;
}

/**
 * The records that a name refers to: a board's slug, given or as the service will make it, or a name.
 * @param records those of the game
 */
export function named(records: DesiredRecord[], name: string): DesiredRecord[] {
  const bySlug = records.filter(({ kind, values }) => kind === 'board' && values.slug === name);
  if (bySlug.length > 0) return bySlug;
  const byName = records.filter((record) => record.name === name.trim());
  if (byName.length > 0) return byName;
  return records.filter(
    ({ kind, values, name: own }) => kind === 'board' && values.slug == null && slugOf(own) === name,
  );
}

/** The games that a webhook's filter names, by slug or name; and the boards of them. */
export function filteredGames(games: FileGame[], name: string): FileGame[] {
  const bySlug = games.filter(({ values }) => values.slug === name);
  return bySlug.length > 0 ? bySlug : games.filter((game) => game.name === name.trim());
}

/** A board of a webhook's filter: `{ game: sky-race, board: high-score }`. */
export interface FilteredBoard {
  game: string;
  board: string;
}

export function filteredBoards(games: FileGame[], { game, board }: FilteredBoard): DesiredRecord[] {
  return filteredGames(games, game).flatMap(({ boards = [] }) => named(boards, board));
}

/** Checks of one file: what JSON Schema cannot say. */
export class FileChecks {
  constructor(private readonly file: YamlFile) {}

  content({ games, webhooks = [] }: FileContent): void {
    this.#games(games);
    this.#once(webhooks, 'name', ({ name }) => name);
    for (const webhook of webhooks) this.#webhook(webhook, games);
  }

  #webhook({ values, way }: DesiredRecord, games: FileGame[]): void {
    const url = [...way, 'url'];
    const variable = variableOf(values.url);
    if (variable === undefined && isSecretAddress(values)) {
      this.file.fault(
        url,
        `is a secret. Put it in an environment variable and name that here, like \${CHAT_URL}`,
      );
    } else if (variable !== undefined && !/^https?:/.test(addressOf(values.url) ?? 'https:')) {
      this.file.fault(url, `the environment variable ${variable} is not an address`);
    }
    if (values.ordered === true && (values.format ?? 'json') !== 'json') {
      this.file.fault([...way, 'ordered'], 'is only allowed with format: json', 'key');
    }
    for (const [index, name] of ((values.games ?? []) as string[]).entries()) {
      const at = [...way, 'games', index];
      this.#one(filteredGames(games, name), at, `the file has no game "${name}"`);
    }
    for (const [index, board] of ((values.boards ?? []) as FilteredBoard[]).entries()) {
      const at = [...way, 'boards', index, 'board'];
      const none = `the file has no board "${board.board}" in the game "${board.game}"`;
      this.#one(filteredBoards(games, board), at, none);
    }
  }

  #one([found, ...others]: DesiredRecord[], at: ValuePath, none: string): void {
    if (!found) this.file.fault(at, none);
    else if (others.length > 0)
      this.file.fault(at, `more than one ${found.kind} has this name. Use the slug`);
  }

  #games(games: FileGame[]): void {
    this.#once(games, 'name', (game) => game.name);
    this.#once(games, 'slug', ({ values }) => values.slug);
    const boards = games.flatMap((game) => game.boards ?? []);
    this.#once(boards, 'short_code', ({ values }) => (values.short_code as string | null)?.toUpperCase());
    for (const game of games) this.#game(game);
  }

  #game(game: FileGame): void {
    const { boards = [], templates = [] } = game;
    this.#once(templates, 'name', ({ name }) => name);
    this.#once(boards, 'slug', ({ values }) => values.slug);
    // Boards may share a name if slugs distinguish them.
    const unslugged = new Set(boards.filter(({ values }) => values.slug == null).map(({ name }) => name));
    this.#once(boards, 'name', ({ name }) => (unslugged.has(name) ? name : undefined));
    this.#reference(game.values, game.way, 'default_board', boards);
    for (const record of [...templates, ...boards]) this.#format(record);
    for (const template of templates) this.#template(template);
    for (const board of boards) {
      this.#bounds(board);
      this.#rules(board);
      this.#reference(board.values, board.way, 'created_from_template', templates);
      this.#ratio(board, boards);
    }
  }

  #once(records: DesiredRecord[], field: string, read: (record: DesiredRecord) => unknown): void {
    const seen = new Map<unknown, DesiredRecord>();
    for (const record of records) {
      const value = read(record);
      if (value == null) continue;
      if (seen.has(value))
        this.file.fault([...record.way, field], `another ${record.kind} has the ${field} "${value}"`);
      seen.set(value, record);
    }
  }

  #bounds({ values, way }: DesiredRecord): void {
    const { starts_at: start, ends_at: end } = values;
    if (start && end && end <= start) this.file.fault([...way, 'ends_at'], 'must be after starts_at');
  }

  #rules(record: DesiredRecord): void {
    const { board_type: type, keep_strategy: keep } = rulesOf(record);
    if (type === 'run_identity' ? keep !== 'all' : keep === 'all') return;
    const fitting = type === 'run_identity' ? 'best, first or last' : 'all';
    this.file.fault([...record.way, 'keep_strategy'], `must be ${fitting} when board_type is ${type}`);
  }

  #format({ values, way }: DesiredRecord): void {
    const format = values.format as Values | null | undefined;
    if (!format) return;
    const at = [...way, 'format'];
    if (values.board_type === 'ratio') {
      this.file.fault(at, 'is not allowed with board_type: ratio. Use ratio_config', 'key');
    }
    if (format.time_unit != null && format.kind !== 'time')
      this.file.fault([...at, 'time_unit'], 'is only allowed with kind: time', 'key');
  }

  #template(template: DesiredRecord): void {
    this.#bounds(template);
    this.#rules(template);
    if (template.values.board_type === 'ratio') {
      this.file.fault([...template.way, 'board_type'], 'a template cannot create ratio boards');
    }
  }

  /** @returns the named record; undefined: none is named, or a fault was noted */
  #reference(
    values: Values,
    way: ValuePath,
    field: string,
    records: DesiredRecord[],
  ): DesiredRecord | undefined {
    const name = values[field];
    if (typeof name !== 'string') return undefined;
    const [found, ...others] = named(records, name);
    if (!found) {
      const kind = field === 'created_from_template' ? 'template' : 'board';
      this.file.fault([...way, field], `the file has no ${kind} "${name}" in this game`);
    }
    if (others.length > 0)
      this.file.fault([...way, field], `more than one board is called "${name}". Use the slug`);
    return found;
  }

  #ratio({ values, way }: DesiredRecord, boards: DesiredRecord[]): void {
    const isRatio = values.board_type === 'ratio';
    const ratio = values.ratio_config as Values | null | undefined;
    if (isRatio && !ratio) this.file.fault([...way, 'board_type'], 'a ratio board needs ratio_config');
    if (!ratio) return;
    const at = [...way, 'ratio_config'];
    if (!isRatio) this.file.fault(at, 'is only allowed with board_type: ratio', 'key');
    const sources = ['numerator_board', 'denominator_board'].map((field) => {
      const source = this.#reference(ratio, at, field, boards);
      if (source && source.values.board_type !== 'counter') {
        this.file.fault([...at, field], `${source.name} is not a counter board`);
      }
      return source;
    });
    if (sources[0] && sources[0] === sources[1]) {
      this.file.fault([...at, 'denominator_board'], 'must differ from numerator_board');
    }
  }
}
