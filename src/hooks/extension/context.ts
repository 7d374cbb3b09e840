import DataLoader from 'dataloader';
import { type GraphQLSchema, OperationTypeNode } from 'graphql';
import { DomainError } from '../../base/errors.js';
import { kindOf } from '../../base/ids.js';
import type { Context } from '../../graphql/context.js';
import { Documents } from '../../graphql/engine/documents.js';
import { Engine, Prepared } from '../../graphql/engine/execute.js';
import { domainErrorOf } from '../../graphql/errors.js';
import type { FindRecord } from '../../graphql/schema.js';
import type { RefusingTools, ResolverContext, ServiceRecord } from '../hooks.js';

/** Makes the contexts of the module's resolvers. */
export class ResolverContexts {
  #documents: Documents | undefined;

  /** @param schemaOf returns the schema with the module's fields; called by the first query */
  constructor(
    private readonly toolsOf: (context: Context) => RefusingTools,
    private readonly find: FindRecord,
    private readonly schemaOf: () => GraphQLSchema,
  ) {}

  of(context: Context): ResolverContext {
    const own: ResolverContext = {
      ...this.toolsOf(context),
      caller: context.caller,
      graphql: <Data extends object>(query: string, variables = {}) =>
        this.#query(context, query, variables) as Promise<Data>,
      record: (id) => this.#record(context, id),
      batch: (read, key) =>
        context.loaders
          .by(read, () => {
            return new DataLoader(async (keys: readonly string[]) => {
              const found = await read(keys, own);
              return keys.map((one) => found.get(one));
            });
          })
          .load(key),
    };
    return own;
  }

  async #record(context: Context, id: string): Promise<ServiceRecord | null> {
    if (!kindOf(id)) return null;
    try {
      return (await this.find(id, context)) as ServiceRecord | null;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'FORBIDDEN') return null;
      throw error;
    }
  }

  async #query(context: Context, source: string, variables: Record<string, unknown>): Promise<object> {
    this.#documents ??= new Documents(new Engine(this.schemaOf()), { introspection: true });
    const prepared = await this.#documents.prepare(source, undefined, context);
    if (!(prepared instanceof Prepared)) throw new Error(prepared[0].message);
    if (prepared.operation && prepared.operation.operation !== OperationTypeNode.QUERY) {
      throw new Error('The function graphql runs queries only');
    }
    this.#documents.weigh(prepared, variables, context);
    const { data, errors: [error] = [] } = await prepared.run(variables, context);
    if (!error) return data as object;
    const shown = domainErrorOf(error);
    throw shown.code === 'INTERNAL' ? error : shown;
  }
}

/**
 * The events of a subscription of the module. It ends immediately, whatever its source is waiting for: a generator that waits ends
 * only with the event that it waits for.
 */
export class ModuleEvents implements AsyncIterableIterator<unknown> {
  readonly #source: AsyncIterator<unknown>;
  #ended = false;
  /** Ends the pending call of `next`. */
  #release: (() => void) | undefined;

  /** @param end called once, when the subscription ends */
  constructor(
    events: AsyncIterable<unknown>,
    private readonly end: () => void,
    private readonly present: (error: unknown) => Error,
  ) {
    this.#source = events[Symbol.asyncIterator]();
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#ended) return { value: undefined, done: true };
    try {
      const event = await new Promise<IteratorResult<unknown>>((resolve, reject) => {
        this.#release = () => resolve({ value: undefined, done: true });
        this.#source.next().then(resolve, reject);
      });
      if (event.done) this.#finish();
      return event;
    } catch (error) {
      if (this.#ended) return { value: undefined, done: true };
      this.#finish();
      throw this.present(error);
    }
  }

  async return(): Promise<IteratorResult<unknown>> {
    if (!this.#ended) {
      this.#finish();
      // Not awaited, and too late to report.
      (async () => this.#source.return?.())().catch(() => undefined);
      this.#release?.();
    }
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #finish(): void {
    this.#ended = true;
    this.end();
  }
}
