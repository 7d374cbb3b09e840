import { isRecord } from './file-table.js';

/** Objects below this depth have no columns of their own; a column that the user names is read at any depth. */
const DEEPEST = 4;
/** Columns inside objects that a file may have: free-form objects have thousands. */
const MOST_NESTED = 200;
/** Objects that are imported as they are. */
const WHOLE = new Set(['metadata', 'tags', 'player_tags']);

/** The value of a column: a member, or one inside objects and lists, named with dots (`player.id`, `scores.0`). */
export function valueAt(values: Record<string, unknown>, column: string): unknown {
  if (Object.hasOwn(values, column)) return values[column];
  for (let dot = column.indexOf('.'); dot > 0; dot = column.indexOf('.', dot + 1)) {
    const inner = values[column.slice(0, dot)];
    if (typeof inner === 'object' && inner !== null)
      return valueAt(inner as Record<string, unknown>, column.slice(dot + 1));
  }
  return undefined;
}

/** The columns of lines that each name their own; those inside objects are named with dots. */
export class SeenColumns {
  readonly #seen = new Set<string>();
  #nested = 0;

  /** @param named columns that the user names */
  constructor(private readonly named: readonly string[]) {}

  get all(): string[] {
    return [...this.#seen];
  }

  /** @returns true if the line has further columns */
  take(values: Record<string, unknown>): boolean {
    const before = this.#seen.size;
    this.#takeMembers(values, '', 1);
    for (const name of this.named) if (valueAt(values, name) !== undefined) this.#seen.add(name);
    return this.#seen.size > before;
  }

  #takeMembers(values: Record<string, unknown>, path: string, depth: number): void {
    for (const [name, value] of Object.entries(values)) {
      const column = path + name;
      const isParent = isRecord(value) && depth < DEEPEST && !WHOLE.has(column);
      if (isParent) this.#takeMembers(value, `${column}.`, depth + 1);
      else if (path === '') this.#seen.add(column);
      else if (this.#nested < MOST_NESTED && !this.#seen.has(column)) {
        this.#seen.add(column);
        this.#nested += 1;
      }
    }
  }
}
