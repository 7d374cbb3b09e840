import { EventEmitter, on, once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, GraphQLString, graphql } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import Koa from 'koa';
import type { Browser, Page } from 'playwright-core';
import { WebSocketServer } from 'ws';
import { builtExplorer, explorer } from '../../src/server/explorer.js';
import { launchBrowser, type WatchedPage, watchedPage } from '../support/browser.js';
import { full } from '../support/lane.js';
import { until } from '../support/wait.js';

/**
 * The explorer in front of a small GraphQL service: `query { key }` answers the caller's key, `subscription { tick }` the
 * latest number and every later one. It keeps what callers sent, can be restarted, and refuses the key "refused".
 */
class ExplorerService {
  /** Of operations by HTTP, without those of introspection. */
  readonly httpHeaders: IncomingHttpHeaders[] = [];
  readonly initPayloads: unknown[] = [];
  private readonly feed = new EventEmitter();
  private latest = 1;
  private readonly app = new Koa();
  private server: Server | undefined;
  private sockets: WebSocketServer | undefined;
  private port = 0;

  private readonly schema = new GraphQLSchema({
    query: new GraphQLObjectType({
      name: 'Query',
      fields: { key: { type: GraphQLString, resolve: (_, _args, headers) => headers['studio-api-key'] } },
    }),
    subscription: new GraphQLObjectType({
      name: 'Subscription',
      fields: {
        tick: {
          type: GraphQLInt,
          subscribe: () => {
            const ticks = on(this.feed, 'tick');
            this.tick(this.latest);
            return ticks;
          },
          resolve: ([tick]: [number]) => tick,
        },
      },
    }),
  });

  constructor(assetsDir: string) {
    this.app.use(explorer(assetsDir, { headerPrefix: 'studio', landingBoards: [] }));
    this.app.use(async (ctx) => {
      if (ctx.path !== '/graphql') return;
      const { query, operationName, variables } = JSON.parse(
        Buffer.concat(await ctx.req.toArray()).toString(),
      );
      if (operationName !== 'IntrospectionQuery') this.httpHeaders.push(ctx.headers);
      ctx.body = await graphql({
        schema: this.schema,
        source: query,
        operationName,
        variableValues: variables,
        contextValue: ctx.headers,
      });
    });
  }

  get origin(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Starts on a free port, later on the same one. */
  async start(): Promise<void> {
    this.server = createServer(this.app.callback());
    this.sockets = new WebSocketServer({ server: this.server, path: '/graphql' });
    useServer(
      {
        schema: this.schema,
        onConnect: ({ connectionParams }) => {
          this.initPayloads.push(connectionParams);
          return connectionParams?.['studio-api-key'] !== 'refused';
        },
      },
      this.sockets,
    );
    await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets?.clients ?? []) socket.close(1012, 'Service restart');
    this.sockets?.close();
    this.server?.closeAllConnections();
    await new Promise((closed) => this.server?.close(closed));
  }

  get openSockets(): number {
    return this.sockets?.clients.size ?? 0;
  }

  tick(value: number): void {
    this.latest = value;
    this.feed.emit('tick', value);
  }
}

const assets = builtExplorer;
let service: ExplorerService;
let browser: Browser;
let watched: WatchedPage;
let page: Page;

/** Opens a tab with the operation, waits until GraphiQL has read it (the tab then has its name), and presses play. */
async function run(operation: string, name: string): Promise<void> {
  await page.getByRole('button', { name: 'New tab' }).click();
  await page.locator('.graphiql-query-editor .monaco-editor').click();
  await page.keyboard.insertText(operation);
  await page.getByRole('tab', { name }).waitFor();
  await play();
}

const play = () => page.locator('.graphiql-execute-button').click();
const shows = (text: string) => page.locator('.result-window', { hasText: text }).waitFor();
const bar = (label: string) => page.getByLabel(label, { exact: true });
const stored = (area: 'localStorage' | 'sessionStorage') =>
  page.evaluate<string>(`JSON.stringify({ ...${area} })`);

test('the build is without source maps, and keeps scripts and styles as their compressed twins alone', async () => {
  const names = await readdir(join(assets, 'assets'));
  const twins = names.filter((name) => name.endsWith('.gz'));
  expect(twins.length).toBeGreaterThan(5);
  for (const name of twins)
    expect(gunzipSync(await readFile(join(assets, 'assets', name))).length).toBeGreaterThan(0);
  expect(names.filter((name) => /\.(js|css|map)$/.test(name))).toEqual([]);
});

