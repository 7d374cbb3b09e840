import { type Leaderboard, LeaderboardError, type Reward, type Score } from './client.js';
import { errorOf } from './errors.js';
import type { components } from './generated/rest.js';
import { type Camel, camel } from './names.js';
import { openStream, queryOf } from './transport.js';
import { Pause, pauseAfter } from './wait.js';

type RewardRecord = components['schemas']['ClientReward'];
type LiveRecord = components['schemas']['LiveBoard'];
type RankRecord = components['schemas']['LiveRank'];
type OvertakenRecord = components['schemas']['Overtaken'];
type EntryRecord = components['schemas']['LiveEntry'];

/** A player's entry in a live message. */
export type LiveEntry = Camel<EntryRecord>;

/** The player's own rank, the entry right above, and how much is missing to draw level with it. */
export type LiveRank = Omit<Camel<RankRecord>, 'entry' | 'nextAbove'> & {
  entry: LiveEntry | null;
  nextAbove: LiveEntry | null;
};

/** Players who passed, best first; of more than ten, the ten nearest. `count` is 0 in the first state. */
export type Overtaken = Omit<Camel<OvertakenRecord>, 'entry' | 'by'> & {
  entry: LiveEntry | null;
  by: LiveEntry[];
};

/** A window of a board as it is now. */
export type LiveBoard = Omit<Camel<LiveRecord>, 'scores'> & { scores: Score[] };

export interface WatchOptions {
  /** Scores in the window, 1 to 100; 20 by default. */
  limit?: number;
  /** A score, a player, or `me`: the window stays around it. By default it begins at the top. */
  around?: string;
  /** The test population; by default that of the client. */
  isTest?: boolean;
  signal?: AbortSignal;
}

/** Three heartbeats of the service. */
const SILENCE_MS = 45_000;

/**
 * States of a board: the present one, then the newest after each change. Connects again when the connection breaks; a
 * version that is not newer than the last one is left out. A slow reader gets fewer, newer states.
 * @throws LeaderboardError an error that another attempt does not change, e.g. NOT_FOUND
 */
export async function* watch(
  leaderboard: Leaderboard,
  boardId: string,
  { limit, around, isTest, signal }: WatchOptions = {},
): AsyncGenerator<LiveBoard> {
  const is_test = isTest ?? (leaderboard.isTest || undefined);
  const path = pathOf(boardId, 'live') + queryOf({ limit, around, is_test });
  const stream = { type: 'board', path, signal } as const;
  for await (const state of rising<LiveRecord>(leaderboard, stream, around === 'me'))
    yield { ...camel(state), scores: state.scores.map(camel) };
}

/**
 * The player's own rank: the present state, then the newest after each change of rank, value, name or the next player above.
 * @throws LeaderboardError as `watch`
 */
