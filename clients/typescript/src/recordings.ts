import { LeaderboardError } from './errors.js';
import type { Nonces } from './nonces.js';
import type { Settled } from './options.js';
import { eventOf, isLocked, type Run } from './run.js';
import type { Sessions } from './session.js';
import { StoredList } from './stored-list.js';
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
export interface Kept {
  key: string;
  /** Of the file's name. */
  slot: number;
  /** Where the service wants it; null: it doesn't; absent: its run isn't answered yet. */
  eventId?: string | null;
}

/** What the storage did not take. */
interface Unstored extends Omit<Kept, 'slot'> {
  text: string;
}

/** Parts of a client that it works with. */
export interface Needs {
  sessions: Sessions;
  nonces: Nonces;
  place: string;
}

/**
 * Recordings of runs: each is stored after its run, which is sent then; its file follows where the service wants it, one at a time.
 * `Sender` notes that in the list.
 */
export class Recordings {
  /** These last as long as this process. */
  #unstored: Unstored[] = [];
  /** Answers that the list may not have yet: by the run's key, where the recording is wanted. */
  readonly #answers = new Map<string, string | null>();
  readonly #list: StoredList<Kept>;
  readonly #pause = new Pause();
  readonly #stopping = new AbortController();
  #working: Promise<void> | undefined;
  #again = false;
  /** The newest failure; undefined: the last attempt was none. */
  failure: LeaderboardError | undefined;

  constructor(
    private readonly settings: Settled,
    private readonly needs: Needs,
  ) {
    this.#list = new StoredList(settings, this.#name);
    const { onDropped, onResult } = settings;
    settings.onDropped = (run, error) => {
      this.#answer(run, null);
      onDropped(run, error);
    };
    settings.onResult = (result) => {
      this.#answer(result.run, eventOf(result));
      onResult(result);
    };
  }

  get #name(): string {
    return `${this.needs.place}:recordings`;
  }

  /** Keeps the file of a run that is stored. Never rejects. */
  async keep(key: string, file: Uint8Array): Promise<void> {
    const text = textOf(file);
    this.#answers.delete(key);
    this.#unstored = this.#unstored.filter((one) => one.key !== key);
    await this.#list
      .change(async (all) => {
        const others = all.filter((one) => one.key !== key).slice(1 - MOST);
        const taken = new Set(others.map(({ slot }) => slot));
        const slot = [...Array(MOST).keys()].find((free) => !taken.has(free))!;
        await this.settings.storage.setItem(this.#fileOf(slot), text);
        return [...others, { key, slot }];
      })
      .catch((error: unknown) => {
        this.settings.onStorage(error);
        this.#unstored = [...this.#unstored, { key, text }].slice(-MOST);
      });
  }

  #answer({ key, recordingHash }: Run, eventId: string | null): void {
    if (!recordingHash) return;
    this.#settle(key, eventId);
    void this.start();
  }

  #settle(key: string, eventId: string | null): void {
    const one = this.#unstored.find((unstored) => unstored.key === key);
    if (!one) this.#answers.set(key, eventId);
    else if (eventId === null) this.#unstored = this.#unstored.filter((other) => other !== one);
    else one.eventId = eventId;
  }

  /** Sends those that are wanted, immediately unless the service asked for a pause. Never rejects. */
  start(): Promise<void> {
    this.#again = true;
    if (this.failure?.retryAfterSeconds === undefined) this.#pause.wake();
    this.#working ??= this.#work();
    return this.#working;
  }

  /** Sends them now. @returns how many are wanted and not sent when no more can be done, or at the deadline */
  async flush(deadlineMs: number): Promise<number> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, deadlineMs);
    });
    await Promise.race([this.start(), late]);
    clearTimeout(timer);
    const stored = await this.#list.read().catch(() => []);
    return [...stored, ...this.#unstored].filter(({ eventId }) => eventId).length;
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
          const isEmpty = await this.settings.locks.request(`${this.#name}.send`, () => this.#sendNext());
          failures = 0;
          this.failure = undefined;
          if (isEmpty && !this.#again) return;
        } catch (thrown) {
          if (signal.aborted) return;
          const error =
            thrown instanceof LeaderboardError ? thrown : new LeaderboardError('STORAGE', String(thrown));
          failures += 1;
          this.failure = error;
          this.settings.onTrouble(error);
          const isNonce = error.status === 412;
          if (isNonce) this.needs.nonces.clear();
          if (error === this.needs.sessions.refusal || isLocked(error.code)) return;
          if (!isNonce || failures > 1)
            await this.#pause.for(pauseAfter(failures, error, this.settings.retry));
        }
      }
    } finally {
      this.#working = undefined;
    }
  }

  /** True: none is wanted. @throws LeaderboardError, or what the storage throws: it must be sent again */
  async #sendNext(): Promise<boolean> {
    const isWanted = ({ eventId }: { eventId?: string | null }) => typeof eventId === 'string';
    let next: Kept | Unstored | undefined = this.#unstored.find(isWanted);
    if (!next) {
      await this.#tidy();
      next = (await this.#list.read()).find(isWanted);
    }
    if (!next || this.#stopping.signal.aborted) return true;
    const text = 'text' in next ? next.text : await this.settings.storage.getItem(this.#fileOf(next.slot));
    const error = text
      ? await this.#sent(next.eventId!, fileOf(text))
      : new LeaderboardError('STORAGE', 'The recording is not in the storage any more.');
    const { key } = next;
    this.#settle(key, null);
    await this.#tidy().catch(this.settings.onStorage);
    this.settings.onRecording({ key, status: error ? 'refused' : 'stored', ...(error && { error }) });
    return false;
  }

  /** The list gets the answers, and those that are not wanted go. @throws what the storage throws */
  async #tidy(): Promise<void> {
    const answers = new Map(this.#answers);
    const isTidy = answers.size === 0 && (await this.#list.read()).every(({ eventId }) => eventId !== null);
    if (isTidy) return;
    await this.#list.change(async (all) => {
      const noted = all.map((one) => {
        const eventId = answers.get(one.key);
        return eventId === undefined ? one : { ...one, eventId };
      });
      for (const { slot, eventId } of noted)
        if (eventId === null) await this.settings.storage.removeItem(this.#fileOf(slot));
      return noted.filter(({ eventId }) => eventId !== null);
    });
    for (const [key, eventId] of answers) if (this.#answers.get(key) === eventId) this.#answers.delete(key);
  }

  /** The error that another attempt would not change. @throws LeaderboardError of any other failure */
  async #sent(eventId: string, file: Uint8Array): Promise<LeaderboardError | undefined> {
    const { sessions, nonces } = this.needs;
    const { signal } = this.#stopping;
    try {
      await sessions.with(async ({ accessToken: token }) => {
        const [nonce] = await nonces.take(1, signal);
        const headers = {
          [`${this.settings.headerPrefix}-client-nonce`]: nonce!,
          'content-type': 'application/octet-stream',
        };
        const timeoutMs = this.settings.timeoutMs + file.length / SLOWEST;
        const path = `/v1/client/score-events/${encodeURIComponent(eventId)}/recording`;
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
    return `${this.#name}.${slot}`;
  }
}

/** For `part`. */
export const recordings = (settings: Settled, needs: Needs) => new Recordings(settings, needs);

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
