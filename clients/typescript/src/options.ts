import type { Claimed, ClaimRefused } from './claims.js';
import { LeaderboardError } from './errors.js';
import type { RecordingResult } from './recordings.js';
import type { Run, RunResult } from './run.js';
import type { Proof } from './session.js';
import { elapsed } from './wait.js';

/** Keeps texts by name, synchronously or not: `localStorage`, AsyncStorage of React Native, `fileStorage` of `./node`. */
export interface KeyValueStorage {
  getItem(name: string): string | null | Promise<string | null>;
  setItem(name: string, value: string): unknown;
  removeItem(name: string): unknown;
}

/** Milliseconds. A device's clock may be wrong: `now` only compares with itself. */
export interface ClientClock {
  now(): number;
  /** Never goes back; any origin. */
  elapsed(): number;
}

/** As `navigator.locks`: runs `work` while no other holder of the name runs. */
export interface Locks {
  request<T>(name: string, work: () => Promise<T>): Promise<T>;
}

/** A part of `crypto`. */
export interface RandomSource {
  /** Fills the bytes. */
  getRandomValues(bytes: Uint8Array): unknown;
}

export interface LeaderboardOptions {
  /** Address of the service, e.g. `https://scores.example.com`; a path in it is kept. */
  url: string;
  gameId: string;
  /** The installation or the player, 1 to 128 characters: the same text is the same player. By default made once and stored. */
  device?: string;
  /**
   * Called when a session starts, the first one and those in place of one that has ended: a fresh statement of who the player is, or
   * nothing for the player of the device. It must not use the client. For a player who signs in later, `prove` of `./players`.
   */
  proof?: () => Promise<Proof | null | undefined> | Proof | null | undefined;
  /** Name of submissions that bring none. */
  playerName?: string;
  platform?: string;
  /** Stored with the device. */
  metadata?: Record<string, unknown>;
  /** True: submissions are test data. */
  testMode?: boolean;
  /** `localStorage` where there is one, otherwise memory, which `onTrouble` reports. In React Native, AsyncStorage. */
  storage?: KeyValueStorage;
  /** `navigator.locks` with `localStorage`, otherwise locks of this process. */
  locks?: Locks;
  clock?: ClientClock;
  /** For live boards it must stream: in React Native, that of `expo/fetch`. */
  fetch?: typeof fetch;
  /** Randomness of keys, where the platform has none: in React Native, `expo-crypto`. */
  crypto?: RandomSource;
  /** The service's setting HEADER_PREFIX. */
  headerPrefix?: string;
  /** For one request; 10 seconds by default. */
  timeoutMs?: number;
  /** For a submission's answer or a read, retries included; 15 seconds by default. */
  deadlineMs?: number;
  /** The wait after a failure: half to all of `firstMs`, doubled each time up to `mostMs`; 500 ms and 60 s by default. */
  retry?: { firstMs?: number; mostMs?: number };
  /** True: results have the player's places in the views of the board; without it the service does not compute them. */
  standings?: boolean;
  /** Waiting runs that are kept; beyond them the oldest one is dropped. 500 by default. */
  queueLimit?: number;
  /** Called for each run that is answered, also for runs of an earlier start of the game. */
  onResult?: (result: RunResult) => void;
  /** Called for each run that leaves the queue without being counted: refused, or the oldest of a full queue. */
  onDropped?: (run: Run, error: LeaderboardError) => void;
  /** Called for each claim of a reward that is answered, also for claims of an earlier start of the game: hand it out if `isNew`. */
  onClaim?: (result: Claimed | ClaimRefused) => void;
  /** Called for each recording that is stored or given up, also for those of an earlier start of the game. */
  onRecording?: (result: RecordingResult) => void;
  /** Called for failures that the client survives: those of the storage, and those after which it waits and tries again. */
  onTrouble?: (error: LeaderboardError) => void;
}

/** Texts of this process. */
export function memoryStorage(): KeyValueStorage {
  const texts = new Map<string, string>();
  return {
    getItem: (name) => texts.get(name) ?? null,
    setItem: (name, value) => texts.set(name, value),
    removeItem: (name) => texts.delete(name),
  };
}

