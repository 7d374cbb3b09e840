import { isDeepStrictEqual } from 'node:util';
import { getNullableType, isListType } from 'graphql';
import { stringify } from 'yaml';
import { isSecretAddress, Placeholders } from './address.js';
import { recordFields } from './api.js';
import { defaultFor } from './defaults.js';
import { inOrder, type Kind, referenceOf, UNIQUE_FIELDS, type Values } from './fields.js';
import type { StoredAccount, StoredGame, StoredRecord } from './stored.js';
import { hasEnded } from './target.js';

/** Editors look for the schema next to this file; `leaderboard schema` prints it. */
const FIRST_LINE = '# yaml-language-server: $schema=leaderboards.schema.json';

/** Prints what is stored as a file. */
export class FilePrinter {
  readonly #placeholders = new Placeholders();

  constructor(
    private readonly portable: boolean,
    private readonly now: number,
  ) {}

  text({ games, webhooks }: StoredAccount): string {
    const content: Values = { games: games.map((game) => this.#game(game)) };
    if (webhooks && webhooks.records.length > 0) {
      const names = this.#filterNames(games);
      content.webhooks = webhooks.records.map((webhook) => this.#webhook(webhook, names));
    }
    return `${FIRST_LINE}\n${stringify(content, { lineWidth: 100, aliasDuplicateObjects: false })}`;
  }

  #game(game: StoredGame): Values {
    const names = new Map([
      ...game.boards.map(({ id, values }) => [id, values.slug] as const),
      ...game.templates.map(({ id, name }) => [id, name] as const),
    ]);
    return {
      ...this.#record(game, names),
      boards: game.boards.map((board) => this.#record(board, names)),
      templates: game.templates.map((template) => this.#record(template, names)),
    };
  }

  /** What a webhook's filter says for a game or a board, by id. */
  #filterNames(games: StoredGame[]): Map<string, unknown> {
    return new Map(
      games.flatMap(({ id, name, values, boards }) => {
        const game = this.portable ? name : values.slug;
        return [
          [id, game],
          ...boards.map((board) => [board.id, { game, board: board.values.slug }]),
        ] as const;
      }) as [string, unknown][],
    );
  }

  #webhook(webhook: StoredRecord, names: ReadonlyMap<string, unknown>): Values {
    const { values, name, stoppedByService } = webhook;
    const inFile = (ids: unknown) => (ids as string[]).flatMap((id) => names.get(id) ?? []);
    const printed = this.#record(
      { ...webhook, values: { ...values, games: inFile(values.games), boards: inFile(values.boards) } },
      names,
    );
    const isPaused = values.paused === true && !stoppedByService;
    delete printed.paused;
    return {
      ...printed,
      url: isSecretAddress(values) ? this.#placeholders.of(name) : values.url,
      ...(isPaused && { paused: true }),
    };
  }

  #record({ kind, values }: StoredRecord, names: ReadonlyMap<string, unknown>): Values {
    const printed: Values = {};
    for (const field of inOrder(Object.keys(values))) {
      if (this.portable && UNIQUE_FIELDS[kind].includes(field)) continue;
      if (field === 'is_active' && kind === 'board' && hasEnded(values.ends_at, this.now)) continue;
      if (followsFromOther(field, values)) continue;
      const value =
        field === 'ratio_config'
          ? this.#ratio(values, names)
          : givenOf(field, nameFor(field, values[field], names));
      if (!isDefault(kind, field, value)) printed[field] = value;
    }
    return printed;
  }

  #ratio({ ratio_config: stored }: Values, names: ReadonlyMap<string, unknown>): Values | null {
    if (!stored) return null;
    const fields = Object.entries(stored as Values).map(([field, value]) => [
      field,
      nameFor(field, value, names),
    ]);
    return Object.fromEntries(
      fields.filter(([field, value]) => value !== defaultFor('ratio', field as string)),
    );
  }
}

/** A list of views or dimensions, or a format or tickets, without members that say nothing. */
function givenOf(field: string, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item: unknown) => (isRecord(item) ? membersOf(item) : item));
  return ['format', 'tickets'].includes(field) && isRecord(value) ? membersOf(value) : value;
}

function isRecord(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function membersOf(item: Values): Values {
  const isGiven = (member: unknown) => member != null && !(Array.isArray(member) && member.length === 0);
  const given = Object.entries(item).filter(([, member]) => isGiven(member));
  return Object.fromEntries(given.map(([name, member]) => [name, givenOf(name, member)]));
}

/** A record's name in the file; null where no file can name it. */
function nameFor(field: string, value: unknown, names: ReadonlyMap<string, unknown>): unknown {
  return referenceOf(field) && value !== null ? (names.get(String(value)) ?? null) : value;
}

/** True if the field is a rule that follows from the other one, which is written. */
function followsFromOther(field: string, { board_type: type }: Values): boolean {
  const isRun = type === 'run_identity' || type === 'run_runs';
  return (field === 'board_type' && isRun) || (field === 'keep_strategy' && type !== undefined && !isRun);
}

/** True if a new record has the value where none is given. */
function isDefault(kind: Kind, field: string, value: unknown): boolean {
  const { type } = recordFields(kind).get(field)!;
  return isDeepStrictEqual(value, defaultFor(kind, field) ?? (isListType(getNullableType(type)) ? [] : null));
}
