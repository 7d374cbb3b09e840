import { LRUCache } from 'lru-cache';
import { type Compiled, compiledForCaller } from '../engine/compile.js';
import { type LiveOperation, type LiveResult, showTo } from './operation.js';
import { type PlainText, plainTextOf } from './plain-text.js';

/** Compiling costs as much as showing a state a hundred times; then it is a tenth. */
const WORTH_COMPILING = 100;
const REMEMBERED = 500;

interface Known {
  shown: number;
  /** Null: it is not to be compiled. */
  query?: Compiled | null;
  /** Null: it cannot be written as it is. */
  text?: PlainText | null;
}

/** Plain operations (see `isPlain`) by their text: all clients of a game send the same, and it is compiled once for them. */
export class CompiledOperations {
  readonly #known = new LRUCache<string, Known>({ max: REMEMBERED });

  /** @returns what shows states of the operation, as long as it is watched */
  showing(operation: LiveOperation): (root: object) => LiveResult | Promise<LiveResult> {
    const known = this.#of(operation);
    const { schema, document, operationName, variables } = operation;
    return (root) => {
      known.shown += 1;
      if (known.query === undefined && known.shown > WORTH_COMPILING) {
        known.query = compiledForCaller(schema, document, operationName);
      }
      if (!known.query) return showTo(undefined, operation, root);
      return known.query(root, undefined, variables) as LiveResult | Promise<LiveResult>;
    };
  }

  /** @returns what writes states of the operation without making results of them; undefined: they are to be shown */
  writing(operation: LiveOperation): PlainText | undefined {
    const known = this.#of(operation);
    if (known.text === undefined) known.text = plainTextOf(operation) ?? null;
    return known.text ?? undefined;
  }

  #of({ operationName, source }: LiveOperation): Known {
    const key = `${operationName ?? ''}\n${source}`;
    const known = this.#known.get(key);
    if (known) return known;
    const made = { shown: 0 };
    this.#known.set(key, made);
    return made;
  }
}
