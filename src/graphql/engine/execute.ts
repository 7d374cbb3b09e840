import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  subscribe,
  valueFromASTUntyped,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { DomainError } from '../../base/errors.js';
import { isTracing, withSpan } from '../../base/tracing.js';
import type { Context } from '../context.js';
import { checkOperation } from './check.js';
import { type Compiled, compile, isFitToCompile } from './compile.js';
import { type Cost, LIMITS, type Limits, refuseTooMuch } from './cost.js';
import { completedVariables } from './input-defaults.js';
import { jsonCache, OperationParts, PartsRun } from './json-cache.js';
import { partsOf } from './json-parts.js';

/** Compiling costs as much as running a query some dozen times. */
const WORTH_COMPILING = 20;
const MOST_COMPILED = 300;
/** Fields in the name of an operation's span. */
const MOST_NAMED = 5;

export type Variables = Record<string, unknown>;

type ExecutionOutcome = ExecutionResult | Promise<ExecutionResult>;

interface EngineOptions {
  limits?: Limits | undefined;
  /** Runs of an operation before it is compiled. */
  compileAfter?: number | undefined;
  /**
   * True if all documents are the service's own: they are compiled on first use, mutations included, and a result with
   * errors is returned as it is. Callers' mutations are not compiled, since a write costs far more; graphql-js words
   * the errors of callers' operations.
   */
  own?: boolean;
}

/**
 * Returns the variables with the defaults of absent ones: explicit and default values give the same key, and compiled
 * operations ignore the defaults of required variables.
 */
export function withDefaults(operation: OperationDefinitionNode | undefined, sent: Variables): Variables {
  const variables = { ...sent };
  for (const { variable, defaultValue } of operation?.variableDefinitions ?? []) {
    const name = variable.name.value;
    if (variables[name] === undefined && defaultValue) variables[name] = valueFromASTUntyped(defaultValue);
  }
  return variables;
}

interface CompiledQuery {
  /** Undefined: not to be compiled. */
  run?: Compiled | undefined;
  /** Undefined: no part of its JSON can be cached. */
  parts?: OperationParts | undefined;
}

/** Executes the operations of one schema. */
export class Engine {
  readonly limits: Limits;
  readonly own: boolean;
  readonly #after: number;
  readonly #json = jsonCache();
  readonly #compiled = new LRUCache<Prepared, CompiledQuery>({ max: MOST_COMPILED });

  constructor(
    readonly schema: GraphQLSchema,
    { limits = LIMITS, own = false, compileAfter = own ? 0 : WORTH_COMPILING }: EngineOptions = {},
  ) {
    this.limits = limits;
    this.own = own;
    this.#after = compileAfter;
  }

  /** @param document a valid document */
  prepare(document: DocumentNode, operationName?: string | null): Prepared {
    return new Prepared(this, document, operationName);
  }

  /** Returns the compiled operation if it has run often enough to be worth compiling. */
  compiled(prepared: Prepared): CompiledQuery | undefined {
    const cached = this.#compiled.get(prepared);
    if (cached || prepared.runs < this.#after) return cached;
    const query = this.#compile(prepared);
    this.#compiled.set(prepared, query);
    return query;
  }

  #compile({ document, operationName, operation }: Prepared): CompiledQuery {
    if (!operation) return {};
    const isMutation = operation.operation === OperationTypeNode.MUTATION;
    if (!this.own && (isMutation || !isFitToCompile(document, operationName))) return {};
    const paths = isMutation ? new Set<string>() : partsOf(this.schema, document, operation);
    const parts = paths.size > 0 ? new OperationParts(paths, this.#json) : undefined;
    const query = compile(this.schema, document, operationName);
    const complete = completedVariables(this.schema, operation);
    const run: Compiled | undefined =
      query && ((root, context, variables) => query(root, context, complete(variables ?? {})));
    return { run, parts };
  }
}

/** An operation of a valid document, ready to run any number of times. */
export class Prepared {
  /** Undefined: the document has no operation of that name. */
  readonly operation: OperationDefinitionNode | undefined;
  /** The document's text. */
  readonly source: string;
  runs = 0;

