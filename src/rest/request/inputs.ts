import {
  type ArgumentNode,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLInputType,
  GraphQLInt,
  type GraphQLSchema,
  GraphQLString,
  isInputObjectType,
  isInputType,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';
import type { ErrorCode } from '../../base/errors.js';
import { DEFAULT_PAGE, LARGEST_PAGE } from '../../db/keyset.js';
import type { JsonSchema } from '../openapi/json-schema.js';
import { hintsOf, isNotNull } from '../openapi/schema.js';
import type { Route } from '../routes/route.js';
import { memberName, snakeCase } from '../spelling.js';

/** One input of a request and the variable that receives it. */
export interface Input {
  /** In the callers' spelling. */
  name: string;
  where: 'path' | 'query' | 'body';
  type: GraphQLInputType;
  description: string;
  defaultValue: unknown;
  /** Its rules in JSON Schema. */
  hints?: JsonSchema;
  /** May be absent, but not null. */
  notNull?: boolean;
  /** The operation's variable; with `field`, a field of that variable. */
  variable: string;
  field?: string;
  /** The error code for a value outside the type; default: 422 like any other fault. */
  refusal?: ErrorCode | undefined;
}

/** The inputs of a route, derived from its operation's variables. */
export interface RouteInputs {
  inputs: Input[];
  /** True for a list, paged by `cursor` and `limit`. */
  paged: boolean;
  /** The input for each name that resolvers use in faults (argument or input field, camelCase). */
  spoken: Map<string, Input>;
}

/** The variable whose fields make the request body. */
const WHOLE_BODY = 'input';

/**
 * REST's replacement of Relay's four arguments. A cursor contains its direction: for a backward one the request's
 * reader moves the two values to `before` and `last`.
 */
const CURSOR_INPUT: Input = {
  name: 'cursor',
  where: 'query',
  type: GraphQLString,
  description: '`next_cursor` or `prev_cursor` from an earlier response with the same sort and filters.',
  defaultValue: undefined,
  variable: 'after',
};
const LIMIT_INPUT: Input = {
  name: 'limit',
  where: 'query',
  type: GraphQLInt,
  description: `Records per page, 1 to ${LARGEST_PAGE}. Can differ from page to page.`,
  defaultValue: DEFAULT_PAGE,
  variable: 'first',
};

/** By the names that resolvers use. A list that is requested by a body has them in the body. */
function pagingInputs({ method }: Pick<Route, 'method'>): Map<string, Input> {
  const where = method === 'GET' ? 'query' : 'body';
  const [cursor, limit] = [CURSOR_INPUT, LIMIT_INPUT].map((input): Input => ({ ...input, where }));
  return new Map([
    ['first', limit!],
    ['last', limit!],
    ['after', cursor!],
    ['before', cursor!],
  ]);
}

type Described = Pick<GraphQLArgument | GraphQLInputField, 'description' | 'extensions'>;

/** A field on the way to the body, and the arguments that it gets. */
export interface ArgumentUse {
  field: GraphQLField<unknown, unknown>;
  args: readonly ArgumentNode[];
}

/** Returns where the arguments of a field use an operation's variables: camelCase names, descriptions. */
function variableUses({ field, args }: ArgumentUse) {
  const uses: { variable: string; name: string; definition: Described }[] = [];
  for (const node of args) {
    const argument = field.args.find(({ name }) => name === node.name.value)!;
    if (node.value.kind === Kind.VARIABLE) {
      uses.push({ variable: node.value.name.value, name: argument.name, definition: argument });
    }
    // A list of one.
    const [item] = node.value.kind === Kind.LIST ? node.value.values : [];
    if (item?.kind === Kind.VARIABLE)
      uses.push({ variable: item.name.value, name: argument.name, definition: argument });
    const type = isNonNullType(argument.type) ? argument.type.ofType : argument.type;
    if (node.value.kind !== Kind.OBJECT || !isInputObjectType(type)) continue;
    for (const { name, value } of node.value.fields) {
      if (value.kind !== Kind.VARIABLE) continue;
      uses.push({ variable: value.name.value, name: name.value, definition: type.getFields()[name.value]! });
    }
  }
  return uses;
}

/** Returns the inputs for the members of an input object. */
export function bodyFields(type: GraphQLInputType): Input[] {
  const object = isNonNullType(type) ? type.ofType : type;
  if (!isInputObjectType(object)) throw new Error(`$${WHOLE_BODY} must be of an input object type`);
  return Object.values(object.getFields()).map((field) => ({
    name: memberName(field),
    where: 'body',
    type: field.type,
    description: field.description ?? '',
    defaultValue: field.defaultValue,
    hints: hintsOf(field),
    notNull: isNotNull(field),
    variable: WHOLE_BODY,
    field: field.name,
    refusal: field.extensions.refusal as ErrorCode | undefined,
  }));
}

function placeOf({ path, method, query }: Route, variable: string, name: string): Input['where'] {
  if (path.includes(`{${name}}`)) return 'path';
  return method === 'GET' || query?.includes(variable) ? 'query' : 'body';
}

/** @param view the schema in REST's spelling @throws Error when the operation does not match the route */
export function inputsOf(
  view: GraphQLSchema,
  route: Route,
  definition: OperationDefinitionNode,
  fields: readonly ArgumentUse[],
): RouteInputs {
  const uses = fields.flatMap(variableUses);
  const paging = pagingInputs(route);
  const inputs: Input[] = [];
  for (const node of definition.variableDefinitions ?? []) {
    const variable = node.variable.name.value;
    const type = typeFromAST(view, node.type as never);
    const name = snakeCase(variable);
    if (!isInputType(type)) throw new Error(`${route.operation}: $${variable} is of no input type`);
    if (paging.has(variable)) continue;
    if (variable === WHOLE_BODY) {
      inputs.push(...bodyFields(type));
    } else {
      const definition = uses.find((use) => use.variable === variable)?.definition;
      inputs.push({
        name,
        where: placeOf(route, variable, name),
        type,
        description: definition?.description ?? '',
        ...(definition && { hints: hintsOf(definition) }),
        defaultValue: node.defaultValue && valueFromASTUntyped(node.defaultValue),
        variable,
      });
    }
  }
  const paged = Boolean(definition.variableDefinitions?.some((node) => paging.has(node.variable.name.value)));
  if (paged) inputs.push(paging.get('after')!, paging.get('first')!);
  for (const [, parameter] of route.path.matchAll(/{(\w+)}/g)) {
    if (!inputs.some(({ name, where }) => where === 'path' && name === parameter)) {
      throw new Error(`${route.operation} has no variable for {${parameter}} of ${route.path}`);
    }
  }
  const spoken = new Map<string, Input>(paged ? paging : []);
  for (const input of inputs) spoken.set(input.field ?? input.variable, input);
  for (const { variable, name } of uses) {
    const input = inputs.find((candidate) => candidate.variable === variable && !candidate.field);
    if (input) spoken.set(name, input);
  }
  return { inputs, paged, spoken };
}

/** True if a request must contain the input. */
export function isRequired({ type, defaultValue }: Input): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}
