import {
  BREAK,
  type DocumentNode,
  type GraphQLSchema,
  getOperationAST,
  Kind,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { fragmentsOf } from './check.js';

/** Most fields of the generated code, every fragment spread expanded: compiling so many takes some 20 ms. */
const MOST_FIELDS = 500;

export type Compiled = CompiledQuery['query'];

/**
 * True if the document has no string literal and no name `__proto__`. graphql-jit writes arguments into the generated
 * code and interprets certain texts as code (`__MAGIC_DATE__…`, execution.js); numbers, names and enum values are safe.
 * An alias `__proto__` would set a prototype instead of a key.
 */
function isHarmless(document: DocumentNode): boolean {
  let harmless = true;
  const refuse = () => {
    harmless = false;
    return BREAK;
  };
  visit(document, {
    StringValue: refuse,
    Name: ({ value }) => (value === '__proto__' ? refuse() : undefined),
  });
  return harmless;
}

/**
 * Returns the number of an operation's fields with all fragments expanded; a fragment's fields are counted once and
 * reused.
 */
function fieldCount(document: DocumentNode, operationName: string | null | undefined): number {
  const fragments = fragmentsOf(document);
  const counts = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const count = counts.get(name) ?? within(fragments.get(name)?.selectionSet);
    counts.set(name, count);
    return count;
  };
  const within = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + ofFragment(selection.name.value);
      return sum + (selection.kind === Kind.FIELD ? 1 : 0) + within(selection.selectionSet);
    }, 0);
  return within(getOperationAST(document, operationName)?.selectionSet);
}

/** True if expanding the operation field by field takes little time and memory. */
function isSmall(document: DocumentNode, operationName: string | null | undefined): boolean {
  return fieldCount(document, operationName) <= MOST_FIELDS;
}

/** True if a caller's operation may be compiled; texts passed as variables are never part of the generated code. */
export function isFitToCompile(document: DocumentNode, operationName: string | null | undefined): boolean {
  return isHarmless(document) && isSmall(document, operationName);
}

/**
 * Compiles a validated operation.
 * @returns undefined if graphql-jit cannot compile it
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): Compiled | undefined {
  const made = compileQuery(schema, document, operationName ?? undefined, { customJSONSerializer: false });
  return isCompiledQuery(made) ? made.query : undefined;
}
