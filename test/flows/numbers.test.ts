import { readFileSync } from 'node:fs';
import {
  type GraphQLArgument,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { startApp, type TestApp } from '../support/app.js';
import type { Data } from '../support/http.js';
import { ImportClient } from '../support/imports.js';
import { makeBoard, makeGame, makeStudio, type Studio, startSession } from '../support/make.js';
import { post, standings, submit, submitFault } from '../support/play.js';
import { callerKindOf, operations } from '../support/rest-operations.js';
import { TestSocket } from '../support/socket.js';

let app: TestApp;
let studio: Studio;
let game: Data;
beforeAll(async () => {
  app = await startApp();
  studio = await makeStudio(app);
  game = await makeGame(studio);
});
afterAll(() => app.close());

/** Literals that no value of the type is; each is also JSON. */
const OUTSIDE: Record<string, string[]> = {
  Int: ['2147483648'],
  SafeInt: ['9007199254740992', '1e400'],
  Float: ['1e400', `-1${'0'.repeat(309)}`],
  JSONObject: ['{a: [1e400]}'],
};

/** A place of the schema that takes a number. */
interface Place {
  name: string;
  /** The operation with a literal of the text. */
  literal(text: string): string;
  /** The operation with a variable `$v` at that place. */
  variable: string;
  type: string;
  kind: string;
}

const SAMPLES: Record<string, string> = {
  Int: '1',
  SafeInt: '1',
  Float: '1',
  Boolean: 'true',
  JSONObject: '{}',
};

/** A literal that validation lets pass. */
function sample(type: GraphQLInputType): string {
  const bare = getNullableType(type);
  if (isListType(bare)) return '[]';
  if (isEnumType(bare)) return bare.getValues()[0]!.name;
  if (isInputObjectType(bare)) {
    const fields = Object.values(bare.getFields());
    const required = bare.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
    return `{${required.map((field) => `${field.name}: ${sample(field.type)}`).join(', ')}}`;
  }
  const { name } = getNamedType(bare);
  return name === 'DateTime' ? '"2030-01-01T00:00:00Z"' : (SAMPLES[name] ?? '"x"');
}

/** Every place within an argument's type, with the text around it. */
function within(
  type: GraphQLInputType,
  path: string,
  around: (text: string) => string,
  above: string[] = [],
): { path: string; around: (text: string) => string; type: string }[] {
  const bare = getNullableType(type);
  if (isListType(bare)) return within(bare.ofType, path, (text) => around(`[${text}]`), above);
  if (!isInputObjectType(bare)) {
    const { name } = getNamedType(bare);
    return OUTSIDE[name] ? [{ path, around, type: name }] : [];
  }
  if (above.includes(bare.name)) return [];
  const fields = Object.values(bare.getFields());
  return fields.flatMap((field) => {
    const others = fields.filter((other) => other !== field && isRequiredInputField(other));
    const rest = others.map((other) => `, ${other.name}: ${sample(other.type)}`).join('');
    const whole = (text: string) => around(`{${field.name}: ${text}${rest}}`);
    return within(field.type, `${path}.${field.name}`, whole, [...above, bare.name]);
  });
}

/** Every place of the schema, each through the shortest way from a root. */
function everyPlace(): Place[] {
  const { schema } = app.app;
  const seen = new Set<string>();
  const places: Place[] = [];
  const given = (args: readonly GraphQLArgument[], but?: GraphQLArgument) =>
    args
      .filter((argument) => argument !== but && isRequiredArgument(argument))
      .map(({ name, type }) => `${name}: ${sample(type)}`);
  const calls = (name: string, args: string[]) => (args.length > 0 ? `${name}(${args.join(', ')})` : name);
  let level: { type: GraphQLObjectType; kind: string; around: (text: string) => string }[] = [
    { type: schema.getQueryType()!, kind: 'query', around: (text) => text },
    { type: schema.getMutationType()!, kind: 'mutation', around: (text) => text },
    { type: schema.getSubscriptionType()!, kind: 'subscription', around: (text) => text },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { type, kind, around } of level) {
      for (const field of Object.values(type.getFields())) {
        const below = getNamedType(field.type);
        const selection = 'getFields' in below || 'getTypes' in below ? ' { __typename }' : '';
        for (const argument of field.args) {
          const rest = given(field.args, argument);
          for (const { path, around: inArgument, type: scalar } of within(
            argument.type,
            argument.name,
            (text) => text,
          )) {
            const inside = (text: string) =>
              `{ ${around(`${calls(field.name, [`${argument.name}: ${inArgument(text)}`, ...rest])}${selection}`)} }`;
            places.push({
              name: `${type.name}.${field.name}(${path})`,
              literal: (text) => `${kind} ${inside(text)}`,
              variable: `${kind} ($v: ${scalar}!) ${inside('$v')}`,
              type: scalar,
              kind,
            });
          }
        }
        if (isObjectType(below) && !seen.has(below.name)) {
          seen.add(below.name);
          next.push({
            type: below,
            kind,
            around: (text) => around(`${calls(field.name, given(field.args))} { ${text} }`),
          });
        }
      }
    }
    level = next;
  }
  return places;
}

