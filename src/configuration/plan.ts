import { isDeepStrictEqual } from 'node:util';
import type pg from 'pg';
import { type Loc, violated } from '../base/errors.js';
import { uuidOf } from '../base/ids.js';
import { Board } from '../boards/board/board.js';
import { storedTies, type TiePolicy } from '../boards/board/tie-policy.js';
import { Game } from '../games/game.js';
import type { Context } from '../graphql/context.js';
import { ownAddress } from '../rankings/address.js';
import { entryCounts } from '../rankings/read.js';
import { inOrder, type Kind, type Values } from './fields.js';
import { readFile, refuseTwins } from './file.js';
import { Matching, type Unnamed } from './match.js';
import { type Refusal, Refusals } from './refusals.js';
import { fieldOf, Shown } from './shown.js';
import { digestOf, readStored, type Stored } from './stored.js';
import { type PlannedRecord, type PlanRules, WantedRecords } from './wanted.js';

type ChangeAction = 'create' | 'update' | 'delete';

/** One write of a plan. */
export interface PlannedChange {
  action: ChangeAction;
  kind: Kind;
  /** Its name, after that of its game. */
  name: string;
  /** Of the record; one that stands for it if it is new. */
  recordId: string;
  isNew: boolean;
  /** Its place in the file; null for deletions. */
  path: Loc | null;
  /** Values by the file's names: those that the change sets. */
  before: Values | null;
  after: Values | null;
  /** Scores that are ranked again, or deleted. */
  scoreCount: number | null;
  /** Boards that are deleted with their game. */
  boardCount: number | null;
  /** For the write: input of a new record or of a change, with ids that stand for new records. */
  input: Values;
}

export interface Plan {
  digest: string;
  changes: PlannedChange[];
  /** What the file does not name. */
  unnamed: Pick<PlannedChange, 'kind' | 'name' | 'recordId'>[];
  refusals: Refusal[];
  notes: string[];
}

export interface PlanRequest {
  accountId: string;
  file: object;
  prune?: boolean | null;
}

/**
 * Computes what makes an account's configuration that of a file.
 * @throws DomainError BODY_TOO_LARGE, VALIDATION_FAILED, NOT_FOUND, FORBIDDEN, BAD_REQUEST (too many records)
 */
export async function planConfiguration(
  context: Context,
  rules: PlanRules,
  { accountId, file, prune }: PlanRequest,
): Promise<Plan> {
  const refusals = new Refusals();
  const wanted = readFile(file, refusals);
  refuseTwins(wanted, refusals);
  const stored = await readStored(context, accountId, wanted.webhooks !== undefined);
  const matching = new Matching(wanted, stored, refusals);
  const reader = new WantedRecords(context, rules, accountId, stored, matching, refusals);
  const records = await reader.planned(wanted);
  await refuseTaken(context, records, refusals);
  const names = namesOf(stored);
  for (const { id, wanted } of records) if (!names.has(id)) names.set(id, wanted.slug ?? wanted.name);
  const shown = new Shown(rules.inputs, (id) => names.get(id) ?? id);
  const unnamed = matching.unnamed.toSorted((a, b) => ORDER[a.record.kind] - ORDER[b.record.kind]);
  return {
    digest: digestOf(stored, context.clock()),
    changes: [...new Planner(records, shown).changes(), ...(prune ? unnamed.map(deletion) : [])],
    unnamed: unnamed.map(({ record, game }) => ({
      kind: record.kind,
      name: labelOf(game, record),
      recordId: record.id,
    })),
    refusals: refusals.all,
    notes: stored.notes,
  };
}

/** Adds the number of scores that are ranked again or deleted. */
export async function countScores(pool: pg.Pool, changes: readonly PlannedChange[]): Promise<void> {
  const concerned = changes.filter(concernsScores);
  const rankings = concerned.map(({ recordId }) => ({ ranking: ownAddress(recordId), isTest: false }));
  const counts = concerned.length > 0 ? await entryCounts(pool, rankings) : [];
  for (const [n, change] of concerned.entries()) change.scoreCount = counts[n]!;
}

function concernsScores({ kind, action, before, after }: PlannedChange): boolean {
  if (kind !== 'board' || action === 'create') return false;
  if (action === 'delete') return true;
  const ties = (values: Values | null) => storedTies((values?.tie_policy ?? 'earliest') as TiePolicy);
  const names = Object.keys(after ?? {});
  return (
    ['sort_direction', 'keep_strategy', 'ratio_config'].some((name) => names.includes(name)) ||
    ties(before) !== ties(after)
  );
}

/** Slugs and codes that records of other accounts, or others of this one, have. */
async function refuseTaken(
  { db }: Context,
  records: readonly PlannedRecord[],
  refusals: Refusals,
): Promise<void> {
  const slugs = records.filter(
    ({ wanted, stored }) => wanted.kind === 'game' && !stored && wanted.slug !== undefined,
  );
  const codes = records.filter(({ columns, stored }) => {
    const code = columns.shortCode;
    return code !== undefined && code !== stored?.columns.shortCode;
  });
  if (slugs.length > 0) {
    const games = await Game.query(db)
      .whereIn(
        'slug',
        slugs.map(({ wanted }) => wanted.slug!),
      )
      .whereNull('deleted_at');
    const taken = new Set(games.map(({ slug }) => slug));
    const { message, code } = violated('games_slug_key');
    for (const { wanted } of slugs)
      if (taken.has(wanted.slug!)) refusals.note([...wanted.path, 'slug'], message, code);
  }
  if (codes.length > 0) {
    const ids = records.filter(({ stored }) => stored?.kind === 'board').map(({ id }) => uuidOf(id));
    const boards = await Board.query(db)
      .whereIn(
        'short_code',
        codes.map(({ columns }) => columns.shortCode as string),
      )
      .whereNull('deleted_at')
      // One of the file may give up its code.
      .whereNotIn('id', ids);
    const taken = new Set<unknown>(boards.map(({ shortCode }) => shortCode));
    const { message, code } = violated('boards_short_code_key');
    for (const { wanted, columns } of codes)
      if (taken.has(columns.shortCode)) refusals.note([...wanted.path, 'short_code'], message, code);
  }
}

