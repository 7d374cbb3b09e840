import { BREAK, type DocumentNode, type FragmentDefinitionNode, Kind, visit } from 'graphql';

export type Fragments = ReadonlyMap<string, FragmentDefinitionNode>;

/** A document's fragments by their names. */
export function fragmentsOf({ definitions }: DocumentNode): Fragments {
  const fragments = new Map<string, FragmentDefinitionNode>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition);
  }
  return fragments;
}

/** True if the document has directives: the fields of its result may then differ from run to run. */
export function hasDirectives(document: DocumentNode): boolean {
  let found = false;
  visit(document, {
    Directive: () => {
      found = true;
      return BREAK;
    },
  });
  return found;
}
