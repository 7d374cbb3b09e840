import type { Leaderboard, Page, ReadOptions } from './client.js';
import { LeaderboardError } from './errors.js';
import type { components, operations } from './generated/rest.js';
import { type Camel, camel } from './names.js';
import { part } from './part.js';
import { recordings } from './recordings.js';
import {
  type Acting,
  conflictBody,
  type OnConflict,
  type Player,
  type Proof,
  playerOf,
  proofBody,
  type Session,
} from './session.js';
import { type Query, type Request, send } from './transport.js';
import { withRetries } from './wait.js';

part.recordings = recordings;

type Schemas = components['schemas'];
type Tools = Awaited<ReturnType<Leaderboard['tools']>>;

/** Another player of the game. */
export type Friend = Camel<Schemas['ClientIdentity']>;

/** A score with its rank among the players of the list, `amongRank`; `rank` is the one on the board. */
export type ScoreAmong = Camel<Schemas['ListedClientScore']>;

/** Values by name, like `{ guild: 'Ravens' }`. */
export type PlayerTags = Record<string, string>;

/** The player's friends, page by page. The list belongs to the game server, which changes it with its API key. */
export function friends(
  leaderboard: Leaderboard,
  { limit, signal }: ReadOptions = {},
): AsyncGenerator<Page<Friend>> {
  return leaderboard.pages<Schemas['ClientIdentity']>('/v1/client/friends', { limit }, signal);
}

/** The player and its friends on a board, page by page, the best first. */
export function friendsRanking(
  leaderboard: Leaderboard,
  boardId: string,
  { limit, signal }: ReadOptions = {},
): AsyncGenerator<Page<ScoreAmong>> {
  const query = { ...population(leaderboard), board_id: boardId, among: 'friends', limit };
  return leaderboard.pages<Schemas['ListedClientScore']>('/v1/client/scores', query, signal);
}

/**
 * These players on a board, page by page, the best first; the client's own only if it is named.
 * @param playerIds up to 500
 */
export function rankingOf(
  leaderboard: Leaderboard,
  boardId: string,
  playerIds: readonly string[],
  { limit, signal }: ReadOptions = {},
): AsyncGenerator<Page<ScoreAmong>> {
  const body = { ...population(leaderboard), board_id: boardId, player_ids: playerIds, limit };
  return leaderboard.pages<Schemas['ListedClientScore']>('/v1/client/scores/among', {}, signal, body);
}

/** The player's tags. */
export async function tags(
  leaderboard: Leaderboard,
  { signal }: { signal?: AbortSignal } = {},
): Promise<PlayerTags> {
  return tagsOf(await leaderboard.read<Schemas['PlayerTags']>('/v1/client/tags', {}, signal));
}

/**
 * Changes the tags that are named; null removes one. Views by tags move all of the player's runs to its new groups.
 * @returns all tags
 * @throws LeaderboardError FORBIDDEN a tag that only the game server sets
 */
export async function setTags(
  leaderboard: Leaderboard,
  changed: Record<string, string | null>,
  { signal }: { signal?: AbortSignal } = {},
): Promise<PlayerTags> {
  const request = { method: 'PATCH', path: '/v1/client/tags', body: { tags: changed }, signal } as const;
  return tagsOf(await write<Schemas['PlayerTags']>(leaderboard, request));
}

type Me = operations['getClientMe']['responses']['200']['content']['application/json'];

/** An account at a provider that proves who the player is. */
export type ProvenAccount = Camel<NonNullable<Me['proofs']>[number]>;

/** A device that acts for the player; `isLinked`: it can be unlinked. */
export type PlayerDevice = Camel<NonNullable<Me['devices']>[number]>;

/** The client's player, as it sees itself. */
export interface OwnPlayer {
  identityId: string;
  /** This device. */
  deviceId: string;
  proofs: ProvenAccount[];
  /** The latest first, at most 50. */
  devices: PlayerDevice[];
  /** Players whose runs count for it since a merge. */
  mergedPlayerIds: string[];
}

/** The player with the accounts that prove who it is, its devices, and the players merged into it. */
export async function me(
  leaderboard: Leaderboard,
  { signal }: { signal?: AbortSignal } = {},
): Promise<OwnPlayer> {
  const own = await leaderboard.call<Me>({ path: '/v1/client/me', signal });
  return {
    ...{ identityId: own.identity_id!, deviceId: own.device_id! },
    ...{ proofs: own.proofs!.map(camel), devices: own.devices!.map(camel) },
    mergedPlayerIds: own.merged_player_ids!,
  };
}

