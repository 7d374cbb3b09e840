import { DomainError } from '../../src/base/errors.js';

/** Counters refuse a delta that their sum would lose; nothing is written then. */
export function isLost(error: unknown): boolean {
  return error instanceof DomainError && error.code === 'BAD_REQUEST' && /lose precision/.test(error.message);
}

/** Undefined: the delta was refused because the sum would lose it. */
export async function unlessLost<T>(submitted: Promise<T>): Promise<T | undefined> {
  try {
    return await submitted;
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  }
}
