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
import { fragmentsOf } from './fragments.js';

/** Fields of the code that is made, fragments written out wherever they are spread: compiling so many takes some 20 ms. */
const MOST_FIELDS = 500;

export type Compiled = CompiledQuery['query'];

/**
 * graphql-jit writes arguments into the code that it makes and takes certain texts for code (`__MAGIC_DATE__…`, execution.js):
 * a text in a caller's document must never come there. Numbers, names and values of enums cannot be more than they are; and
 * an alias `__proto__` would set a prototype instead of a key.
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

/** How many fields an operation has once its fragments are written out; each fragment is counted once. */
function fieldsOf(document: DocumentNode, operationName: string | null | undefined): number {
  const fragments = fragmentsOf(document);
  const known = new Map<string, number>();
  const ofFragment = (name: string): number => {
    const count = known.get(name) ?? within(fragments.get(name)?.selectionSet);
    known.set(name, count);
    return count;
  };
  const within = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => {
      if (selection.kind === Kind.FRAGMENT_SPREAD) return sum + ofFragment(selection.name.value);
      return sum + (selection.kind === Kind.FIELD ? 1 : 0) + within(selection.selectionSet);
    }, 0);
  return within(getOperationAST(document, operationName)?.selectionSet);
}

/** Whether writing it out, field by field, takes little time and room. */
export function isSmall(document: DocumentNode, operationName: string | null | undefined): boolean {
  return fieldsOf(document, operationName) <= MOST_FIELDS;
}

/** Whether an operation that a caller has written may be compiled; texts given as variables stay outside of the code. */
export function isFitToCompile(document: DocumentNode, operationName: string | null | undefined): boolean {
  return isHarmless(document) && isSmall(document, operationName);
}

/**
 * Compiles an operation that was validated.
 * @returns undefined: graphql-jit cannot
 */
export function compile(
  schema: GraphQLSchema,
  document: DocumentNode,
  operationName: string | null | undefined,
): Compiled | undefined {
  const made = compileQuery(schema, document, operationName ?? undefined, { customJSONSerializer: false });
  return isCompiledQuery(made) ? made.query : undefined;
}