export async function* watchRank(
  leaderboard: Leaderboard,
  boardId: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<LiveRank> {
  const path = pathOf(boardId, 'rank/live') + queryOf({ is_test: leaderboard.isTest || undefined });
  for await (const state of rising<RankRecord>(leaderboard, { type: 'rank', path, signal }))
    yield { ...camel(state), entry: entryOf(state.entry), nextAbove: entryOf(state.next_above) };
}

/**
 * Players who overtake the client's own: first its rank, with nobody in `by`, then whenever some pass.
 * @throws LeaderboardError as `watch`
 */
export async function* watchOvertaken(
  leaderboard: Leaderboard,
  boardId: string,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<Overtaken> {
  const path = pathOf(boardId, 'overtaken/live');
  for await (const state of rising<OvertakenRecord>(leaderboard, { type: 'overtaken', path, signal }))
    yield { ...camel(state), entry: entryOf(state.entry), by: state.by.map(camel) };
}

function pathOf(boardId: string, rest: string): string {
  return `/v1/client/boards/${encodeURIComponent(boardId)}/${rest}`;
}

function entryOf(entry: EntryRecord | null): LiveEntry | null {
  return entry && camel(entry);
}

/**
 * States whose version is above that of the last one: a connection that is opened again begins with the present one.
 * @param isOwn versions of another player, whom the session acts for after a merge or sign-in, are not those of before
 */
async function* rising<T extends { version: number }>(
  leaderboard: Leaderboard,
  stream: Omit<Stream, 'headers'>,
  isOwn = true,
): AsyncGenerator<T> {
  let version = -1;
  let of: string;
  const headers = (player: string): Record<string, string> => {
    if (isOwn && player !== of) version = -1;
    of = player;
    return stream.type === 'board' && version >= 0 ? { 'last-event-id': String(version) } : {};
  };
  for await (const state of follow<T>(leaderboard, { ...stream, headers })) {
    if (state.version <= version) continue;
    version = state.version;
    yield state;
  }
}

/**
 * Rewards of the player: the open ones, then each that is granted, each once. Connects again when the connection breaks.
 * @throws LeaderboardError an error that another attempt does not change
 */
export async function* watchRewards(
  leaderboard: Leaderboard,
  { signal }: { signal?: AbortSignal } = {},
): AsyncGenerator<Reward> {
  const told = new Set<string>();
  const stream = { type: 'reward', path: '/v1/client/rewards/live', headers: () => ({}), signal } as const;
  for await (const reward of follow<RewardRecord>(leaderboard, stream)) {
    if (told.has(reward.id)) continue;
    told.add(reward.id);
    yield camel(reward);
  }
}

interface Stream {
  /** Of its events. */
  type: 'board' | 'rank' | 'overtaken' | 'reward';
  path: string;
  /** Of a connection, by the player whom the session acts for. */
  headers: (player: string) => Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Records of a stream that is opened again when it breaks. */
async function* follow<T>(
  leaderboard: Leaderboard,
  { type, path, headers, signal }: Stream,
): AsyncGenerator<T> {
  const ending = new AbortController();
  const end = () => ending.abort();
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end);
  try {
    for (let failures = 0; !ending.signal.aborted; ) {
      try {
        const stream = await opened(leaderboard, path, headers, ending.signal);
        for await (const record of recordsOf<T>(stream, type, ending.signal)) {
          failures = 0;
          yield record;
        }
        throw new LeaderboardError('NETWORK', 'The live stream ended.');
      } catch (error) {
        if (ending.signal.aborted) return;
        // A refreshed session ends streams of its old token with 401; `stream` renews it.
        const goesOn =
          error instanceof LeaderboardError &&
          (error.isTemporary || (error.status === 401 && failures === 0));
        if (!goesOn) throw error;
        failures += 1;
        await pausing(failures, error, leaderboard, ending.signal);
      }
    }
  } finally {
    end();
    signal?.removeEventListener('abort', end);
  }
}

async function pausing(
  failures: number,
  error: LeaderboardError,
  leaderboard: Leaderboard,
  signal: AbortSignal,
): Promise<void> {
  leaderboard.report(error);
  const pause = new Pause();
  const wake = () => pause.wake();
  signal.addEventListener('abort', wake);
  if (!signal.aborted) await pause.for(pauseAfter(failures, error, leaderboard.retry));
  signal.removeEventListener('abort', wake);
}

/** Records of one connection; of states that came while the reader was busy, the last one. */
async function* recordsOf<T>(
  response: Response,
  type: Stream['type'],
  signal: AbortSignal,
): AsyncGenerator<T> {
  let waiting: T[] = [];
  let failure: unknown;
  let ended = false;
  let wake = () => {};
  const reader = response.body!.getReader();
  const stop = () => void reader.cancel().catch(() => undefined);
  signal.addEventListener('abort', stop);
  const reading = readEvents(reader, (event, data) => {
    if (event === type)
      waiting = [...(type === 'board' || type === 'rank' ? [] : waiting), JSON.parse(data) as T];
    if (event === 'error')
      throw errorOf(JSON.parse(data), statusOf(data)) ?? new LeaderboardError('NOT_THE_SERVICE', data);
    wake();
  })
    .catch((error: unknown) => {
      failure = error instanceof LeaderboardError ? error : new LeaderboardError('NETWORK', String(error));
    })
    .finally(() => {
      ended = true;
      wake();
    });
  try {
    for (;;) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else if (ended) {
        if (failure) throw failure;
        return;
      } else {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    }
  } finally {
    signal.removeEventListener('abort', stop);
    stop();
    await reading;
  }
}

/** An error within a stream has no status of its own. */
function statusOf(data: string): number {
  const { code } = JSON.parse(data) as { code?: string };
  if (code === 'UNAVAILABLE' || code === 'INTERNAL' || code === 'ACCOUNT_MOVED') return 503;
  if (code === 'RATE_LIMITED') return 429;
  return /TOKEN/.test(code ?? '') ? 401 : 400;
}

async function readEvents(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  take: (event: string, data: string) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  let text = '';
  let silence: ReturnType<typeof setTimeout> | undefined;
  try {
    for (;;) {
      silence = setTimeout(() => void reader.cancel().catch(() => undefined), SILENCE_MS);
      const { done, value } = await reader.read();
      clearTimeout(silence);
      if (done) return;
      text += decoder.decode(value, { stream: true });
      const blocks = text.split('\n\n');
      text = blocks.pop()!;
      for (const block of blocks) {
        const lines = block.split('\n');
        const of = (name: string) =>
          lines
            .filter((line) => line.startsWith(`${name}:`))
            .map((line) => line.slice(name.length + 1).trimStart());
        const data = of('data');
        if (data.length > 0) take(of('event')[0] ?? 'message', data.join('\n'));
      }
    }
  } finally {
    clearTimeout(silence);
    await reader.cancel().catch(() => undefined);
  }
}

const NO_STREAMS =
  'Live boards need a fetch that streams, and a TextDecoder. In React Native, pass the option `fetch` with that of expo/fetch.';

/** An open stream of the session. @throws TypeError the platform has no streams */
async function opened(
  leaderboard: Leaderboard,
  path: string,
  headers: Stream['headers'],
  signal: AbortSignal,
): Promise<Response> {
  const { sessions, ...settings } = await leaderboard.tools();
  if (!settings.streams || typeof TextDecoder === 'undefined') throw new TypeError(NO_STREAMS);
  return sessions.with(
    ({ accessToken: token, identityId }) =>
      openStream(settings, { path, headers: headers(identityId), token, signal }),
    signal,
  );
}
