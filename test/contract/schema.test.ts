import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes, contractFiles, contractSchema } from '../../src/contract.js';

const committed = (name: string) => readFileSync(path.resolve(__dirname, '../..', name), 'utf8');

// `npm run contract` writes these files.
test.each(['schema/schema.graphql', 'schema/openapi.json', 'schema/leaderboards.schema.json'])(
  '%s equals the schema of the code',
  async (name) => {
    const file = contractFiles(await contractSchema()).find((candidate) => candidate.name === name);
    expect(file?.text).toBe(committed(name));
  },
);

test('the types of the client are those of the OpenAPI document', () => {
  const { name, text } = clientTypes(committed('schema/openapi.json'));
  expect(text).toBe(committed(name));
});
