import { MapperKind, mapSchema } from '@graphql-tools/utils';
import {
  GraphQLEnumType,
  GraphQLError,
  type GraphQLNamedType,
  GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
} from 'graphql';

/** Names that GraphQL reserves. */
const RESERVED = new Set(['true', 'false', 'null']);

/** The response texts of an enum's values, given if one of them, in lower case, is no valid name of a value. */
export interface TextExtensions {
  texts?: string[];
}

function asText(type: GraphQLEnumType): GraphQLScalarType {
  const byText = new Map(type.getValues().map(({ name, value }) => [name.toLowerCase(), value as unknown]));
  const texts = [...byText.keys()];
  const parse = (text: unknown) => {
    if (!byText.has(text as string)) throw new GraphQLError(`must be one of ${texts.join(', ')}`);
    return byText.get(text as string);
  };
  return new GraphQLScalarType({
    name: type.name,
    description: type.description,
    serialize: (value) => (type.serialize(value) ?? '').toLowerCase(),
    parseValue: parse,
    extensions: { texts } satisfies TextExtensions,
  });
}

function lowerCase(type: GraphQLNamedType): GraphQLNamedType | undefined {
  if (!isEnumType(type)) return undefined;
  if (type.getValues().some(({ name }) => RESERVED.has(name.toLowerCase()))) return asText(type);
  const config = type.toConfig();
  const values = Object.entries(config.values).map(([name, value]) => [name.toLowerCase(), value] as const);
  return new GraphQLEnumType({ ...config, values: Object.fromEntries(values) });
}

/** Returns the service's schema in REST's spelling: names of enum values are lower-case. The resolvers are the same. */
export function restView(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, { [MapperKind.TYPE]: lowerCase });
}
