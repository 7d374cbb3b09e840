import type { GraphQLSchema } from 'graphql';
import type { Context, Middleware } from 'koa';
import { DomainError } from '../base/errors.js';
import type { ContextFactory, RateLimit } from '../graphql/context.js';
import type { AnswerLimit } from '../graphql/engine/answer-limit.js';
import { restView } from './answer/view.js';
import { reference } from './docs/middleware.js';
import { openApi } from './openapi/document.js';
import { loadOperations, operationsSource } from './routes/operations.js';
import { PathTree } from './routes/path-tree.js';
import { type RestRoute, restRoute } from './routes/rest-route.js';
import type { Method } from './routes/route.js';
import { routes } from './routes/routes.js';
import { RouteRunner } from './runner.js';
import type { LiveStreams } from './sse/streams.js';

export interface RestOptions {
  schema: GraphQLSchema;
  /** The setting HEADER_PREFIX; the OpenAPI document names the headers. */
  headerPrefix: string;
  contextOf: ContextFactory;
  /** Undefined: nothing is counted, and nobody is asked. */
  limitRate: RateLimit | undefined;
  /** Serves the routes that go on. */
  streams: LiveStreams;
  answerLimit: AnswerLimit;
}

export interface RestApi {
  /** The schema as REST spells it. */
  view: GraphQLSchema;
  routes: RestRoute[];
}

/**
 * Every route of the table, ready to run or to be described.
 * @throws Error when table, operations and schema do not agree
 */
export function restApi(schema: GraphQLSchema): RestApi {
  const view = restView(schema);
  const operations = loadOperations(view, operationsSource());
  const known = routes.map((route) => restRoute(view, route, operations));
  const unused = [...operations.keys()].filter((name) => !routes.some(({ operation }) => operation === name));
  if (unused.length > 0) throw new Error(`No route runs ${unused.join(', ')} of schema/rest.graphql`);
  return { view, routes: known };
}

type Handler = (ctx: Context, parameters: string[]) => void | Promise<void>;

function running(runner: RouteRunner, { contextOf, limitRate, streams, answerLimit }: RestOptions): Handler {
  const { method, path, who, live } = runner.rest.route;
  const door = { method, route: path };
  const forClients = who === 'client';
  // Whoever counts requests must know whose they are.
  const presumed = forClients && !live && !limitRate;
  return async (ctx, parameters) => {
    // What is answered depends on headers that a shared cache does not know as credentials.
    ctx.set('cache-control', 'no-store');
    const context = await contextOf({
      headers: ctx.headers,
      requestId: ctx.state.requestId as string,
      socketAddress: ctx.req.socket.remoteAddress,
      forClients,
      presumed,
    });
    try {
      await limitRate?.(context, door);
      if (live) return await streams.serve(ctx, context, runner, parameters);
      const body = await runner.run(context, parameters, ctx.query, ctx.state.body as () => unknown);
      if (body instanceof Buffer) {
        answerLimit.checkWritten(body.length);
        ctx.type = 'json';
      } else answerLimit.check(body);
      ctx.body = body;
      ctx.status = runner.rest.route.status;
    } finally {
      ctx.set(context.responseHeaders);
    }
  };
}

function describing(document: object): Handler {
  let text: string | undefined;
  return (ctx) => {
    text ??= JSON.stringify(document);
    ctx.type = 'json';
    ctx.body = text;
  };
}

/**
 * The REST side of the service (decisions.md section 4), /openapi.json, and /docs made of it. Paths of other doors are left to the next
 * middleware; errors are thrown as DomainErrors for the envelope of the server.
 */
export function restMiddleware(options: RestOptions): Middleware {
  const { schema, headerPrefix } = options;
  const api = restApi(schema);
  const tree = new PathTree<{ path: string; handlers: Map<string, Handler> }>();
  const serve = (path: string, method: Method, handler: Handler) =>
    tree.at(path, () => ({ path, handlers: new Map() })).handlers.set(method, handler);
  for (const rest of api.routes) {
    const { path, method, aliases = [] } = rest.route;
    const handler = running(new RouteRunner(api.view, rest), options);
    for (const served of [path, ...aliases]) serve(served, method, handler);
  }
  const document = openApi(api.routes, headerPrefix);
  serve('/openapi.json', 'GET', describing(document));
  for (const [path, handler] of reference(document)) serve(path, 'GET', handler);
  return async (ctx, next) => {
    const found = tree.find(ctx.path);
    if (!found) return next();
    const { path, handlers } = found.value;
    ctx.state.route = path;
    const handler = handlers.get(ctx.method === 'HEAD' ? 'GET' : ctx.method);
    if (handler) return handler(ctx, found.parameters);
    const allowed = [...handlers.keys()].join(', ');
    ctx.set('allow', allowed);
    throw new DomainError('METHOD_NOT_ALLOWED', `${ctx.method} is not possible here; use ${allowed}`);
  };
}
