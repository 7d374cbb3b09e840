import {
  type DocumentNode,
  defaultFieldResolver,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { type Fragments, fragmentsOf, hasDirectives } from './check.js';

/** The `extensions` of a type whose objects' JSON may be cached (class {@link PartsRun}). */
export interface RememberedExtensions {
  remembered?: {
    /** The member whose identity determines all of the object's own fields. */
    by: string;
    /** An object of the type that costs nothing to complete; it takes the object's place where the JSON is cached. */
    empty: object;
  };
}

export function rememberedOf(type: unknown): RememberedExtensions['remembered'] {
  return isObjectType(type) ? (type.extensions as RememberedExtensions).remembered : undefined;
}

/** Walks an operation's selections. Where all types are objects every fragment applies. */
class Selections {
  readonly #found = new Set<string>();
  readonly #refused = new Set<string>();

  constructor(private readonly fragments: Fragments) {}

  /**
   * Returns the paths of the cacheable parts. A path selected in several places counts only if all of them are
   * cacheable.
   */
  parts(root: GraphQLObjectType, set: SelectionSetNode): Set<string> {
    this.#walk(root, set, []);
    for (const path of this.#refused) this.#found.delete(path);
    return this.#found;
  }

  #walk(type: GraphQLObjectType, set: SelectionSetNode, path: string[]): void {
    for (const selection of set.selections) {
      if (selection.kind !== Kind.FIELD) {
        this.#walk(type, this.#within(selection), path);
        continue;
      }
      const below = getNamedType(type.getFields()[selection.name.value]?.type);
      if (!isObjectType(below) || !selection.selectionSet) continue;
      const at = [...path, (selection.alias ?? selection.name).value];
      if (!rememberedOf(below)) this.#walk(below, selection.selectionSet, at);
      else if (this.#isShared(below, selection.selectionSet)) this.#found.add(at.join('.'));
      else this.#refused.add(at.join('.'));
    }
  }

  /** True if the object's own properties determine everything selected of it. */
  #isShared(type: GraphQLObjectType, set: SelectionSetNode): boolean {
    return set.selections.every((selection) => {
      if (selection.kind !== Kind.FIELD) return this.#isShared(type, this.#within(selection));
      if (selection.name.value === '__typename') return true;
      const field = type.getFields()[selection.name.value];
      const { resolve = defaultFieldResolver, args = [] } = field ?? {};
      if (!field || resolve !== defaultFieldResolver || args.length > 0) return false;
      const below = getNamedType(field.type);
      if (!selection.selectionSet) return isLeafType(below);
      return isObjectType(below) && this.#isShared(below, selection.selectionSet);
    });
  }

  #within(selection: Exclude<SelectionNode, { kind: Kind.FIELD }>): SelectionSetNode {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
    return this.fragments.get(selection.name.value)!.selectionSet;
  }
}

/**
 * Returns where a validated operation selects objects whose JSON depends on nothing but the object: names from the root
 * on, joined by points. Returns no paths that may differ from run to run (directives, types behind an interface).
 */
export function partsOf(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Set<string> {
  const root = schema.getRootType(operation.operation);
  if (!root || hasDirectives(document)) return new Set();
  return new Selections(fragmentsOf(document)).parts(root, operation.selectionSet);
}
