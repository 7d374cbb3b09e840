import type { DomainError, ErrorDetail, Loc } from '../base/errors.js';
import { type IdKind, idOf, uuid7 } from '../base/ids.js';
import { inSlices } from '../base/pacer.js';
import type { Board, CreateBoardInput } from '../boards/board/board.js';
import { changedRules } from '../boards/board/rules.js';
import type { RatioConfig } from '../boards/ratios/ratio-config.js';
import { refuseSources } from '../boards/ratios/save.js';
import type { BoardTemplate, CreateBoardTemplateInput } from '../boards/templates/template.js';
import { windowAt } from '../boards/templates/windows.js';
import { checkSameRules, type Declaration, type ViewLimits } from '../boards/views/rules.js';
import type { CreateGameInput } from '../games/game.js';
import { ofWhole, requireAccount } from '../graphql/access.js';
import type { Context } from '../graphql/context.js';
import type { CreateWebhookEndpointInput, WebhookEndpoint } from '../webhooks/endpoints/endpoint.js';
import { type EndpointRules, refuseFull } from '../webhooks/endpoints/save.js';
import { boardColumns, endpointColumns, gameColumns, templateColumns } from './columns.js';
import { FILTERS, fileName, type Kind, REFERENCES, referenceOf, SHAPES, type Values } from './fields.js';
import { isValues, named, type WantedFile, type WantedGame, type WantedRecord } from './file.js';
import type { Matching } from './match.js';
import type { Refusals } from './refusals.js';
import type { Stored, StoredRecord } from './stored.js';

/** Reads inputs of the schema from JSON in REST's spelling, and shows them so. */
export interface Inputs {
  /** @throws DomainError VALIDATION_FAILED; `loc` begins with "body" */
  read<T extends object>(name: string, values: Values): T;
  placed(name: string, details: ErrorDetail[]): ErrorDetail[];
  shown(name: string, field: string, value: unknown): unknown;
}

/** What plans depend on. */
export interface PlanRules {
  inputs: Inputs;
  limits: ViewLimits;
  endpoints: EndpointRules;
}

/** A record of the file with what its writes need. */
export interface PlannedRecord {
  wanted: WantedRecord;
  /** Undefined: it is new. */
  stored: StoredRecord | undefined;
  /** Of the stored record, or one that stands for it until it is created. */
  id: string;
  input: Values;
  columns: Values;
}

export const inputName = (kind: Kind) => `Create${SHAPES[kind].type}Input`;

const ID_KINDS: Record<Kind, IdKind> = {
  game: 'game',
  board: 'board',
  template: 'boardTemplate',
  webhook: 'webhookEndpoint',
};

/** Names of the ids in REST: those of a file are names of records. */
const IDS = new Set([...Object.keys(REFERENCES), ...Object.keys(FILTERS)]);

/** An address that the environment of whoever read the file does not have. */
const UNSET = /^\$\{(\w+)\}$/;

/** Reads the records of a file as inputs and columns, and notes what the service refuses. */
export class WantedRecords {
  readonly #ids = new Map<WantedRecord, string>();
  /** Ids of stored records that a file can name. */
  readonly #known: ReadonlySet<unknown>;
  #webhooks: number;

  constructor(
    private readonly context: Context,
    private readonly rules: PlanRules,
    private readonly accountId: string,
    { games, webhooks }: Stored,
    private readonly matching: Matching,
    private readonly refusals: Refusals,
  ) {
    const records = games.flatMap((game) => [game, ...game.boards, ...game.templates]);
    this.#known = new Set(records.map(({ id }) => id));
    this.#webhooks = webhooks?.count ?? 0;
  }

  idOf(record: WantedRecord): string {
    const known = this.matching.of(record)?.id ?? this.#ids.get(record);
    if (known) return known;
    const made = idOf(ID_KINDS[record.kind], uuid7(this.context.clock()));
    this.#ids.set(record, made);
    return made;
  }

  /** All records in the order of the file, without those that are refused. */
  async planned({ games, webhooks = [] }: WantedFile): Promise<PlannedRecord[]> {
    const planned: PlannedRecord[] = [];
    const below = games.flatMap((game) => [game, ...(game.boards ?? []), ...(game.templates ?? [])]);
    for await (const record of inSlices([...below, ...webhooks])) {
      const bodyOf = () =>
        record.kind === 'webhook' ? this.#webhookBody(record, games) : this.#recordBody(record);
      const one = this.#planned(record, bodyOf);
      if (one) planned.push(one);
    }
    return this.#withSources(planned);
  }

