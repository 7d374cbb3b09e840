import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, parse, specifiedRules, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Engine, Prepared } from './execute.js';
import { introspectionRules } from './introspection.js';

/** Total of all cached texts; parsed documents take about a hundred times as much memory. */
const MOST_CHARACTERS = 300_000;
/** A longer document is not cached, so that it cannot displace all others. */
const LONGEST_DOCUMENT = 20_000;
/** Least size counted per document, since a short one takes memory, too. */
const LEAST_COUNTED = 500;

interface CachedDocument {
  document: DocumentNode;
  /** By operation name; only names that the document has. */
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

  /** @param introspection true if callers may query the schema */
  constructor(
    readonly engine: Engine,
    introspection: boolean,
  ) {
    this.#rules = [...specifiedRules, ...introspectionRules(introspection)];
  }

  /** Returns an operation of a cached document. */
  known(source: string, operationName: string | null | undefined): Prepared | undefined {
    const cached = this.#kept.get(documentKey(source));
    return cached && this.#operation(cached, operationName);
  }

  /** @returns the errors of a document that cannot be parsed or is not valid */
  prepare(
    source: string,
    operationName: string | null | undefined,
  ): Prepared | readonly [GraphQLError, ...GraphQLError[]] {
    const known = this.known(source, operationName);
    if (known) return known;
    const { schema, limits } = this.engine;
    let document: DocumentNode;
    try {
      document = parse(source, { maxTokens: limits.tokens });
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
    const [fault, ...others] = validate(schema, document, this.#rules);
    if (fault) return [fault, ...others];
    return this.#operation(this.#keep(documentKey(source), document), operationName);
  }

  /** For Apollo. @param key a prefix of Apollo's and {@link documentKey} */
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
    const known = operations.get(name);
    if (known) return known;
    const prepared = this.engine.prepare(document, name);
    // Cached only if the document has this operation: callers may send any name.
    if (prepared.operation) operations.set(name, prepared);
    return prepared;
  }
}