function labelOf(game: { name: string } | undefined, { kind, name }: { kind: Kind; name: string }): string {
  return !game || kind === 'game' ? name : `${game.name} / ${name}`;
}

/** Boards and templates are deleted before their game. */
const ORDER: Record<Kind, number> = { webhook: 0, board: 1, template: 2, game: 3 };

class Planner {
  constructor(
    private readonly records: readonly PlannedRecord[],
    private readonly shown: Shown,
  ) {}

  /** In the order in which they can be made; deletions follow. */
  changes(): PlannedChange[] {
    const of = (kind: Kind) => this.records.filter(({ wanted }) => wanted.kind === kind);
    const [games, boards] = [of('game'), of('board')];
    const isRatio = ({ columns }: PlannedRecord) => columns.boardType === 'ratio';
    const writes = (records: PlannedRecord[]) =>
      records.flatMap((record) => (record.stored ? this.#update(record) : this.#create(record)));
    const notDefault = (column: string) => column !== 'defaultBoardId';
    return [
      // A new game may have the name that another one gives up.
      ...games.filter(({ stored }) => stored).flatMap((game) => this.#update(game, notDefault)),
      ...games.filter(({ stored }) => !stored).flatMap((game) => this.#create(game)),
      ...writes(of('template')),
      ...writes(boards.filter((board) => !isRatio(board))),
      ...writes(boards.filter(isRatio)),
      ...games.flatMap((game) => this.#update(game, (column) => !notDefault(column))),
      ...writes(of('webhook')),
    ];
  }

  #change(
    action: ChangeAction,
    { wanted, id, stored }: PlannedRecord,
  ): Omit<PlannedChange, 'before' | 'after' | 'input'> {
    const { kind, path, game } = wanted;
    const about = { action, kind, name: labelOf(game, wanted), recordId: id, isNew: !stored, path };
    return { ...about, scoreCount: null, boardCount: null };
  }

  /** A game's default board does not exist yet. */
  #create(record: PlannedRecord): PlannedChange[] {
    const { wanted, columns, input } = record;
    const { defaultBoardId, ...written } = input;
    const known = new Map(Object.keys(columns).map((column) => [fieldOf(column), column]));
    const given = inOrder(Object.keys(wanted.values)).filter(
      (field) => field !== 'name' && field !== 'default_board' && wanted.values[field] != null,
    );
    const after = given.map((field) => {
      const column = known.get(field);
      const value = column === undefined ? undefined : columns[column];
      return [
        field,
        value === undefined ? wanted.values[field] : this.shown.planned(wanted.kind, column!, value, true),
      ];
    });
    const values = { before: null, after: Object.fromEntries(after) as Values, input: written };
    return [{ ...this.#change('create', record), ...values }];
  }

  /** @param fits the columns that the change may set */
  #update(record: PlannedRecord, fits: (column: string) => boolean = () => true): PlannedChange[] {
    const { wanted, stored, columns, input } = record;
    const { kind } = wanted;
    const present: Values = stored?.columns ?? { defaultBoardId: null };
    const names = Object.keys(columns).filter(
      (column) =>
        fits(column) &&
        columns[column] !== undefined &&
        // The type of a board follows from its strategy.
        !(kind === 'board' && column === 'boardType') &&
        !isDeepStrictEqual(columns[column], present[column]),
    );
    if (names.length === 0) return [];
    const byField = new Map(names.map((column) => [fieldOf(column), column]));
    const values = (from: Values) =>
      Object.fromEntries(
        inOrder([...byField.keys()]).map((field) => {
          const column = byField.get(field)!;
          return [field, this.shown.planned(kind, column, from[column], false)];
        }),
      );
    // Rules follow from each other, so the service gets both.
    const written = kind === 'template' && names.includes('boardType') ? [...names, 'keepStrategy'] : names;
    return [
      {
        ...this.#change('update', record),
        before: values(present),
        after: values(columns),
        input: Object.fromEntries(written.map((column) => givenFor(column, input, columns))),
      },
    ];
  }
}

/** What an input says for a column; a default where it says nothing. */
function givenFor(column: string, input: Values, columns: Values): [string, unknown] {
  if (column === 'antiCheatSettings') return ['antiCheatObject', columns[column]];
  return [column, column === 'ratioConfig' ? columns[column] : (input[column] ?? columns[column])];
}

/** What plans say for stored records. */
function namesOf({ games }: Stored): Map<string, string> {
  const names = new Map<string, string>();
  for (const { id, name, boards, templates } of games) {
    names.set(id, name);
    for (const board of boards) names.set(board.id, board.slug!);
    for (const template of templates) names.set(template.id, template.name);
  }
  return names;
}

function deletion({ record, game }: Unnamed): PlannedChange {
  const { kind, id } = record;
  const boardCount = game && kind === 'game' ? game.boards.length : null;
  const about = { action: 'delete' as const, kind, name: labelOf(game, record), recordId: id, isNew: false };
  return {
    ...about,
    path: null,
    before: null,
    after: null,
    scoreCount: null,
    boardCount,
    input: { deleted: true },
  };
}
