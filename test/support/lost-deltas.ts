import { DomainError } from '../../src/base/errors.js';

/** Counters refuse a delta that their sum would lose; nothing is written then. Undefined: it was refused for that. */
export async function unlessLost<T>(submitted: Promise<T>): Promise<T | undefined> {
  try {
    return await submitted;
  } catch (error) {
    if (error instanceof DomainError && error.code === 'BAD_REQUEST' && /lost in rounding/.test(error.message))
      return undefined;
    throw error;
  }
}
