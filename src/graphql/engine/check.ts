import {
  BREAK,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  getVariableValues,
  isInputObjectType,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { DomainError, type ErrorDetail, invalid } from '../../base/errors.js';
import { findUnkeepable, isWellFormed, type Unkeepable } from '../../base/text.js';
import { Scales, type Weight } from './cost.js';
import { findFaults, MOST_FAULTS } from './value-faults.js';

// Only a source that contains or escapes a NUL, or has digits enough for a number beyond a double, is searched.
const SUSPECT = /\0|\\u(?:0000|\{0+\})|\d{100}|e\+?\d{3}/i;

const FIRST_FAULT = { maxErrors: 1, hideSuggestions: true };

/** Returns the faults of all variables at once, each with its path, without the leading `input`. */
function coercionDetails(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  variables: Record<string, unknown>,
  suggestions: boolean,
): ErrorDetail[] {
  const details: ErrorDetail[] = [];
  for (const definition of operation.variableDefinitions ?? []) {
    const name = definition.variable.name.value;
    const type = typeFromAST(schema, definition.type as never);
    const value = variables[name];
    if (!isInputType(type)) continue;
    if (value === undefined) {
      if (definition.type.kind === Kind.NON_NULL_TYPE && !definition.defaultValue) {
        details.push({ loc: [name], msg: 'is required', type: 'missing' });
      }
      continue;
    }
    const bounds = { most: MOST_FAULTS - details.length, suggestions };
    findFaults(value, type, bounds, (path, _invalid, error) => {
      const missing = /^Field "(\w+)" of required type/.exec(error.message)?.[1];
      const loc: (string | number)[] = name === 'input' ? [...path] : [name, ...path];
      if (missing) details.push({ loc: [...loc, missing], msg: 'is required', type: 'missing' });
      else details.push({ loc: loc.length > 0 ? loc : [name], msg: error.message, type: 'type' });
    });
  }
  return details;
}

/** Variables of an operation that must have a value, though their types allow none; `nullOnly`: or be absent. */
interface Strict {
  name: string;
  nullOnly: boolean;
}

const strict = new WeakMap<OperationDefinitionNode, Strict[]>();

/**
 * Validation lets a nullable variable pass at a position with a default value, which replaces an absent variable only, and
 * in an input of which exactly one member is given.
 */
function strictVariables(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): Strict[] {
  const cached = strict.get(operation);
  if (cached) return cached;
  const variables: Strict[] = [];
  const types = new TypeInfo(schema);
  visit(
    separateOperations(document)[operation.name?.value ?? '']!,
    visitWithTypeInfo(types, {
      Variable: ({ name: { value: name } }) => {
        const parent = getNamedType(types.getParentInputType());
        if (isInputObjectType(parent) && parent.isOneOf) variables.push({ name, nullOnly: false });
        else if (isNonNullType(types.getInputType())) variables.push({ name, nullOnly: true });
      },
    }),
  );
  strict.set(operation, variables);
  return variables;
}

/** Returns variables that are null, or absent, where they must not be. */
function nullDetails(variables: Strict[], coerced: Record<string, unknown>): ErrorDetail[] {
  const details = new Map<string, ErrorDetail>();
  for (const { name, nullOnly } of variables) {
    if (coerced[name] === null) details.set(name, { loc: [name], msg: 'must not be null', type: 'type' });
    else if (coerced[name] === undefined && !nullOnly)
      details.set(name, { loc: [name], msg: 'is required', type: 'missing' });
  }
  return [...details.values()];
}

/** Returns the first literal that no variable could be: graphql-js reads `1e400` as Infinity. */
function literalFault(document: DocumentNode): Unkeepable | undefined {
  let fault: Unkeepable | undefined;
  const look = (value: unknown) => {
    fault ??= findUnkeepable(value);
    return fault ? BREAK : undefined;
  };
  visit(document, {
    StringValue: ({ value }) => look(value),
    IntValue: ({ value }) => look(Number(value)),
    FloatValue: ({ value }) => look(Number(value)),
  });
  return fault;
}

/**
 * Checks a parsed and validated operation before it runs: malformed text, invalid variables.
 * @param source the document's text
 * @param suggestions true if messages may suggest names of the schema for misspelt ones
 * @returns its weight, see `refuseTooMuch`
 * @throws DomainError VALIDATION_FAILED with details
 */
export function checkOperation(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
  source: string,
  variables: Record<string, unknown>,
  suggestions: boolean,
): Weight {
  const unkeepable = findUnkeepable(variables);
  if (unkeepable) {
    const { loc } = unkeepable;
    throw invalid([{ ...unkeepable, loc: loc[0] === 'input' ? loc.slice(1) : loc }]);
  }
  const literal = SUSPECT.test(source) || !isWellFormed(source) ? literalFault(document) : undefined;
  if (literal) throw invalid([literal]);
  const coerced = getVariableValues(schema, operation.variableDefinitions ?? [], variables, FIRST_FAULT);
  if (coerced.errors) {
    const details = coercionDetails(schema, operation, variables, suggestions);
    throw details.length > 0
      ? invalid(details)
      : new DomainError('VALIDATION_FAILED', coerced.errors[0]!.message);
  }
  const nulls = nullDetails(strictVariables(schema, document, operation), coerced.coerced);
  if (nulls.length > 0) throw invalid(nulls);
  return new Scales(schema, fragmentsOf(document), coerced.coerced).weigh(operation);
}

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
  let has = false;
  visit(document, {
    Directive: () => {
      has = true;
      return BREAK;
    },
  });
  return has;
}
