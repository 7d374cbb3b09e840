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
import { type Fragments, fragmentsOf, hasDirectives } from './fragments.js';

/** What a type says of its objects whose JSON may be remembered, as its `extensions` (class {@link PartsRun}). */
export interface RememberedExtensions {
  remembered?: {
    /** The member whose identity tells everything about the object that its type's own fields show. */
    by: string;
    /** An object of the type that takes nothing to complete: it stands where the JSON is known. */
    empty: object;
  };
}

export function rememberedOf(type: unknown): RememberedExtensions['remembered'] {
  return isObjectType(type) ? (type.extensions as RememberedExtensions).remembered : undefined;
}

/** An operation's way through its selections. Where all types are objects every fragment applies. */
class Selections {
  readonly #found = new Set<string>();
  readonly #refused = new Set<string>();

  constructor(private readonly fragments: Fragments) {}

  /** The same name may be selected in several places of an operation: what is asked for is all of it together. */
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
      else if (this.#isTold(below, selection.selectionSet)) this.#found.add(at.join('.'));
      else this.#refused.add(at.join('.'));
    }
  }

  /** Whether an object alone tells all that is selected of it. */
  #isTold(type: GraphQLObjectType, set: SelectionSetNode): boolean {
    return set.selections.every((selection) => {
      if (selection.kind !== Kind.FIELD) return this.#isTold(type, this.#within(selection));
      if (selection.name.value === '__typename') return true;
      const field = type.getFields()[selection.name.value];
      const { resolve = defaultFieldResolver, args = [] } = field ?? {};
      if (!field || resolve !== defaultFieldResolver || args.length > 0) return false;
      const below = getNamedType(field.type);
      if (!selection.selectionSet) return isLeafType(below);
      return isObjectType(below) && this.#isTold(below, selection.selectionSet);
    });
  }

  #within(selection: Exclude<SelectionNode, { kind: Kind.FIELD }>): SelectionSetNode {
    if (selection.kind === Kind.INLINE_FRAGMENT) return selection.selectionSet;
    return this.fragments.get(selection.name.value)!.selectionSet;
  }
}

/**
 * Where an operation, validated before, selects objects of which nothing but their own JSON is asked for: names from the root on,
 * joined by points. What may differ from run to run (directives, types behind an interface) is not among them.
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
