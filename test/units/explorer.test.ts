import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type IncomingHttpHeaders, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { parse } from 'graphql';
import Koa from 'koa';
import { makeLog } from '../../src/base/log.js';
import { builtExplorer, explorer } from '../../src/server/explorer.js';
import { answerFault } from '../../src/server/http/envelope.js';
import { examples } from '../../web/explorer/examples.js';

/** The files of the middleware, as the build lays them out; the twins' text shows which file was sent. */
const files = {
  'index.html': '<title>page</title>',
  'secret.txt': 'not part of the page',
  'assets/index-Ab_1-x.js': 'plain script',
  'assets/index-Ab_1-x.js.br': 'script as br',
  'assets/index-Ab_1-x.js.gz': 'script as gzip',
  'assets/graphql.worker-1.js': 'without twins',
  'assets/large-6.js.gz': gzipSync('kept as its twin alone'),
  'assets/index-2.css': 'plain sheet',
  'assets/font-3.woff2': 'font',
  'assets/codicon-4.ttf': 'icons',
  'assets/icon-5.svg': '<svg/>',
};

let folder: string;
let server: Server;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'explorer-'));
  await mkdir(join(folder, 'assets'));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  server = await serve(folder);
});

afterAll(async () => {
  await new Promise((closed) => server.close(closed));
  await rm(folder, { recursive: true });
});

async function serve(assetsDir: string): Promise<Server> {
  const app = new Koa();
  const log = makeLog('silent');
  app.use((ctx, next) => next().catch((error) => answerFault(log, ctx, error)));
  app.use(explorer(assetsDir, { headerPrefix: 'studio', landingBoards: ['FIRST22', 'SECOND2'] }));
  app.use((ctx) => {
    ctx.status = 404;
    ctx.body = 'next';
  });
  const listening = app.listen(0, '127.0.0.1');
  await once(listening, 'listening');
  return listening;
}

interface Answer {
  status: number | undefined;
  headers: IncomingHttpHeaders;
  body: string;
}

/** The path goes out as it is: fetch would resolve its dots. */
async function ask(path: string, method = 'GET', headers = {}, of = server): Promise<Answer> {
  const { port } = of.address() as AddressInfo;
  const sent = request({ port, path, method, headers, agent: false }).end();
  const [response] = await once(sent, 'response');
  const body = Buffer.concat(await response.toArray()).toString();
  return { status: response.statusCode, headers: response.headers, body };
}

test('/explorer is the page, revalidated every time, under a strict policy', async () => {
  const { status, headers, body } = await ask('/explorer');
  expect([status, body]).toEqual([200, files['index.html']]);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'x-content-type-options': 'nosniff',
  });
  const policy = String(headers['content-security-policy'])
    .split('; ')
    .map((rule) => [rule.slice(0, rule.indexOf(' ')), rule.slice(rule.indexOf(' ') + 1)]);
  expect(Object.fromEntries(policy)).toEqual({
    'default-src': "'self'",
    'script-src': "'self'",
    'worker-src': "'self'",
    'style-src': "'self' 'unsafe-inline'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  });
});

test('/explorer/ leads to the page without a slash, below whatever path a proxy serves it', async () => {
  const { status, headers } = await ask('/explorer/');
  expect([status, headers.location]).toEqual([308, '../explorer']);
});

test.each([
  ['graphql.worker-1.js', 'text/javascript; charset=utf-8'],
  ['index-2.css', 'text/css; charset=utf-8'],
  ['font-3.woff2', 'font/woff2'],
  ['codicon-4.ttf', 'font/ttf'],
  ['icon-5.svg', 'image/svg+xml'],
] as const)('asset %s has type %s and is immutable', async (name, type) => {
  const { status, headers, body } = await ask(`/explorer/assets/${name}`);
  expect([status, headers['content-type'], body]).toEqual([200, type, files[`assets/${name}`]]);
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
  expect(headers).toHaveProperty('content-security-policy');
});

