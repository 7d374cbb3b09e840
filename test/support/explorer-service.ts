import { EventEmitter, on, once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GraphQLInt, GraphQLObjectType, GraphQLSchema, GraphQLString, graphql } from 'graphql';
import { useServer } from 'graphql-ws/use/ws';
import Koa from 'koa';
import { WebSocketServer } from 'ws';
import { explorer } from '../../src/server/explorer.js';

/**
 * The explorer in front of a small GraphQL service: `query { key }` answers the caller's key, `subscription { tick }` the
 * latest number and every later one. It keeps what callers sent, can be restarted, and refuses the key "refused".
 */
export class ExplorerService {
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
    this.app.use(explorer(assetsDir, { headerPrefix: 'studio' }));
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