test('a number that its type does not hold is refused as literal and as variable, in every place of the schema', async () => {
  const places = everyPlace();
  const kinds = new Set(
    places.map(({ kind, name }) => (/^(Query|Mutation|Subscription)\./.test(name) ? kind : 'nested')),
  );
  expect(kinds).toEqual(new Set(['query', 'mutation', 'subscription', 'nested']));
  const codes = async (query: string, variables: string): Promise<unknown> => {
    const response = await fetch(`${app.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"query": ${JSON.stringify(query)}, "variables": ${variables}}`,
    });
    const { errors, error } = (await response.json()) as {
      errors?: { extensions: { code: string } }[];
      error?: string;
    };
    return errors?.map(({ extensions }) => extensions.code) ?? error;
  };
  const socket = await TestSocket.connect(app.url);
  const overSocket = async (query: string, variables: object = {}): Promise<unknown> => {
    const { payload } = await socket.run(query, { ...variables });
    return (payload.errors ?? payload)?.map?.(
      (error: { extensions: { code: string } }) => error.extensions.code,
    );
  };
  const wrong: unknown[] = [];
  for (const { name, literal, variable, type, kind } of places) {
    const tries: Promise<[string, unknown]>[] = [];
    for (const text of OUTSIDE[type]!) {
      const json = text.replace('a:', '"a":');
      const defaulted = variable.replace('!)', `! = ${text})`);
      if (kind === 'subscription') {
        tries.push(Promise.resolve([text, await overSocket(literal(text))]));
      } else {
        tries.push(codes(literal(text), '{}').then((found) => [text, found]));
        if (text !== OUTSIDE[type]![0]) continue;
        tries.push(codes(variable, `{"v": ${json}}`).then((found) => [`$v ${text}`, found]));
        tries.push(codes(defaulted, '{}').then((found) => [`$v = ${text}`, found]));
      }
    }
    for (const [text, found] of await Promise.all(tries)) {
      if (!Array.isArray(found) || found.some((code) => code !== 'VALIDATION_FAILED'))
        wrong.push([name, text, found]);
    }
  }
  await socket.close();
  expect(wrong).toEqual([]);
}, 120_000);

/** Paths of the numbers within a JSON Schema; `0` is an item of a list. */
function numbersIn(schema: Data, at: (string | number)[] = []): (string | number)[][] {
  if (schema.$ref) return numbersIn(document.components.schemas[schema.$ref.split('/').at(-1)], at);
  const types: string[] = [schema.type].flat();
  return [
    ...(types.includes('number') || types.includes('integer') ? [at] : []),
    ...[...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one: Data) => numbersIn(one, at)),
    ...Object.entries<Data>(schema.properties ?? {}).flatMap(([name, one]) => numbersIn(one, [...at, name])),
    ...(schema.items ? numbersIn(schema.items, [...at, 0]) : []),
  ];
}
const document: Data = JSON.parse(readFileSync('schema/openapi.json', 'utf8'));

