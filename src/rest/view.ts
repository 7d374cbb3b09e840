import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { defaultFieldResolver, GraphQLEnumType, type GraphQLFieldConfig, type GraphQLSchema } from 'graphql';

function lowerCase(type: GraphQLEnumType): GraphQLEnumType {
  const config = type.toConfig();
  const values = Object.entries(config.values).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) });
}

/** Facts about a page are functions, called when they are asked for; compiled operations call no property by themselves. */
function called(
  field: GraphQLFieldConfig<unknown, unknown>,
  _name: string,
  type: string,
): GraphQLFieldConfig<unknown, unknown> | undefined {
  return type === 'PageInfo' ? { ...field, resolve: defaultFieldResolver } : undefined;
}

/** The service's schema as REST spells it: names of enum values are lower-case. The resolvers are the same. */
export function restView(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, { [MapperKind.ENUM_TYPE]: lowerCase, [MapperKind.OBJECT_FIELD]: called });
}
