import {
  type ExecutableDefinitionNode,
  type FieldNode,
  GraphQLError,
  getNullableType,
  introspectionTypes,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
  type ValidationRule,
} from 'graphql';

/** Nesting of fields, `__schema` or `__type` included. */
const MOST_LEVELS = 20;
/** Root fields of introspection in one operation. */
const MOST_ROOTS: ReadonlyMap<string, number> = new Map([
  ['__schema', 1],
  ['__type', 2],
]);

/** `types`, `fields`, `args`, …: each multiplies all that is asked for below it. */
const LISTS: ReadonlySet<string> = new Set(
  introspectionTypes
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ type }) => isListType(getNullableType(type)))
    .map(({ name }) => name),
);

/** The lists that a selection asks for at each level, its own fields first, with all fragments written out. */
type Levels = readonly ReadonlySet<string>[];

/** The first fault that is found. */
class Refusal extends Error {
  constructor(
    message: string,
    readonly node: SelectionNode,
  ) {
    super(message);
  }
}

/** Lists below `__schema` and `__type`. Each fragment is looked at once, however often it is spread. */
class Lists {
  readonly #fragments = new Map<string, Levels>();

  constructor(private readonly context: ValidationContext) {}

  /** @throws Refusal */
  of(set: SelectionSetNode): Levels {
    const all: Set<string>[] = [];
    for (const selection of set.selections) {
      for (const [level, names] of this.#below(selection).entries()) {
        // The root field is a level, too.
        if (level + 1 >= MOST_LEVELS) {
          throw new Refusal(`Introspection may nest at most ${MOST_LEVELS} fields`, selection);
        }
        all[level] ??= new Set();
        for (const name of names) {
          if (all[level].has(name)) {
            throw new Refusal(`Introspection may ask for "${name}" once on each level`, selection);
          }
          all[level].add(name);
        }
      }
    }
    return all;
  }

  #below(selection: SelectionNode): Levels {
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.of(selection.selectionSet);
    if (selection.kind === Kind.FRAGMENT_SPREAD) return this.#fragment(selection.name.value);
    const name = selection.name.value;
    const isList = LISTS.has(name);
    if (isList && selection.alias) {
      throw new Refusal(`Introspection may not rename lists: "${name}" is one`, selection);
    }
    return [
      new Set(isList ? [name] : []),
      ...(selection.selectionSet ? this.of(selection.selectionSet) : []),
    ];
  }

  #fragment(name: string): Levels {
    const known = this.#fragments.get(name);
    if (known) return known;
    // A fragment that spreads itself is refused by a rule of the standard.
    this.#fragments.set(name, []);
    const definition = this.context.getFragment(name);
    const levels = definition ? this.of(definition.selectionSet) : [];
    this.#fragments.set(name, levels);
    return levels;
  }
}

/**
 * Introspection reads nothing, so it has no weight (cost.ts); without limits of its own a short document makes an answer
 * of any size. `getIntrospectionQuery` of graphql-js passes with all options.
 */
const introspectionLimits: ValidationRule = (context) => {
  const lists = new Lists(context);
  const roots = new Map<ExecutableDefinitionNode, FieldNode[]>();
  let found: FieldNode[] = [];
  const enter = (definition: ExecutableDefinitionNode) => {
    found = [];
    roots.set(definition, found);
  };
  return {
    OperationDefinition: enter,
    FragmentDefinition: enter,
    Field: (node) => {
      if (!MOST_ROOTS.has(node.name.value)) return;
      found.push(node);
      try {
        if (node.selectionSet) lists.of(node.selectionSet);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        context.reportError(new GraphQLError(error.message, { nodes: error.node }));
      }
    },
    Document: {
      leave: ({ definitions }) => {
        for (const definition of definitions) {
          if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
          const reached = [definition, ...context.getRecursivelyReferencedFragments(definition)];
          const nodes = reached.flatMap((one) => roots.get(one) ?? []);
          for (const [name, most] of MOST_ROOTS) {
            const [first, ...others] = nodes.filter((node) => node.name.value === name);
            if (!first || others.length < most) continue;
            const sentence = `Introspection may ask for ${name} ${most === 1 ? 'once' : 'twice'} in an operation`;
            context.reportError(new GraphQLError(sentence, { nodes: first }));
          }
        }
      },
    },
  };
};

/** Refuses to show the schema; `__typename` is always shown. */
const noIntrospection: ValidationRule = (context) => ({
  Field: (node) => {
    if (node.name.value !== '__schema' && node.name.value !== '__type') return;
    context.reportError(new GraphQLError('This service does not tell its schema', { nodes: node }));
  },
});

/** The rules beside those of the standard that every document of a caller is held against. @param allowed GRAPHQL_INTROSPECTION */
export function introspectionRules(allowed: boolean): ValidationRule[] {
  return [allowed ? introspectionLimits : noIntrospection];
}

/** A sentence of GraphQL without the names that it offers for a misspelt one. */
export function withoutSuggestion(message: string): string {
  return message.replace(/ Did you mean .*\?$/s, '');
}
