import { readFileSync } from 'node:fs';
import path from 'node:path';
import { contractFiles, contractSchema } from '../../src/contract.js';

// `npm run contract` writes these files.
test.each(['schema/schema.graphql', 'schema/openapi.json'])('%s is what the code promises', async (name) => {
  const file = contractFiles(await contractSchema()).find((candidate) => candidate.name === name);
  expect(file?.text).toBe(readFileSync(path.resolve(__dirname, '../..', name), 'utf8'));
});
