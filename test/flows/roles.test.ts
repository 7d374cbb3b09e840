import { getNamedType, isObjectType } from 'graphql';
import { type Data, send } from '../support/http.js';
import { WHOLE } from '../support/roles/callers.js';
import { GRAPH_ROWS } from '../support/roles/graph-rows.js';
import { Matrix, nameOf, ROWS, requestsOf } from '../support/roles/matrix.js';
import { refusedTo, UNSEEN } from '../support/roles/unseen-table.js';

let matrix: Matrix;
beforeAll(async () => {
  matrix = await Matrix.open();
});
afterAll(() => matrix.close());

test.each(ROWS.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
  expect(await matrix.play(row)).toEqual([]);
});

test.each(WHOLE)('fields of a record that its reader does not see: %s', async (name) => {
  const fared = await Promise.all(
    refusedTo(name).map(async (field) => [field, await matrix.faredAlone(name, field)] as const),
  );
  expect({ ...matrix.sightings.get(name)!.unseen(), ...Object.fromEntries(fared) }).toEqual(UNSEEN[name]);
});

test('every route and every root field is in the table, and nothing else', async () => {
  const { paths } = (await send(`${matrix.app.url}/openapi.json`)).body as { paths: Record<string, Data> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const roots = ['Query', 'Mutation', 'Subscription'].map((name) => matrix.app.app.schema.getType(name));
  const fields = roots
    .filter(isObjectType)
    .flatMap((root) => Object.keys(root.getFields()).map((name) => `${root.name}.${name}`));
  const known = new Set(ROWS.map(({ door }) => door));
  const doors = [...routes, ...fields];
  expect({
    'to add to test/support/roles/rest-rows.ts': routes
      .filter((door) => !known.has(door))
      .map((door) => `rest('${door}', '<a policy of test/fixtures/policies.txt>'),`),
    'to add to test/support/roles/query-rows.ts, mutation-rows.ts or graph-rows.ts': fields
      .filter((door) => !known.has(door))
      .map((door) => `field('${door}', '<a policy of test/fixtures/policies.txt>', ({ of }) => ({ … })),`),
    'to remove, there is no such door': [...known].filter((door) => !doors.includes(door)),
  }).toEqual({
    'to add to test/support/roles/rest-rows.ts': [],
    'to add to test/support/roles/query-rows.ts, mutation-rows.ts or graph-rows.ts': [],
    'to remove, there is no such door': [],
  });
});

test('every argument of a reading door that names a record is in a row', async () => {
  const { paths } = (await send(`${matrix.app.url}/openapi.json`)).body as { paths: Record<string, Data> };
  const parameters = Object.entries(paths).flatMap(([path, { get }]) =>
    (get?.parameters ?? [])
      .filter(({ in: place, name }: Data) => place === 'query' && name.endsWith('_id'))
      // named-account.test requests the account of a single record on every such route.
      .filter(({ name }: Data) => name !== 'account_id' || !path.endsWith('}'))
      .map(({ name }: Data) => `GET ${path} ${name}`),
  );
  const roots = ['Query', 'Subscription']
    .map((name) => matrix.app.app.schema.getType(name))
    .filter(isObjectType);
  const ofFields = roots.flatMap((root) =>
    Object.values(root.getFields()).flatMap(({ name, args }) =>
      args
        .filter(({ type }) => getNamedType(type).name === 'ID')
        .map((argument) => `${root.name}.${name} ${argument.name}`),
    ),
  );
  const { live } = matrix.cast.aurora;
  const named = ROWS.flatMap((row) =>
    [row.query, row.args].flatMap((make) =>
      Object.keys(make?.({ of: live, home: live, n: 0 }) ?? {}).map((name) => `${row.door} ${name}`),
    ),
  );
  expect([...parameters, ...ofFields].filter((place) => !named.includes(place))).toEqual([]);
});

test('node and nodes have rows for every kind of record', () => {
  const node = matrix.app.app.schema.getType('Node');
  const kinds = matrix.app.app.schema.getPossibleTypes(node as never).map(({ name }) => name);
  for (const door of ['Query.node', 'Query.nodes']) {
    const requested = new Set(GRAPH_ROWS.filter((row) => row.door === door).map(({ type }) => type));
    expect([...requested].toSorted()).toEqual(kinds.toSorted());
  }
});

test('the matrix has thousands of cells, and all were requested', () => {
  const cells = ROWS.flatMap((row) => requestsOf(row, matrix.cast)).length;
  expect(matrix.requested).toBe(cells);
  expect(cells).toBeGreaterThan(3_000);
  process.stderr.write(`role matrix: ${ROWS.length} rows, ${cells} cells\n`);
});