/**
 * Gives a linked or merged device of the player, this one included, its own player back; its sessions for this player end immediately.
 * Runs that were played stay the player's. From this device, runs and recordings that wait are sent first, as by `prove`.
 * @param deviceId of `devices` of `me`
 * @returns how many sessions have ended
 * @throws LeaderboardError NOT_FOUND: it isn't a device of the player
 */
export async function unlinkDevice(
  leaderboard: Leaderboard,
  deviceId: string,
  { signal }: { signal?: AbortSignal } = {},
): Promise<number> {
  const tools = await leaderboard.tools();
  const { sessions } = tools;
  const isOwn = (await me(leaderboard, { ...(signal && { signal }) })).deviceId === deviceId;
  if (isOwn) await sendAll(leaderboard, tools);
  const path = `/v1/client/devices/${encodeURIComponent(deviceId)}/unlink`;
  const { count } = await write<{ count: number }>(leaderboard, { method: 'POST', path, signal }).catch(
    (error: unknown) => {
      // Its answer was lost: the session that the repetition needed has ended with it.
      if (isOwn && error === sessions.refusal) return { count: 1 };
      throw error;
    },
  );
  if (isOwn && count > 0)
    await acted(leaderboard, tools, await sessions.change((stored) => ({ ...stored!, isGiven: false })));
  return count;
}

type MadeCode = operations['createLinkCode']['responses']['200']['content']['application/json'];

/** A code that makes another device act for this client's player. */
export type LinkCode = Camel<MadeCode>;

/**
 * Adds a proof to the client's player, who keeps all runs. One that belongs to another player makes the client go on as that one:
 * `onConflict` decides. Runs and recordings that wait are sent first; while some can't be, it fails with `NETWORK` or the like. Call it
 * again then, with a fresh proof. If the session has ended (`INVALID_REFRESH_TOKEN`), the proof starts the next one; while runs wait, only
 * one of their player does, and they are sent then.
 * @returns whom the client plays as now
 * @throws LeaderboardError PROOF_REFUSED: sign in again; PROVIDER_UNAVAILABLE: try later; PLAYER_CONFLICT: ask the player;
 * CONFLICT: the session that has ended was another player's, whose runs wait
 */
export async function prove(
  leaderboard: Leaderboard,
  proof: Proof,
  { signal }: { signal?: AbortSignal } = {},
): Promise<Player> {
  const request = { method: 'POST', path: '/v1/client/proofs', body: proofBody(proof), signal } as const;
  try {
    return await become(leaderboard, request, true);
  } catch (error) {
    const tools = await leaderboard.tools();
    const { sessions, queue, recordings } = tools;
    const hasEnded = error === sessions.refusal && sessions.refusal?.code === 'INVALID_REFRESH_TOKEN';
    if (!hasEnded) throw error;
    const { provider, token } = proof;
    const waits = (await queue.list()).length + (await recordings!.flush(0)) > 0;
    // If nothing waits, it may be any player's.
    const next = (ended?: Session) => sessions.next(waits ? ended : undefined, signal, { provider, token });
    return acted(leaderboard, tools, await sessions.change(next), waits);
  }
}

/** Makes a code to show on this device, for `redeem` on another one: good for ten minutes, and once. A new one replaces it. */
export async function linkCode(
  leaderboard: Leaderboard,
  { signal }: { signal?: AbortSignal } = {},
): Promise<LinkCode> {
  return camel(await write<MadeCode>(leaderboard, { method: 'POST', path: '/v1/client/link-codes', signal }));
}

/**
 * Links this device to the player whose device shows the code: the client goes on as that one, and so do later sessions of the
 * device. Runs and recordings that wait are sent first, as by `prove`.
 * @param code as the player types it: in either case, with or without a hyphen in the middle
 * @returns whom the client plays as now
 * @throws LeaderboardError INVALID_CODE: wrong, expired or used; PLAYER_CONFLICT: ask the player
 */
