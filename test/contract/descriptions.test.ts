import {
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
} from 'graphql';
import { contractSchema } from '../../src/contract.js';

interface Described {
  name: string;
  description?: string | null;
}

function* partsOf(type: GraphQLNamedType): Generator<Described> {
  yield type;
  if (isEnumType(type)) {
    for (const value of type.getValues()) yield { ...value, name: `${type.name}.${value.name}` };
  }
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields())) {
      yield { ...field, name: `${type.name}.${field.name}` };
    }
  }
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      const name = `${type.name}.${field.name}`;
      yield { ...field, name };
      for (const arg of field.args) yield { ...arg, name: `${name}(${arg.name})` };
    }
  }
}

async function describedParts(): Promise<Described[]> {
  const { schema } = await contractSchema();
  const own = Object.values(schema.getTypeMap()).filter(
    (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
  );
  return own.flatMap((type) => [...partsOf(type)]);
}

test('every type, field, argument and enum value is described by a sentence', async () => {
  const parts = await describedParts();
  expect(parts.length).toBeGreaterThan(400);
  const bare = parts.filter(({ description }) => !/^\S.{3,}[.)…]$/s.test(description ?? ''));
  expect(bare.map(({ name }) => name)).toEqual([]);
});
