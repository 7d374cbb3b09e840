import { isDeepStrictEqual } from 'node:util';
import type { Session } from '../session.js';
import { maskedValue, variableOf } from './address.js';
import { changeableFields } from './api.js';
import { rulesOf } from './check.js';
import type { DesiredRecord, FileContent, FileGame } from './desired.js';
import { inOrder, type Kind, type Values } from './fields.js';
import type { YamlFile } from './file.js';
import { Matching } from './match.js';
import { entriesOf, type StoredAccount, type StoredGame, type StoredRecord } from './stored.js';
import { isReached, namedValue, type Target, Targets } from './target.js';

/** A field that a change sets, with values for people; one member of it where it is an object. */
interface FieldChange {
  /** Its name in the file: `unit`, `ratio_config.scale`. */
  field: string;
  /** Undefined: of a new record. */
  from?: unknown;
  to: unknown;
}

/** One write of `apply`. */
export interface PlannedChange {
  action: 'create' | 'update' | 'delete';
  kind: Kind;
  /** Its name, after that of its game. */
  label: string;
  fields: FieldChange[];
  /** Scores that are re-ranked, or removed with their board. */
  entries?: number;
  /** Boards that leave with their game. */
  boards?: number;
  /** The record of the file, the values it requires, and the fields to write; undefined for a deletion. */
  wanted?: { record: DesiredRecord; game: FileGame | undefined; target: Target; write: string[] };
  stored?: StoredRecord;
}

/** The way from what is stored to what the file says. */
export interface Plan {
  changes: PlannedChange[];
  /** Records that the file does not name, by kind and label. */
  unnamed: { kind: Kind; label: string }[];
  matching: Matching;
}

const RANKS_ANEW = ['sort_direction', 'keep_strategy', 'ratio_config'];

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The members of a field that differ, or the field itself. */
function memberChanges(field: string, from: unknown, to: unknown): FieldChange[] {
  if (!isObject(to) || !(isObject(from) || from == null)) return [{ field, from, to }];
  const members = new Set([...Object.keys(from ?? {}), ...Object.keys(to)]);
  const changes = [...members].map((member) => ({
    field: `${field}.${member}`,
    from: from?.[member],
    to: to[member],
  }));
  return changes.filter((change) => !isDeepStrictEqual(change.from, change.to));
}

function labelOf(game: { name: string } | undefined, record: { kind: Kind; name: string }): string {
  return !game || record.kind === 'game' ? record.name : `${game.name} / ${record.name}`;
}

/** Computes the changes from a checked file. */
class Planner {
  readonly #matching: Matching;
  readonly #targets: Targets;
  readonly #names = new Map<string, string>();
  readonly #games: FileGame[];
  readonly #webhooks: DesiredRecord[];

  constructor(
    private readonly file: YamlFile,
    { games, webhooks }: FileContent,
    account: StoredAccount,
    now: number,
  ) {
    this.#games = games;
    this.#webhooks = webhooks ?? [];
    this.#matching = new Matching(file, games, account, webhooks);
    for (const { id, name, boards, templates } of account.games) {
      this.#names.set(id, name);
      for (const board of boards) this.#names.set(board.id, String(board.values.slug));
      for (const template of templates) this.#names.set(template.id, template.name);
    }
    this.#targets = new Targets(new Set(this.#names.keys()), now, games, account.otherBoards);
  }

  plan(prune: boolean): Plan {
    const news = this.#games.filter((game) => !this.#matching.stored(game));
    const below = (kind: 'boards' | 'templates', fits: (record: DesiredRecord) => boolean = () => true) =>
      this.#games.flatMap((game) =>
        (game[kind] ?? []).filter(fits).flatMap((record) => this.#writes(record, game)),
      );
    const isRatio = ({ values }: DesiredRecord) => values.board_type === 'ratio';
    const changes = [
      // A new game may have the name that another one gives up.
      ...this.#games.flatMap((game) => this.#update(game, game, (field) => field !== 'default_board')),
      ...news.flatMap((game) => this.#create(game, game)),
      ...below('templates'),
      ...below('boards', (board) => !isRatio(board)),
      ...below('boards', isRatio),
      ...this.#games.flatMap((game) => this.#update(game, game, (field) => field === 'default_board')),
      ...this.#webhooks.flatMap((webhook) => this.#writes(webhook, undefined)),
    ];
    const unnamed = this.#matching.unnamed.toSorted((a, b) => ORDER[a.record.kind] - ORDER[b.record.kind]);
    if (prune) changes.push(...unnamed.map(({ record, game }) => deletion(record, game)));
    return {
      changes,
      unnamed: unnamed.map(({ record, game }) => ({ kind: record.kind, label: labelOf(game, record) })),
      matching: this.#matching,
    };
  }

  #writes(record: DesiredRecord, game: FileGame | undefined): PlannedChange[] {
    return this.#matching.stored(record) ? this.#update(record, game) : this.#create(record, game);
  }

