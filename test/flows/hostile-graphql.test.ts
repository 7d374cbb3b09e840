import { once } from 'node:events';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isUnionType,
} from 'graphql';
import { WebSocket } from 'ws';
import { snakeCase } from '../../src/rest/spelling.js';
import { startApp, type TestApp } from '../support/app.js';
import { OpenApiContract } from '../support/contract.js';
import type { Dice } from '../support/hostile/dice.js';
import { type Ground, makeGround } from '../support/hostile/ground.js';
import { oddCursor, oddSort } from '../support/hostile/lists.js';
import { heapInUse } from '../support/hostile/memory.js';
import { nothingCame, Trial } from '../support/hostile/trial.js';
import { brokenJson, oddId, oddJson, oddText } from '../support/hostile/values.js';
import { WriteJournal } from '../support/journal.js';
import type { Frame } from '../support/socket.js';
import { Wire, type WireRequest } from '../support/wire.js';

/** Documents that are meant to be dear, endless or no documents. */
function oddDocument(dice: Dice): string {
  const deep = (depth: number) =>
    `{ game(by: { id: "x" }) ${'{ boards { nodes { game '.repeat(depth)}{ id } ${'} } }'.repeat(depth)} }`;
  const types = `{ __schema { types { name ${'fields { type { name ofType { name '.repeat(3)}${'} } } '.repeat(3)} } } }`;
  return dice.pick([
    ...[
      '',
      ' ',
      '{',
      '}',
      '{}',
      'query',
      'null',
      '{ me',
      '{ me { } }',
      '# only a comment',
      '\u0000',
      '\ufeff{ me { kind } }',
      '{ nothing }',
      '{ me }',
    ],
    ...[
      'query A { me { kind } } query B { me { kind } }',
      'query A { me { kind } } query A { me { kind } }',
      'fragment F on Me { kind }',
    ],
    ...[
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
      '{ me { ...M } } fragment M on Me { kind ...M }',
    ],
    ...[
      '{ me { ... on Game { id } } }',
      '{ node(id: "x") { ... on Nothing { id } } }',
      'subscription { boardChanged(boardId: "x") { version } me { kind } }',
    ],
    ...[
      'mutation { __typename }',
      'query ($a: [[[[String!]!]!]!]!) { me { kind } }',
      'query ($a: Int = "x") { me { kind } }',
      'query ($a: Nothing) { me { kind } }',
    ],
    ...[
      '{ __schema { queryType { name } } __type(name: "Game") { fields { name } } }',
      types,
      '{ __type(name: "\\u0000") { name } }',
    ],
    ...[deep(1), deep(3), deep(6), deep(60), deep(400)],
    `{ ${Array.from({ length: 40 }, (_, i) => `a${i}: me { kind }`).join(' ')} }`,
    `{ ${'me { kind } '.repeat(150)} }`,
    `{ ${'__typename '.repeat(3_000)} }`,
    `{ accounts(first: 100) { nodes { games(first: 100) { nodes { boards(first: 100) { nodes { id } } } } } } }`,
    `{ nodes(ids: [${'"x", '.repeat(101)}"x"]) { id } }`,
    `query (${Array.from({ length: 300 }, (_, i) => `$v${i}: Int`).join(' ')}) { me { kind } }`,
    `mutation { ${Array.from({ length: 20 }, (_, i) => `a${i}: updateGame(input: { id: "gam_x" }) { game { id } }`).join(' ')} }`,
    `${'fragment F on Me { kind } '.repeat(50)} { me { ...F } }`,
    `{ me { ${'... { '.repeat(300)} kind ${'} '.repeat(300)} } }`,
  ]);
}

const ODD_LITERALS = [
  ...[
    'null',
    '0',
    '-0',
    '1',
    '-1',
    '1.5',
    '1e400',
    '99999999999999999999',
    '2147483648',
    'true',
    'NOTHING',
    '__proto__',
    '""',
    '" "',
  ],
  ...[
    '"\\u0000"',
    '"\\ud800"',
    '"\\u{0}"',
    '"\\u{110000}"',
    '"\\u{d800}"',
    '"""\u0000"""',
    '"""block\n "quoted" """',
    '"a\u0000b"',
    '"\\x"',
  ],
  ...[
    '[]',
    '[[]]',
    '[null]',
    '[1, "a", {b: 2}]',
    '{}',
    '{a: 1, a: 2}',
    '{__proto__: {x: 1}}',
    '{input: {input: null}}',
    '$nothing',
    '-',
    '.5',
    '01',
  ],
  ...[
    `${'['.repeat(100)}${']'.repeat(100)}`,
    `${'{a:'.repeat(80)}1${'}'.repeat(80)}`,
    `"${'x'.repeat(9_000)}"`,
  ],
];

