/**
 * True if a cell refuses a request because it has given the account away. The gateway then forgets where the account
 * was, looks again, and sends the request once more, to another cell only.
 * @param refusal what a route has thrown
 */
export function saysMoved(refusal: unknown): boolean {
  return (refusal as { name?: unknown } | null)?.name === 'AccountMoved';
}
