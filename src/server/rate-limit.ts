import type { Context, ContextFactory } from '../graph/context.js';
import { Limit } from '../limit.js';
import { subscriberOf } from '../network.js';

/**
 * Who is counted: the credential where there is a good one, so that a school behind one address does not share a budget;
 * everybody else by address.
 */
function countedAs({ caller, ip }: Pick<Context, 'caller' | 'ip'>): string {
  if (caller.kind === 'admin') return caller.keyId;
  if (caller.kind === 'client') return caller.deviceId;
  return ip === undefined ? 'unknown' : subscriberOf(ip);
}

/**
 * Lets so many requests of one caller a minute through (HTTP_RATE_LIMIT).
 * @param perMinute undefined: any number
 * @returns a factory that rejects with DomainError RATE_LIMITED beyond it
 */
export function rateLimited(contextOf: ContextFactory, perMinute: number | undefined): ContextFactory {
  if (perMinute === undefined) return contextOf;
  const limit = new Limit(perMinute, 60);
  return async (request) => {
    const context = await contextOf(request);
    await limit.count(countedAs(context));
    return context;
  };
}