  #nameOf = (record: DesiredRecord | string): unknown => {
    const id = typeof record === 'string' ? record : this.#matching.stored(record)?.id;
    if (id !== undefined) return this.#names.get(id) ?? id;
    const { values, name } = record as DesiredRecord;
    return values.slug ?? name;
  };

  #show = (field: string, value: unknown): unknown => namedValue(maskedValue(field, value), this.#nameOf);

  /** A new record gets all values when created; only a game's default board does not exist yet. */
  #create(record: DesiredRecord, game: FileGame | undefined): PlannedChange[] {
    const target = this.#targets.of(record, game, undefined);
    this.#refuseUnset(record, target);
    const write = inOrder([...target.keys()].filter((field) => field !== 'default_board'));
    const given = write.filter((field) => field !== 'name' && record.values[field] != null);
    const fields = given.flatMap((field) => {
      const members = isObject(record.values[field]) ? Object.keys(record.values[field]) : [];
      const changes = memberChanges(field, undefined, this.#show(field, target.get(field)));
      return changes.filter(
        (change) => change.field === field || members.some((m) => change.field === `${field}.${m}`),
      );
    });
    const wanted = { record, game, target, write };
    return [{ action: 'create', kind: record.kind, label: labelOf(game, record), fields, wanted }];
  }

  /** @param fits the fields that the change may set */
  #update(
    record: DesiredRecord,
    game: FileGame | undefined,
    fits: (field: string) => boolean = () => true,
  ): PlannedChange[] {
    const stored = this.#matching.stored(record);
    const target = this.#targets.of(record, game, stored);
    const idOf = (other: DesiredRecord) => this.#matching.stored(other)?.id;
    const values = stored?.values ?? {};
    // A new record gets all others when created.
    const fields = inOrder([...target.keys()]).filter((field) => stored || field === 'default_board');
    const differing = fields.filter(
      (field) => fits(field) && !isReached(target.get(field), values[field], idOf),
    );
    if (stored) this.#refuseFixed(record, stored, differing);
    const write = differing.filter((field) => record.kind !== 'board' || field !== 'board_type');
    if (write.length === 0) return [];
    const change: PlannedChange = {
      action: 'update',
      kind: record.kind,
      label: labelOf(game, record),
      fields: write.flatMap((field) =>
        memberChanges(field, this.#show(field, values[field] ?? null), this.#show(field, target.get(field))),
      ),
      wanted: { record, game, target, write },
    };
    return [stored ? { ...change, stored } : change];
  }

  /** A stored webhook keeps its address where the variable is not set; a new one has none. */
  #refuseUnset({ kind, way, values }: DesiredRecord, target: Target): void {
    if (kind !== 'webhook' || target.get('url') !== undefined) return;
    const message = `the webhook is new: set the environment variable ${variableOf(values.url)} to its address`;
    this.file.fault([...way, 'url'], message);
  }

  /** Notes a fault for each field that must stay as it is. */
  #refuseFixed(record: DesiredRecord, { values }: StoredRecord, differing: string[]): void {
    const { kind, way } = record;
    const changeable = changeableFields(kind);
    const isRun = (type: unknown) => String(type).startsWith('run_');
    const typeStays = kind !== 'board' || (isRun(values.board_type) && isRun(rulesOf(record).board_type));
    for (const field of differing) {
      if (changeable.includes(field) && (field !== 'board_type' || typeStays)) continue;
      this.file.fault([...way, field], `${field} of a ${kind} cannot be changed. It is ${values[field]}`);
    }
  }
}

/** Boards and templates are deleted before their game. */
const ORDER: Record<Kind, number> = { webhook: 0, board: 1, template: 2, game: 3 };

function deletion(record: StoredRecord, game?: StoredGame): PlannedChange {
  const boards = game && record.kind === 'game' ? { boards: game.boards.length } : {};
  return {
    action: 'delete',
    kind: record.kind,
    label: labelOf(game, record),
    fields: [],
    stored: record,
    ...boards,
  };
}

function concernsEntries({ action, kind, wanted }: PlannedChange): boolean {
  if (kind !== 'board' || action === 'create') return false;
  return action === 'delete' || wanted!.write.some((field) => RANKS_ANEW.includes(field));
}

/** @throws FileError when a record of the file cannot become what it says */
export async function makePlan(
  session: Session,
  file: YamlFile,
  content: FileContent,
  account: StoredAccount,
  prune: boolean,
): Promise<Plan> {
  const plan = new Planner(file, content, account, Date.now()).plan(prune);
  file.refuseFaults();
  for (const change of plan.changes) {
    if (concernsEntries(change)) change.entries = await entriesOf(session, change.stored!.id);
  }
  return plan;
}
