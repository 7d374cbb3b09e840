import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { type LiveOperation, type LiveResult, showTo } from './operation.js';

/** Compiling costs as much as showing a state a hundred times; then it is a tenth. */
const WORTH_COMPILING = 100;
const REMEMBERED = 500;

interface Known {
  shown: number;
  /** Null: it cannot be compiled. */
  query?: CompiledQuery['query'] | null;
}

/** Plain operations (see `isPlain`) by their text: all clients of a game send the same, and it is compiled once for them. */
export class CompiledOperations {
  readonly #known = new Map<string, Known>();

  /** @returns what shows states of the operation, as long as it is watched */
  showing(operation: LiveOperation): (root: object) => LiveResult | Promise<LiveResult> {
    const known = this.#of(operation);
    const { variables } = operation;
    return (root) => {
      known.shown += 1;
      if (known.query === undefined && known.shown > WORTH_COMPILING) known.query = compiled(operation);
      if (!known.query) return showTo(undefined, operation, root);
      return known.query(root, undefined, variables) as LiveResult | Promise<LiveResult>;
    };
  }

  #of({ operationName, source }: LiveOperation): Known {
    const key = `${operationName ?? ''}\n${source}`;
    const known = this.#known.get(key);
    if (known) return known;
    const made = { shown: 0 };
    if (this.#known.size >= REMEMBERED) this.#known.clear();
    this.#known.set(key, made);
    return made;
  }
}

function compiled({ schema, document, operationName }: LiveOperation): CompiledQuery['query'] | null {
  const made = compileQuery(schema, document, operationName ?? undefined, { customJSONSerializer: false });
  return isCompiledQuery(made) ? made.query : null;
}
