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
  /** Whether the same array will be answered again. */
  cached: boolean;
}

/** A page that takes nothing to complete. */
const NOTHING = {
  nodes: [],
  pageInfo: { hasNextPage: false, hasPreviousPage: false, startCursor: null, endCursor: null },
};

/**
 * One run of an operation that answers a page of scores. As long as a board has not changed, those who see the same page of it
 * get the same array of scores (scores/window-pages.ts): what was made of that array once is the answer. Completing and
 * printing fifty scores costs as much as everything else that a request needs. Pages that nobody will see again leave nothing:
 * remembering them cost more than all that was made of them.
 */
export class Run {
  #nodes: object | undefined;

  /** @param answers of the same operation, by arrays of scores */
  constructor(private readonly answers: WeakMap<object, Buffer>) {}

  /** What the resolver found, on its way to be completed. */
  pass(page: Page): object {
    if (!page.cached) return page;
    this.#nodes = page.nodes;
    return this.answers.has(page.nodes) ? NOTHING : page;
  }

  /** @param make what the answer is, where it is not known */
  answer(make: () => unknown): unknown {
    if (!this.#nodes) return make();
    const known = this.answers.get(this.#nodes);
    if (known) return known;
    const made = Buffer.from(JSON.stringify(make()));
    this.answers.set(this.#nodes, made);
    return made;
  }
}

/** Root fields that answer a page of scores tell it to their {@link Run}. */
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
 * Whether answers of an operation can be told by the page alone.
 * @throws Error when it asks for what a resolver finds out, which the array of scores does not tell
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
