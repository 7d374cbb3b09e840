import type { ErrorCode } from '../../base/errors.js';
import type { Role } from '../../graphql/access.js';

export type Method = 'GET' | 'POST' | 'PATCH';

/** Headers that an operation reads beside the credential; the resolvers find them in the context. */
export type RequestHeader = 'nonce' | 'idempotency-key';

/** One REST route: the operation of schema/rest.graphql it runs, and what it makes of the result. */
export interface Route {
  method: Method;
  /** Parameters in braces are variables of the operation: `{board_id}` is `$boardId`. */
  path: string;
  operation: string;
  /** Where the answer lies in the result: field names of the operation, joined by dots. */
  body: string;
  status: 200 | 201;
  /** Who may call it; never more than the operation's root field allows. */
  who: Role;
  headers?: RequestHeader[];
  /** Whether the answer goes on, as server-sent events with the body as their data. */
  live?: true;
  /** Whether a credential, where one is sent, says what is shown; only of routes for anyone. */
  optional?: true;
  /** Other paths that are served alike; the documentation names the first only. */
  aliases?: string[];
  /** Codes that its callers meet beside those of its kind (see error-answers.ts). */
  also?: ErrorCode[];
}

/** Routes of one resource, one section of the documentation. */
export interface RouteGroup {
  name: string;
  routes: Route[];
}

type More = Pick<Route, 'headers' | 'also' | 'aliases'>;

/** A read. `body` is where the answer lies in the operation's result. */
export function get(who: Role, path: string, operation: string, body: string): Route {
  return { method: 'GET', path, operation, body, status: 200, who };
}

/** A POST that answers with what it created, 201. */
export function create(who: Role, path: string, operation: string, body: string, more?: More): Route {
  return { method: 'POST', path, operation, body, status: 201, who, ...more };
}

/** A POST that creates nothing, 200. */
export function act(who: Role, path: string, operation: string, body: string, more?: More): Route {
  return { method: 'POST', path, operation, body, status: 200, who, ...more };
}

/** A read that goes on, as server-sent events. */
export function watch(
  who: Role,
  path: string,
  operation: string,
  body: string,
  more?: Partial<Route>,
): Route {
  return { ...get(who, path, operation, body), live: true, also: ['RATE_LIMITED'], ...more };
}

/** A change of a record, which is answered as it stands then. */
export function patch(who: Role, path: string, operation: string, body: string): Route {
  return { method: 'PATCH', path, operation, body, status: 200, who };
}
