import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import type { Dice } from '../support/hostile/dice.js';
import { type Ground, makeGround } from '../support/hostile/ground.js';
import { oddCursor, oddSort } from '../support/hostile/lists.js';
import { heapInUse } from '../support/hostile/memory.js';
import { Trial } from '../support/hostile/trial.js';
import { brokenJson, oddId, oddJson, oddText } from '../support/hostile/values.js';
import type { Data } from '../support/http.js';
import { WriteJournal } from '../support/journal.js';
import { JPEG, PNG, WEBP } from '../support/pictures.js';
import { isUpload } from '../support/rest-operations.js';
import { Wire, type WireRequest } from '../support/wire.js';

const UPLOADED_AS = [
  ...['application/octet-stream', 'image/png', 'image/png', 'image/jpeg', 'image/webp'],
  ...['image/gif', 'application/json'],
];

/** Something is wrong with the request as such. */
function twisted(dice: Dice, request: WireRequest): WireRequest {
  const { headers, path } = request;
  const withHeader = (name: string, value: string) => ({
    ...request,
    headers: { ...headers, [name]: value },
  });
  return dice.either<WireRequest>([
    [
      3,
      () => ({
        ...request,
        method: dice.pick(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH', 'POST', 'PURGE', 'TRACE']),
      }),
    ],
    [
      3,
      () =>
        withHeader(
          'content-type',
          dice.pick([
            'text/plain',
            '',
            'application/json; charset=utf-16',
            'application/xml',
            'application/vnd.x+json',
            'multipart/form-data; boundary=x',
            'application/json;;',
            '/',
            '\u00e9',
          ]),
        ),
    ],
    [1, () => withHeader('content-encoding', dice.pick(['gzip', 'br', 'deflate', 'x', 'identity']))],
    [1, () => withHeader('accept', dice.pick(['text/html', '*/*;q=0', 'x']))],
    [1, () => withHeader('x-forwarded-for', dice.pick(['1.2.3.4, x', '::', `${'1.1.1.1,'.repeat(300)}`]))],
    [1, () => withHeader('user-agent', `${'u'.repeat(700)}\u00e9`)],
    [1, () => withHeader('expect', '100-continue')],
    [
      2,
      () => ({
        ...request,
        path: dice.pick([
          `${path}/`,
          `/${path}`,
          `${path}//`,
          path.replace('/v1', '/V1'),
          `${path}/x`,
          `${path}#x`,
          `/v1/..${path}`,
          path.replace('/', '/%2f'),
          `${path};a=b`,
          '*',
          '/%00',
        ]),
      }),
    ],
  ]);
}

interface RouteMetrics {
  method: string;
  path: string;
  operation: Data;
}

/** Makes requests for the doors of the OpenAPI document: mostly right ones, with something wrong about them. */
class RestRequests {
  readonly #doors: RouteMetrics[];

  constructor(private readonly ground: Ground) {
    this.#doors = Object.entries<Data>(ground.document.paths).flatMap(([path, item]) =>
      Object.entries<Data>(item).map(([method, operation]) => ({
        method: method.toUpperCase(),
        path,
        operation,
      })),
    );
  }

  make(dice: Dice): WireRequest {
    const door = dice.pick(this.#doors);
    const request: WireRequest = {
      method: door.method,
      // Longer ones are refused by the parser of HTTP before they are a request.
      path: (this.#path(dice, door) + this.#query(dice, door)).slice(0, LONGEST_PATH),
      headers: this.#headers(dice, door),
      body: this.#body(dice, door),
    };
    return dice.chance(0.06) ? twisted(dice, request) : request;
  }

  #idOf(door: RouteMetrics, name: string): string | undefined {
    return (spoils(door) ? this.ground.invalid : this.ground.ids)[name];
  }

  #idsOf(door: RouteMetrics): string[] {
    return spoils(door) ? Object.values(this.ground.invalid) : this.ground.everyId;
  }

  #path(dice: Dice, door: RouteMetrics): string {
    return door.path.replace(/{(\w+)}/g, (_whole, name: string) => {
      const own = this.#idOf(door, name) ?? this.ground.everyId[0]!;
      return dice.either([
        [8, () => own],
        [1, () => encoded(oddId(dice, this.#idsOf(door)))],
        [1, () => encoded(oddText(dice)) || '%20'],
        [
          0.3,
          () =>
            dice.pick([
              '%',
              '%zz',
              '%ff',
              '%00',
              '%2e%2e%2f',
              '..',
              '.',
              '%c3%28',
              'a%2fb',
              '~',
              "'",
              '%EF%BB%BF',
            ]),
        ],
      ]);
    });
  }

  #query(dice: Dice, door: RouteMetrics): string {
    const parameters: Data[] = (door.operation.parameters ?? []).filter(
      (parameter: Data) => parameter.in === 'query',
    );
    const pairs = parameters
      .filter(({ required }) => (required ? dice.chance(0.95) : dice.chance(0.25)))
      .map(({ name, schema }): [string, string] => [name, this.#parameter(dice, name, schema)]);
    if (dice.chance(0.05) && pairs.length > 0) pairs.push(dice.pick(pairs));
    if (dice.chance(0.05))
      pairs.push([dice.pick(['limit[]', 'limit', '__proto__', 'x', '', 'sort[a]', 'cursor']), oddText(dice)]);
    const text = pairs.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join('&');
    const broken = dice.chance(0.03) ? dice.pick(['&', '&&=', '&a=%', '&=%ff', '&%zz', '?']) : '';
    return text + broken === '' ? '' : `?${text}${broken}`;
  }

  #parameter(dice: Dice, name: string, schema: Data): string {
    const { ids, texts, cursors, everyId } = this.ground;
    if (name === 'cursor') return oddCursor(dice, cursors, everyId);
    if (name === 'sort') return oddSort(dice);
    return dice.either([
      [
        3,
        () =>
          texts[name] ?? ids[name] ?? String(dice.pick<unknown>(schema.enum ?? VALID[schema.type] ?? ['x'])),
      ],
      [1, () => oddText(dice)],
      [1, () => oddId(dice, everyId)],
      [
        1,
        () =>
          dice.pick([
            '0',
            '-1',
            '1',
            '100',
            '101',
            '1e2',
            '1.0',
            '+5',
            ' 5',
            '99999999999999999999',
            'true',
            'all',
            '1e309',
            '.5',
          ]),
      ],
    ]);
  }

  #body(dice: Dice, door: RouteMetrics): string | Buffer | undefined {
    if (isUpload(door.operation)) return oddPicture(dice);
    const schema = door.operation.requestBody?.content['application/json'].schema;
    if (!schema) return dice.chance(0.02) && door.method !== 'GET' ? '{}' : undefined;
    const { properties = {}, required = [] } = this.#resolved(schema);
    const everyId = this.#idsOf(door);
    // Most requests are wrong in one or two places: one that is wrong everywhere shows only the first.
    const wrongness = dice.pick([0, 0.15, 0.15, 0.3, 1]);
    const members: string[] = [];
    for (const [name, property] of Object.entries<Data>(properties)) {
      if (!dice.chance(required.includes(name) ? 0.97 : 0.4)) continue;
      const value = dice.chance(wrongness)
        ? oddJson(dice, everyId)
        : this.#valid(dice, door, name, this.#resolved(property));
      members.push(`${JSON.stringify(name)}:${value}`);
      if (dice.chance(0.02)) members.push(`${JSON.stringify(name)}:${oddJson(dice, everyId)}`);
    }
    if (dice.chance(0.05)) members.push(`${JSON.stringify(oddText(dice))}:${oddJson(dice, everyId)}`);
    const text = `{${members.join(',')}}`;
    return dice.chance(0.06) ? brokenJson(dice, text) : text;
  }

  #valid(dice: Dice, door: RouteMetrics, name: string, schema: Data): string {
    const known = this.#idOf(door, name) ?? this.ground.texts[name];
    if (known !== undefined) return JSON.stringify(known);
    const type = [schema.type].flat()[0];
    if (schema.enum) return JSON.stringify(dice.pick(schema.enum));
    if (schema.format === 'date-time') return `"20${30 + dice.below(60)}-01-01T00:00:00Z"`;
    if (name === 'email') return `"u${dice.below(1e9)}@example.com"`;
    if (type === 'string') return `"text ${dice.below(1e9)}"`;
    if (type === 'array') return '["one","two"]';
    if (type === 'object') return '{"a":[1,{"b":null}]}';
    return JSON.stringify(dice.pick<unknown>(VALID[type] ?? [null]));
  }

  #resolved(schema: Data): Data {
    if (schema.$ref) return this.ground.document.components.schemas[schema.$ref.split('/').at(-1)];
    return schema.anyOf ? { ...this.#resolved(schema.anyOf[0]) } : schema;
  }

  #headers(dice: Dice, door: RouteMetrics): Record<string, string> {
    const { callers, bad, nonces } = this.ground;
    const scheme = Object.keys(door.operation.security?.[0] ?? {})[0] ?? 'none';
    const own = callers[scheme as keyof Ground['callers']].headers;
    const headers: Record<string, string> = {
      'content-type': isUpload(door.operation) ? dice.pick(UPLOADED_AS) : 'application/json',
      ...dice.either([
        [12, () => own],
        [3, () => (scheme === 'apiKey' ? callers.root.headers : own)],
        [1, () => dice.pick(Object.values(callers)).headers],
        [1, () => dice.pick(bad)],
      ]),
    };
    if (dice.chance(0.2))
      headers['idempotency-key'] = dice.pick([
        'k',
        `k${dice.below(50)}`,
        'x'.repeat(129),
        '\u00e9',
        ' ',
        'a\tb',
        '',
      ]);
    if (dice.chance(0.4))
      headers['service-client-nonce'] = dice.pick([
        dice.pick(nonces),
        dice.pick(nonces),
        dice.pick(nonces).slice(1),
        'x'.repeat(600),
        '',
      ]);
    if (dice.chance(0.03))
      headers['service-request-id'] = dice.pick(['x'.repeat(500), '\u00ff', 'a b', '{}']);
    return headers;
  }
}

