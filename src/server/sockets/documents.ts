import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  parse,
  specifiedRules,
  validate,
} from 'graphql';

import { LRUCache } from 'lru-cache';

import { introspectionRules } from '../../graphql/engine/introspection.js';

/** All clients of a game send the same few documents; longer ones and more of them would be room for whoever sends many. */
const LONGEST_KEPT = 2_000;
const MOST_KEPT = 200;

/** Documents that came over sockets: what was found valid once is neither parsed nor validated again. */
export class SocketDocuments {
  readonly #valid = new LRUCache<string, DocumentNode>({ max: MOST_KEPT });
  readonly #rules;

  /** @param introspection whether anybody may ask for the schema */
  constructor(
    private readonly schema: GraphQLSchema,
    private readonly mostTokens: number,
    introspection: boolean,
  ) {
    this.#rules = [...specifiedRules, ...introspectionRules(introspection)];
  }

  /**
   * @returns the faults of one that is not valid
   * @throws GraphQLError that it cannot be parsed
   */
  read(text: string): DocumentNode | readonly GraphQLError[] {
    const known = this.#valid.get(text);
    if (known) return known;
    const document = parse(text, { maxTokens: this.mostTokens });
    const faults = validate(this.schema, document, this.#rules);
    if (faults.length > 0) return faults;
    if (text.length <= LONGEST_KEPT) this.#valid.set(text, document);
    return document;
  }
}