/** Values of the schema's types, as GraphQL spells them or as JSON of variables. */
class GraphValues {
  constructor(private readonly ground: Ground) {}

  /** @param writes of what is written only records that may be invalid are named */
  literal(dice: Dice, name: string, type: GraphQLInputType, wrongness: number, writes: boolean): string {
    if (dice.chance(wrongness))
      return dice.chance(0.3)
        ? asLiteral(JSON.parse(this.#text(dice, name, writes)))
        : dice.pick(ODD_LITERALS);
    return asLiteral(this.#right(dice, name, type, wrongness, writes), isEnumType(getNamedType(type)));
  }

  /** JSON text. */
  variable(dice: Dice, name: string, type: GraphQLInputType, wrongness: number, writes: boolean): string {
    if (dice.chance(wrongness)) return oddJson(dice, this.#ids(writes));
    return JSON.stringify(this.#right(dice, name, type, wrongness, writes));
  }

  /** Writes name only records that may become invalid. */
  #ids(writes: boolean): string[] {
    return writes ? Object.values(this.ground.invalid) : this.ground.everyId;
  }

  #text(dice: Dice, name: string, writes: boolean): string {
    const { everyId, cursors } = this.ground;
    if (name === 'after' || name === 'before') return JSON.stringify(oddCursor(dice, cursors, everyId));
    if (name === 'sort') return JSON.stringify(oddSort(dice));
    return JSON.stringify(dice.chance(0.5) ? oddId(dice, this.#ids(writes)) : oddText(dice));
  }

  #right(dice: Dice, name: string, type: GraphQLInputType, wrongness: number, writes: boolean): unknown {
    if (isNonNullType(type)) return this.#right(dice, name, type.ofType, wrongness, writes);
    if (isListType(type))
      return Array.from({ length: dice.below(4) }, () =>
        this.#right(dice, name, type.ofType, wrongness, writes),
      );
    if (isEnumType(type)) return dice.pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter((field) =>
        dice.chance(isRequiredInputField(field) ? 0.97 : 0.4),
      );
      return Object.fromEntries(
        fields.map((field) => [
          field.name,
          dice.chance(wrongness / 2)
            ? JSON.parse(this.#text(dice, field.name, writes))
            : this.#right(dice, field.name, field.type, wrongness, writes),
        ]),
      );
    }
    return this.#scalar(dice, name, getNamedType(type).name, writes);
  }

  #scalar(dice: Dice, name: string, type: string, writes: boolean): unknown {
    const { ids, invalid, texts, nonces, cursors } = this.ground;
    const known = snakeCase(name);
    if (type === 'ID')
      return (writes || dice.chance(0.1) ? invalid : ids)[known] ?? dice.pick(this.#ids(writes));
    if (name === 'nonce') return dice.pick(nonces);
    if (name === 'after' || name === 'before') return dice.pick(cursors);
    if (name === 'sort') return 'created_at:desc';
    if (name === 'email') return `g${dice.below(1e9)}@example.com`;
    if (type === 'String') return texts[known] ?? `text ${dice.below(1e9)}`;
    if (type === 'Boolean') return dice.chance(0.5);
    if (type === 'Int' || type === 'SafeInt') return dice.pick([1, 2, 5, 20, 100]);
    if (type === 'Float') return dice.pick([0, 1, -1.5, 1e15]);
    if (type === 'DateTime') return `20${30 + dice.below(60)}-01-01T00:00:00Z`;
    if (type === 'JSONObject') return { a: [1, { b: null }] };
    if (type === 'TestFilter') return dice.pick([true, false, 'all']);
    return 'x';
  }
}

/** JSON as GraphQL's own literals spell it. */
function asLiteral(value: unknown, isEnum = false): string {
  if (Array.isArray(value)) return `[${value.map((item) => asLiteral(item, isEnum)).join(', ')}]`;
  if (typeof value === 'string' && isEnum) return value;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(
      ([name, member]) =>
        `${name}: ${asLiteral(member, typeof member === 'string' && /^[A-Z_]+$/.test(member))}`,
    )
    .join(', ')}}`;
}

/** An operation and its variables, both as text that need not be right. */
interface HostileOperation {
  query: string;
  /** JSON text of an object. */
  variables: string;
}

type Field = GraphQLField<unknown, unknown>;

const DIRECTIVES = [
  '@skip(if: false)',
  '@include(if: true)',
  '@skip(if: $nothing)',
  '@include',
  '@deprecated',
  '@nothing(x: 1)',
  '@skip(if: "true")',
];
const ROOT_SHARES = [
  [6, 'Query'],
  [3, 'Mutation'],
  [1, 'Subscription'],
] as const;

/** Writes operations for the root fields of a schema, whole and broken. */
class GraphDocuments {
  readonly #values: GraphValues;

  constructor(
    private readonly schema: GraphQLSchema,
    ground: Ground,
  ) {
    this.#values = new GraphValues(ground);
  }

  make(dice: Dice): HostileOperation {
    if (dice.chance(0.12)) return { query: oddDocument(dice), variables: '{}' };
    const operation = new Writing(this.schema, this.#values, dice).operation();
    return dice.chance(0.06) ? { ...operation, query: invalid(dice, operation.query) } : operation;
  }
}

/** One operation while it is written. */
class Writing {
  readonly #variables: { definition: string; json: string }[] = [];
  readonly #wrongness: number;
  readonly #depth: number;
  /** How much of the document itself is wrong: one fault anywhere, and nothing of it runs. */
  readonly #noise: number;
  #writes = false;

  constructor(
    private readonly schema: GraphQLSchema,
    private readonly values: GraphValues,
    private readonly dice: Dice,
  ) {
    this.#wrongness = dice.pick([0, 0, 0.1, 0.1, 0.25, 1]);
    this.#noise = dice.pick([0, 0, 0, 0, 0, 1]);
    this.#depth = dice.either([
      [10, () => 1 + dice.below(3)],
      [1, () => 14],
    ]);
  }

  operation(): HostileOperation {
    const { dice } = this;
    const rootName = dice.either(ROOT_SHARES.map(([weight, name]) => [weight, () => name] as const));
    this.#writes = rootName === 'Mutation';
    const root = this.schema.getType(rootName) as GraphQLObjectType;
    const fields = Object.values(root.getFields());
    const count = dice.pick([1, 1, 1, 2, 3]);
    const body = Array.from({ length: count }, (_, i) => {
      const alias = count > 1 || dice.chance(0.1) ? `a${dice.chance(0.05 * this.#noise) ? 0 : i}: ` : '';
      return alias + this.#field(dice.pick(fields), this.#depth);
    }).join(' ');
    const definitions = this.#variables.map(({ definition }) => definition).join(', ');
    return {
      query: `${rootName.toLowerCase()} Hostile${definitions && `(${definitions})`} { ${body} }`,
      variables: `{${this.#variables.map(({ json }) => json).join(', ')}}`,
    };
  }

  #field(field: Field, depth: number): string {
    const { dice } = this;
    const args = field.args
      .filter((argument) => dice.chance(isRequiredArgument(argument) ? 1 - 0.03 * this.#noise : 0.2))
      .map(
        ({ name, type }) =>
          `${name}: ${this.#value(name === 'id' ? idName(field.name) : name, type, String(type))}`,
      );
    if (dice.chance(0.01 * this.#noise)) args.push('nothing: 1');
    const directive = dice.chance(0.02 * this.#noise) ? ` ${dice.pick(DIRECTIVES)}` : '';
    return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${directive}${this.#selection(field, depth)}`;
  }

  #value(name: string, type: Field['args'][number]['type'], typeText: string): string {
    const { dice, values } = this;
    if (dice.chance(0.1 + 0.4 * this.#noise))
      return values.literal(dice, name, type, this.#wrongness, this.#writes);
    const variable = `v${this.#variables.length}`;
    const declared = dice.chance(1 - 0.03 * this.#noise)
      ? typeText
      : dice.pick(['String', 'Int!', '[ID]', 'Nothing']);
    const json = values.variable(dice, name, type, this.#wrongness, this.#writes);
    this.#variables.push({
      definition: `$${variable}: ${declared}`,
      json: dice.chance(0.98) ? `"${variable}": ${json}` : `"${variable}": ${json}, "${variable}": null`,
    });
    return `$${variable}`;
  }

  #selection(field: Field, depth: number): string {
    const { dice } = this;
    const type = getNamedType(field.type);
    if (isAbstractType(type)) {
      const shown = dice.pick(this.schema.getPossibleTypes(type));
      return ` { __typename ${isUnionType(type) ? '' : 'id '}... on ${shown.name} ${this.#members(shown, depth - 1)} }`;
    }
    if (!isObjectType(type)) return dice.chance(0.005 * this.#noise) ? ' { id }' : '';
    return ` ${this.#members(type, depth)}`;
  }

  #members(type: GraphQLObjectType, depth: number): string {
    const { dice } = this;
    const fields = Object.values(type.getFields());
    const scalars = fields.filter(
      (field) => !isObjectType(getNamedType(field.type)) && !isAbstractType(getNamedType(field.type)),
    );
    const objects = fields.filter((field) => !scalars.includes(field));
    const chosen = dice.some(scalars, 0.4).map((field) => this.#field(field, 0));
    // A deep document follows one path: a wide one would be too long to be looked at.
    const below =
      depth <= 0
        ? []
        : this.#depth > 5
          ? objects.slice(dice.below(objects.length)).slice(0, 1)
          : dice.some(objects, 0.4);
    chosen.push(...below.map((field) => this.#field(field, depth - 1)));
    if (dice.chance(0.03 * this.#noise)) chosen.push(`x: ${dice.pick(fields).name}`);
    return `{ __typename ${chosen.join(' ')} }`;
  }
}

const ID_NAMES: Record<string, string> = {
  apiKey: 'keyId',
  deviceSession: 'sessionId',
  scoreEvent: 'eventId',
  boardState: 'stateId',
  submissionRecord: 'metaId',
};

/** The name of the record that the `id` of a root field means, e.g. `boardId` for `board` and `updateBoard`. */
function idName(field: string): string {
  const record = field.replace(/^update([A-Z])/, (_whole, first: string) => first.toLowerCase());
  return ID_NAMES[record] ?? `${record}Id`;
}

/** Something of the text is lost, doubled or replaced. */
function invalid(dice: Dice, text: string): string {
  const at = dice.below(text.length);
  return dice.either([
    [2, () => text.slice(0, at)],
    [
      2,
      () =>
        text.slice(0, at) +
        dice.pick([
          '\u0000',
          '{',
          '}',
          '"',
          '"""',
          '$',
          '!',
          '\\',
          '\ud800',
          '\u2028',
          '#',
          '...',
          '@',
          '|',
          '&',
        ]) +
        text.slice(at),
    ],
    [1, () => text + text],
    [1, () => text.replaceAll(' ', ',,\n\t')],
    [1, () => text.replace(/ (\w+) /, ' __proto__ ')],
  ]);
}

/** Operations as requests of HTTP, as frames of a socket, and whose they are. */
class GraphRequests {
  readonly #documents: GraphDocuments;

  constructor(
    schema: GraphQLSchema,
    private readonly ground: Ground,
  ) {
    this.#documents = new GraphDocuments(schema, ground);
  }

  http(dice: Dice): WireRequest {
    const text = this.#payload(dice);
    return {
      method: dice.chance(0.99) ? 'POST' : dice.pick(['PUT', 'PATCH']),
      path: dice.chance(0.98)
        ? '/graphql'
        : dice.pick(['/graphql/', '/graphql?query={me{kind}}', '/graphql?x=%00']),
      headers: {
        'content-type': dice.chance(0.98)
          ? 'application/json'
          : dice.pick(['text/plain', 'application/graphql', 'application/json; charset=utf-16']),
        ...this.headers(dice),
      },
      body: dice.chance(0.04) ? brokenJson(dice, text) : text,
    };
  }

  /** A frame of graphql-transport-ws with this id. */
  frame(dice: Dice, id: string): string {
    if (dice.chance(0.06)) return this.#brokenFrame(dice, id);
    return `{"id":"${id}","type":"subscribe","payload":${this.#payload(dice)}}`;
  }

  headers(dice: Dice): Record<string, string> {
    const { callers, bad } = this.ground;
    return dice.either([
      [8, () => callers.apiKey.headers],
      [4, () => callers.accessToken.headers],
      [3, () => callers.root.headers],
      [1, () => ({})],
      [1, () => dice.pick(bad)],
    ]);
  }

  /** The first frame of a socket, as JSON text. */
  greeting(dice: Dice): string {
    const payload = dice.chance(0.9)
      ? JSON.stringify(this.headers(dice))
      : oddJson(dice, this.ground.everyId);
    return `{"type":"connection_init","payload":${payload}}`;
  }

  #payload(dice: Dice): string {
    const { query, variables } = this.#documents.make(dice);
    const members = [`"query":${JSON.stringify(query)}`];
    if (variables !== '{}' || dice.chance(0.2))
      members.push(`"variables":${this.#variables(dice, variables)}`);
    if (dice.chance(0.05))
      members.push(
        `"operationName":${dice.pick(['"Hostile"', '"Nothing"', 'null', '1', '""', '{}', '"\\u0000"'])}`,
      );
    if (dice.chance(0.03)) members.push(`"extensions":${oddJson(dice, this.ground.everyId)}`);
    if (dice.chance(0.02)) members.push(`"query":${oddJson(dice, this.ground.everyId)}`);
    const text = `{${members.join(',')}}`;
    return dice.chance(0.02) ? `[${text},${text}]` : text;
  }

  #variables(dice: Dice, variables: HostileOperation['variables']): string {
    return dice.chance(0.03) ? oddJson(dice, this.ground.everyId) : variables;
  }

  #brokenFrame(dice: Dice, id: string): string {
    return dice.pick([
      ...[
        '',
        '{',
        'null',
        '1',
        '[]',
        '{}',
        '"x"',
        '\u0000',
        '{"type":"nothing"}',
        '{"type":"subscribe"}',
        '{"type":"connection_init"}',
      ],
      ...[
        `{"id":"${id}","type":"subscribe"}`,
        `{"id":"${id}","type":"subscribe","payload":null}`,
        `{"id":1,"type":"subscribe","payload":{"query":"{me{kind}}"}}`,
      ],
      ...[
        `{"id":"${id}","type":"subscribe","payload":{"query":1}}`,
        `{"id":"","type":"subscribe","payload":{"query":"{me{kind}}"}}`,
      ],
      ...[
        `{"id":"${id}","type":"subscribe","payload":{"query":"{me{kind}}","variables":[]}}`,
        `{"id":"${id}","type":"next","payload":{}}`,
      ],
      ...[
        `{"id":"${id}","type":"subscribe","payload":{"query":"{me{kind}}","variables":1,"operationName":2}}`,
        `{"type":"ping","payload":{"a":1}}`,
      ],
      `{"id":"${'x'.repeat(70_000)}","type":"subscribe","payload":{"query":"{me{kind}}"}}`,
    ]);
  }
}

/** Codes with which the service may close a socket: the protocol's own, and those of broken or oversized frames. */
const CLOSINGS = [1002, 1003, 1007, 1009, 4400, 4401, 4408, 4409, 4429];

const PATIENCE_MS = 10_000;

/** Feeds that send future events only, and nothing until then: they are open when nothing was refused for a while. */
const FEEDS_TO_COME = /(scoreFlag(ged|Reviewed)|alertRaised)\b/;
const FEED_PATIENCE_MS = 1_000;

/** The result of a frame: all frames of its id up to the end of the operation, or the close of the socket. */
type Reaction = { frames: Frame[] } | { closed: number } | 'silence' | 'open';

/** Hostile operations over one socket after another. */
class SocketTrial {
  #socket: WebSocket | undefined;
  #serial = 0;

  constructor(
    private readonly trial: Trial,
    private readonly requests: GraphRequests,
  ) {}

  async one(dice: Dice, name: string): Promise<void> {
    const socket = await this.#opened(dice);
    if (!socket) return;
    this.#serial += 1;
    const id = `op${this.#serial}`;
    const text = this.requests.frame(dice, id);
    const wrong = await this.#judged(await this.#reaction(socket, text, id));
    if (wrong.length === 0) return;
    const shown = JSON.stringify(text.slice(0, 3_000));
    this.trial.faults.push(`${name}: ${wrong.join('; ')}\nframe: ${shown}`);
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.close();
    await once(socket, 'close');
  }

  /** The socket at hand, or a new one that was acknowledged; undefined when its greeting was refused. */
  async #opened(dice: Dice): Promise<WebSocket | undefined> {
    if (this.#socket?.readyState === WebSocket.OPEN && dice.chance(0.98)) return this.#socket;
    await this.close();
    const socket = new WebSocket(
      `${this.trial.wire.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    this.#socket = socket;
    await once(socket, 'open');
    const greeting = this.requests.greeting(dice);
    const reaction = await this.#reaction(socket, greeting, undefined);
    if (typeof reaction === 'object' && 'frames' in reaction) return socket;
    const wrong = await this.#judged(reaction);
    if (wrong.length > 0) this.trial.faults.push(`${wrong.join('; ')}\nframe: ${greeting.slice(0, 3_000)}`);
    return undefined;
  }

  /** Sends a text and waits for what comes of it. Events of a subscription are not waited for: it is ended. */
  #reaction(socket: WebSocket, text: string, id: string | undefined): Promise<Reaction> {
    const frames: Frame[] = [];
    return new Promise((resolve) => {
      const done = (reaction: Reaction) => {
        clearTimeout(impatience);
        socket.off('message', heard).off('close', closed);
        resolve(reaction);
      };
      const heard = (data: unknown) => {
        const frame = JSON.parse(String(data)) as Frame;
        if (id !== undefined && frame.id !== id && frame.type !== 'pong') return;
        frames.push(frame);
        if (frame.type === 'next') socket.send(JSON.stringify({ id, type: 'complete' }));
        done({ frames });
      };
      const closed = (code: number) => done({ closed: code });
      const waits = id !== undefined && FEEDS_TO_COME.test(text);
      const impatience = setTimeout(
        () => {
          if (waits) socket.send(JSON.stringify({ id, type: 'complete' }));
          done(waits ? 'open' : 'silence');
        },
        waits ? FEED_PATIENCE_MS : PATIENCE_MS,
      );
      socket.on('message', heard).once('close', closed);
      socket.send(text);
    });
  }

  async #judged(reaction: Reaction): Promise<string[]> {
    const { trial } = this;
    const written = await trial.written();
    if (reaction === 'silence') return ['no answer'];
    if (reaction === 'open') {
      trial.note('waits');
      return written;
    }
    if ('closed' in reaction) {
      trial.note(`closed ${reaction.closed}`);
      const wrong = CLOSINGS.includes(reaction.closed) ? [] : [`closed with ${reaction.closed}`];
      return [...wrong, ...written];
    }
    const { type, payload } = reaction.frames[0]!;
    if (type !== 'next' && type !== 'error') return [];
    const result = type === 'error' ? { errors: payload } : payload;
    const wrong = trial.graphFaults(result);
    return nothingCame(result) ? [...wrong, ...written] : wrong;
  }
}

/** As in hostile-rest.test.ts. */
const RUNS = Number(process.env.HOSTILE_RUNS ?? 1_000);
const SEED = Number(process.env.HOSTILE_SEED ?? 1);

/** Apollo keeps up to 30 MiB of parsed documents. */
const SLACK_BYTES = 48 * 2 ** 20;

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

test('hostile GraphQL over HTTP and sockets gets coded errors, writes nothing when refused, and keeps memory bounded', async () => {
  const ground = await makeGround(app);
  const journal = await WriteJournal.open(app.database.knex);
  const trial = new Trial(app, wire, new OpenApiContract(ground.document), journal);
  const requests = new GraphRequests(app.app.schema, ground);
  const sockets = new SocketTrial(trial, requests);
  const some = async (count: number, seed: number) => {
    await trial.run(count / 2, seed, (dice, name) => trial.graph(requests.http(dice), name));
    await trial.run(count / 2, seed + 1, (dice, name) => sockets.one(dice, name));
  };
  await some(RUNS / 2, SEED);
  const before = await heapInUse();
  await some(RUNS / 2, SEED + 2);
  const grown = (await heapInUse()) - before;
  await sockets.close();
  process.stderr.write(`hostile GraphQL: ${trial.summary()}; heap ${(grown / 2 ** 20).toFixed(1)} MiB\n`);
  expect(trial.faults.join('\n\n')).toBe('');
  expect(grown).toBeLessThan(SLACK_BYTES);
  expect([...trial.seen.keys()]).toEqual(
    expect.arrayContaining([
      'ok',
      'BAD_REQUEST',
      'VALIDATION_FAILED',
      'NOT_FOUND',
      'FORBIDDEN',
      'closed 4400',
    ]),
  );
}, 3_600_000);

describe('limits of a query', () => {
  const refused = async (query: string, variables = {}) => {
    const answer = await app.superadmin.post('/graphql', { query, variables });
    expect(answer.status).toBe(400);
    const error = answer.body.errors[0];
    expect(error.extensions.code).toBe('BAD_REQUEST');
    return error.message as string;
  };

  test('a query that is too deep is refused', async () => {
    const deep = (n: number): string => (n === 0 ? 'id' : `account { users { nodes { ${deep(n - 1)} } } }`);
    expect(await refused(`{ me { user { ${deep(5)} } } }`)).toContain('deep');
  });

  test('a query with too many aliases is refused', async () => {
    const aliases = Array.from({ length: 31 }, (_, n) => `a${n}: __typename`).join(' ');
    expect(await refused(`{ ${aliases} }`)).toContain('aliases');
  });

  test('a query with too many tokens is refused', async () => {
    expect(await refused(`{ ${'__typename '.repeat(2_001)} }`)).toContain('token');
  });

  test('a query that may read too many records is refused, through variables and fragments', async () => {
    const query = `query ($n: Int) { accounts(first: $n) { nodes { ...Games } } }
      fragment Games on Account { games(first: $n) { nodes { id boards(first: $n) { nodes { id } } } } }`;
    expect(await refused(query, { n: 50 })).toContain('records');
    expect((await app.superadmin.graphql(query, { n: 5 })).errors).toBeUndefined();
  });

  test('a bomb of fragments is weighed at once', async () => {
    const bomb = Array.from(
      { length: 40 },
      (_, n) => `fragment F${n} on Account { id ...F${n + 1} ...F${n + 1} }`,
    );
    const query = `{ accounts { nodes { ...F0 } } } ${bomb.join(' ')} fragment F40 on Account { users { nodes { id } } }`;
    expect(await refused(query)).toContain('records');
  });

  test('introspection is within the limits', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const data = await app.anyone.data(getIntrospectionQuery());
    expect(data.__schema.queryType.name).toBe('Query');
  });
});

test('errors of GraphQL itself have codes', async () => {
  expect(await app.superadmin.code('{ nope }')).toBe('BAD_REQUEST');
  expect(await app.superadmin.code('{ me ')).toBe('BAD_REQUEST');
  const feed = await app.superadmin.fault('subscription { boardChanged(boardId: "brd_1") { version } }');
  expect([feed.extensions.code, feed.message]).toEqual(['BAD_REQUEST', expect.stringContaining('WebSocket')]);
  for (const condition of ['$it', '"yes"', '$nothing']) {
    const feed = `subscription ($it: Boolean!) { boardChanged(boardId: "brd_1") @skip(if: ${condition}) { version } }`;
    const answer = await app.superadmin.post('/graphql', { query: feed, variables: { it: false } });
    expect([answer.status, answer.body.errors[0].extensions.code]).toEqual([400, 'BAD_REQUEST']);
  }
  expect(await app.superadmin.code('query A { me { kind } } query B { me { kind } }')).toBe('BAD_REQUEST');
  const fault = await app.superadmin.fault(
    'query ($ids: [ID!]!, $n: Int) { nodes(ids: $ids) { id } accounts(first: $n) { nodes { id } } }',
    {
      ids: ['x', null],
      n: 'many',
    },
  );
  expect(fault.extensions.code).toBe('VALIDATION_FAILED');
  expect(fault.extensions.details!.map(({ loc }) => loc)).toEqual([['ids', 1], ['n']]);
  const nulls = await app.superadmin.fault(
    'query ($id: ID!, $n: Int!, $test: Boolean) { board(by: { id: $id }) { ranking(isTest: $test) { ' +
      'totalCount } } accounts(first: $n) { nodes { id } } }',
    { id: 'brd_1', n: null, test: false },
  );
  expect(nulls.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['n'], type: 'type' }],
  });
  const late = await app.superadmin.fault(
    'query A($id: ID!, $bins: Int) { board(by: { id: $id }) { ranking { ...Bins } } } fragment Bins on ' +
      'Ranking { distribution(bins: $bins) { count } }',
    { id: 'brd_1', bins: null },
  );
  expect(late.extensions).toMatchObject({
    code: 'VALIDATION_FAILED',
    details: [{ loc: ['bins'], msg: 'must not be null', type: 'type' }],
  });
});