const LONGEST_PATH = 8_000;

/** A picture, or one with some wrong bytes, a part of it, or none. */
function oddPicture(dice: Dice): Buffer | undefined {
  const picture = Buffer.from(dice.pick([PNG, JPEG, WEBP]));
  return dice.either<Buffer | undefined>([
    [2, () => picture],
    [1, () => picture.subarray(0, dice.below(picture.length))],
    [1, () => picture.fill(dice.below(256), dice.below(picture.length), picture.length)],
    [
      3,
      () => {
        picture[dice.below(picture.length)] = dice.below(256);
        return picture;
      },
    ],
    [0.5, () => undefined],
  ]);
}

/** True if a request may take something away from its caller: then it names spare records. */
function spoils({ method, path }: RouteMetrics): boolean {
  return (
    method === 'PATCH' ||
    (method === 'POST' &&
      /^\/v1\/(identity-reviews|identities\/.*\/(erase|sessions\/end)|devices\/.*\/reset)$/.test(path))
  );
}

const VALID: Record<string, readonly unknown[]> = {
  integer: [1, 5, 20],
  number: [1, 0, -1.5, 1e15],
  boolean: [true, false],
  string: ['text'],
};

/** As a URL holds it; what cannot be encoded stands as its bytes would. */
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString()).replaceAll('%EF%BF%BD', '%ED%A0%80');
}