  constructor(
    private readonly engine: Engine,
    readonly document: DocumentNode,
    readonly operationName: string | null | undefined,
  ) {
    this.operation = getOperationAST(document, operationName) ?? undefined;
    this.source = document.loc?.source.body ?? '';
  }

  get schema(): GraphQLSchema {
    return this.engine.schema;
  }

  get isSubscription(): boolean {
    return this.operation?.operation === OperationTypeNode.SUBSCRIPTION;
  }

  /** True if it only handles the items of batches. */
  get isBatch(): boolean {
    const fields = (this.operation && this.schema.getRootType(this.operation.operation))?.getFields() ?? {};
    const selected = this.operation?.selectionSet.selections ?? [];
    return selected.every(
      (node) => node.kind === Kind.FIELD && fields[node.name.value]?.extensions.perItem === true,
    );
  }

  /**
   * Checks variables and weight.
   * @param suggestions true if messages may suggest names of the schema for misspelt ones
   * @param noted gets the cost, also if it is too high
   * @throws DomainError BAD_REQUEST, VALIDATION_FAILED with details
   */
  weigh(variables: Variables, suggestions: boolean, noted?: (cost: Cost) => void): Cost {
    const { document, operation, source, engine } = this;
    if (!operation)
      throw new DomainError(
        'BAD_REQUEST',
        'The document has several operations. Choose one with "operationName".',
      );
    const weight = checkOperation(engine.schema, document, operation, source, variables, suggestions);
    const cost = { requested: weight.cost, limit: engine.limits.cost };
    noted?.(cost);
    refuseTooMuch(weight, engine.limits);
    return cost;
  }

  /** Returns a root value with which `run` uses the JSON cache; undefined: no part of this operation can be cached. */
  partsRun(): PartsRun | undefined {
    const parts = this.engine.compiled(this)?.parts;
    return parts && new PartsRun(parts);
  }

  /**
   * Executes the operation; for a subscription, one event.
   * @param root the root value: an event's state, or the return value of `partsRun`
   */
  run(variables: Variables, context?: Context, root?: object): ExecutionOutcome {
    if (!isTracing()) return this.#run(variables, context, root);
    const type = this.operation?.operation ?? 'query';
    const attributes = { 'graphql.operation.type': type };
    return withSpan(`${type} ${this.#fields()}`, attributes, () => this.#run(variables, context, root));
  }

  /** Names of the operation's fields, which the schema names, for traces. */
  #fields(): string {
    const fields = this.operation?.selectionSet.selections ?? [];
    const names = fields.flatMap((field) => (field.kind === Kind.FIELD ? [field.name.value] : []));
    return [...new Set(names)].slice(0, MOST_NAMED).join(',');
  }

  #run(variables: Variables, context?: Context, root?: object): ExecutionOutcome {
    const { run } = this.engine.compiled(this) ?? {};
    this.runs += 1;
    if (!run) return this.#standard(variables, context, root);
    const shown = (result: ExecutionResult): ExecutionOutcome => {
      if (!result.errors || this.engine.own) return result;
      // A query changes nothing, so it may run again: graphql-js words the errors. The second result is serialized in
      // full, without cached parts.
      return this.#standard(variables, context, root instanceof PartsRun ? undefined : root);
    };
    const result = run(root, context, withDefaults(this.operation, variables));
    return result instanceof Promise ? result.then(shown) : shown(result);
  }

  /** Returns the events of a subscription whose field has its own event source, or the errors to respond with. */
  subscribe(
    variables: Variables,
    context: Context,
  ): Promise<AsyncGenerator<ExecutionResult> | ExecutionResult> {
    const { schema, document, operationName } = this;
    return subscribe({
      schema,
      document,
      operationName,
      variableValues: variables,
      contextValue: context,
    }) as ReturnType<Prepared['subscribe']>;
  }

  #standard(
    variableValues: Variables,
    contextValue: Context | undefined,
    rootValue: unknown,
  ): ExecutionOutcome {
    const { schema, document, operationName } = this;
    return execute({
      schema,
      document,
      operationName,
      variableValues,
      contextValue,
      rootValue,
    }) as ExecutionOutcome;
  }
}
