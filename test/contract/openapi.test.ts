import Ajv2020 from 'ajv/dist/2020';
import { contractSchema } from '../../src/contract.js';
import { restApi } from '../../src/rest/middleware.js';
import { openApi } from '../../src/rest/openapi/document.js';
import { routes } from '../../src/rest/routes/routes.js';
import { OpenApiContract } from '../support/contract.js';
import type { Data } from '../support/http.js';

let document: Data;
beforeAll(async () => {
  document = openApi(restApi((await contractSchema()).whole).routes, 'service');
});

/** Every object of the document with the way to it. */
function* objectsOf(value: Data, way: string[] = []): Generator<[Data, string[]]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [value, way];
  for (const [key, member] of Object.entries(value)) yield* objectsOf(member, [...way, key]);
}

const operations = (): [string, Data][] =>
  Object.entries<Data>(document.paths).flatMap(([path, item]) =>
    Object.entries<Data>(item).map(([method, operation]): [string, Data] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );

test('every route is described, with an id of its own, a summary and all its answers', () => {
  const known = new Map(operations());
  for (const { method, path, status, who, optional } of routes) {
    const operation = known.get(`${method} ${path}`);
    expect(operation).toMatchObject({
      operationId: expect.stringMatching(/^[a-z]\w+$/),
      summary: expect.stringMatching(/^[A-Z].+\.$/s),
      security:
        who !== 'anyone' ? [expect.anything()] : optional ? [{ apiKey: [] }, { accessToken: [] }, {}] : [],
    });
    const statuses = Object.keys(operation.responses).map(Number);
    expect(statuses).toEqual(expect.arrayContaining([status, 500, 503]));
    if (who !== 'anyone') expect(statuses).toEqual(expect.arrayContaining([401, 403]));
    if (method !== 'GET') expect(statuses).toEqual(expect.arrayContaining([400, 413, 415]));
    // A write that takes nothing has nothing that could be wrong.
    if (path.includes('{') || operation.requestBody) expect(statuses).toContain(422);
    if (path.endsWith('}')) expect(statuses).toEqual(expect.arrayContaining([404, 422]));
  }
  const ids = operations().map(([, { operationId }]) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every reference leads somewhere, every property and parameter is described', () => {
  const lost: string[] = [];
  const bare: string[] = [];
  for (const [object, way] of objectsOf(document)) {
    if (typeof object.$ref === 'string') {
      const target = object.$ref
        .slice(2)
        .split('/')
        .reduce((value: Data, key: string) => value?.[key], document);
      if (target === undefined) lost.push(object.$ref);
    }
    if (typeof object.in === 'string' && object.name && !object.description) bare.push(way.join('.'));
    if (way.at(-2) === 'properties' && way[0] === 'components' && way[1] === 'schemas' && !object.$ref) {
      if (!object.description) bare.push(way.join('.'));
    }
  }
  expect({ lost, bare }).toEqual({ lost: [], bare: [] });
});

test('generators of clients can read every operation: enums of one type, and a body of each that they know', () => {
  const mixed = [...objectsOf(document)].filter(([{ enum: values }]) => {
    const types = new Set(
      (Array.isArray(values) ? values : []).map((value) => value !== null && typeof value),
    );
    types.delete(false);
    return types.size > 1;
  });
  expect(mixed.map(([, way]) => way.join('.'))).toEqual([]);
  const isKnown = (type: string) =>
    /^(application\/(json|octet-stream|x-www-form-urlencoded)|multipart\/form-data)$/.test(type);
  const isReadable = (type: string) => isKnown(type) || type.startsWith('text/');
  const unknown = operations().flatMap(([name, { requestBody, responses }]) => {
    const types = Object.keys(requestBody?.content ?? {});
    const answers = Object.entries<Data>(responses).map(([, { content }]) => Object.keys(content ?? {}));
    const isFine = types.every(isKnown) && answers.every((all) => all.length === 0 || all.some(isReadable));
    return isFine ? [] : [name];
  });
  expect(unknown).toEqual([]);
});

test('sections have words of their own, and what is computed on request alone says so', async () => {
  const texts: string[] = document.tags.map(({ description }: Data) => description);
  expect(new Set(texts).size).toBe(texts.length);
  const types = Object.values((await contractSchema()).schema.getTypeMap()).map(
    ({ description }) => description,
  );
  expect(texts.filter((text) => types.includes(text))).toEqual([]);
  const standings = operations().flatMap(([, { parameters = [] }]) =>
    parameters.filter(({ name, in: where }: Data) => name === 'standings' && where === 'query'),
  );
  expect(standings).toHaveLength(4);
  for (const { description } of standings) expect(description).toMatch(/absent, none are computed/);
});

test('names are snake_case and enum values lower-case throughout', () => {
  const names = [...objectsOf(document)].flatMap(([object, way]) =>
    way.at(-1) === 'properties' ? Object.keys(object) : object.in === 'query' ? [object.name] : [],
  );
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name) => !/^[a-z]+(_[a-z]+)*$/.test(name))).toEqual([]);
  const { properties } = document.components.schemas.Board;
  expect(properties.board_type.enum).toEqual(['run_identity', 'run_runs', 'counter', 'ratio']);
  expect(properties.ends_at).toMatchObject({ type: ['string', 'null'], format: 'date-time' });
});

