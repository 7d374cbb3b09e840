import { type GraphQLInputObjectType, type GraphQLSchema, getNamedType, isEnumType } from 'graphql';
import { fileName, type Kind, restName, SHAPES } from './fields.js';

/** The default of a field of a new record, by the file's name; undefined: null, or made by the service. */
export type Defaults = (kind: Kind | 'ratio', field: string) => unknown;

/** Reads the defaults of the inputs. */
export function defaultsIn(schema: GraphQLSchema): Defaults {
  return (kind, field) => {
    // Free-form settings: the API leaves out what is empty.
    if (field === 'config') return {};
    const input = schema.getType(`Create${SHAPES[kind].type}Input`) as GraphQLInputObjectType;
    const found = Object.values(input.getFields()).find(({ name }) => fileName(restName(name)) === field);
    if (!found || typeof found.defaultValue !== 'string') return found?.defaultValue;
    return isEnumType(getNamedType(found.type)) ? found.defaultValue.toLowerCase() : found.defaultValue;
  };
}
