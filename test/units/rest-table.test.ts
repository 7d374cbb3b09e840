import { buildSchema } from 'graphql';
import type { Grant, Role } from '../../src/graphql/rights.js';
import { checkOperations, loadOperations, restRoute } from '../../src/rest/routes/rest-route.js';
import type { Route } from '../../src/rest/routes/route.js';
import { restView } from '../../src/rest/spelling.js';

function schemaFor(allow: Grant[]) {
  const schema = buildSchema(`
    enum Shade { DARK_RED PALE }
    type Thing { id: ID! shownName: String shade: Shade parts: [Thing!]! }
    type Query { thing(id: ID!, shade: Shade): Thing }
  `);
  schema.getQueryType()!.getFields().thing!.extensions = { allow };
  return restView(schema);
}

const view = schemaFor(['read']);
const OPERATION = `query GetThing($thingId: ID!) {
  thing(id: $thingId) { shownName label: shownName oldName: id parts { shownName } ...Shade }
}
fragment Shade on Thing { shade }`;
const ROUTE: Route = {
  method: 'GET',
  path: '/things/{thing_id}',
  operation: 'GetThing',
  body: 'thing',
  status: 200,
  who: 'admin',
};

const make = (changes: Partial<Route> = {}, seen = view, text = OPERATION) =>
  restRoute(seen, { ...ROUTE, ...changes }, loadOperations(text));

test('the view has lower-case enum values, which are the same inside', () => {
  const shade = view.getType('Shade') as never as { parseValue(name: string): unknown };
  expect(shade.parseValue('dark_red')).toBe('DARK_RED');
  expect(() => shade.parseValue('DARK_RED')).toThrow();
});

test('fields answer in snake_case, at every depth, own aliases too', () => {
  const { document, keys, type } = make();
  const names = [...JSON.stringify(document).matchAll(/"alias":{"kind":"Name","value":"(\w+)"}/g)].map(
    ([, name]) => name,
  );
  expect(names.toSorted()).toEqual(
    ['label', 'old_name', 'parts', 'shade', 'shown_name', 'shown_name', 'thing'].toSorted(),
  );
  expect(keys).toEqual(['thing']);
  expect(type.name).toBe('Thing');
});

test('a table that does not agree with operations and schema stops the start', () => {
  expect(() => make({ operation: 'Nothing' })).toThrow('no operation Nothing');
  expect(() => make({ body: 'thing.shade' })).toThrow('no record at thing.shade');
  expect(() => make({ body: 'things' })).toThrow('no record at things');
  expect(() => make({ path: '/things/{id}' })).toThrow('no variable for {id}');
});

test('operations that do not fit the schema stop the printing of the contract', () => {
  expect(() => checkOperations(view, OPERATION)).not.toThrow();
  expect(() => checkOperations(view, OPERATION.replace('label', 'shade'))).toThrow('schema/rest.graphql');
  expect(() => checkOperations(view, OPERATION.replace('...Shade', ''))).toThrow('never used');
});

test('a route requires no less than its field does', () => {
  const allowed: [Grant[], Role, boolean][] = [
    [['read'], 'admin', true],
    [['read'], 'superadmin', true],
    [['read'], 'client', false],
    [['read'], 'anyone', false],
    [['superadmin'], 'admin', false],
    [['read', 'client'], 'client', true],
    [['client'], 'admin', false],
    [['anyone'], 'client', true],
  ];
  for (const [roles, who, fits] of allowed) {
    const attempt = () => make({ who }, schemaFor(roles));
    if (fits) expect(attempt().route.who).toBe(who);
    else expect(attempt).toThrow(`is for ${who}`);
  }
});