test('every id names its kind, and every member its rules', () => {
  const { schemas } = document.components;
  const uuid = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';
  expect(schemas.Game.properties.id.pattern).toBe(`^gam_${uuid}$`);
  expect(schemas.Board.properties.game_id.pattern).toBe(`^gam_${uuid}$`);
  const general = [...objectsOf(document)]
    .filter(([{ pattern }]) => String(pattern).startsWith('^[a-z]{3}_'))
    .map(([, way]) => way.at(-1));
  // Changes of a configuration are of records of several kinds.
  expect(general).toEqual(['id', 'id', 'items', 'subject_id']);
  const parameter = (path: string, method: string, name: string, where: string) =>
    document.paths[path][method].parameters.find((one: Data) => one.name === name && one.in === where);
  expect(parameter('/v1/games/{game_id}', 'get', 'game_id', 'path').schema.pattern).toBe(`^gam_${uuid}$`);
  for (const method of ['get', 'patch']) {
    expect(parameter('/v1/games/{game_id}', method, 'account_id', 'query')).toMatchObject({
      required: false,
      allowEmptyValue: true,
      schema: { pattern: `^acc_${uuid}$` },
    });
  }
  const own = parameter('/v1/client/scores', 'get', 'identity_id', 'query');
  expect('me').toMatch(new RegExp(own.schema.pattern));
  const sort = new RegExp(parameter('/v1/users', 'get', 'sort', 'query').schema.pattern);
  for (const order of ['email:asc', 'display_name:desc,created_at:asc,id:asc']) expect(order).toMatch(sort);
  for (const order of ['password:asc', 'email', 'email:up', 'email:asc,']) expect(order).not.toMatch(sort);
  const subject = new RegExp(parameter('/v1/audit-entries', 'get', 'subject_id', 'query').schema.pattern);
  expect('flg_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0cfa').toMatch(subject);
  expect('abc_01945b3c-5e00-7a3b-9c1d-2f4e6a8b0cfa').not.toMatch(subject);
  const { anti_cheat_settings: settings } = schemas.CreateGameBody.properties;
  expect(settings).toMatchObject({ type: ['object', 'null'], additionalProperties: false });
  expect(Object.keys(settings.properties)).toContain('rate_limit');
  expect(schemas.ConsoleSignInBody.properties.code).toMatchObject({ minLength: 6, maxLength: 64 });
  const { name, tags, default_board_id } = schemas.CreateGameBody.properties;
  // JSON Schema counts code points, of which a character has four on average at most.
  expect(name).toMatchObject({ minLength: 1, maxLength: 400 });
  expect(tags).toMatchObject({ maxItems: 32, items: { type: 'string', minLength: 1, maxLength: 64 } });
  expect(default_board_id.description).toContain('any board of the account');
  expect(schemas.RegisterCompleteBody.properties.account_name.description).toMatch(
    /^Name .*Required, except/,
  );
  expect(schemas.RegisterInitiateBody.properties.email).toMatchObject({ format: 'email', maxLength: 254 });
});

