import {
  type FieldNode,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  Kind,
} from 'graphql';
import { type Role, rolesOf } from '../../graphql/access.js';
import { inputsOf, type RouteInputs } from '../request/inputs.js';
import { snakeCase } from '../request/names.js';
import type { Operation } from './operations.js';
import type { Route } from './route.js';

/** A route with everything that its operation and the schema say about it. */
export interface RestRoute extends RouteInputs, Operation {
  route: Route;
  /** Keys of the result (snake_case) that lead to the answer's body. */
  keys: string[];
  /** The selection that is the body, and its type. */
  selection: FieldNode;
  type: GraphQLObjectType;
  /** The field of Query or Mutation that it runs. */
  field: GraphQLField<unknown, unknown>;
  /** Whether `account_id` of the query limits it to records of that account: single reads and writes of administrators. */
  limited: boolean;
}

/** Lists take the account as a filter; what only superadmins do belongs to no account. */
function isLimited({ who }: Route, { inputs }: RouteInputs): boolean {
  const filters = inputs.some(({ where, name }) => where === 'query' && name === 'account_id');
  return who === 'admin' && inputs.length > 0 && !filters;
}

function selected(parent: FieldNode | Operation['definition'], name: string): FieldNode | undefined {
  return parent.selectionSet?.selections.find(
    (selection): selection is FieldNode => selection.kind === Kind.FIELD && selection.name.value === name,
  );
}

/** A route may ask for less than its field allows, never for more. */
function permits(allowed: Role[], who: Role): boolean {
  return (
    allowed.includes(who) || allowed.includes('anyone') || (who === 'superadmin' && allowed.includes('admin'))
  );
}

/**
 * Puts a row of the table, its operation and the schema together.
 * @param view the schema as REST spells it
 * @throws Error when they do not agree: the service does not start then
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
  for (const name of route.body.split('.')) {
    selection = selected(selection ?? definition, name);
    const found = selection && type.getFields()[name];
    const below = found && getNamedType(found.type);
    if (!found || !isObjectType(below)) throw new Error(`${route.operation} has no record at ${route.body}`);
    field ??= found;
    type = below;
  }
  if (!permits(rolesOf(field!.extensions) ?? [], route.who)) {
    throw new Error(`${route.method} ${route.path} is for ${route.who}, but ${field!.name} is not`);
  }
  const root = selected(definition, field!.name)!;
  const inputs = inputsOf(view, route, definition, field!, root.arguments ?? []);
  return {
    ...operation,
    ...inputs,
    limited: isLimited(route, inputs),
    route,
    keys: route.body.split('.').map(snakeCase),
    selection: selection!,
    type,
    field: field!,
  };
}
