import { hash } from 'node:crypto';
import { type DocumentNode, GraphQLError, parse, specifiedRules, validate } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Engine, Prepared } from './execute.js';
import { introspectionRules } from './introspection.js';

/** Of all texts together; parsed, they take some hundred times as much. */
const MOST_CHARACTERS = 300_000;
/** One text must not displace all others. */
const LONGEST = 20_000;
/** A short document takes room, too. */
const SHORTEST = 500;

interface Kept {
  document: DocumentNode;
  /** By their names; only such as the document has. */
  operations: Map<string | undefined, Prepared>;
}

/** Apollo's name of a document. */
function keyOf(source: string): string {
  return hash('sha256', source);
}

/**
 * Documents of callers that were found valid, by whatever door they came; all clients of a game send the same few. Apollo keeps
 * its documents here, too (`documentStore`).
 */
export class Documents {
  readonly #kept = new LRUCache<string, Kept>({
    maxSize: MOST_CHARACTERS,
    maxEntrySize: LONGEST,
    sizeCalculation: ({ document }) => Math.max(SHORTEST, document.loc?.source.body.length ?? 0),
  });
  readonly #rules;

  /** @param introspection whether callers may ask for the schema */
  constructor(
    readonly engine: Engine,
    introspection: boolean,
  ) {
    this.#rules = [...specifiedRules, ...introspectionRules(introspection)];
  }

  /** An operation of a document that was found valid before. */
  known(source: string, operationName: string | null | undefined): Prepared | undefined {
    const kept = this.#kept.get(keyOf(source));
    return kept && this.#operation(kept, operationName);
  }

  /** @returns the faults of a document that cannot be parsed or is not valid */
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
    return this.#operation(this.#keep(keyOf(source), document), operationName);
  }

  /** For Apollo. @param key a prefix of Apollo's and {@link keyOf} */
  async get(key: string): Promise<DocumentNode | undefined> {
    return this.#kept.get(key.slice(key.indexOf(':') + 1))?.document;
  }

  async set(key: string, document: DocumentNode): Promise<void> {
    this.#keep(key.slice(key.indexOf(':') + 1), document);
  }

  async delete(key: string): Promise<boolean> {
    return this.#kept.delete(key.slice(key.indexOf(':') + 1));
  }

  #keep(key: string, document: DocumentNode): Kept {
    const kept: Kept = { document, operations: new Map() };
    this.#kept.set(key, kept);
    return kept;
  }

  #operation({ document, operations }: Kept, operationName: string | null | undefined): Prepared {
    const name = operationName ?? undefined;
    const known = operations.get(name);
    if (known) return known;
    const prepared = this.engine.prepare(document, name);
    // Callers may send any name.
    if (prepared.operation) operations.set(name, prepared);
    return prepared;
  }
}
