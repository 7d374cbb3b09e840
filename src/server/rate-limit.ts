import type { Context } from '../graph/context.js';
import { Limit } from '../limit.js';
import { subscriberOf } from '../network.js';

type Asker = Pick<Context, 'caller' | 'ip'>;

/**
 * Who is counted: the credential where there is a good one, so that a school behind one address does not share a budget;
 * everybody else by address.
 */
function countedAs({ caller, ip }: Asker): string {
  if (caller.kind === 'admin') return caller.keyId;
  if (caller.kind === 'client') return caller.deviceId;
  return ip === undefined ? 'unknown' : subscriberOf(ip);
}

/**
 * Counts requests (HTTP_RATE_LIMIT): so many of one caller within a minute.
 * @param perMinute undefined: any number
 * @returns what a request spends; rejects with DomainError RATE_LIMITED beyond it
 */
export function requestBudget(perMinute: number | undefined): (asker: Asker) => Promise<void> {
  if (perMinute === undefined) return () => Promise.resolve();
  const limit = new Limit(perMinute, 60);
  return (asker) => limit.count(countedAs(asker));
}
