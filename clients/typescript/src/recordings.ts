import { LeaderboardError } from './errors.js';
import type { Nonces } from './nonces.js';
import type { Settled } from './options.js';
import { isLocked, type RunResult } from './run.js';
import type { Sessions } from './session.js';
import { send } from './transport.js';
import { Pause, pauseAfter } from './wait.js';

/** Files may be large: of more than these the newest are kept. */
const MOST = 5;

/** Bytes a millisecond of the slowest connection that sends one. */
const SLOWEST = 20;

/** What became of a run's recording. */
export interface RecordingResult {
  /** The run's. */
  key: string;
  /** `refused`: it's not wanted any more, or not the announced file. */
  status: 'stored' | 'refused';
  error?: LeaderboardError;
}

/** A recording as the storage lists it, oldest first; its file is a text of its own. */
interface Kept {
  key: string;
  /** Of the file's name. */
  slot: number;
  /** Where the service wants it; absent: its run isn't answered yet. */
  eventId?: string;
}

/** Recordings of runs: they wait beside the queue, are sent once their runs are answered, one at a time, and runs never wait for them. */
export class Recordings {
  /** Files that the storage did not take: they last as long as this process. */
  readonly #unstored = new Map<number, string>();
  readonly #pause = new Pause();
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;
  #again = false;
  #failure: LeaderboardError | undefined;
  /** As last read: where the storage can't be read, the list of this process. */
  #known: Kept[] = [];

  constructor(
    private readonly settings: Settled,
    private readonly sessions: Sessions,
    private readonly nonces: Nonces,
    /** Where they are listed. */
    private readonly name: string,
  ) {
    const { onDropped } = settings;
    settings.onDropped = (run, error) => {
      void this.drop(run.key);
      onDropped(run, error);
    };
  }

