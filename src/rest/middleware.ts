import Router, { type RouterContext } from '@koa/router';
import type { GraphQLSchema } from 'graphql';
import type { Middleware } from 'koa';
import { DomainError } from '../base/errors.js';
import { letRead } from '../graphql/access.js';
import type { ContextFactory, RateLimit, ReadBody, RequestFacts } from '../graphql/context.js';
import type { AnswerLimit } from '../graphql/engine/answer-limit.js';
import { Engine } from '../graphql/engine/execute.js';
import { printed } from '../graphql/engine/printed.js';
import { type ExportRoute, exportRoutes } from './exports/routes.js';
import type { ExportStreams } from './exports/serve.js';
import { openApi, sectionNames } from './openapi/document.js';
import { type PictureRoute, pictureRoutes } from './pictures/routes.js';
import { type SavePicture, writePicture } from './pictures/serve.js';
import { DOWNLOAD_PATH, UPLOAD_PATH } from './recordings/routes.js';
import { type RecordingFiles, receiveRecording, sendRecording } from './recordings/serve.js';
import { type RoleWith, reference } from './reference/reference.js';
import { loadOperations, operationsSource, type RestRoute, restRoute } from './routes/rest-route.js';
import type { Method } from './routes/route.js';
import { routes } from './routes/routes.js';
import { NO_BODY, RouteRunner } from './runner.js';
import { restView } from './spelling.js';
import type { LiveStreams } from './streams.js';

interface RestOptions {
  schema: GraphQLSchema;
  /** The schema as callers of GraphQL see it. */
  graphql: GraphQLSchema;
  /** Returns the smallest role of users that includes a right. */
  roleWith: RoleWith;
  /** The setting HEADER_PREFIX; the OpenAPI document contains the headers' names. */
  headerPrefix: string;
  contextOf: ContextFactory;
  /** Undefined: requests are neither counted nor limited. */
  limitRate: RateLimit | undefined;
  /** Serves the live routes. */
  streams: LiveStreams;
  /** Serves exports. */
  exports: ExportStreams;
  /** Stores pictures of games. */
  savePicture: SavePicture;
  /** Stores and reads recordings of runs. */
  recordings: RecordingFiles;
  answerLimit: AnswerLimit;
}

interface RestApi {
  /** The schema in REST's spelling. */
  view: GraphQLSchema;
  routes: RestRoute[];
}

/**
 * Returns every route of the table, ready to run or to be documented.
 * @throws Error when table, operations and schema do not agree
 */
export function restApi(whole: GraphQLSchema): RestApi {
  const view = restView(whole);
  const operations = loadOperations(operationsSource());
  const known = routes.map((route) => restRoute(view, route, operations));
  const run = routes.flatMap(({ operation, variant }) => [operation, variant?.operation]);
  const unused = [...operations.keys()].filter((name) => !run.includes(name));
  if (unused.length > 0) throw new Error(`No route runs ${unused.join(', ')} of schema/rest.graphql`);
  return { view, routes: known };
}

interface RunnableRoute {
  rest: RestRoute;
  runner: RouteRunner;
  variant: RouteRunner | undefined;
}

/** By schema: services of a process share both. */
const runnable = new WeakMap<GraphQLSchema, RunnableRoute[]>();

function runnableRoutes(whole: GraphQLSchema): RunnableRoute[] {
  const known = runnable.get(whole);
  if (known) return known;
  const { view, routes } = restApi(whole);
  const engine = new Engine(view, { own: true });
  const made = routes.map((rest) => ({
    rest,
    runner: new RouteRunner(engine, rest),
    variant: rest.variant && new RouteRunner(engine, rest.variant),
  }));
  runnable.set(whole, made);
  return made;
}

const JSON_TYPE = 'application/json; charset=utf-8';

/** Parameters of the path are in `ctx.params`, decoded. */
type Handler = (ctx: RouterContext) => void | Promise<void>;

/** What the caller of a request is resolved from. */
function requestOf({ headers, req, state }: RouterContext) {
  return {
    headers,
    requestId: state.requestId as string,
    socketAddress: req.socket.remoteAddress,
    line: req,
  };
}

