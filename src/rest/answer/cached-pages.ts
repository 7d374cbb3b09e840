import {
  type DocumentNode,
  type GraphQLFieldConfig,
  type GraphQLSchema,
  getNamedType,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';

const PAGE = 'ScoreConnection';
const RECORD = 'Score';

interface Page {
  nodes: object;
  /** True if later reads get the same array. */
  cached: boolean;
}

/** A page that costs nothing to complete. */
const NOTHING = {
  nodes: [],
  pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
};

/**
 * One run of an operation that returns a page of scores. While a board is unchanged, all readers of a page get the same
 * array of scores (scores/window-pages.ts), and the JSON made from that array once is reused. Completing and
 * serializing fifty scores costs as much as the rest of the request. Pages that will not be read again are not cached:
 * caching them cost more than making them.
 */
export class Run {
  #nodes: object | undefined;

  /** @param answers cached JSON of the same operation, by array of scores */
  constructor(private readonly answers: WeakMap<object, Buffer>) {}

  /** Passes a resolver's page on to completion, or an empty page if its JSON is cached. */
  pass(page: Page): object {
    if (!page.cached) return page;
    this.#nodes = page.nodes;
    return this.answers.has(page.nodes) ? NOTHING : page;
  }

  /** Returns the cached JSON or the made response. @param make returns the response body */
  answer(make: () => unknown): unknown {
    if (!this.#nodes) return make();
    const known = this.answers.get(this.#nodes);
    if (known) return known;
    const made = Buffer.from(JSON.stringify(make()));
    this.answers.set(this.#nodes, made);
    return made;
  }
}

/** Makes a root field that returns a page of scores pass it to its {@link Run}. */
export function passing(
  field: GraphQLFieldConfig<unknown, unknown>,
): GraphQLFieldConfig<unknown, unknown> | undefined {
  const { resolve } = field;
  if (getNamedType(field.type).name !== PAGE || !resolve) return undefined;
  return {
    ...field,
    resolve: async (run, ...rest) => {
      const page = (await resolve(undefined, ...rest)) as Page;
      return run instanceof Run ? run.pass(page) : page;
    },
  };
}

/**
 * True if the page alone determines an operation's responses.
 * @throws Error when the operation selects a score's field with a resolver, whose result the array of scores does not
 * determine
 */
export function answersPages(view: GraphQLSchema, document: DocumentNode, answered: string): boolean {
  if (answered !== PAGE) return false;
  const types = new TypeInfo(view);
  const check = () => {
    const field = types.getFieldDef();
    if (types.getParentType()?.name === RECORD && field?.resolve) {
      throw new Error(`${field.name} of a score is not told by its page: its answers cannot be remembered`);
    }
  };
  visit(document, visitWithTypeInfo(types, { Field: check }));
  return true;
}