test('patterns of text permit what the service accepts, and no more', () => {
  const { CreateUserBody, CreateGameBody, StartSessionBody } = document.components.schemas;
  const texts: [Data, string[], string[]][] = [
    // At least two characters between the blanks.
    [CreateUserBody.properties.display_name, ['Ann', ' A b ', '李明'], ['A', '   ', 'Ann\u0007', 'A\u2028b']],
    [CreateGameBody.properties.name, ['G', ' G', '🎮'], ['', ' ', 'G\n']],
    [CreateGameBody.properties.slug, ['sky-race', '2d'], ['s', 'Sky', 'sky--race', '-sky']],
    [CreateGameBody.properties.description, ['', 'two\nlines'], ['a\u0000b']],
    [StartSessionBody.properties.client_fingerprint, ['phone 7', 'é'], ['', 'a\tb', 'a\u0085b']],
  ];
  const ajv = new Ajv2020({ strict: false });
  for (const [schema, right, wrong] of texts) {
    const fits = ajv.compile({ ...schema, examples: [], format: undefined });
    expect(right.filter((text) => !fits(text))).toEqual([]);
    expect(wrong.filter((text) => fits(text))).toEqual([]);
  }
});

test('headers follow the prefix', async () => {
  const text = JSON.stringify(openApi(restApi((await contractSchema()).whole).routes, 'acme'));
  for (const name of ['acme-api-key', 'acme-client-nonce', 'acme-request-id', 'acme-replayed']) {
    expect(text).toContain(`"${name}"`);
  }
  expect(text).not.toContain('service-');
});

test('the check of answers finds members that are missing, wrong, superfluous or undocumented', () => {
  const contract = new OpenApiContract(document);
  const headers = new Headers({ 'service-request-id': 'x' });
  const path = '/v1/client/nonce';
  const nonce = { nonce_value: 'a', expires_at: '2030-01-01T00:00:00.000Z' };
  expect(contract.faultsOf('GET', path, 200, headers, nonce)).toEqual([]);
  expect(contract.faultsOf('GET', path, 200, new Headers(), nonce)).toHaveLength(1);
  expect(contract.faultsOf('GET', path, 201, headers, nonce)).toHaveLength(1);
  expect(contract.faultsOf('GET', path, 200, headers, { ...nonce, more: 1 })).toHaveLength(1);
  expect(contract.faultsOf('GET', path, 200, headers, { ...nonce, expires_at: 'soon' })).toHaveLength(1);
  expect(contract.faultsOf('GET', path, 200, headers, { nonce_value: 'a' })).toHaveLength(1);
  const error = { error: 'No.', code: 'NONCE_USED', request_id: 'x' };
  expect(contract.faultsOf('GET', path, 401, headers, error)).not.toEqual([]);
  expect(contract.faultsOf('GET', path, 401, headers, { ...error, code: 'INVALID_TOKEN' })).toEqual([]);
});

test('a submission takes the same members alone and in a batch', () => {
  const { schemas } = document.components;
  const members = (name: string) => Object.keys(schemas[name].properties);
  for (const name of ['SubmitScore', 'CreateScoreEvent']) {
    const item = members(name).filter((member) => !['nonce', 'idempotency_key'].includes(member));
    expect(members(`${name}Body`).toSorted()).toEqual(item.toSorted());
  }
});
