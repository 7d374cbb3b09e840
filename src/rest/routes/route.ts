import type { ErrorCode } from '../../base/errors.js';
import { BATCH_BODY_BYTES } from '../../graphql/engine/cost.js';
import type { Role } from '../../graphql/rights.js';

export type Method = 'GET' | 'POST' | 'PATCH';

/** Headers that an operation reads besides the credential; resolvers find them in the context. */
export type RequestHeader = 'nonce' | 'idempotency-key';

/** One REST route: the operation of schema/rest.graphql that it runs, and the part of the result that it returns. */
export interface Route {
  method: Method;
  /** Parameters in braces are variables of the operation: `{board_id}` is `$boardId`. */
  path: string;
  operation: string;
  /** Path to the response body in the result: field names of the operation, joined by dots. */
  body: string;
  status: 200 | 201;
  /** The role that may call it; never more than the operation's root field allows. */
  who: Role;
  headers?: RequestHeader[];
  /** Set for a stream of server-sent events whose data are the body: the type of its events. */
  live?: 'board' | 'reward' | 'rank' | 'overtaken' | 'player';
  /** Set if an optional credential determines the content; only for routes open to anyone. */
  optional?: true;
  /**
   * Set for a batch, whose body is a list `items` and whose results are in their order: the path of one item alone. Each
   * item is checked by itself and counts as one request of that path.
   */
  batchOf?: string;
  /** Largest body, if it may be larger than the setting MAX_BODY_BYTES. */
  maxBodyBytes?: number;
  /**
   * Set if another operation runs where a query parameter is given, whose answer is of another form. Its inputs contain
   * those of the route.
   */
  variant?: Variant;
  /** Variables of a POST that are query parameters. */
  query?: string[];
  /** Siblings of the body in the result that the body has as members, too. */
  beside?: readonly string[];
  /** Other paths with the same behaviour; the documentation shows the first only. */
  aliases?: string[];
  /**
   * Set for an administrator's write whose unknown members are never refused as misspelt: they must lose no score; and for a
   * read that refuses them as writes do.
   */
  extraMembers?: 'ignored' | 'refused';
  /** Members that the body, or an item of a batch, must not have, each with the reason. */
  refused?: Record<string, string>;
  /** Error codes of this route in addition to those of its kind (see openapi/errors.ts). */
  also?: ErrorCode[];
}

/** See {@link Route.variant}. */
export interface Variant extends Pick<Route, 'operation' | 'body' | 'query' | 'beside'> {
  parameter: string;
  /** The parameter's effect on the route, where the operation's own words do not say it. */
  about?: string;
}

/** Routes of one resource; one section of the documentation. */
export interface RouteGroup {
  name: string;
  routes: Route[];
}

export const STANDINGS_PARAMETER =
  'Comma-separated names of views whose standings to include in the response. If absent, none are computed.';

type More = Pick<
  Route,
  'headers' | 'also' | 'aliases' | 'variant' | 'beside' | 'extraMembers' | 'refused' | 'maxBodyBytes'
>;

/** A read. `body` is the path to the response body in the operation's result. */
export function get(who: Role, path: string, operation: string, body: string, more?: More): Route {
  return { method: 'GET', path, operation, body, status: 200, who, ...more };
}

/** A POST that returns the created record, 201. */
export function create(who: Role, path: string, operation: string, body: string, more?: More): Route {
  return { method: 'POST', path, operation, body, status: 201, who, ...more };
}

/** A POST that creates nothing, 200. */
export function act(who: Role, path: string, operation: string, body: string, more?: More): Route {
  return { method: 'POST', path, operation, body, status: 200, who, ...more };
}

/** A POST of many items to `<path>/batch`, each handled as a POST to `path`; 200 with a result for each. */
export function batch(who: Role, path: string, operation: string, body: string, more?: More): Route {
  const withStandings = { operation: `${operation}WithStandings`, body, query: ['standings'] };
  const variant = { parameter: 'standings', about: STANDINGS_PARAMETER, ...withStandings };
  const route = act(who, `${path}/batch`, operation, body, { variant });
  return { ...route, ...more, batchOf: path, maxBodyBytes: BATCH_BODY_BYTES };
}

/** A live read, as server-sent events. */
export function watch(
  who: Role,
  path: string,
  operation: string,
  body: string,
  more?: Partial<Route>,
): Route {
  return { ...get(who, path, operation, body), live: 'board', also: ['RATE_LIMITED'], ...more };
}

/** A change of a record; returns the changed record. */
export function patch(who: Role, path: string, operation: string, body: string, more?: More): Route {
  return { method: 'PATCH', path, operation, body, status: 200, who, ...more };
}
