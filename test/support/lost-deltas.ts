import { DomainError } from '../../src/base/errors.js';

/** Counters refuse a delta that would be lost in their sum; nothing is written. */
export function isLost(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'BAD_REQUEST' && /lose precision/.test(error.message);
}

/** Undefined: the delta was refused because it would be lost. */
export async function unlessLost<T>(submitted: Promise<T>): Promise<T | undefined> {
  try {
    return await submitted;
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  }
}