function handlerOf(runner: RouteRunner, variant: RouteRunner | undefined, options: RestOptions): Handler {
  const { contextOf, limitRate, streams, answerLimit } = options;
  const { method, path, who, live, status, batchOf, variant: other } = runner.rest.route;
  const key = { method, route: batchOf ?? path };
  const forClients = who === 'client';
  // A submission checks its session itself, under its locks; the rate limit needs a verified caller, and an invalid
  // session refuses a batch as a whole.
  const presumed = forClients && method === 'POST' && !limitRate && !batchOf;
  return async (ctx) => {
    // The response depends on headers that a shared cache does not treat as credentials.
    ctx.set('cache-control', 'no-store');
    const notePage = ctx.state.notePage as RequestFacts['notePage'];
    const context = await contextOf({ ...requestOf(ctx), forClients, presumed, notePage });
    try {
      await limitRate?.(context, key);
      const chosen = variant && ctx.query[other!.parameter] ? variant : runner;
      if (live) return await streams.serve(ctx, context, chosen);
      const body = await chosen.run(context, ctx.params, ctx.query, ctx.state.body as ReadBody);
      ctx.set('content-type', JSON_TYPE);
      ctx.body = jsonOf(body, answerLimit);
      ctx.status = status;
    } finally {
      ctx.set(context.responseHeaders);
    }
  };
}

/** @throws DomainError BAD_REQUEST when it is too large */
function jsonOf(body: unknown, limit: AnswerLimit): string | Buffer {
  if (body instanceof Buffer) limit.checkWritten(body.length);
  else limit.check(body);
  return body instanceof Buffer ? body : JSON.stringify(body);
}

function exportHandler(
  route: ExportRoute,
  { contextOf, limitRate, exports }: Pick<RestOptions, 'contextOf' | 'limitRate' | 'exports'>,
): Handler {
  return async (ctx) => {
    ctx.set('cache-control', 'no-store');
    const context = await contextOf(requestOf(ctx));
    await limitRate?.(context, { method: 'GET', route: route.path });
    await exports.serve(ctx, context, route);
  };
}

/** Responds with the game afterwards, as its route does. */
function pictureHandler(
  route: PictureRoute,
  game: RouteRunner,
  options: Pick<RestOptions, 'contextOf' | 'limitRate' | 'savePicture' | 'answerLimit'>,
): Handler {
  const { contextOf, limitRate, savePicture, answerLimit } = options;
  return async (ctx) => {
    ctx.set('cache-control', 'no-store');
    const context = await contextOf(requestOf(ctx));
    await limitRate?.(context, { method: route.method, route: route.path });
    await writePicture(ctx, context, route, savePicture);
    letRead(context);
    const body = await game.run(context, ctx.params, {}, NO_BODY);
    ctx.set('content-type', JSON_TYPE);
    ctx.body = jsonOf(body, answerLimit);
  };
}

type RecordingOptions = Pick<RestOptions, 'contextOf' | 'limitRate' | 'recordings'>;

function uploadHandler({ contextOf, limitRate, recordings }: RecordingOptions): Handler {
  return async (ctx) => {
    ctx.set('cache-control', 'no-store');
    const context = await contextOf({ ...requestOf(ctx), forClients: true });
    await limitRate?.(context, { method: 'PUT', route: UPLOAD_PATH });
    await receiveRecording(ctx, context, recordings);
    ctx.set('content-type', JSON_TYPE);
  };
}

function downloadHandler({ contextOf, limitRate, recordings }: RecordingOptions): Handler {
  return async (ctx) => {
    const context = await contextOf(requestOf(ctx));
    await limitRate?.(context, { method: 'GET', route: DOWNLOAD_PATH });
    await sendRecording(ctx, context, recordings);
  };
}

/** A text that is the same for everybody, made at the first request for it: most processes never get one. */
function describing(type: string, make: () => string): Handler {
  let text: string | undefined;
  return (ctx) => {
    text ??= make();
    ctx.type = type;
    ctx.body = text;
  };
}

