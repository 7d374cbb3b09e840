import type { Session } from '../session.js';
import { changeableFields, deleteMutation, execute, fileValues, writeInput, writeMutation } from './api.js';
import type { DesiredRecord, FileGame } from './desired.js';
import type { Values } from './fields.js';
import type { Plan, PlannedChange } from './plan.js';
import { isReached, type Target, withIds } from './target.js';

type ApiRecord = Values & { id: string };

interface WriteAnswer {
  answer: { record: ApiRecord };
}

/** Makes the changes of a plan, one after the other. */
export class Application {
  readonly #made = new Map<DesiredRecord, string>();

  constructor(
    private readonly session: Session,
    private readonly account: string,
    private readonly plan: Plan,
  ) {}

  #idOf = (record: DesiredRecord): string | undefined =>
    this.#made.get(record) ?? this.plan.matching.stored(record)?.id;

  /**
   * Makes one change.
   * @returns the record's id
   * @throws ServiceError when the service refuses it: nothing of this change is done, but for a new record whose fields
   * that only an update can set are missing
   */
  async make(change: PlannedChange): Promise<string> {
    const { action, kind, stored, wanted } = change;
    if (action === 'delete') return this.#delete(kind, stored!.id);
    const { record, game, target, write } = wanted!;
    if (action === 'create') return this.#create(record, game, target, write);
    // Rules follow from each other, so the service gets both.
    const rules = kind === 'template' && write.includes('board_type') ? ['keep_strategy'] : [];
    return this.#update(kind, this.#idOf(record)!, this.#values(target, [...write, ...rules]));
  }

  #values(target: Target, fields: Iterable<string>): Values {
    const values = [...fields].map((field) => [field, withIds(target.get(field), this.#idOf)]);
    return Object.fromEntries(values);
  }

  async #create(
    record: DesiredRecord,
    game: FileGame | undefined,
    target: Target,
    write: string[],
  ): Promise<string> {
    const { kind } = record;
    const fields = write.filter((field) => target.get(field) !== null);
    const owner = { accountId: this.account, ...(game && kind !== 'game' && { gameId: this.#idOf(game) }) };
    const input = { ...writeInput('Create', kind, this.#values(target, fields)), ...owner };
    const { answer } = await execute<WriteAnswer>(this.session, writeMutation('Create', kind), { input });
    const { id } = answer.record;
    this.#made.set(record, id);
    // A new record takes some values by itself: an icon where none is wanted.
    const made = fileValues(kind, answer.record);
    const other = changeableFields(kind).filter(
      (field) => write.includes(field) && !isReached(target.get(field), made[field], this.#idOf),
    );
    if (other.length > 0) await this.#update(kind, id, this.#values(target, other));
    return id;
  }

  async #update(kind: PlannedChange['kind'], id: string, values: Values): Promise<string> {
    const input = { id, ...writeInput('Update', kind, values) };
    await execute<WriteAnswer>(this.session, writeMutation('Update', kind), { input });
    return id;
  }

  async #delete(kind: PlannedChange['kind'], id: string): Promise<string> {
    await execute(this.session, deleteMutation(kind), { input: { id } });
    return id;
  }
}