export function redeem(
  leaderboard: Leaderboard,
  code: string,
  { signal, ...choice }: OnConflict & { signal?: AbortSignal } = {},
): Promise<Player> {
  const body = { code: code.trim(), ...conflictBody(choice) };
  const request = { method: 'POST', path: '/v1/client/link-codes/redeem', body, signal } as const;
  return become(leaderboard, request, false);
}

/** Sends a proof or a link code, after which the session may be another player's. Not tried again: a proof is accepted once. */
async function become(leaderboard: Leaderboard, request: Request, isProven: boolean): Promise<Player> {
  const tools = await leaderboard.tools();
  const { sessions } = tools;
  await sendAll(leaderboard, tools);
  const before = await sessions.get(request.signal);
  const ask = (headers: Record<string, string>) =>
    // Nobody renews the session meanwhile: the service may end it before it answers. Answers come in the order of their requests.
    sessions.change(async (stored) => {
      const { mergeRefused: _, ...before } = stored!;
      const { session } = await send<Acting>(tools, { ...request, token: before.accessToken, headers });
      // Of the same player: a device that is linked by now starts its sessions itself.
      return session
        ? { ...sessions.startedOf(session), isGiven: isProven }
        : { ...before, isGiven: isProven && before.isGiven === true };
    });
  const after = await withNonce(tools, request.signal, ask).catch(async (error: unknown) => {
    // If the answer was lost, the session tells what became of it; browsers repeat a request whose connection broke.
    const isLost = error instanceof LeaderboardError && (error.isUnheard || error.code === 'INVALID_CODE');
    const now = isLost ? await me(leaderboard).catch(() => undefined) : undefined;
    if (!now || now.identityId === before.identityId) throw error;
    return sessions.get();
  });
  return acted(leaderboard, tools, after, after.identityId === before.identityId);
}

/** What a change of the session leads to. @param isSame it acts for the player of before, whose tickets were fetched ahead */
async function acted(
  leaderboard: Leaderboard,
  { nonces, storage, locks, place, onStorage }: Tools,
  session: Session,
  isSame = false,
): Promise<Player> {
  nonces.clear();
  const tickets = `${place}:tickets`;
  if (!isSame)
    await locks.request(`${tickets}.lock`, async () => storage.removeItem(tickets)).catch(onStorage);
  void leaderboard.flush().catch(() => undefined);
  return playerOf(session);
}

/**
 * Sends runs and recordings that wait: afterwards they could count for another player, or be refused.
 * @throws LeaderboardError a temporary one: some still wait; INVALID_REFRESH_TOKEN: the session has ended
 */
async function sendAll(
  leaderboard: Leaderboard,
  { sender, sessions, recordings, deadlineMs }: Tools,
): Promise<void> {
  const runs = await leaderboard.flush();
  const files = runs > 0 ? 0 : await recordings!.flush(deadlineMs);
  if (runs + files === 0) return;
  const failure = runs > 0 ? sender.failure : recordings!.failure;
  if (failure && (failure.isTemporary || failure === sessions.refusal)) throw failure;
  throw new LeaderboardError(
    'TIMEOUT',
    failure?.message ?? 'Runs or recordings of the player still wait to be sent.',
  );
}

/** A change that may be repeated. */
async function write<T>(leaderboard: Leaderboard, request: Request): Promise<T> {
  const tools = await leaderboard.tools();
  const { signal } = request;
  const call = () =>
    withNonce(tools, signal, (headers, { accessToken: token }) =>
      send<T>(tools, { ...request, token, headers }),
    );
  return withRetries(call, { ...tools, signal });
}

/** Calls with a nonce; once more with another one if that is refused. */
async function withNonce<T>(
  { sessions, nonces, headerPrefix }: Tools,
  signal: AbortSignal | undefined,
  call: (headers: Record<string, string>, session: Session) => Promise<T>,
): Promise<T> {
  const attempt = () =>
    sessions.with(async (session) => {
      const [nonce] = await nonces.take(1, signal);
      return call({ [`${headerPrefix}-client-nonce`]: nonce! }, session);
    }, signal);
  return attempt().catch((error: unknown) => {
    if (!(error instanceof LeaderboardError) || error.status !== 412) throw error;
    nonces.clear();
    return attempt();
  });
}

function population({ isTest }: Leaderboard): Query {
  return isTest ? { is_test: true } : {};
}

function tagsOf({ tags: values }: Schemas['PlayerTags']): PlayerTags {
  return values as PlayerTags;
}
