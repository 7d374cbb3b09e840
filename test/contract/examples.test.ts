import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { coerceInputValue, Kind, parse, typeFromAST, validate } from 'graphql';
import { contractSchema } from '../../src/contract.js';
import { NEWEST } from '../../web/explorer/account-ids.js';
import { examples } from '../../web/explorer/examples.js';

test.each(examples.map((example) => [example.title, example] as const))(
  'the explorer’s example "%s" is one of this schema, variables and all',
  async (_title, { query, variables }) => {
    const { schema } = await contractSchema();
    const document = parse(query);
    expect(validate(schema, document)).toEqual([]);
    const [operation] = document.definitions.flatMap((node) =>
      node.kind === 'OperationDefinition' ? [node] : [],
    );
    for (const { variable, type } of operation?.variableDefinitions ?? []) {
      const given = (variables as Record<string, unknown> | undefined)?.[variable.name.value];
      const faults: string[] = [];
      coerceInputValue(given, typeFromAST(schema, type as never) as never, (_path, _value, error) => {
        faults.push(error.message);
      });
      expect(faults).toEqual([]);
    }
  },
);

test('the operation that reads the ids of an account is one of this schema', async () => {
  expect(validate((await contractSchema()).schema, parse(NEWEST))).toEqual([]);
});

test('the operations on the pages are of this schema', async () => {
  const { schema } = await contractSchema();
  const docs = path.resolve(__dirname, '../../docs');
  const pages = readdirSync(docs, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  );
  const blocks = pages.flatMap((name) =>
    [...readFileSync(path.join(docs, name), 'utf8').matchAll(/^```graphql\n([\s\S]*?)^```/gm)].map(
      ([, block]) => block!,
    ),
  );
  expect(blocks.length).toBeGreaterThan(9);
  // Each operation of a block is sent alone.
  const operations = blocks.flatMap((block) => parse(block).definitions);
  const faults = operations.flatMap((operation) =>
    validate(schema, { kind: Kind.DOCUMENT, definitions: [operation] }).map(({ message }) => message),
  );
  expect(faults).toEqual([]);
});
