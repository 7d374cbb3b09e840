import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../graphql/context.js';
import type { WebhookEndpoint } from '../webhooks/endpoints/endpoint.js';
import { boardColumns, endpointColumns, gameColumns, templateColumns } from './columns.js';
import { inOrder, type Kind, SHAPES, type Values } from './fields.js';
import { fieldOf, Shown } from './shown.js';
import { readStored, type StoredGame, type StoredRecord, saidColumns } from './stored.js';
import type { PlanRules } from './wanted.js';

/** What is stored, as a file for plans. */
interface PrintedConfiguration {
  file: Values;
  notes: string[];
}

/** Fields whose values are unique in the whole installation. */
const UNIQUE: Record<Kind, string[]> = { game: ['slug'], board: ['short_code'], template: [], webhook: [] };

/**
 * Prints an account's configuration.
 * @param portable without slugs of games and short codes, for another account
 * @throws DomainError NOT_FOUND, FORBIDDEN, BAD_REQUEST (too many records)
 */
export async function printConfiguration(
  context: Context,
  rules: PlanRules,
  accountId: string,
  portable: boolean,
): Promise<PrintedConfiguration> {
  const { games, webhooks, notes } = await readStored(context, accountId, true);
  const printer = new Printer(rules, accountId, portable, context.clock());
  const file: Values = { games: games.map((game) => printer.game(game)) };
  const endpoints = webhooks?.records ?? [];
  if (endpoints.length > 0) file.webhooks = printer.webhooks(endpoints, games);
  return { file, notes };
}

/** True for an address that is a secret: whoever knows that of a chat can post there, and those with a query often have a token. */
function isSecret({ format, url }: WebhookEndpoint): boolean {
  return format !== 'json' || new URL(url).search !== '';
}

class Printer {
  readonly #variables = new Set<string>();

  constructor(
    private readonly rules: PlanRules,
    private readonly accountId: string,
    private readonly portable: boolean,
    private readonly now: number,
  ) {}

  game(game: StoredGame): Values {
    const names = new Map<string, unknown>([
      ...game.boards.map(({ id, slug }) => [id, slug] as const),
      ...game.templates.map(({ id, name }) => [id, name] as const),
    ]);
    return {
      ...this.#record(game, names),
      boards: game.boards.map((board) => this.#record(board, names)),
      templates: game.templates.map((template) => this.#record(template, names)),
    };
  }

  webhooks(records: readonly StoredRecord[], games: readonly StoredGame[]): Values[] {
    const names = new Map<string, unknown>();
    for (const { id, name, slug, boards } of games) {
      const game = this.portable ? name : slug;
      names.set(id, game);
      for (const board of boards) names.set(board.id, { game, board: board.slug });
    }
    return records.map((webhook) => {
      const endpoint = webhook.record as WebhookEndpoint;
      const { paused, ...columns } = webhook.columns;
      const inFile = (ids: unknown) => (ids as string[]).filter((id) => names.has(id));
      const filters = { gameIds: inFile(columns.gameIds), boardIds: inFile(columns.boardIds) };
      return {
        ...this.#record({ ...webhook, columns: { ...columns, ...filters } }, names),
        url: isSecret(endpoint) ? this.#variable(endpoint.name) : endpoint.url,
        // Not a pause by the service: applying the file to a restored copy must not resume it.
        ...(paused === true && endpoint.statusReason === null && { paused: true }),
      };
    });
  }

  /** What differs from a new record, and what a file must say. */
  #record(record: StoredRecord, names: ReadonlyMap<string, unknown>): Values {
    const { kind, slug } = record;
    const columns = saidColumns(record, this.now);
    const shown = new Shown(this.rules.inputs, (id) => names.get(id) ?? null);
    const presets = this.#presets(kind, columns);
    const values: Values = kind === 'template' ? {} : { slug };
    const isRun = /^run_/.test(String(columns.boardType));
    // One of these follows from the other.
    const rules = columns.boardType === undefined ? [] : isRun ? ['keep_strategy'] : ['board_type'];
    const always = [...SHAPES[kind].required, ...rules];
    for (const [column, stored] of Object.entries(columns)) {
      const field = fieldOf(column);
      if (stored === undefined || (field === 'board_type' && isRun)) continue;
      const value = shown.value(kind, column, stored);
      const preset = column === 'ratioConfig' ? null : shown.value(kind, column, presets[column]);
      if (always.includes(field) || !isDeepStrictEqual(value, preset)) values[field] = value;
    }
    if (this.portable) for (const field of UNIQUE[kind]) delete values[field];
    const given = inOrder(Object.keys(values)).filter((field) => values[field] !== undefined);
    return Object.fromEntries(given.map((field) => [field, values[field]]));
  }

  /** Columns of a record that is given only what it must be. */
  #presets(kind: Kind, { boardType, ratioConfig, repeatInterval, nextRunAt }: Values): Values {
    const { limits, endpoints } = this.rules;
    const given = { accountId: this.accountId, gameId: '', name: 'x' };
    const type = /^run_/.test(String(boardType)) ? {} : { boardType };
    if (kind === 'game') return gameColumns.wanted(given);
    if (kind === 'board') {
      const board = { ...given, ...type, ratioConfig };
      return boardColumns.wanted(board as never, limits, this.now);
    }
    if (kind === 'template')
      return templateColumns.wanted({ ...given, ...type, repeatInterval, nextRunAt } as never, limits);
    return endpointColumns.wanted({ ...given, url: 'https://example.com', events: [] }, endpoints);
  }

  /** An environment variable for an address, each once in the file. */
  #variable(name: string): string {
    const base = ['WEBHOOK', ...(name.toUpperCase().match(/[A-Z0-9]+/g) ?? []), 'URL'].join('_');
    let variable = base;
    for (let n = 2; this.#variables.has(variable); n += 1) variable = `${base}_${n}`;
    this.#variables.add(variable);
    return `\${${variable}}`;
  }
}
