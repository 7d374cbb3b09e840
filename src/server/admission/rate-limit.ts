import { Limit } from '../../base/limit.js';
import type { Log } from '../../base/log.js';
import { subscriberOf } from '../../base/network.js';
import type { Context, CountWrite } from '../../graphql/context.js';

type Asker = Pick<Context, 'caller' | 'ip'>;

/**
 * Who is counted: the credential where there is a good one, so that a school behind one address does not share a budget;
 * everybody else by address.
 */
function countedAs({ caller, ip }: Asker): string {
  if (caller.kind === 'admin') return caller.keyId;
  if (caller.kind === 'client') return caller.deviceId;
  return addressed(ip);
}

function addressed(ip: string | undefined): string {
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

const BURST_SECONDS = 600;
/** A game that starts, ends and starts again; what comes beyond is counted as a new device is. */
const STARTS_OF_DEVICE = 5;

/**
 * Counts what callers without an API key write (ANONYMOUS_WRITES_PER_MINUTE), by address. A game client's token makes no
 * difference: a session start hands it out.
 * @param perMinute undefined: any number
 */
export function anonymousWrites(perMinute: number | undefined, log: Log): CountWrite {
  if (perMinute === undefined) return () => Promise.resolve();
  const burst = { times: perMinute, seconds: BURST_SECONDS };
  const writes = new Limit(perMinute, 60, { burst, what: 'new sessions and registrations' });
  const ofDevices = new Limit(STARTS_OF_DEVICE, 60);
  let warned = false;
  return async ({ caller, ip, behindUnknownProxy }, deviceId) => {
    if (caller.kind === 'admin') return;
    if (behindUnknownProxy) {
      if (!warned) log.warn({ from: ip }, UNKNOWN_PROXY);
      warned = true;
      return;
    }
    const free =
      deviceId !== undefined &&
      (await ofDevices.count(deviceId).then(
        () => true,
        () => false,
      ));
    if (!free) await writes.count(addressed(ip));
  };
}

const UNKNOWN_PROXY =
  'a request came with x-forwarded-for, but no proxy is trusted: set TRUSTED_PROXIES to the addresses of your proxies, else ANONYMOUS_WRITES_PER_MINUTE cannot tell callers apart and does not apply';
