import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes, contractFiles, contractSchema } from '../../src/contract.js';

interface Field {
  params?: { index: number }[];
}

/** Where type-graphql keeps what decorators tell it. */
interface Global {
  TypeGraphQLMetadataStorage: { queries: Field[]; mutations: Field[]; objectTypes: { fields: Field[] }[] };
}

const committed = (name: string) => readFileSync(path.resolve(__dirname, '../..', name), 'utf8');

// `npm run contract` writes these files.
test.each(['schema/schema.graphql', 'schema/openapi.json'])('%s is what the code promises', async (name) => {
  const file = contractFiles(await contractSchema()).find((candidate) => candidate.name === name);
  expect(file?.text).toBe(committed(name));
});

test('the schema is the same once its fields were asked for', async () => {
  // type-graphql sorts the parameters of a method when it is first called: arguments of a class among others change place.
  const { TypeGraphQLMetadataStorage: known } = globalThis as unknown as Global;
  const fields = [...known.queries, ...known.mutations, ...known.objectTypes.flatMap((type) => type.fields)];
  expect(fields.filter(({ params = [] }) => params.length > 0).length).toBeGreaterThan(100);
  for (const { params } of fields) params?.sort((a, b) => a.index - b.index);
  const [file] = contractFiles(await contractSchema());
  expect(file!.text).toBe(committed(file!.name));
});

test('the types of the client are those of the OpenAPI document', () => {
  const { name, text } = clientTypes(committed('schema/openapi.json'));
  expect(text).toBe(committed(name));
});