test.each([
  ['gzip, deflate, br', 'br', 'script as br'],
  ['gzip, br;q=0', 'gzip', 'script as gzip'],
  ['identity', undefined, 'plain script'],
  ['', undefined, 'plain script'],
])('accept-encoding "%s" gets %s', async (accepted, encoding, body) => {
  const answer = await ask('/explorer/assets/index-Ab_1-x.js', 'GET', { 'accept-encoding': accepted });
  expect([answer.headers['content-encoding'], answer.body]).toEqual([encoding, body]);
  expect(answer.headers.vary).toBe('accept-encoding');
  expect(answer.headers['content-length']).toBe(String(body.length));
});

test('an asset without twins goes out as it is', async () => {
  const { headers, body } = await ask('/explorer/assets/graphql.worker-1.js', 'GET', {
    'accept-encoding': 'br',
  });
  expect([headers['content-encoding'], body]).toEqual([undefined, 'without twins']);
});

test.each([
  ['gzip', 'gzip', gzipSync('kept as its twin alone').toString()],
  ['identity', undefined, 'kept as its twin alone'],
])('an asset that is kept as its twin alone, asked for in %s', async (accepted, encoding, body) => {
  const answer = await ask('/explorer/assets/large-6.js', 'GET', { 'accept-encoding': accepted });
  expect([answer.headers['content-encoding'], answer.body]).toEqual([encoding, body]);
});

test('config.json has the header prefix of this deployment, and the first board that it shows to visitors', async () => {
  const { headers, body } = await ask('/explorer/config.json');
  expect(headers).toMatchObject({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-cache',
  });
  expect(JSON.parse(body)).toEqual({ headerPrefix: 'studio', board: { shortCode: 'FIRST22' } });
});

test.each(['/explorer', '/explorer/config.json', '/explorer/assets/index-2.css'])(
  'HEAD %s has the headers of GET and no body',
  async (path) => {
    const [get, head] = [await ask(path), await ask(path, 'HEAD')];
    expect([head.status, head.body]).toEqual([200, '']);
    const { date: _get, ...expected } = get.headers;
    const { date: _head, ...actual } = head.headers;
    expect(actual).toEqual(expected);
    expect(actual['content-length']).toBe(String(get.body.length));
  },
);

test.each([
  '/explorer/..%2f..%2fpackage.json',
  '/explorer/../secret.txt',
  '/explorer/secret.txt',
  '/explorer/index.html',
  '/explorer/assets/..%2fsecret.txt',
  '/explorer/assets/../index.html',
  '/explorer/assets/..%2findex.html',
  '/explorer/assets/%2e%2e/index.html',
  '/explorer/assets/..\\index.html',
  '/explorer/assets//index-2.css',
  '/explorer/assets/index-2.css%00.js',
  '/explorer/assets/index-Ab_1-x.js.br',
  '/explorer/assets/unknown.js',
  '/explorer/assets/',
  '/explorer/assets',
  '/explorers',
])('%s is left to the next middleware', async (path) => {
  const { status, headers, body } = await ask(path);
  expect([status, body]).toEqual([404, 'next']);
  expect(headers).not.toHaveProperty('content-security-policy');
});

test('other methods are refused', async () => {
  for (const path of ['/explorer', '/explorer/config.json', '/explorer/assets/index-2.css']) {
    const { status, headers, body } = await ask(path, 'POST');
    expect([status, headers.allow, JSON.parse(body).code]).toEqual([405, 'GET', 'METHOD_NOT_ALLOWED']);
  }
});

test('a page that was not built is left to the next middleware', async () => {
  const unbuilt = await serve(join(folder, 'nowhere'));
  expect((await ask('/explorer', 'GET', {}, unbuilt)).body).toBe('next');
  expect((await ask('/explorer/assets/index-2.css', 'GET', {}, unbuilt)).body).toBe('next');
  await new Promise((closed) => unbuilt.close(closed));
});

test('the default directory is dist/explorer of this package', () => {
  expect(builtExplorer).toBe(join(process.cwd(), 'dist', 'explorer'));
});

test('every example is one document of named operations under a title of its own', () => {
  for (const { query } of examples) {
    for (const definition of parse(query).definitions) {
      expect(definition).toMatchObject({ kind: 'OperationDefinition', name: { kind: 'Name' } });
    }
  }
  expect(new Set(examples.map(({ title }) => title)).size).toBe(examples.length);
});
