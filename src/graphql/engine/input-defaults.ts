import {
  astFromValue,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql';

/** True if values of the type may have members with defaults, at any depth. */
function hasDefaults(type: GraphQLInputType, seen = new Set<GraphQLInputType>()): boolean {
  if (isNonNullType(type) || isListType(type)) return hasDefaults(type.ofType, seen);
  if (!isInputObjectType(type) || seen.has(type)) return false;
  seen.add(type);
  return Object.values(type.getFields()).some(
    (field) => field.defaultValue !== undefined || hasDefaults(field.type, seen),
  );
}

function completed(value: unknown, type: GraphQLInputType): unknown {
  if (isNonNullType(type)) return completed(value, type.ofType);
  if (isListType(type)) {
    return Array.isArray(value)
      ? value.map((item) => completed(item, type.ofType))
      : completed(value, type.ofType);
  }
  if (!isInputObjectType(type) || typeof value !== 'object' || value === null) return value;
  const members: Record<string, unknown> = { ...value };
  for (const { name, type: below, defaultValue } of Object.values(type.getFields())) {
    if (members[name] !== undefined) members[name] = completed(members[name], below);
    else if (defaultValue !== undefined) members[name] = asSent(defaultValue, below);
  }
  return members;
}

/** A default as callers would send it. */
function asSent(defaultValue: unknown, type: GraphQLInputType): unknown {
  return valueFromASTUntyped(astFromValue(defaultValue, type)!);
}

/** Returns what adds the defaults of absent members to an operation's variables: graphql-jit does not know these defaults. */
export function completedVariables(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode | undefined,
): (variables: Record<string, unknown>) => Record<string, unknown> {
  const types = (operation?.variableDefinitions ?? []).flatMap(({ variable, type: node }) => {
    const type = typeFromAST(schema, node as never);
    return isInputType(type) && hasDefaults(type) ? [[variable.name.value, type] as const] : [];
  });
  if (types.length === 0) return (variables) => variables;
  return (variables) => {
    const present = types.filter(([name]) => variables[name] !== undefined);
    const made = present.map(([name, type]) => [name, completed(variables[name], type)] as const);
    return { ...variables, ...Object.fromEntries(made) };
  };
}
