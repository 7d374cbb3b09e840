import type { OperationRequest } from './input.js';
import type { HttpMethod } from './nouns/document.js';
import { got, type LeaderboardClient, type ListPage } from './rest/client.js';

/** A record with the fields common to all commands. */
export type JsonRecord = Record<string, unknown>;

/**
 * Calls an operation that is known only at run time; the service validates the values.
 * @param at the operation's path in the OpenAPI document
 * @throws ServiceError
 */
export function call<T>(
  client: LeaderboardClient,
  method: HttpMethod,
  at: string,
  { path, query, header, body }: OperationRequest,
): Promise<T> {
  const request = client.request as (
    method: HttpMethod,
    at: string,
    init: object,
  ) => Promise<{ data?: T; error?: unknown; response: Response }>;
  return got(request(method, at, { params: { path, query, header }, ...(body && { body }) }));
}

/** Largest page size. */
export const PAGE_SIZE = 100;

/**
 * The pages of a list until `limit` records were shown.
 * @param limit Infinity: all
 */
export async function* allPages(
  client: LeaderboardClient,
  at: string,
  request: OperationRequest,
  limit: number,
): AsyncGenerator<ListPage<JsonRecord>> {
  let left = limit;
  let query = request.query;
  while (left > 0) {
    const size = Math.min(left, PAGE_SIZE);
    const page = await call<ListPage<JsonRecord>>(client, 'get', at, {
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
