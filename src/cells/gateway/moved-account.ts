import { DomainError, type ErrorCode } from '../../base/errors.js';

const MOVED: ErrorCode = 'ACCOUNT_MOVED';

/**
 * True if a cell refuses a request because the account is on another one. The gateway then forgets where the account
 * was, looks again, and sends the request once more, to another cell only.
 * @param refusal an error that a route has thrown, or that a page shows
 */
export function saysMoved(refusal: unknown): boolean {
  return refusal instanceof DomainError && refusal.code === MOVED;
}

interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: { extensions?: { code?: unknown } }[];
}

/** The same of the answer to an operation of GraphQL, in which no field has succeeded. */
export function answersMoved(body: unknown): boolean {
  if (typeof body !== 'string' || !body.includes(MOVED)) return false;
  const { data, errors = [] } = JSON.parse(body) as GraphqlAnswer;
  const moved = errors.some(({ extensions }) => extensions?.code === MOVED);
  return moved && Object.values(data ?? {}).every((value) => value === null);
}
