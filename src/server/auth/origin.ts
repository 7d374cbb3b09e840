import { stat } from 'node:fs/promises';
import { BlockList, isIP, isIPv4 } from 'node:net';
import { type CityResponse, open, type Reader } from 'maxmind';
import { PeriodicTask } from '../../base/clock.js';
import { SetupError } from '../../base/errors.js';
import { type GeoPlace, NOWHERE } from '../../base/ip-address.js';
import type { Log } from '../../base/log.js';
import { hasControl } from '../../base/text.js';

/** Addresses and networks (CIDR) of proxies whose `x-forwarded-for` is trusted. */
export class TrustedProxies {
  readonly #list = new BlockList();
  readonly #none: boolean;

  /** @param entries e.g. `10.0.0.0/8`, `::1`; throws for any other text */
  constructor(entries: string[]) {
    this.#none = entries.length === 0;
    for (const entry of entries) {
      const [address = '', bits] = entry.split('/');
      const family = isIPv4(address) ? 'ipv4' : 'ipv6';
      if (bits === undefined) this.#list.addAddress(address, family);
      else this.#list.addSubnet(address, Number(bits), family);
    }
  }

  /** True if `forwardedFor` may come from an undeclared proxy: the socket's address is then shared by many callers. */
  misses(forwardedFor: string | undefined): boolean {
    return this.#none && !!forwardedFor;
  }

  /** Returns the caller's address: the socket's, or the right-most one in `forwardedFor` that is no trusted proxy. */
  callerAddress(socketAddress: string | undefined, forwardedFor: string | undefined): string | undefined {
    let caller = plainAddress(socketAddress);
    if (this.#none) return caller;
    const hops = forwardedFor?.split(',').map((hop) => plainAddress(withoutPort(hop.trim()))) ?? [];
    while (caller && this.#trusts(caller)) {
      const hop = hops.pop();
      if (!hop || isIP(hop) === 0) break;
      caller = hop;
    }
    return caller;
  }

  #trusts(address: string): boolean {
    return this.#list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }
}

/** Returns an IPv4 address that arrived through an IPv6 socket in IPv4 form. */
function plainAddress(address: string | undefined): string | undefined {
  return address?.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** Removes the caller's port, which some proxies add: `203.0.113.9:4711`, `[2001:db8::1]:4711`. */
function withoutPort(hop: string): string {
  return /^\[(.*)\](?::\d{1,5})?$/.exec(hop)?.[1] ?? hop.replace(/(?<=^[\d.]{7,15}):\d{1,5}$/, '');
}

/** Interval of the check for a changed file. */
const POLL_INTERVAL_MS = 2_000;
/** Decoded records that are cached: a look-up among them takes about a microsecond. */
const KEPT_RECORDS = 10_000;
const LONGEST_PLACE_NAME = 100;

/** The file's content is untrusted: only values that fit our columns are used. */
function decent(text: unknown, form = /./): string | null {
  return typeof text === 'string' && text.length <= LONGEST_PLACE_NAME && form.test(text) && !hasControl(text)
    ? text
    : null;
}

function placeOf(record: CityResponse): GeoPlace {
  return {
    city: decent(record.city?.names?.en),
    country: decent(record.country?.iso_code, /^[A-Z]{2}$/),
    timezone: decent(record.location?.time_zone, /^[A-Za-z]/),
  };
}

/** Locations of addresses, from a database in MaxMind's format that is read again when its file changes. */
export class Places {
  #reader: Reader<CityResponse> | undefined;
  #complained = false;
  /** State of the file at the last read, successful or not. */
  #stamp: string | undefined;
  #task: PeriodicTask | undefined;

  private constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /**
   * @param file undefined: no location is known
   * @throws SetupError when the file cannot be read or is no such database
   */
  static async open(file: string | undefined, log: Log): Promise<Places> {
    const places = new Places(file ?? '', log);
    if (file === undefined) return places;
    try {
      places.#stamp = await stampOf(file);
      await places.#read();
    } catch (error) {
      throw new SetupError(
        `GEOIP_DATABASE is "${file}", which cannot be read: ${(error as Error).message}. Set it to a database in ` +
          `MaxMind's .mmdb format, or unset it.`,
      );
    }
    // Own polling: fs.watchFile takes its first look at an unspecified time and misses changes between the read and
    // that look.
    places.#task = new PeriodicTask(() => places.#look(file), {
      everyMillis: POLL_INTERVAL_MS,
      log,
      failure: 'failed to read the GeoIP database; still using the previous one',
    });
    places.#task.start();
    return places;
  }

  /** Returns nulls for private, unknown and invalid addresses. Never throws. */
  find(address: string | undefined): GeoPlace {
    if (!this.#reader || address === undefined) return NOWHERE;
    try {
      const record = this.#reader.get(address);
      return record ? placeOf(record) : NOWHERE;
    } catch (error) {
      if (!this.#complained) {
        this.log.warn(
          { err: error, file: this.file },
          'failed to look up an address in the GeoIP database; logged once per file',
        );
      }
      this.#complained = true;
      return NOWHERE;
    }
  }

  async close(): Promise<void> {
    await this.#task?.close();
  }

  async #read(): Promise<void> {
    const reader = await open<CityResponse>(this.file, { cache: { max: KEPT_RECORDS } });
    this.#reader = reader;
    this.#complained = false;
    const { databaseType: type, buildEpoch: built } = reader.metadata;
    this.log.info({ file: this.file, type, built }, 'loaded the GeoIP database');
  }

  /** An incomplete or missing file changes nothing; it is read again at its next change. */
  async #look(file: string): Promise<void> {
    const stamp = await stampOf(file).catch(() => undefined);
    if (stamp === undefined || stamp === this.#stamp) return;
    this.#stamp = stamp;
    await this.#read();
  }
}

/**
 * Returns a stamp of the file's state. Taken before the read, so that the next look notices a change during the read.
 */
async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
