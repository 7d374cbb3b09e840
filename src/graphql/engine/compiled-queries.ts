import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  valueFromASTUntyped,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context } from '../context.js';
import { AnswerLimit } from './answer-limit.js';
import { type Compiled, compiledForCaller } from './compile.js';
import { jsonCache, OperationParts, PartsRun } from './json-cache.js';
import { partsOf } from './json-parts.js';

/** Compiling costs as much as running a query some dozen times. */
const WORTH_COMPILING = 20;
const MOST_COMPILED = 300;

/** An operation that was validated and found to be within the limits. */
export interface CheckedOperation {
  document: DocumentNode;
  /** Of the document, the same object as long as the document is remembered; undefined: it has no operation of that name. */
  operation: OperationDefinitionNode | undefined;
  operationName: string | null | undefined;
  variables: Record<string, unknown>;
}

/**
 * Variables with the defaults of those that are absent: the same is asked whether they are given or not, and compiled
 * operations miss those of required ones.
 */
export function withDefaults(
  operation: OperationDefinitionNode | null | undefined,
  given: Record<string, unknown>,
): Record<string, unknown> {
  const variables = { ...given };
  for (const { variable, defaultValue } of operation?.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (variables[name] === undefined && defaultValue) variables[name] = valueFromASTUntyped(defaultValue);
  }
  return variables;
}

interface Query {
  compiled: Compiled;
  /** Undefined: nothing of it can be remembered. */
  parts: OperationParts | undefined;
}

/**
 * Runs queries; those that are asked again and again are compiled (graphql-jit), which halves what a page of scores costs. All
 * clients of a game send the same documents. Mutations are not compiled: what they cost is the write.
 */
export class CompiledQueries {
  readonly #memory = jsonCache();
  /** By the data of their results. */
  readonly #runs = new WeakMap<object, PartsRun>();
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();
  /** An empty one is not to be compiled. */
  readonly #compiled = new LRUCache<OperationDefinitionNode, Partial<Query>>({ max: MOST_COMPILED });

  /** @param after how often an operation is run before it is compiled */
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly after = WORTH_COMPILING,
    private readonly limit = new AnswerLimit(Number.POSITIVE_INFINITY),
  ) {}

  async run(checked: CheckedOperation, contextValue: Context): Promise<ExecutionResult> {
    const { document, operation, operationName, variables } = checked;
    const query =
      operation?.operation === OperationTypeNode.QUERY ? this.#queryOf(checked, operation) : undefined;
    if (query?.compiled) {
      const run = query.parts && new PartsRun(query.parts);
      const result = await query.compiled(run, contextValue, withDefaults(operation, variables));
      // What fails is told by the standard's own library, word for word: a query changes nothing, so it may run again.
      if (!result.errors) {
        if (run && result.data) this.#runs.set(result.data, run);
        return result;
      }
    }
    return execute({
      schema: this.schema,
      document,
      contextValue,
      variableValues: variables,
      operationName,
    });
  }

  /**
   * @param result what was made of a run's, with the same data
   * @throws DomainError BAD_REQUEST when its body would be too large
   */
  checkSize(result: FormattedExecutionResult): void {
    const run = result.data && this.#runs.get(result.data);
    this.limit.check(result, run?.remembered);
  }

  /**
   * An answer's body, which ends with a line break as Apollo's own do.
   * @param result what was made of a run's, with the same data
   */
  print(result: FormattedExecutionResult): Buffer | string {
    const run = result.data && this.#runs.get(result.data);
    return run ? run.print(result) : `${JSON.stringify(result)}\n`;
  }

  #queryOf(checked: CheckedOperation, operation: OperationDefinitionNode): Partial<Query> | undefined {
    const known = this.#compiled.get(operation);
    if (known) return known;
    const uses = (this.#uses.get(operation) ?? 0) + 1;
    this.#uses.set(operation, uses);
    if (uses <= this.after) return undefined;
    const query = this.#compile(checked, operation);
    this.#compiled.set(operation, query);
    return query;
  }

  #compile(
    { document, operationName }: CheckedOperation,
    operation: OperationDefinitionNode,
  ): Partial<Query> {
    const compiled = compiledForCaller(this.schema, document, operationName);
    if (!compiled) return {};
    const paths = partsOf(this.schema, document, operation);
    return { compiled, parts: paths.size > 0 ? new OperationParts(paths, this.#memory) : undefined };
  }
}