test('a number that no double holds is refused in every query and body of REST', async () => {
  const { client } = await startSession(app, game.id);
  const callers = { admin: app.superadmin, client, anyone: app.anyone };
  const id = game.id.replace('gam_', 'brd_');
  const wrong: unknown[] = [];
  let places = 0;
  for (const operation of operations) {
    const { method, path, spec } = operation;
    const caller = callers[callerKindOf(operation)];
    const ask = async (loc: (string | number)[], query: string, body?: string) => {
      places += 1;
      const response = await fetch(`${app.url}${path.replace(/{\w+}/g, id)}${query}`, {
        method,
        headers: { ...caller.headers, 'content-type': 'application/json' },
        ...(body && { body }),
      });
      const answer = (await response.json()) as Data;
      const { details } = answer.results?.[0]?.error ?? answer;
      const found = details?.some((detail: Data) => detail.loc.join() === loc.join());
      if (!found) wrong.push([method, path, loc, answer]);
    };
    for (const { in: where, name, schema } of spec.parameters ?? []) {
      if (where === 'query' && numbersIn(schema).length > 0) await ask([where, name], `?${name}=1e400`);
    }
    const schema = spec.requestBody?.content['application/json']?.schema;
    for (const way of schema ? numbersIn(schema) : []) {
      const body = way.reduceRight<string>(
        (text, step) => (step === 0 ? `[${text}]` : `{"${step}": ${text}}`),
        '1e400',
      );
      await ask(['body', ...way], '', body);
    }
  }
  expect(wrong).toEqual([]);
  expect(places).toBeGreaterThan(60);
});

const LOST = 2 ** 53;

describe('a counter', () => {
  const counter = () => makeBoard(studio, game.id, { boardType: 'COUNTER' });

  test('refuses a delta that its sum would lose, alone, in a batch and in an import, and keeps what it has', async () => {
    const board = await counter();
    const player = await startSession(app, game.id);
    await submit(player, board.id, LOST);
    expect(await submitFault(player, board.id, 1)).toBe('BAD_REQUEST');
    expect(await submitFault(player, board.id, 3)).toBe('BAD_REQUEST');
    const refused = await post(player, { board_id: board.id, value: 1 });
    expect([refused.status, refused.body.error]).toEqual([400, expect.stringContaining('2^53')]);
    const event = { board_id: board.id, identity_id: player.session.identityId };
    const { body } = await studio.admin.post('/v1/score-events/batch', {
      items: [2, 1, -4, 1, 0].map((value) => ({ ...event, value })),
    });
    expect(body.results.map(({ status }: Data) => status)).toEqual([201, 400, 201, 201, 201]);
    expect(await standings(studio.admin, board.id)).toEqual([`1 Ann ${LOST - 1}`]);
    const tiny = await counter();
    await submit(player, tiny.id, 1e15);
    expect(await submitFault(player, tiny.id, 1e-3)).toBe('BAD_REQUEST');
    await submit(player, tiny.id, 0.5);
    expect(await standings(studio.admin, tiny.id)).toEqual(['1 Ann 1000000000000000.5']);
  });

  test('takes no import whose sums would lose a line', async () => {
    const board = await counter();
    const imports = new ImportClient(() => studio.admin);
    const finish = async (content: string) => {
      const id = await imports.begin(board.id);
      await imports.send(id, 0, `external_key,value\n${content}`);
      return studio.admin.post(`/v1/imports/${id}/finish`, {});
    };
    const refused = await finish(`big,${LOST}\nsmall,1\nbig,1\n`);
    expect([refused.status, refused.body.code, refused.body.error]).toEqual([
      400,
      'BAD_REQUEST',
      expect.stringContaining('"big"'),
    ]);
    for (const content of ['big,1.7e308\nbig,1.7e308\n', `big,-${LOST}\nbig,-1\n`]) {
      expect((await finish(content)).body.code).toBe('BAD_REQUEST');
    }
    await imports.bringIn(board.id, [`external_key,value\nbig,${LOST}\nsmall,1e300\nbig,2\nsmall,0\n`]);
    expect(await standings(studio.admin, board.id)).toEqual(['1 small 1e+300', `2 big ${LOST + 2}`]);
    expect((await finish('small,1\n')).body.error).toContain('"small"');
  });
});