/** A long run: HOSTILE_RUNS=50000 npx jest hostile; with HOSTILE_SEED=<number> other requests. */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 1_600);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

/** The memory that a run may leave occupied: bounded caches fill up. */
const SLACK_BYTES = 16 * 2 ** 20;

let app: TestApp;
let wire: Wire;
beforeAll(async () => {
  app = await startApp();
  wire = new Wire(app.url);
});
afterAll(async () => {
  wire.close();
  await app.close();
});

/** The shortest of three: other work on the machine makes single ones longer. */
async function millis(ask: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let n = 0; n < 3; n += 1) {
    const from = performance.now();
    await ask();
    best = Math.min(best, performance.now() - from);
  }
  return best;
}

test('a header or a query that nothing matches takes no longer than others of its length', async () => {
  const preflight = (names: string) =>
    fetch(`${app.url}/v1/games`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://example.com',
        'access-control-request-method': 'GET',
        'access-control-request-headers': `x${names}x`,
      },
    });
  const query = (text: string) => fetch(`${app.url}/v1/boards?limit=1${text}`);
  const size = 14_000;
  const letters = Math.min(
    await millis(() => preflight('a'.repeat(size))),
    await millis(() => query('a'.repeat(size))),
  );
  const others = {
    blanks: await millis(() => preflight(' '.repeat(size))),
    names: await millis(() => query('&a'.repeat(size / 2))),
  };
  for (const [what, took] of Object.entries(others))
    expect([what, took < 40 * letters]).toEqual([what, true]);
});

test('hostile REST requests get documented answers, write nothing when refused, and keep memory bounded', async () => {
  const ground = await makeGround(app);
  const journal = await WriteJournal.open(app.database.knex);
  const trial = new Trial(app, wire, new OpenApiContract(ground.document), journal);
  const requests = new RestRequests(ground);
  const some = (count: number, seed: number) =>
    trial.run(count, seed, (dice, name) => trial.rest(requests.make(dice), name));
  await some(RUNS / 2, SEED);
  const before = await heapInUse();
  await some(RUNS / 2, SEED + 1);
  const grown = (await heapInUse()) - before;
  process.stderr.write(`hostile REST: ${trial.summary()}; heap ${(grown / 2 ** 20).toFixed(1)} MiB\n`);
  expect(trial.faults.join('\n\n')).toBe('');
  expect(grown).toBeLessThan(SLACK_BYTES);
  // The callers' credentials were good to the end.
  for (const [caller, path] of [
    [ground.callers.apiKey, '/v1/games'],
    [ground.callers.accessToken, '/v1/client/boards'],
  ] as const) {
    expect([path, (await caller.get(path)).status]).toEqual([path, 200]);
  }
  // Requests that are all refused for the same reason would prove nothing.
  expect([...trial.seen.keys()]).toEqual(
    expect.arrayContaining(['200', '201', '404 NOT_FOUND', '422 VALIDATION_FAILED', '403 FORBIDDEN']),
  );
}, 3_600_000);