describe('in a browser', () => {
  beforeAll(async () => {
    service = new ExplorerService(assets);
    await service.start();
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  beforeEach(async () => {
    watched = await watchedPage(browser, service.origin);
    page = watched.page;
    await page.goto(`${service.origin}/explorer`);
    await page.locator('.graphiql-query-editor', { hasText: 'WhoAmI' }).waitFor();
  });

  afterEach(async () => {
    expect(watched.foreign).toEqual([]);
    await page.context().close();
  });

  full('an operation carries the key, which no other visit of the browser will find', async () => {
    expect(await page.title()).toBe('Leaderboards · GraphQL explorer');
    await bar('API key').fill(' k-secret\n');
    await page.getByRole('button', { name: 'Headers', exact: true }).click();
    await page.getByRole('button', { name: 'New tab' }).click();
    await page.locator('.graphiql-editor-tool .graphiql-editor:not(.hidden)').click();
    await page.keyboard.insertText('{"Studio-Client-Nonce": "n-secret"}');
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.insertText('query Mine { key }');
    await page.getByRole('tab', { name: 'Mine' }).waitFor();
    await play();
    await shows('"key": "k-secret"');
    expect(service.httpHeaders.at(-1)).toMatchObject({
      'studio-api-key': 'k-secret',
      'studio-client-nonce': 'n-secret',
    });

    // Both are written some time after the operation: its history and the tabs.
    await until(async () => /queries.+Mine/.test(await stored('localStorage')));
    await until(async () => /tabState.+Mine/.test(await stored('localStorage')));
    expect(await stored('localStorage')).not.toContain('secret');
    expect(await stored('sessionStorage')).toContain('k-secret');
    await page.reload();
    expect(await bar('API key').inputValue()).toBe('k-secret');
    expect(await bar('API key').getAttribute('type')).toBe('password');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    expect(await bar('API key').getAttribute('type')).toBe('text');

    await page.getByRole('button', { name: 'Forget' }).click();
    expect(await bar('API key').inputValue()).toBe('');
    expect(await stored('sessionStorage')).not.toContain('secret');
    await page.locator('.graphiql-query-editor', { hasText: 'Mine' }).waitFor();
    await play();
    await shows('"key": null');
    expect(service.httpHeaders.at(-1)).not.toHaveProperty('studio-api-key');
    expect(watched.complaints).toEqual([]);
  });

  full(
    'a subscription carries the token, survives a restart of the service, and ends with its token',
    async () => {
      await bar('Credential to send').selectOption('Device token');
      await bar('Device token').fill('Bearer t-secret');
      await run('subscription Ticking { tick }', 'Ticking');
      await shows('"tick": 1');
      expect(service.initPayloads.at(-1)).toEqual({ authorization: 'Bearer t-secret' });
      service.tick(2);
      await shows('"tick": 2');
      expect(watched.complaints).toEqual([]);

      await service.stop();
      await shows('Retrying until it works');
      await shows('"tick": 2');
      service.tick(3);
      await service.start();
      await shows('"tick": 3');
      expect(service.openSockets).toBe(1);

      await bar('Device token').fill('t-other');
      await shows('the key or token above was changed');
      await until(() => service.openSockets === 0);
      await play();
      await shows('"tick": 3');
      expect(service.initPayloads.at(-1)).toEqual({ authorization: 'Bearer t-other' });
      expect(service.openSockets).toBe(1);
    },
  );

  full('a refused socket shows the reason and is not tried again', async () => {
    await bar('API key').fill('refused');
    const before = service.initPayloads.length;
    await run('subscription Ticking { tick }', 'Ticking');
    await shows('The service closed the live connection (4403 Forbidden)');
    await bar('API key').fill('accepted');
    await play();
    await shows('"tick"');
    expect(service.initPayloads.slice(before)).toEqual([
      { 'studio-api-key': 'refused' },
      { 'studio-api-key': 'accepted' },
    ]);
  });

  full('a phone shows the bar, the operation and its result without scrolling sideways', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    await bar('Open an example').selectOption('Watch a board live');
    await page.locator('.graphiql-editor-tool', { hasText: '"boardId"' }).waitFor();
    await run('query Mine { key }', 'Mine');
    await shows('"key": null');
    const sideways = `[document.documentElement, document.querySelector('header')].map((e) => e.scrollWidth - e.clientWidth)`;
    expect(await page.evaluate(sideways)).toEqual([0, 0]);
    for (const place of [bar('API key'), page.getByRole('button', { name: 'Forget' })]) {
      const box = await place.boundingBox();
      expect(box && box.x + box.width).toBeLessThanOrEqual(360);
    }
    expect(watched.complaints).toEqual([]);
  });
});
