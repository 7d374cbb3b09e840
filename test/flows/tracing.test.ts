import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { cloneDatabase, type TestDatabase } from '../support/database.js';
import { type Data, send } from '../support/http.js';
import {
  DataDir,
  type Program,
  runProgram,
  settingsOn,
  startService,
  superadminOf,
} from '../support/process.js';

// A process that sends its traces, by OpenTelemetry's own SDK, to a receiver of this test.

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: Data }[];
  status: { code?: number; message?: string };
}

const dataDir = new DataDir();
const spans: Span[] = [];
const paths = new Set<string>();
const resources: string[] = [];
let receiver: Server;
let database: TestDatabase;
let program: Program;
let url: string;

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  paths.add(`${request.method} ${request.url}`);
  const body = (await json(request)) as Data;
  for (const { resource, scopeSpans } of body.resourceSpans) {
    resources.push(JSON.stringify(resource));
    for (const scope of scopeSpans) spans.push(...scope.spans);
  }
  response.setHeader('content-type', 'application/json').end('{}');
}

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const CALLER = 'b7ad6b7169203331';
const planted = ['Ada Planted', 'planted@example.com', 'planted-request', 'PlantedName'];

let lines: Data[];

beforeAll(async () => {
  receiver = createServer((request, response) => void receive(request, response));
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  database = await cloneDatabase();
  const settings = {
    ...settingsOn(database, dataDir),
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}/`,
    OTEL_SERVICE_NAME: 'boards-of-the-test',
  };
  ({ program, url } = await startService(settings));
  await makeRequests();
  await program.kill('SIGTERM');
  lines = program.stdout.split('\n').flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
});

afterAll(async () => {
  if (program?.running) await program.kill('SIGKILL');
  await new Promise((resolve) => receiver.close(resolve));
  await dataDir.remove();
  await database?.drop();
});

async function makeRequests(): Promise<void> {
  const admin = superadminOf(url);
  const made = async (path: string, body: Data): Promise<Data> => {
    const answer = await admin.post(path, body);
    expect([path, answer.status]).toEqual([path, 201]);
    return answer.body;
  };
  const { id: account_id } = await made('/v1/accounts', { name: planted[0] });
  const { id: game_id } = await made('/v1/games', { account_id, name: 'G', anti_cheat_enabled: false });
  const board = await made('/v1/boards', { account_id, game_id, name: 'B', keep_strategy: 'best' });
  await made('/v1/users', { account_id, email: planted[1], display_name: planted[0], role: 'admin' });
  const traced = { traceparent: `00-${TRACE}-${CALLER}-01`, 'service-request-id': planted[2]! };
  await admin.with(traced).get(`/v1/boards/${board.id}`);
  const query = `query ${planted[3]} { mine: boards(first: 1) { edges { node { name } } } }`;
  await send(`${url}/graphql`, {
    method: 'POST',
    headers: { ...admin.headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const session = { game_id, client_fingerprint: planted[1], platform: 'test' };
  const { body: player } = await admin.post('/v1/client/sessions', session);
  const authorization = `Bearer ${player.access_token}`;
  const { body: nonce } = await admin.with({ authorization }).get('/v1/client/nonce');
  const headers = { authorization, 'service-client-nonce': nonce.nonce_value };
  const score = { board_id: board.id, player_name: planted[0], value: 7 };
  expect((await admin.with(headers).post('/v1/client/scores', score)).status).toBe(201);
  await send(`${url}/health/ready`);
  await send(`${url}/v1/boards`, { headers: { traceparent: `00-${'1'.repeat(32)}-${CALLER}-00` } });
}

const attribute = ({ attributes }: Span, key: string) =>
  Object.values(attributes.find((each) => each.key === key)?.value ?? {})[0];
const below = (parent: Span) => spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
const named = (name: string) => spans.find((span) => span.name === name)!;

test('a request continues the trace of its caller, from route to operation to statement', () => {
  expect([...paths]).toEqual(['POST /v1/traces']);
  const request = spans.find(({ parentSpanId }) => parentSpanId === CALLER)!;
  expect(request).toMatchObject({ traceId: TRACE, name: 'GET /v1/boards/{board_id}', kind: 2 });
  expect(attribute(request, 'http.response.status_code')).toBe(200);
  const operation = below(request).find(({ name }) => name === 'query board')!;
  expect(attribute(operation, 'graphql.operation.type')).toBe('query');
  const statements = below(operation);
  expect(statements.length).toBeGreaterThan(0);
  for (const { kind, traceId, attributes } of statements) {
    expect([kind, traceId]).toEqual([3, TRACE]);
    expect(attributes).toContainEqual({ key: 'db.system.name', value: { stringValue: 'postgresql' } });
  }
});

test("callers' operations and submissions are traced to their statements, too", () => {
  const graphql = below(named('POST /graphql')).find(({ name }) => name === 'query boards')!;
  expect(below(graphql).length).toBeGreaterThan(0);
  const submission = named('POST /v1/client/scores');
  const trace = spans.filter(({ traceId }) => traceId === submission.traceId);
  expect(trace.filter(({ name }) => name.startsWith('mutation ')).length).toBe(1);
  expect(trace.filter(({ kind }) => kind === 3).length).toBeGreaterThan(0);
});

test('the line of a request in the log has the ids of its trace', () => {
  const line = lines.find(({ requestId }) => requestId === planted[2]);
  expect(line).toMatchObject({ msg: 'request', traceId: TRACE, status: 200 });
});

test('probes, and requests whose caller does not sample, leave no spans', () => {
  expect(spans.length).toBeGreaterThan(20);
  expect(spans.filter(({ name, traceId }) => /health/.test(name) || traceId === '1'.repeat(32))).toEqual([]);
});

test('traces hold no text that a caller chose', () => {
  const text = JSON.stringify(spans);
  for (const value of planted) expect([value, text.includes(value)]).toEqual([value, false]);
  const keys = new Set(spans.flatMap(({ attributes }) => attributes.map(({ key }) => key)));
  expect([...keys].sort()).toEqual([
    'db.query.summary',
    'db.system.name',
    'graphql.operation.type',
    'http.request.method',
    'http.response.status_code',
    'http.route',
  ]);
  expect(resources[0]).toContain('boards-of-the-test');
});

test('nothing of the SDK is loaded without an endpoint', async () => {
  const { stdout, code } = await runProgram('test/fixtures/loaded-packages.ts', {});
  expect(code).toBe(0);
  expect(stdout).toContain('/node_modules/pg/');
  expect(stdout).not.toContain('/@opentelemetry/sdk-');
});