  /** Keeps the file of a run that is about to be submitted. Never rejects. */
  async keep(key: string, file: Uint8Array): Promise<void> {
    await this.#change(async (all) => {
      const others = all.filter((one) => one.key !== key).slice(1 - MOST);
      const taken = new Set(others.map(({ slot }) => slot));
      const slot = [...Array(MOST).keys()].find((free) => !taken.has(free))!;
      await this.#write(slot, textOf(file));
      return [...others, { key, slot }];
    });
  }

  /** Runs are answered: their recordings are wanted, or go. Durable before the runs leave the queue. Never rejects. */
  async settle(results: RunResult[]): Promise<void> {
    const answered = new Map(results.map((result) => [result.run.key, result]));
    if (!(await this.#list()).some(({ key }) => answered.has(key))) return;
    await this.#change((all) =>
      all.flatMap((one): Kept[] => {
        const result = answered.get(one.key);
        if (!result) return [one];
        const eventId = result.status === 'ranked' ? result.recording?.scoreEventId : undefined;
        return eventId === undefined ? [] : [{ ...one, eventId }];
      }),
    );
    void this.start();
  }

  /** A run will never be sent. */
  async drop(dropped: string): Promise<void> {
    if ((await this.#list()).some(({ key }) => key === dropped))
      await this.#change((all) => all.filter(({ key }) => key !== dropped));
  }

  /** Sends those that are wanted, immediately unless the service asked for a pause. */
  start(): Promise<void> {
    this.#again = true;
    if (this.#failure?.retryAfterSeconds === undefined) this.#pause.wake();
    this.#working ??= this.#work();
    return this.#working;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#pause.wake();
    await this.#working;
  }

  async #work(): Promise<void> {
    const { signal } = this.#stopping;
    try {
      for (let failures = 0; !signal.aborted; ) {
        this.#again = false;
        try {
          const isEmpty = await this.settings.locks.request(`${this.name}.send`, () => this.#sendNext());
          failures = 0;
          this.#failure = undefined;
          if (isEmpty && !this.#again) return;
        } catch (error) {
          if (signal.aborted) return;
          if (!(error instanceof LeaderboardError)) throw error;
          failures += 1;
          this.#failure = error;
          this.settings.onTrouble(error);
          const isNonce = error.status === 412;
          if (isNonce) this.nonces.clear();
          if (error === this.sessions.refusal || isLocked(error.code)) return;
          if (!isNonce || failures > 1)
            await this.#pause.for(pauseAfter(failures, error, this.settings.retry));
        }
      }
    } finally {
      this.#working = undefined;
    }
  }

  /** True: none is wanted. @throws LeaderboardError it must be sent again */
  async #sendNext(): Promise<boolean> {
    const next = (await this.#list()).find(({ eventId }) => eventId !== undefined);
    if (!next || this.#stopping.signal.aborted) return true;
    const error = await this.#sent(next);
    const { key } = next;
    await this.drop(key);
    this.settings.onRecording({ key, status: error ? 'refused' : 'stored', ...(error && { error }) });
    return false;
  }

  /** The error that another attempt would not change. @throws LeaderboardError of any other failure */
  async #sent({ slot, eventId }: Kept): Promise<LeaderboardError | undefined> {
    const text = this.#unstored.get(slot) ?? (await this.settings.storage.getItem(this.#fileOf(slot)));
    if (!text) return new LeaderboardError('STORAGE', 'The recording is not in the storage any more.');
    const file = fileOf(text);
    const { signal } = this.#stopping;
    try {
      await this.sessions.with(async ({ accessToken: token }) => {
        const [nonce] = await this.nonces.take(1, signal);
        const headers = {
          [`${this.settings.headerPrefix}-client-nonce`]: nonce!,
          'content-type': 'application/octet-stream',
        };
        const timeoutMs = this.settings.timeoutMs + file.length / SLOWEST;
        const path = `/v1/client/score-events/${encodeURIComponent(eventId!)}/recording`;
        await send({ ...this.settings, timeoutMs }, { method: 'PUT', path, token, headers, signal, file });
      }, signal);
      return undefined;
    } catch (error) {
      if (!(error instanceof LeaderboardError)) throw error;
      const repeats = error.isTemporary || error.status === 401 || error.status === 412;
      if (repeats || signal.aborted || isLocked(error.code)) throw error;
      return error;
    }
  }

  #fileOf(slot: number): string {
    return `${this.name}.${slot}`;
  }

  async #write(slot: number, text: string): Promise<void> {
    this.#unstored.delete(slot);
    try {
      await this.settings.storage.setItem(this.#fileOf(slot), text);
    } catch (error) {
      this.#unstored.set(slot, text);
      this.settings.onTrouble(new LeaderboardError('STORAGE', String(error)));
    }
  }

  /** Those that the storage lists; of this process, where it can't be read. */
  async #list(): Promise<Kept[]> {
    try {
      const all: unknown = JSON.parse((await this.settings.storage.getItem(this.name)) ?? '[]');
      this.#known = Array.isArray(all) ? (all as Kept[]) : [];
    } catch {
      // As below.
    }
    return this.#known;
  }

  /** Files of those that leave the list are deleted after it is stored. Never rejects. */
  #change(change: (all: Kept[]) => Kept[] | Promise<Kept[]>): Promise<void> {
    const { storage, locks } = this.settings;
    return locks.request(`${this.name}.lock`, async () => {
      const before = await this.#list();
      try {
        this.#known = await change(before);
        await storage.setItem(this.name, JSON.stringify(this.#known));
        const left = new Set(this.#known.map(({ slot }) => slot));
        for (const { slot } of before.filter((one) => !left.has(one.slot))) {
          this.#unstored.delete(slot);
          await storage.removeItem(this.#fileOf(slot));
        }
      } catch (error) {
        this.settings.onTrouble(new LeaderboardError('STORAGE', String(error)));
      }
    });
  }
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

/** As base64, which storages of texts hold; not every platform has `btoa`. */
function textOf(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i]!, bytes[i + 1], bytes[i + 2]];
    const bits = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    parts.push(
      DIGITS[bits >> 18]! + DIGITS[(bits >> 12) & 63]!,
      b === undefined ? '' : DIGITS[(bits >> 6) & 63]!,
      c === undefined ? '' : DIGITS[bits & 63]!,
    );
  }
  return parts.join('');
}

const VALUES: Record<number, number> = {};
for (let n = 0; n < DIGITS.length; n += 1) VALUES[DIGITS.charCodeAt(n)] = n;

function fileOf(text: string): Uint8Array {
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  for (let i = 0, at = 0; i < text.length; i += 4, at += 3) {
    const [a, b, c, d] = [0, 1, 2, 3].map((n) => VALUES[text.charCodeAt(i + n)] ?? 0);
    const bits = (a! << 18) | (b! << 12) | (c! << 6) | d!;
    for (let n = 0; n < 3 && at + n < bytes.length; n += 1) bytes[at + n] = (bits >> (16 - 8 * n)) & 255;
  }
  return bytes;
}