function add(router: Router, path: string, method: Method | PictureRoute['method'], handler: Handler): void {
  router.register(path.replace(/{(\w+)}/g, ':$1'), [method], handler, { name: path });
}

/**
 * Runs the handler of the first route with the request's path and method; refuses other methods on a known path (405).
 * The first path that matches handles the request, so `batch` is not taken for an `{event_id}`. All other paths go to the next middleware.
 */
function serveRoutes(router: Router): Middleware {
  const layersOf = byShape(router);
  return (ctx, next) => {
    const { path } = ctx;
    const layers = layersOf(path).filter((layer) => layer.match(path));
    const place = layers[0]?.name;
    const layer = layers.find(({ name, methods }) => name === place && methods.includes(ctx.method));
    ctx.state.route = place;
    if (layer) {
      ctx.params = layer.params(ctx.path, layer.captures(ctx.path));
      return layer.stack[0]!(ctx as RouterContext, next);
    }
    const known = layers.filter(({ name }) => name === place);
    if (known.length === 0) return next();
    const methods = known.flatMap((layer) => layer.methods).filter((name) => name !== 'HEAD');
    const allowed = [...new Set(methods)].join(', ');
    ctx.set('allow', allowed);
    throw new DomainError('METHOD_NOT_ALLOWED', `${ctx.method} is not allowed here. Use ${allowed}.`);
  };
}

/**
 * Returns the routes that may have a path, in their order: those with as many segments and the same first two, or all for a path
 * that no route begins like. Trying all, over a hundred expressions, took 3 % of a request.
 */
function byShape({ stack }: Router): (path: string) => Router['stack'] {
  const shapeOf = (path: string) => {
    const segments = path.replace(/\/$/, '').split('/');
    return `${segments.length} ${segments[1]} ${segments[2]}`;
  };
  const shapes = new Map<string, Router['stack']>();
  for (const layer of stack) {
    const shape = shapeOf(String(layer.path));
    shapes.set(shape, [...(shapes.get(shape) ?? []), layer]);
  }
  return (path) => shapes.get(shapeOf(path)) ?? stack;
}

/** Sorts literal segments before parameters. */
function byLiterals(a: string, b: string): number {
  return a.split('{').length - b.split('{').length;
}

/**
 * Returns the middleware of the REST API, with /openapi.json and the /docs generated from it, and /schema.graphql.
 * Errors are thrown as DomainErrors for the server's envelope.
 */
export function restRoutes(options: RestOptions): Middleware {
  const { schema, graphql, headerPrefix, roleWith } = options;
  const known = runnableRoutes(schema);
  const router = new Router({ sensitive: true });
  const served = known.flatMap(({ rest, runner, variant }) => {
    const handler = handlerOf(runner, variant, options);
    const { path, aliases = [], method } = rest.route;
    return [path, ...aliases].map((place) => ({ path: place, method, handler, runner }));
  });
  for (const route of exportRoutes) add(router, route.path, 'GET', exportHandler(route, options));
  add(router, UPLOAD_PATH, 'PUT', uploadHandler(options));
  add(router, DOWNLOAD_PATH, 'GET', downloadHandler(options));
  const game = served.find(({ path, method }) => method === 'GET' && path === '/v1/games/{game_id}')!.runner;
  for (const route of pictureRoutes) {
    add(router, route.path, route.method, pictureHandler(route, game, options));
  }
  for (const { path, method, handler } of served.toSorted((a, b) => byLiterals(a.path, b.path))) {
    add(router, path, method, handler);
  }
  // Made at the first request for it: most processes never get one.
  let made: object | undefined;
  const document = () => {
    made ??= openApi(
      known.map(({ rest }) => rest),
      headerPrefix,
    );
    return made;
  };
  add(
    router,
    '/openapi.json',
    'GET',
    describing('json', () => JSON.stringify(document())),
  );
  add(
    router,
    '/schema.graphql',
    'GET',
    describing('text/plain; charset=utf-8', () => printed(graphql)),
  );
  const parts = { schema: graphql, routes: known.map(({ rest }) => rest), roleWith };
  for (const [path, handler] of reference(document, sectionNames, parts)) add(router, path, 'GET', handler);
  return serveRoutes(router);
}