/** Reading the property throws where a page may not store anything. */
function browserStorage(): KeyValueStorage | undefined {
  try {
    return typeof document === 'undefined' ? undefined : globalThis.localStorage;
  } catch {
    return undefined;
  }
}

const chains = new WeakMap<KeyValueStorage, Map<string, Promise<unknown>>>();

/** Locks of the users of one storage in this process. */
function processLocks(storage: KeyValueStorage): Locks {
  const tails = chains.get(storage) ?? new Map<string, Promise<unknown>>();
  chains.set(storage, tails);
  return {
    request: (name, work) => {
      const turn = (tails.get(name) ?? Promise.resolve()).then(work);
      tails.set(
        name,
        turn.catch(() => undefined),
      );
      return turn;
    },
  };
}

export type Settled = LeaderboardOptions &
  Required<
    Pick<
      LeaderboardOptions,
      | 'storage'
      | 'locks'
      | 'clock'
      | 'fetch'
      | 'timeoutMs'
      | 'deadlineMs'
      | 'onResult'
      | 'onDropped'
      | 'onClaim'
      | 'onRecording'
      | 'onTrouble'
    >
  > & {
    headerPrefix: string;
    queueLimit: number;
    /** Tells `onTrouble` what the storage threw. */
    onStorage: (error: unknown) => undefined;
    /** 128 random bits as text. */
    randomKey: () => string;
    /** True: responses can be read as they arrive. */
    streams: boolean;
    retry: { firstMs: number; mostMs: number };
  };

/** Calls the game once the work at hand is done: a fault of the game is an uncaught error and ends none of the work here. */
function later<A extends unknown[]>(callback: ((...args: A) => void) | undefined): (...args: A) => void {
  return (...args) => {
    if (callback) queueMicrotask(() => callback(...args));
  };
}

/** `crypto.randomUUID` exists on secure pages alone; games are tried on plain ones. */
function keysFrom(source: RandomSource | undefined): () => string {
  if (typeof source?.getRandomValues !== 'function') {
    throw new TypeError(
      'This platform has no crypto.getRandomValues. Pass the option `crypto`, for example expo-crypto.',
    );
  }
  return () => {
    const bytes = new Uint8Array(16);
    source.getRandomValues(bytes);
    return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  };
}

const NO_STORAGE =
  'Session and waiting runs last only as long as this process: there is no localStorage. Pass the ' +
  'option `storage`, for example AsyncStorage.';

/**
 * The options with every default.
 * @throws TypeError the platform has no randomness, and the options bring none
 */
export function settle(options: LeaderboardOptions): Settled {
  const browser = browserStorage();
  const storage = options.storage ?? browser ?? memoryStorage();
  const webLocks = storage === browser ? (globalThis.navigator?.locks as Locks | undefined) : undefined;
  const onTrouble = later(options.onTrouble);
  const onStorage = (error: unknown) => void onTrouble(new LeaderboardError('STORAGE', String(error)));
  if (!options.storage && !browser) onStorage(NO_STORAGE);
  return {
    timeoutMs: 10_000,
    deadlineMs: 15_000,
    headerPrefix: 'service',
    queueLimit: 500,
    clock: { now: Date.now, elapsed },
    streams: options.fetch !== undefined || (typeof Response === 'function' && 'body' in Response.prototype),
    randomKey: keysFrom(options.crypto ?? (globalThis.crypto as RandomSource | undefined)),
    fetch: (...request) => globalThis.fetch(...request),
    ...options,
    url: options.url.replace(/\/+$/, ''),
    storage,
    locks: options.locks ?? webLocks ?? processLocks(storage),
    retry: { firstMs: 500, mostMs: 60_000, ...options.retry },
    onResult: later(options.onResult),
    onDropped: later(options.onDropped),
    onClaim: later(options.onClaim),
    onRecording: later(options.onRecording),
    onTrouble,
    onStorage,
  };
}
