import { readFileSync } from 'node:fs';
import path from 'node:path';
import { clientTypes, contractFiles, contractSchema } from '../../src/contract.js';

const committed = (name: string) => readFileSync(path.resolve(__dirname, '../..', name), 'utf8');

// `npm run contract` writes these files, the types of hooks among them.
test('the printed files are those of the code', async () => {
  const files = contractFiles(await contractSchema());
  expect(files.map(({ name }) => name)).toContain('src/hooks/printed.ts');
  for (const { name, text } of files) expect([name, text]).toEqual([name, committed(name)]);
});

test('the types of the client are those of the OpenAPI document', () => {
  const { name, text } = clientTypes(committed('schema/openapi.json'));
  expect(text).toBe(committed(name));
});
