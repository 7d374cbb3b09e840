import path from 'node:path';
import { createConfig, lint } from '@redocly/openapi-core';

// The linter's strictest set and what it leaves off. It reads the committed file and nothing else: no network.
const MORE = [
  'component-name-unique',
  'no-invalid-media-type-examples',
  'no-invalid-parameter-examples',
  'no-invalid-schema-examples',
  'no-http-verbs-in-paths',
  'operation-description',
  'parameter-description',
  'path-params-defined',
  'paths-kebab-case',
  'scalar-property-missing-example',
  'spec-strict-refs',
  'tag-description',
];

test('the OpenAPI document passes the linter without an error or a warning', async () => {
  const config = await createConfig({
    extends: ['recommended-strict'],
    rules: Object.fromEntries(MORE.map((rule) => [rule, 'error' as const])),
  });
  const ref = path.resolve(__dirname, '../../schema/openapi.json');
  const problems = await lint({ ref, config });
  expect(
    problems.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`),
  ).toEqual([]);
});
