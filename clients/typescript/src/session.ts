import { LeaderboardError, type ServiceCode } from './errors.js';
import type { components, operations } from './generated/rest.js';
import type { Settled } from './options.js';
import { type Request, send } from './transport.js';

type Started = operations['startSession']['responses']['201']['content']['application/json'];
type Me = operations['getClientMe']['responses']['200']['content']['application/json'];
type Refreshed = operations['refreshSession']['responses']['200']['content']['application/json'];
type StartBody = components['schemas']['StartSessionBody'];

/** What the game server got from `POST /v1/identities/{identity_id}/sessions`: its answer, or these members of it. */
export type SessionTokens = Pick<
  Started,
  'access_token' | 'refresh_token' | 'expires_in' | 'identity_id' | 'display_name'
> &
  Partial<Pick<Started, 'merge_refused'>>;

export type ConflictChoice = NonNullable<components['schemas']['Proof']['on_conflict']>;

/** What happens if the session's player has runs, and the proof or code belongs to another player. */
export interface OnConflict {
  /**
   * `switch` (by default): the client goes on as the other player, and its own stays as it is. `merge`: all runs of its own count for
   * the other one, where the game lets players merge; its own needs a fresh proof, too. `refuse`: `PLAYER_CONFLICT`, and nothing
   * changes.
   */
  onConflict?: ConflictChoice;
  /** With `refuse`: up to five boards, whose standings of both players are in `details` of the error. */
  boardIds?: readonly string[];
}

/** A provider's statement of who the player is. It is accepted once. */
export interface Proof extends OnConflict {
  /** The slug of a provider of the game. */
  provider: string;
  token: string;
}

/** What a proof or a link code led to. */
export interface Acting {
  /** Null: the session acts for the same player as before. */
  session: SessionTokens | null;
}

/** The session as it is stored. */
export interface Session {
  accessToken: string;
  refreshToken: string;
  /** By the device's clock, milliseconds. */
  expiresAt: number;
  identityId: string;
  displayName: string | null;
  /** When it started, by the device's clock, milliseconds. Absent: stored by an earlier version of the client. */
  startedAt?: number;
  /** True: the game server or a proof started it, and only they can start the next one. */
  isGiven?: boolean;
  /** Whom the first of the player's sessions here acted for: a merge makes it another one, an undo the same again. */
  startedAs?: string;
  /** Why the merge that its start asked for did not begin. */
  mergeRefused?: ServiceCode;
}

export interface Player {
  /** `ide_<uuid>`: the player, as in `score.identityId`. */
  identityId: string;
  displayName: string | null;
  /**
   * Why the merge that the option `proof` asked for (`onConflict: 'merge'`) did not begin: the session goes on as the proven player, and
   * the other one stays as it is. Null: nothing kept it from beginning. `prove` with `merge` tries again.
   */
  mergeRefused: ServiceCode | null;
}

/** The player of a session, as games see it. */
export function playerOf({ identityId, displayName, mergeRefused }: Session): Player {
  return { identityId, displayName, mergeRefused: mergeRefused ?? null };
}

/** Tokens that are about to expire are exchanged before they are used. */
const MARGIN_MS = 30_000;

const ENDED = 'The session has ended. Pass a new one to session(), or a new proof.';
const OTHER_PLAYER =
  'The session stored here is that of another player. Use a client with its own `device` for each player.';

/**
 * The session of a device, in its storage: tabs share it. An expired access token is refreshed, and where the refresh is
 * refused a session is started for the same device, which is the same player; not in place of one that the game server or a proof
 * started.
 */
export class Sessions {
  #current: Session | undefined;
  /** The session whose start is known on the clock that never goes back, and that time. */
  #origin: { startedAt: number; elapsed: number } | undefined;
  /** The newest refusal of a session that another attempt does not change, whatever its status. */
  refusal: LeaderboardError | undefined;

  constructor(
    private readonly settings: Settled,
    private readonly device: string,
    /** Where the session is stored. */
    private readonly name: string,
  ) {}

