import { stat } from 'node:fs/promises';
import { type CityResponse, open, type Reader } from 'maxmind';
import { NOWHERE, type Place } from '../../base/geo.js';
import type { Log } from '../../base/log.js';
import { PeriodicTask } from '../../base/periodic.js';
import { SetupError } from '../../base/setup-error.js';
import { hasControl } from '../../base/text.js';

/** How soon a changed file is noticed. */
const POLL_INTERVAL_MS = 2_000;
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
  /** Of the file when it was read last, or could not be. */
  #stamp: string | undefined;
  #task: PeriodicTask | undefined;

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
      places.#stamp = await stampOf(file);
      await places.#read();
    } catch (error) {
      throw new SetupError(
        `GEOIP_DATABASE is "${file}", which cannot be used: ${(error as Error).message}. Name a database in MaxMind's .mmdb format, or unset it.`,
      );
    }
    // By stamps of our own: fs.watchFile looks for the first time when it comes to it, and does not tell what has changed since the reading.
    places.#task = new PeriodicTask(() => places.#look(file), {
      everyMillis: POLL_INTERVAL_MS,
      log,
      failure: 'the database of places cannot be read; the last one stays',
    });
    places.#task.start();
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

  async close(): Promise<void> {
    await this.#task?.close();
  }

  async #read(): Promise<void> {
    const reader = await open<CityResponse>(this.file, { cache: { max: KEPT_RECORDS } });
    this.#reader = reader;
    this.#complained = false;
    const { databaseType: type, buildEpoch: built } = reader.metadata;
    this.log.info({ file: this.file, type, built }, 'places of addresses are known');
  }

  /** A file that is half written or gone changes nothing; it is looked at again when it changes next. */
  async #look(file: string): Promise<void> {
    const stamp = await stampOf(file).catch(() => undefined);
    if (stamp === undefined || stamp === this.#stamp) return;
    this.#stamp = stamp;
    await this.#read();
  }
}

/** Of a file's state: taken before it is read, so that a change during the reading is seen at the next look. */
async function stampOf(file: string): Promise<string> {
  const { ino, size, mtimeMs, ctimeMs } = await stat(file);
  return `${ino} ${size} ${mtimeMs} ${ctimeMs}`;
}
