import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { type CityResponse, open, type Reader } from 'maxmind';
import type { Log } from '../log.js';
import { NOWHERE, type Place } from '../place.js';
import { SetupError } from '../setup-error.js';
import { hasControl } from '../text.js';

/** How soon a changed file is noticed. */
const LOOK_MILLIS = 2_000;
/** Records that are kept decoded: a look-up among them takes about a microsecond. */
const KEPT_RECORDS = 10_000;
const LONGEST = 100;

/** What the file says is anybody's: only what our columns take goes any further. */
function decent(text: unknown, form = /./): string | null {
  return typeof text === 'string' && text.length <= LONGEST && form.test(text) && !hasControl(text)
    ? text
    : null;
}

function placeOf(record: CityResponse): Place {
  return {
    city: decent(record.city?.names?.en),
    country: decent(record.country?.iso_code, /^[A-Z]{2}$/),
    timezone: decent(record.location?.time_zone, /^[A-Za-z]/),
  };
}

/** Where addresses are, from a database in MaxMind's format that is read anew when its file changes. */
export class Places {
  #reader: Reader<CityResponse> | undefined;
  #complained = false;
  readonly #changed = (now: Stats): void => void this.#reload(now);

  private constructor(
    private readonly file: string,
    private readonly log: Log,
  ) {}

  /**
   * @param file undefined: nothing is known of any address
   * @throws SetupError when the file cannot be read or is no such database
   */
  static async open(file: string | undefined, log: Log): Promise<Places> {
    const places = new Places(file ?? '', log);
    if (file === undefined) return places;
    try {
      await places.#read();
    } catch (error) {
      throw new SetupError(
        `GEOIP_DATABASE is "${file}", which cannot be used: ${(error as Error).message}. Name a database in MaxMind's .mmdb format, or unset it.`,
      );
    }
    watchFile(file, { interval: LOOK_MILLIS, persistent: false }, places.#changed);
    return places;
  }

  /** All null for what is private, unknown or no address. Never throws. */
  find(address: string | undefined): Place {
    if (!this.#reader || address === undefined) return NOWHERE;
    try {
      const record = this.#reader.get(address);
      return record ? placeOf(record) : NOWHERE;
    } catch (error) {
      if (!this.#complained) {
        this.log.warn(
          { err: error, file: this.file },
          'an address could not be looked up; told once for this file',
        );
      }
      this.#complained = true;
      return NOWHERE;
    }
  }

  close(): void {
    if (this.file) unwatchFile(this.file, this.#changed);
  }

  async #read(): Promise<void> {
    const reader = await open<CityResponse>(this.file, { cache: { max: KEPT_RECORDS } });
    this.#reader = reader;
    this.#complained = false;
    const { databaseType: type, buildEpoch: built } = reader.metadata;
    this.log.info({ file: this.file, type, built }, 'places of addresses are known');
  }

  /** A file that is half written or gone changes nothing; it is looked at again when it changes next. */
  async #reload(now: Stats): Promise<void> {
    if (now.mtimeMs === 0) return;
    try {
      await this.#read();
    } catch (error) {
      this.log.warn(
        { err: error, file: this.file },
        'the database of places cannot be read; the last one stays',
      );
    }
  }
}