  /** Sends a request with the session's token; once more with a new one if that is refused. */
  async with<T>(call: (session: Session) => Promise<T>, signal?: AbortSignal): Promise<T> {
    const session = await this.get(signal);
    try {
      return await call(session);
    } catch (error) {
      if (!(error instanceof LeaderboardError) || error.status !== 401) throw error;
      if (error.code === 'PROOF_REFUSED') throw error;
      return call(await this.#renew(session.accessToken, signal));
    }
  }

  call<T>(request: Request): Promise<T> {
    const { signal } = request;
    return this.with(({ accessToken }) => send<T>(this.settings, { ...request, token: accessToken }), signal);
  }

  async get(signal?: AbortSignal): Promise<Session> {
    const current = this.#current;
    if (current && !this.#expired(current)) return current;
    return this.#renew(current?.accessToken, signal);
  }

  /**
   * Whole milliseconds from the session's start to a moment of the clock that never goes back; 0 before the first session.
   * Undefined: not known.
   */
  async ageAt(moment: number): Promise<number | undefined> {
    const session = this.#current ?? (await this.#stored());
    if (!session) return 0;
    const { startedAt } = session;
    if (startedAt === undefined) return undefined;
    const { clock } = this.settings;
    // The device's clock is read once: a player may set it while the game runs.
    if (this.#origin?.startedAt !== startedAt)
      this.#origin = { startedAt, elapsed: clock.elapsed() - (clock.now() - startedAt) };
    return Math.min(Math.max(0, Math.floor(moment - this.#origin.elapsed)), Number.MAX_SAFE_INTEGER);
  }

  /** Stores what a piece of work makes of the stored session. Nobody renews it meanwhile. */
  change(work: (stored: Session | undefined) => Session | Promise<Session>): Promise<Session> {
    return this.settings.locks.request(`${this.name}.lock`, async () => {
      const session = await work(await this.#stored());
      this.refusal = undefined;
      this.#current = session;
      // One that can't be stored is good for this process.
      try {
        await this.settings.storage.setItem(this.name, JSON.stringify(session));
      } catch (error) {
        this.settings.onStorage(error);
      }
      return session;
    });
  }

  /** The service's name for the player has become this one. */
  async named(displayName: string): Promise<void> {
    if (this.#current?.displayName !== displayName)
      await this.change((stored) => ({ ...stored!, displayName }));
  }

  /** Takes the session that the game server started. @throws LeaderboardError CONFLICT: another player's is stored */
  give(given: SessionTokens): Promise<Session> {
    return this.change(async (stored) => {
      return { ...(await this.#after(stored, this.startedOf(given))), isGiven: true };
    });
  }

  /**
   * A new session in place of the stored one. The same player is also the one of a merge, which may have happened on another device and be
   * undone by now.
   * @throws LeaderboardError CONFLICT: it's that of another player, with whom runs that wait would count
   */
  async #after(stored: Session | undefined, next: Session, signal?: AbortSignal): Promise<Session> {
    if (!stored) return next;
    const { identityId, startedAs = identityId } = stored;
    const isSame = (id: string) => id === identityId || id === startedAs;
    if (!isSame(next.identityId)) {
      const request = { path: '/v1/client/me', token: next.accessToken, signal };
      const { merged_player_ids: merged } = await send<Me>(this.settings, request);
      if (!merged?.some(isSame)) throw this.#final('CONFLICT', OTHER_PLAYER, 409);
    }
    return { ...next, startedAs };
  }

  #expired({ expiresAt }: Session): boolean {
    return this.settings.clock.now() > expiresAt - MARGIN_MS;
  }

  /** @param refused an access token that is not good any more */
  #renew(refused: string | undefined, signal?: AbortSignal): Promise<Session> {
    return this.change(async (stored) => {
      // Another tab, or a parallel request, has a newer session.
      if (stored && stored.accessToken !== refused && !this.#expired(stored)) return stored;
      return (stored && (await this.#refresh(stored, signal))) ?? this.next(stored, signal);
    });
  }

  /** Undefined: the refresh token is void, which is so after a refresh whose answer was lost. */
  async #refresh(session: Session, signal?: AbortSignal): Promise<Session | undefined> {
    const path = '/v1/client/sessions/refresh';
    const body = { refresh_token: session.refreshToken };
    try {
      const answer = await send<Refreshed>(this.settings, { method: 'POST', path, body, signal });
      return { ...session, ...this.#tokens(answer), ...namesOf(answer) };
    } catch (error) {
      const isFinal = error instanceof LeaderboardError && (error.status === 401 || error.status === 422);
      if (isFinal) return undefined;
      throw error;
    }
  }

  /**
   * Starts the session in place of one that has ended, if there was one.
   * @param given by default what the game's option has
   * @throws LeaderboardError INVALID_REFRESH_TOKEN: it needs a proof, or the game server; CONFLICT: the proof is another player's
   */
  async next(ended: Session | undefined, signal?: AbortSignal, given?: Proof): Promise<Session> {
    const proof = given ?? (await this.#proof());
    if (ended?.isGiven && !proof) throw this.#final('INVALID_REFRESH_TOKEN', ENDED, 401);
    return this.#after(ended?.isGiven ? ended : undefined, await this.#start(proof, signal), signal);
  }

  #final(code: 'INVALID_REFRESH_TOKEN' | 'CONFLICT', message: string, status: number): LeaderboardError {
    this.refusal = new LeaderboardError(code, message, status);
    return this.refusal;
  }

  /** What the game has. A provider that fails is tried again, as one that does not answer the service. */
  async #proof(): Promise<Proof | undefined> {
    try {
      return (await this.settings.proof?.()) ?? undefined;
    } catch (error) {
      throw new LeaderboardError('PROVIDER_UNAVAILABLE', String(error), 503);
    }
  }

  async #start(proof: Proof | undefined, signal?: AbortSignal): Promise<Session> {
    const { gameId, platform, metadata, testMode } = this.settings;
    const body: StartBody = {
      game_id: gameId,
      client_fingerprint: this.device,
      ...(platform !== undefined && { platform }),
      ...(metadata !== undefined && { metadata }),
      ...(testMode !== undefined && { test_mode: testMode }),
      ...(proof && { proof: proofBody(proof) }),
    };
    const path = '/v1/client/sessions';
    const answer = await send<Started>(this.settings, { method: 'POST', path, body, signal }).catch(
      (error: LeaderboardError) => {
        if (!error.isTemporary) this.refusal = error;
        throw error;
      },
    );
    return { ...this.startedOf(answer), ...(proof && { isGiven: true }) };
  }

  /** The session of an answer, which begins now. */
  startedOf(answer: SessionTokens): Session {
    const { clock } = this.settings;
    const startedAt = clock.now();
    this.#origin = { startedAt, elapsed: clock.elapsed() };
    const { identity_id: startedAs, merge_refused: refused } = answer;
    return {
      ...{ ...this.#tokens(answer), ...namesOf(answer), startedAt, startedAs },
      ...(refused && { mergeRefused: refused as ServiceCode }),
    };
  }

  #tokens(answer: Pick<Refreshed, 'access_token' | 'refresh_token' | 'expires_in'>) {
    return {
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token,
      expiresAt: this.settings.clock.now() + answer.expires_in * 1_000,
    };
  }

  async #stored(): Promise<Session | undefined> {
    try {
      const session = JSON.parse(
        (await this.settings.storage.getItem(this.name)) ?? 'null',
      ) as Session | null;
      return session?.refreshToken ? session : this.#current;
    } catch {
      return this.#current;
    }
  }
}

/** A new player has no name yet. */
function namesOf({ identity_id, display_name }: Pick<Started, 'identity_id' | 'display_name'>) {
  return { identityId: identity_id, displayName: display_name || null };
}

/** Members of a request that has a proof. */
export function proofBody({ provider, token, ...choice }: Proof) {
  return { provider, token, ...conflictBody(choice) };
}

export function conflictBody({ onConflict, boardIds }: OnConflict) {
  return {
    ...(onConflict && { on_conflict: onConflict }),
    ...(boardIds && { board_ids: [...boardIds] }),
  };
}
