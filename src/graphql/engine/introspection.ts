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

/** Deepest nesting of fields, `__schema` or `__type` included. */
const MOST_LEVELS = 20;
/** Most root fields of introspection in one operation. */
const MOST_ROOTS: ReadonlyMap<string, number> = new Map([
  ['__schema', 1],
  ['__type', 2],
]);

/** `types`, `fields`, `args`, …: each multiplies everything selected below it. */
const LISTS: ReadonlySet<string> = new Set(
  introspectionTypes
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ type }) => isListType(getNullableType(type)))
    .map(({ name }) => name),
);

/** The lists that a selection contains at each level, its own fields first, with all fragments expanded. */
type Levels = readonly ReadonlySet<string>[];

/** The first fault that is found. */
class IntrospectionRefusal extends Error {
  constructor(
    message: string,
    readonly node: SelectionNode,
  ) {
    super(message);
  }
}

/** Finds the lists below `__schema` and `__type`. Each fragment is visited once, however often it is spread. */
class Lists {
  readonly #fragments = new Map<string, Levels>();

  constructor(private readonly context: ValidationContext) {}

  /** @throws Refusal */
  of(set: SelectionSetNode): Levels {
    const all: Set<string>[] = [];
    for (const selection of set.selections) {
      for (const [level, names] of this.#below(selection).entries()) {
        // The root field counts as a level, too.
        if (level + 1 >= MOST_LEVELS) {
          throw new IntrospectionRefusal(`Introspection may nest at most ${MOST_LEVELS} fields`, selection);
        }
        all[level] ??= new Set();
        for (const name of names) {
          if (all[level].has(name)) {
            throw new IntrospectionRefusal(
              `Introspection can request "${name}" only once per level`,
              selection,
            );
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
      throw new IntrospectionRefusal(`Introspection cannot use aliases for lists like "${name}"`, selection);
    }
    return [
      new Set(isList ? [name] : []),
      ...(selection.selectionSet ? this.of(selection.selectionSet) : []),
    ];
  }

  #fragment(name: string): Levels {
    const cached = this.#fragments.get(name);
    if (cached) return cached;
    // Ends the recursion: a standard rule refuses fragments that spread themselves.
    this.#fragments.set(name, []);
    const definition = this.context.getFragment(name);
    const levels = definition ? this.of(definition.selectionSet) : [];
    this.#fragments.set(name, levels);
    return levels;
  }
}

/**
 * Introspection has no weight (cost.ts) because it reads nothing; without its own limits a short document could request
 * a response of any size. `getIntrospectionQuery` of graphql-js passes with all options.
 */
const introspectionLimits: ValidationRule = (context) => {
  const lists = new Lists(context);
  const roots = new Map<ExecutableDefinitionNode, FieldNode[]>();
  let rootFields: FieldNode[] = [];
  const enter = (definition: ExecutableDefinitionNode) => {
    rootFields = [];
    roots.set(definition, rootFields);
  };
  return {
    OperationDefinition: enter,
    FragmentDefinition: enter,
    Field: (node) => {
      if (!MOST_ROOTS.has(node.name.value)) return;
      rootFields.push(node);
      try {
        if (node.selectionSet) lists.of(node.selectionSet);
      } catch (error) {
        if (!(error instanceof IntrospectionRefusal)) throw error;
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
            const sentence = `Introspection can request ${name} only ${most === 1 ? 'once' : 'twice'} per operation`;
            context.reportError(new GraphQLError(sentence, { nodes: first }));
          }
        }
      },
    },
  };
};

/** Refuses introspection of the schema; `__typename` is always allowed. */
const noIntrospection: ValidationRule = (context) => ({
  Field: (node) => {
    if (node.name.value !== '__schema' && node.name.value !== '__type') return;
    context.reportError(new GraphQLError('Introspection is disabled on this server', { nodes: node }));
  },
});

/**
 * Returns the validation rules for callers' documents in addition to the standard's. @param allowed
 * GRAPHQL_INTROSPECTION
 */
export function introspectionRules(allowed: boolean): ValidationRule[] {
  return [allowed ? introspectionLimits : noIntrospection];
}
