import { AccountMoved } from '../base/errors.js';

/**
 * True for the answer of a cell that has an account no longer, or not yet: the gateway looks the account up anew in the
 * directory and sends the request once to the cell it is on now.
 */
export function isAccountMoved(error: unknown): boolean {
  return error instanceof AccountMoved;
}
