import { isObjectType } from 'graphql';
import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import { type Data, send } from '../support/http.js';
import { WriteJournal } from '../support/journal.js';
import { type Cast, makeCast } from '../support/roles/callers.js';
import { Asking, type Cell, cellsOf, changesWhatIsThere } from '../support/roles/cells.js';
import { GRAPH_ROWS } from '../support/roles/graph-rows.js';
import { setBack } from '../support/roles/removals.js';
import { REST_ROWS } from '../support/roles/rest-rows.js';
import type { Row } from '../support/roles/rows.js';
import { leaksOf, sightOf } from '../support/roles/secrets.js';
import { Wire } from '../support/wire.js';

const ROWS = [...REST_ROWS, ...GRAPH_ROWS];
const FIRST_OF_DOOR = new Set(new Map(ROWS.toReversed().map((row) => [row.door, row])).values());
const AT_ONCE = 6;

let app: TestApp;
let cast: Cast;
let asking: Asking;
let journal: WriteJournal;
let wire: Wire;
let asked = 0;

beforeAll(async () => {
  app = await startApp();
  cast = await makeCast(app);
  const { body } = await send(`${app.url}/openapi.json`);
  wire = new Wire(app.url);
  asking = new Asking(app, wire, new OpenApiContract(body), cast);
  journal = await WriteJournal.open(app.database.knex);
}, 60_000);
afterAll(async () => {
  wire.close();
  await app.close();
});

/** The matrix: whoever is to be refused first, then everybody else. @returns what is wrong */
async function play(row: Row): Promise<string[]> {
  const cells = cellsOf(row, cast, FIRST_OF_DOOR.has(row));
  const refused = cells.filter(({ expected }) => expected !== 'ok');
  const faults: string[] = [];
  await journal.news();
  for (let at = 0; at < refused.length; at += AT_ONCE) {
    const some = refused.slice(at, at + AT_ONCE);
    faults.push(...(await Promise.all(some.map((cell) => faultsOf(row, cell)))).flat());
  }
  const written = await journal.news();
  if (written.length > 0 && !row.refresh) faults.push(`refused requests wrote: ${written.join(', ')}`);
  for (const cell of cells.filter(({ expected }) => expected === 'ok')) {
    faults.push(...(await faultsOf(row, cell)));
    if (changesWhatIsThere(row)) await setBack(app, cast, cell.target);
  }
  return faults;
}

async function faultsOf(row: Row, cell: Cell): Promise<string[]> {
  const { actor, target, expected } = cell;
  asked += 1;
  const { outcome, text } = await asking.ask(row, cell);
  const who = `${actor.name}, ${target}:`;
  const leaks = leaksOf(sightOf(cast, cell, row.policy.published), text);
  const faults = leaks.map((leak) => `${who} sees ${leak}`);
  if (outcome !== expected) faults.push(`${who} ${outcome} instead of ${expected} ${text.slice(0, 300)}`);
  return faults;
}

test.each(ROWS.map((row) => [[row.door, row.label].filter(Boolean).join(', '), row] as const))(
  '%s',
  async (_name, row) => {
    expect(await play(row)).toEqual([]);
  },
);

test('every route and every root field is in the table, and nothing else', async () => {
  const { paths } = (await send(`${app.url}/openapi.json`)).body as { paths: Record<string, Data> };
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  const roots = ['Query', 'Mutation', 'Subscription'].map((name) => app.app.schema.getType(name));
  const fields = roots
    .filter(isObjectType)
    .flatMap((root) => Object.keys(root.getFields()).map((name) => `${root.name}.${name}`));
  const known = new Set(ROWS.map(({ door }) => door));
  const doors = [...routes, ...fields];
  expect({
    'to add to test/support/roles/rest-rows.ts': routes
      .filter((door) => !known.has(door))
      .map((door) => `rest('${door}', '<a policy of policy-table.ts>'),`),
    'to add to test/support/roles/graph-rows.ts': fields
      .filter((door) => !known.has(door))
      .map((door) => `field('${door}', '<a policy of policy-table.ts>', ({ of }) => ({ … })),`),
    'to remove, there is no such door': [...known].filter((door) => !doors.includes(door)),
  }).toEqual({
    'to add to test/support/roles/rest-rows.ts': [],
    'to add to test/support/roles/graph-rows.ts': [],
    'to remove, there is no such door': [],
  });
});

test('every kind of record is asked for by node and nodes', () => {
  const node = app.app.schema.getType('Node');
  const kinds = app.app.schema.getPossibleTypes(node as never).map(({ name }) => name);
  for (const door of ['Query.node', 'Query.nodes']) {
    const asked = GRAPH_ROWS.filter((row) => row.door === door).map(({ type }) => type);
    expect(asked.toSorted()).toEqual(kinds.toSorted());
  }
});

test('the matrix has thousands of cells, and all were asked', () => {
  const cells = ROWS.flatMap((row) => cellsOf(row, cast, FIRST_OF_DOOR.has(row))).length;
  expect(asked).toBe(cells);
  expect(cells).toBeGreaterThan(3_000);
  process.stderr.write(`role matrix: ${ROWS.length} rows, ${cells} cells\n`);
});
