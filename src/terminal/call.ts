import { got, type LeaderboardClient, type Page } from '../client/client.js';
import type { Request } from './input.js';
import type { Method } from './nouns/document.js';

/** A record with the fields common to all commands. */
export type ServiceRecord = Record<string, unknown>;

/**
 * Calls an operation that is known only at run time; the service validates the values.
 * @param at the operation's path in the OpenAPI document
 * @throws ServiceError
 */
export function call<T>(
  client: LeaderboardClient,
  method: Method,
  at: string,
  { path, query, header, body }: Request,
): Promise<T> {
  const request = client.request as (
    method: Method,
    at: string,
    init: object,
  ) => Promise<{ data?: T; error?: unknown; response: Response }>;
  return got(request(method, at, { params: { path, query, header }, ...(body && { body }) }));
}

/** Largest page size. */
export const LARGEST_PAGE = 100;

/**
 * The pages of a list until `limit` records were shown.
 * @param limit Infinity: all
 */
export async function* pages(
  client: LeaderboardClient,
  at: string,
  request: Request,
  limit: number,
): AsyncGenerator<Page<ServiceRecord>> {
  let left = limit;
  let query = request.query;
  while (left > 0) {
    const size = Math.min(left, LARGEST_PAGE);
    const page = await call<Page<ServiceRecord>>(client, 'get', at, {
      ...request,
      query: { ...query, limit: size },
    });
    yield page;
    const { count, next_cursor: cursor } = page.pagination;
    if (cursor === null) return;
    left -= count;
    query = { ...query, cursor };
  }
}
