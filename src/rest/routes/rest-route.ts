import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DocumentNode,
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  parse,
  separateOperations,
  validate,
  visit,
} from 'graphql';
import { packageRoot } from '../../base/package.js';
import { type Grant, grantsOf, type Role, rightsIn } from '../../graphql/rights.js';
import { type ArgumentUse, inputsOf, type RouteInputs } from '../request/inputs.js';
import { snakeCase } from '../spelling.js';
import type { Route } from './route.js';

/** A route with the facts that its operation and the schema add. */
export interface RestRoute extends RouteInputs, Operation {
  route: Route;
  allow: Grant[];
  /** Path of keys (snake_case) in the result to the response body. */
  keys: string[];
  /** The selection that makes the body, and its type. */
  selection: FieldNode;
  type: GraphQLObjectType;
  /** The field of Query or Mutation that it runs. */
  field: GraphQLField<unknown, unknown>;
  /**
   * True if the query parameter `account_id` limits it to records of that account: single reads and writes of
   * administrators.
   */
  limited: boolean;
  /** Runs in its place where `route.variant.parameter` is given. */
  variant?: RestRoute | undefined;
}

/** Lists have the account as a filter; operations of superadmins belong to no account. */
function isLimited({ who }: Route, { inputs }: RouteInputs): boolean {
  const filters = inputs.some(({ where, name }) => where === 'query' && name === 'account_id');
  return who === 'admin' && inputs.length > 0 && !filters;
}

function selected(parent: FieldNode | Operation['definition'], name: string): FieldNode | undefined {
  return parent.selectionSet?.selections.find(
    (selection): selection is FieldNode => selection.kind === Kind.FIELD && selection.name.value === name,
  );
}

/** Who may call a route, of those who may use its field; none: the route is for callers who may not. */
function callersOf(allowed: readonly Grant[], who: Role): Grant[] {
  if (who === 'admin') return rightsIn(allowed);
  const isOpen = allowed.includes(who) || allowed.includes('anyone');
  return isOpen || (who === 'superadmin' && rightsIn(allowed).length > 0) ? [who] : [];
}

/**
 * Combines a row of the table with its operation and the schema.
 * @param view the schema in REST's spelling
 * @throws Error when they do not agree: the service then does not start
 */
export function restRoute(
  view: GraphQLSchema,
  route: Route,
  operations: ReadonlyMap<string, Operation>,
): RestRoute {
  const operation = operations.get(route.operation);
  if (!operation) throw new Error(`schema/rest.graphql has no operation ${route.operation}`);
  const { definition } = operation;
  let type = view.getRootType(definition.operation)!;
  let selection: FieldNode | undefined;
  let field: GraphQLField<unknown, unknown> | undefined;
  const uses: ArgumentUse[] = [];
  for (const name of route.body.split('.')) {
    selection = selected(selection ?? definition, name);
    const found = selection && type.getFields()[name];
    const below = found && getNamedType(found.type);
    if (!found || !isObjectType(below)) throw new Error(`${route.operation} has no record at ${route.body}`);
    field ??= found;
    uses.push({ field: found, args: selection!.arguments ?? [] });
    type = below;
  }
  const allow = callersOf(grantsOf(field!.extensions) ?? [], route.who);
  if (allow.length === 0) {
    throw new Error(`${route.method} ${route.path} is for ${route.who}, but ${field!.name} is not`);
  }
  uses.push(...usesBelow(type, selection!, route.batchOf ? 2 : 1));
  for (const beside of route.beside ?? []) {
    const parent = selected(definition, field!.name)!;
    const node = selected(parent, beside);
    const owner = getNamedType(field!.type);
    const sibling = isObjectType(owner) && owner.getFields()[beside];
    if (!node || !sibling) throw new Error(`${route.operation} has no ${beside}`);
    uses.push({ field: sibling, args: node.arguments ?? [] });
  }
  const inputs = inputsOf(view, route, definition, uses);
  const { variant } = route;
  return {
    ...operation,
    ...inputs,
    limited: isLimited(route, inputs),
    route,
    allow,
    keys: route.body.split('.').map(snakeCase),
    selection: selection!,
    type,
    field: field!,
    variant: variant && restRoute(view, { ...route, variant: undefined, ...variant } as Route, operations),
  };
}

/** Of the fields that are selected, to a depth. The results of a batch are a level below its body. */
function usesBelow(type: GraphQLObjectType, { selectionSet }: FieldNode, depth: number): ArgumentUse[] {
  return (selectionSet?.selections ?? []).flatMap((node) => {
    const field = node.kind === Kind.FIELD && type.getFields()[node.name.value];
    if (!field) return [];
    const { arguments: args = [] } = node as FieldNode;
    const below = getNamedType(field.type);
    const deeper = depth > 1 && isObjectType(below) ? usesBelow(below, node as FieldNode, depth - 1) : [];
    return [{ field, args }, ...deeper];
  });
}

/** A named operation, ready to run: its result has REST's spelling. */
interface Operation {
  document: DocumentNode;
  definition: OperationDefinitionNode;
}

/** Returns the text of schema/rest.graphql. */
export function operationsSource(): string {
  return readFileSync(join(packageRoot, 'schema', 'rest.graphql'), 'utf8');
}

/** Adds the snake_case name as an alias to every field of the result; the content of JSON scalars stays unchanged. */
function inSnakeCase(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field: (node) => ({
      ...node,
      alias: { kind: Kind.NAME, value: snakeCase(node.alias?.value ?? node.name.value) },
    }),
  });
}

/**
 * Checks the operations when the contract is printed: at a start it would cost more than everything else about REST.
 * @param view the schema in REST's spelling
 * @throws Error when an operation does not fit the schema, or a fragment is unused
 */
export function checkOperations(view: GraphQLSchema, source: string): void {
  const [error] = validate(view, inSnakeCase(parse(source)));
  if (error) throw new Error(`schema/rest.graphql: ${error.message}`);
}

/** Returns the operations of `source` by name. */
export function loadOperations(source: string): Map<string, Operation> {
  const document = inSnakeCase(parse(source));
  const operations = new Map<string, Operation>();
  for (const [name, separate] of Object.entries(separateOperations(document))) {
    const definition = separate.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
    operations.set(name, { document: separate, definition: definition as OperationDefinitionNode });
  }
  return operations;
}
