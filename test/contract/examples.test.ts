import { coerceInputValue, parse, typeFromAST, validate } from 'graphql';
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
