import { hash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Context, CountDocument } from '../context.js';
import type { Cost } from './cost.js';
import type { Engine, Prepared, Variables } from './execute.js';
import { introspectionRules } from './introspection.js';
import { repetitionLimit } from './repetition.js';

/** Total of all cached texts; parsed documents take about a hundred times as much memory. */
const MOST_CHARACTERS = 300_000;
/** A longer document is not cached, so that it cannot displace all others. */
const LONGEST_DOCUMENT = 20_000;
/** Least size counted per document, since a short one takes memory, too. */
const LEAST_COUNTED = 500;

/** Most errors of a document: each costs work, and a reader corrects the first ones. */
const MOST_ERRORS = 5;

/** Compares all fields of one name in pairs: runs last, on documents without other errors. */
const PAIRWISE = [OverlappingFieldsCanBeMergedRule];

interface DocumentOptions {
  /** True if callers may query the schema, and messages may suggest its names. */
  introspection: boolean;
  /** Absent: no limit, as for the service's own documents. */
  count?: CountDocument;
}

type DocumentErrors = readonly [GraphQLError, ...GraphQLError[]];

interface CachedDocument {
  document: DocumentNode;
  /** Operations by name; only names that the document has. */
  operations: Map<string | undefined, Prepared>;
}

/** Returns Apollo's key of a document. */
function documentKey(source: string): string {
  return hash('sha256', source);
}

/**
 * Caches callers' documents that passed validation, from all routes; all clients of a game send the same few. Also
 * Apollo's `documentStore`.
 */
export class Documents {
  readonly #kept = new LRUCache<string, CachedDocument>({
    maxSize: MOST_CHARACTERS,
    maxEntrySize: LONGEST_DOCUMENT,
    sizeCalculation: ({ document }) => Math.max(LEAST_COUNTED, document.loc?.source.body.length ?? 0),
  });
  readonly #rules;
  readonly #options;

  constructor(
    readonly engine: Engine,
    options: DocumentOptions,
  ) {
    this.#options = options;
    this.#rules = [
      ...specifiedRules.filter((rule) => !PAIRWISE.includes(rule)),
      ...introspectionRules(options.introspection),
      repetitionLimit,
    ];
  }

  /** Returns an operation of a cached document. */
  known(source: string, operationName: string | null | undefined): Prepared | undefined {
    const cached = this.#kept.get(documentKey(source));
    return cached && this.#operation(cached, operationName);
  }

  /**
   * @returns the errors of a document that cannot be parsed or is not valid
   * @throws DomainError RATE_LIMITED after too many of these
   */
  async prepare(
    source: string,
    operationName: string | null | undefined,
    context: Context,
  ): Promise<Prepared | DocumentErrors> {
    const cached = this.known(source, operationName);
    if (cached) return cached;
    // Valid documents are never counted: an app sends many new ones at once.
    const countRefusal = await this.#options.count?.(context);
    const document = this.#validated(source, this.#suggests(context));
    if (!('kind' in document)) {
      await countRefusal?.();
      return document;
    }
    return this.#operation(this.#keep(documentKey(source), document), operationName);
  }

  /**
   * Checks the variables and weight of a document's operation.
   * @param noted gets the cost, also if it is too high
   * @throws DomainError BAD_REQUEST, VALIDATION_FAILED with details
   */
  weigh(prepared: Prepared, variables: Variables, context: Context, noted?: (cost: Cost) => void): Cost {
    return prepared.weigh(variables, this.#suggests(context), noted);
  }

  /** Searching for near names costs more than all other work on an error: not for everyone. */
  #suggests({ caller }: Context): boolean {
    return this.#options.introspection && caller.kind !== 'anonymous';
  }

  #validated(source: string, suggestions: boolean): DocumentNode | DocumentErrors {
    const { schema, limits } = this.engine;
    const options = { maxErrors: MOST_ERRORS, hideSuggestions: !suggestions };
    try {
      const document = parse(source, { maxTokens: limits.tokens });
      for (const rules of [this.#rules, PAIRWISE]) {
        const faults = validate(schema, document, rules, options);
        // The last one of more only says that there are more.
        const [fault, ...others] = faults.length > MOST_ERRORS ? faults.slice(0, -1) : faults;
        if (fault) return [fault, ...others];
      }
      return document;
    } catch (error) {
      // Syntax errors, and those that the rule of subscriptions throws for an invalid condition of a root field.
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }

  /** Called by Apollo. @param key a prefix of Apollo's and {@link documentKey} */
  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#kept.get(key.slice(key.indexOf(':') + 1))?.document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    this.#keep(key.slice(key.indexOf(':') + 1), document);
  }

  async delete(key: string): Promise<boolean> {
    return this.#kept.delete(key.slice(key.indexOf(':') + 1));
  }

  #keep(key: string, document: DocumentNode): CachedDocument {
    const cached: CachedDocument = { document, operations: new Map() };
    this.#kept.set(key, cached);
    return cached;
  }

  #operation({ document, operations }: CachedDocument, operationName: string | null | undefined): Prepared {
    const name = operationName ?? undefined;
    const cached = operations.get(name);
    if (cached) return cached;
    const prepared = this.engine.prepare(document, name);
    // Cached only if the document has this operation: callers may send any name.
    if (prepared.operation) operations.set(name, prepared);
    return prepared;
  }
}
