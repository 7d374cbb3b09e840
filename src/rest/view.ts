import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { GraphQLEnumType, type GraphQLSchema } from 'graphql';

function lowerCase(type: GraphQLEnumType): GraphQLEnumType {
  const config = type.toConfig();
  const values = Object.entries(config.values).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) });
}

/** The service's schema as REST spells it: names of enum values are lower-case. The resolvers are the same. */
export function restView(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, { [MapperKind.ENUM_TYPE]: lowerCase });
}
