import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  type OperationDefinitionNode,
  OperationTypeNode,
  valueFromASTUntyped,
} from 'graphql';
import { type Compiled, compiledForCaller } from './compilation.js';
import type { Context } from './context.js';

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

/**
 * Runs queries; those that are asked again and again are compiled (graphql-jit), which halves what a page of scores costs. All
 * clients of a game send the same documents. Mutations are not compiled: what they cost is the write.
 */
export class CompiledQueries {
  readonly #uses = new WeakMap<OperationDefinitionNode, number>();
  /** Null: it is not to be compiled. The one that was not used for the longest time stands first. */
  readonly #compiled = new Map<OperationDefinitionNode, Compiled | null>();

  /** @param after how often an operation is run before it is compiled */
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly after = WORTH_COMPILING,
  ) {}

  async run(checked: CheckedOperation, contextValue: Context): Promise<ExecutionResult> {
    const { document, operation, operationName, variables } = checked;
    const query = operation?.operation === OperationTypeNode.QUERY && this.#queryOf(checked, operation);
    if (query) {
      const result = await query(undefined, contextValue, withDefaults(operation, variables));
      // What fails is told by the standard's own library, word for word: a query changes nothing, so it may run again.
      if (!result.errors) return result;
    }
    return execute({
      schema: this.schema,
      document,
      contextValue,
      variableValues: variables,
      operationName,
    });
  }

  #queryOf(
    { document, operationName }: CheckedOperation,
    operation: OperationDefinitionNode,
  ): Compiled | null {
    let query = this.#compiled.get(operation);
    if (query === undefined) {
      const uses = (this.#uses.get(operation) ?? 0) + 1;
      this.#uses.set(operation, uses);
      if (uses <= this.after) return null;
      query = compiledForCaller(this.schema, document, operationName);
    }
    this.#compiled.delete(operation);
    this.#compiled.set(operation, query);
    for (const oldest of this.#compiled.keys()) {
      if (this.#compiled.size <= MOST_COMPILED) break;
      this.#compiled.delete(oldest);
      this.#uses.delete(oldest);
    }
    return query;
  }
}
