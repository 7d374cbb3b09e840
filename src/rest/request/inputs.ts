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
import { snakeCase } from './names.js';

/** One thing a request can carry, and the variable it goes to. */
export interface Input {
  /** As callers write it. */
  name: string;
  where: 'path' | 'query' | 'body';
  type: GraphQLInputType;
  description: string;
  defaultValue: unknown;
  /** What its rules say in JSON Schema. */
  hints?: JsonSchema;
  /** May be left out, but not be null. */
  notNull?: boolean;
  /** The operation's variable; with `field`, a field of that variable. */
  variable: string;
  field?: string;
  /** The code with which a value is refused that the type does not have; by default 422 like any other. */
  refusal?: ErrorCode | undefined;
}

/** What a route takes, derived from its operation's variables. */
export interface RouteInputs {
  inputs: Input[];
  /** Whether it is a list, walked by `cursor` and `limit`. */
  paged: boolean;
  /** Names that resolvers use in faults (argument or input field, camelCase) to the input they speak of. */
  spoken: Map<string, Input>;
}

/** The variable whose fields are the request body's. */
const WHOLE_BODY = 'input';

/**
 * What REST has instead of Relay's four arguments. A cursor knows its direction: the request's reader moves the two
 * values to `before` and `last` when it leads back.
 */
const CURSOR: Input = {
  name: 'cursor',
  where: 'query',
  type: GraphQLString,
  description: '`next_cursor` or `prev_cursor` of an earlier answer to the same sort and filters.',
  defaultValue: undefined,
  variable: 'after',
};
const LIMIT: Input = {
  name: 'limit',
  where: 'query',
  type: GraphQLInt,
  description: `Records a page, 1 to ${LARGEST_PAGE}; may differ from page to page.`,
  defaultValue: DEFAULT_PAGE,
  variable: 'first',
};
const PAGING = new Map([
  ['first', LIMIT],
  ['last', LIMIT],
  ['after', CURSOR],
  ['before', CURSOR],
]);

type Described = Pick<GraphQLArgument | GraphQLInputField, 'description' | 'extensions'>;

/** Where an operation's variables are used in the arguments of its root field: camelCase names there, descriptions. */
function usesOf(field: GraphQLField<unknown, unknown>, args: readonly ArgumentNode[]) {
  const uses: { variable: string; name: string; definition: Described }[] = [];
  for (const node of args) {
    const argument = field.args.find(({ name }) => name === node.name.value)!;
    if (node.value.kind === Kind.VARIABLE) {
      uses.push({ variable: node.value.name.value, name: argument.name, definition: argument });
    }
    const type = isNonNullType(argument.type) ? argument.type.ofType : argument.type;
    if (node.value.kind !== Kind.OBJECT || !isInputObjectType(type)) continue;
    for (const { name, value } of node.value.fields) {
      if (value.kind !== Kind.VARIABLE) continue;
      uses.push({ variable: value.name.value, name: name.value, definition: type.getFields()[name.value]! });
    }
  }
  return uses;
}

function bodyFields(type: GraphQLInputType): Input[] {
  const object = isNonNullType(type) ? type.ofType : type;
  if (!isInputObjectType(object)) throw new Error(`$${WHOLE_BODY} must be of an input object type`);
  return Object.values(object.getFields()).map((field) => ({
    name: snakeCase(field.name),
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

/** @param view the schema as REST spells it @throws Error when the operation does not go with the route */
export function inputsOf(
  view: GraphQLSchema,
  route: Route,
  definition: OperationDefinitionNode,
  field: GraphQLField<unknown, unknown>,
  args: readonly ArgumentNode[],
): RouteInputs {
  const uses = usesOf(field, args);
  const inputs: Input[] = [];
  for (const node of definition.variableDefinitions ?? []) {
    const variable = node.variable.name.value;
    const type = typeFromAST(view, node.type as never);
    const name = snakeCase(variable);
    if (!isInputType(type)) throw new Error(`${route.operation}: $${variable} is of no input type`);
    if (PAGING.has(variable)) continue;
    if (variable === WHOLE_BODY) {
      inputs.push(...bodyFields(type));
    } else {
      const definition = uses.find((use) => use.variable === variable)?.definition;
      inputs.push({
        name,
        where: route.path.includes(`{${name}}`) ? 'path' : route.method === 'GET' ? 'query' : 'body',
        type,
        description: definition?.description ?? '',
        hints: definition && hintsOf(definition),
        defaultValue: node.defaultValue && valueFromASTUntyped(node.defaultValue),
        variable,
      });
    }
  }
  const paged = Boolean(definition.variableDefinitions?.some((node) => PAGING.has(node.variable.name.value)));
  if (paged) inputs.push(CURSOR, LIMIT);
  for (const [, parameter] of route.path.matchAll(/{(\w+)}/g)) {
    if (!inputs.some(({ name, where }) => where === 'path' && name === parameter)) {
      throw new Error(`${route.operation} has no variable for {${parameter}} of ${route.path}`);
    }
  }
  const spoken = new Map<string, Input>(paged ? PAGING : []);
  for (const input of inputs) spoken.set(input.field ?? input.variable, input);
  for (const { variable, name } of uses) {
    const input = inputs.find((candidate) => candidate.variable === variable && !candidate.field);
    if (input) spoken.set(name, input);
  }
  return { inputs, paged, spoken };
}

/** Whether a request must carry it. */
export function isRequired({ type, defaultValue }: Input): boolean {
  return isNonNullType(type) && defaultValue === undefined;
}