  #planned(wanted: WantedRecord, bodyOf: () => Values): PlannedRecord | undefined {
    const { kind, path, values } = wanted;
    const { inputs } = this.rules;
    const refused = this.refusals.all.length;
    const body = bodyOf();
    if (this.refusals.all.length > refused) return undefined;
    const name = inputName(kind);
    const placed = ({ details = [] }: DomainError) =>
      inputs.placed(name, details).map(({ loc }) => inFile(loc));
    return this.refusals.of(
      path,
      () => {
        const stored = this.matching.of(wanted);
        const input = inputs.read<Values>(name, body);
        if (kind === 'webhook' && values.paused != null)
          input.paused = inputs.read<Values>('UpdateWebhookEndpointInput', { paused: values.paused }).paused;
        const columns = this.#columns(kind, input);
        if (stored) this.#checkChange(stored, columns);
        else this.#checkNew(kind);
        return { wanted, stored, id: this.idOf(wanted), input, columns };
      },
      placed,
    );
  }

  /** A game, board or template as a body of REST, with ids for names. */
  #recordBody(record: WantedRecord): Values {
    const { kind } = record;
    const body = this.#plainBody(record);
    if (kind === 'game') body.default_board_id = this.#reference('default_board', record);
    else body.game_id = this.idOf(record.game!);
    if (kind !== 'board') return body;
    body.created_from_template_id = this.#reference('created_from_template', record);
    const ratio = record.values.ratio_config;
    if (isValues(ratio)) body.ratio_config = this.#ratioBody(ratio, record);
    return body;
  }

  #plainBody({ kind, path, values }: WantedRecord): Values {
    const body: Values = { account_id: this.accountId };
    for (const [field, value] of Object.entries(values)) {
      if (field in SHAPES[kind].leftOut || IDS.has(field)) this.refusals.note([...path, field], UNKNOWN);
      else if (!referenceOf(field)) body[field] = value;
    }
    return body;
  }

  #ratioBody(ratio: Values, record: WantedRecord): Values {
    const fields = Object.entries(ratio).map(([field, value]) => {
      const at = [...record.path, 'ratio_config', field];
      if (IDS.has(field)) this.refusals.note(at, UNKNOWN);
      return referenceOf(field)
        ? [`${field}_id`, this.#named(field, value, at, record.game!)]
        : [field, value];
    });
    return Object.fromEntries(fields);
  }

  /** If the file names none, a stored one stays that no file can name, e.g. a board of a template or of an absent list. */
  #reference(field: 'default_board' | 'created_from_template', record: WantedRecord): string | null {
    const { values, path, game } = record;
    const given = values[field];
    if (given != null) return this.#named(field, given, [...path, field], game!) ?? null;
    const stored = this.matching.of(record)?.columns;
    const present = stored?.[field === 'default_board' ? 'defaultBoardId' : 'createdFromTemplateId'] ?? null;
    const list = referenceOf(field) === 'board' ? game!.boards : game!.templates;
    return list === undefined || !this.#known.has(present) ? (present as string | null) : null;
  }

  /** The id of a record of the game; undefined: none, which is noted. */
  #named(field: string, name: unknown, at: Loc, game: WantedGame): string | undefined {
    const kind = referenceOf(field)!;
    if (typeof name !== 'string') return this.refusals.note(at, 'must be a string') as undefined;
    const records = (kind === 'board' ? game.boards : game.templates) ?? NONE;
    return this.#only(named(records, name), at, `names no ${kind} of this game in the file: "${name}"`);
  }

  #only([found, ...others]: WantedRecord[], at: Loc, none: string): string | undefined {
    if (!found) this.refusals.note(at, none);
    else if (others.length > 0) this.refusals.note(at, `names more than one ${found.kind}. Use the slug`);
    return found && this.idOf(found);
  }

  /** A webhook as a body of REST. What its stored filter has of boards that no file can name stays. */
  #webhookBody(record: WantedRecord, games: readonly WantedGame[]): Values {
    const { path, values } = record;
    const stored = this.matching.of(record);
    const { paused, games: gameNames, boards, ...body } = this.#plainBody(record);
    const kept = ((stored?.columns.boardIds ?? []) as string[]).filter((id) => !this.#known.has(id));
    const gameIds = this.#filter(gameNames, [...path, 'games'], (name, at) => this.#game(name, at, games));
    const boardIds = this.#filter(boards, [...path, 'boards'], (name, at) => this.#board(name, at, games));
    const variable = UNSET.exec(String(values.url))?.[1];
    if (variable && !stored) {
      const fault = `is that of a new webhook: set the environment variable ${variable} to its address`;
      this.refusals.note([...path, 'url'], fault);
    }
    // Without the variable a stored address stays.
    const url = variable
      ? ((stored?.record as WebhookEndpoint | undefined)?.url ?? 'https://unset')
      : body.url;
    return { ...body, url, game_ids: gameIds, board_ids: [...boardIds, ...kept] };
  }

  #filter(given: unknown, path: Loc, idOf: (item: unknown, at: Loc) => string | undefined): string[] {
    if (given == null) return [];
    if (Array.isArray(given)) return given.flatMap((item: unknown, n) => idOf(item, [...path, n]) ?? []);
    this.refusals.note(path, 'must be a list');
    return [];
  }

  #game(name: unknown, at: Loc, games: readonly WantedGame[]): string | undefined {
    return this.#only(named(games, String(name)), at, `names no game of the file: "${name}"`);
  }

  #board(given: unknown, at: Loc, games: readonly WantedGame[]): string | undefined {
    const { game, board, ...others } = isValues(given) ? given : ({} as Values);
    if (typeof game !== 'string' || typeof board !== 'string' || Object.keys(others).length > 0) {
      return this.refusals.note(at, 'must be a game and a board of it, by slug or name') as undefined;
    }
    const [found, ...twins] = named(games, game) as WantedGame[];
    const boards = twins.length === 0 ? named(found?.boards ?? NONE, board) : [];
    return this.#only(
      boards,
      [...at, 'board'],
      `names no board of the game "${game}" in the file: "${board}"`,
    );
  }

  #columns(kind: Kind, input: Values): Values {
    const { limits, endpoints } = this.rules;
    const now = this.context.clock();
    if (kind === 'game') return gameColumns.wanted(input as never as CreateGameInput);
    if (kind === 'board') return boardColumns.wanted(input as never as CreateBoardInput, limits, now);
    if (kind === 'template')
      return templateColumns.wanted(input as never as CreateBoardTemplateInput, limits);
    return endpointColumns.wanted(input as never as CreateWebhookEndpointInput, endpoints);
  }

  /** @throws DomainError FORBIDDEN, BAD_REQUEST */
  #checkNew(kind: Kind): void {
    if (kind === 'board' || kind === 'template') return;
    requireAccount(this.context, ofWhole({ accountId: this.accountId }));
    if (kind !== 'webhook') return;
    refuseFull(this.#webhooks);
    this.#webhooks += 1;
  }

  /** @throws DomainError INVALID_TRANSITION, INVALID_VIEW */
  #checkChange({ kind, record, views = [] }: StoredRecord, columns: Values): void {
    if (kind === 'board') {
      changedRules(record as Board, columns);
      checkSameRules(columns.views as Declaration[], views);
    }
    if (kind === 'template' && isOfSeries(record as BoardTemplate, columns, this.context.clock()))
      columns.nextRunAt = undefined;
  }

  /** Without ratio boards that have no sources. */
  #withSources(planned: PlannedRecord[]): PlannedRecord[] {
    const sources = planned.map(({ id, columns, wanted, stored }) => ({
      id,
      gameId: wanted.game ? this.idOf(wanted.game) : '',
      boardType: (stored?.columns ?? columns).boardType as Board['boardType'],
    }));
    const byId = new Map(sources.map((source) => [source.id, source]));
    return planned.filter(({ columns, wanted }) => {
      const ratio = columns.ratioConfig as RatioConfig | null | undefined;
      if (!ratio) return true;
      const own = [ratio.numeratorBoardId, ratio.denominatorBoardId].flatMap((id) => byId.get(id) ?? []);
      const check = () => refuseSources(this.idOf(wanted.game!), ratio, own) ?? true;
      return this.refusals.of([...wanted.path, 'ratio_config'], check);
    });
  }
}

const NONE: WantedRecord[] = [];
const UNKNOWN = 'is not a known field';

/** The place in the file of a fault in a body. */
function inFile([, ...steps]: Loc): Loc {
  return steps.map((step) => (typeof step === 'string' ? fileName(step) : step));
}

/** True if windows of a template begin at the wanted moment anyway, and one has or is the next. */
function isOfSeries(template: BoardTemplate, columns: Values, now: number): boolean {
  const { repeatInterval, timeZone, nextRunAt } = columns as never as BoardTemplate;
  const wanted = nextRunAt.getTime();
  if (wanted === template.nextRunAt.getTime()) return true;
  const { nextRunAt: next, windowsFrom } = template;
  const window = windowAt({ repeatInterval, timeZone, nextRunAt: next, windowsFrom }, nextRunAt);
  return wanted <= now && window.start.getTime() === wanted;
}
