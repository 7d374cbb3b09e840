import type {
  DocumentNode,
  ExecutionResult,
  FormattedExecutionResult,
  GraphQLSchema,
  OperationDefinitionNode,
} from 'graphql';

import { LRUCache } from 'lru-cache';

import type { Context } from '../context.js';
import { checkOperation } from './check.js';
import type { CompiledQueries } from './compiled-queries.js';
import { type Cost, type Limits, refuseTooMuch } from './cost.js';

/** How often an operation is asked for before it is known by its text. */
const WORTH_KNOWING = 20;
/** Of all texts together; what is made of them by parsing takes some hundred times as much. */
const MOST_CHARACTERS = 300_000;

interface Known {
  document: DocumentNode;
  operation: OperationDefinitionNode;
}

/** A request's body, checked for its shape. */
export interface GraphqlBody {
  query?: string;
  operationName?: string | null;
  variables?: Record<string, unknown> | null;
}

/** No name holds a colon. An empty name is one that no operation has. */
function keyOf(source: string, operationName: string | null | undefined): string {
  return `${operationName ?? ''}:${source}`;
}

/**
 * Operations that Apollo has parsed and found valid again and again: all clients of a game send the same few. They are checked,
 * executed and printed here; going through Apollo costs as much as all that. Whatever is not answered with data alone is told by
 * Apollo, word for word: new documents, faults of variables, errors of resolvers.
 */
export class KnownOperations {
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();
  readonly #known = new LRUCache<string, Known>({
    maxSize: MOST_CHARACTERS,
    sizeCalculation: (_, key) => key.length,
  });
  /** What was executed here and is to be told by Apollo, by the variables of its request. */
  readonly #executed = new WeakMap<object, Promise<ExecutionResult>>();

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly queries: CompiledQueries,
    private readonly limits: Limits,
    private readonly after = WORTH_KNOWING,
  ) {}

  /** An operation that is valid and no subscription. */
  used(source: string, operationName: string | null | undefined, known: Known): void {
    const uses = (this.#uses.get(known.operation) ?? 0) + 1;
    this.#uses.set(known.operation, uses);
    const key = keyOf(source, operationName);
    if (uses <= this.after || this.#known.has(key)) return;
    this.#known.set(key, known);
  }

  /** @returns JSON of the answer; undefined: Apollo's turn */
  async answer(body: GraphqlBody, context: Context): Promise<Buffer | string | undefined> {
    const { query: source, operationName } = body;
    const known = source && operationName !== '' && this.#known.get(keyOf(source, operationName));
    if (!known) return undefined;
    body.variables ??= {};
    const { variables } = body;
    const cost = this.#costOf(source, known, variables);
    if (!cost) return undefined;
    const executing = this.queries.run({ ...known, operationName, variables }, context);
    const result = await executing.catch(() => undefined);
    if (result && !result.errors) {
      const shown = { data: result.data as Record<string, unknown>, extensions: { cost } };
      if (this.#fits(shown)) return this.queries.print(shown);
    }
    this.#executed.set(variables, executing);
    return undefined;
  }

  /** What came of an operation that was executed before Apollo was asked: a mutation must not run twice. */
  executed(variables: object | undefined): Promise<ExecutionResult> | undefined {
    return variables && this.#executed.get(variables);
  }

  #fits(result: FormattedExecutionResult): boolean {
    try {
      this.queries.checkSize(result);
      return true;
    } catch {
      return false;
    }
  }

  /** @returns undefined where the operation is refused */
  #costOf(
    source: string,
    { document, operation }: Known,
    variables: Record<string, unknown>,
  ): Cost | undefined {
    try {
      const weight = checkOperation(this.schema, document, operation, source, variables);
      refuseTooMuch(weight, this.limits);
      return { requested: weight.cost, limit: this.limits.cost };
    } catch {
      return undefined;
    }
  }
}
