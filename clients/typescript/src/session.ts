import { LeaderboardError } from './errors.js';
import type { components, operations } from './generated/rest.js';
import type { Settled } from './options.js';
import { type Request, send } from './transport.js';

type Started = operations['startSession']['responses']['201']['content']['application/json'];
type Refreshed = operations['refreshSession']['responses']['200']['content']['application/json'];
type StartBody = components['schemas']['StartSessionBody'];

/** What the game server got from `POST /v1/identities/{identity_id}/sessions`: its answer, or these members of it. */
export type SessionTokens = Pick<
  Started,
  'access_token' | 'refresh_token' | 'expires_in' | 'identity_id' | 'display_name'
>;

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
  /** True: the game server started it, and only it can start the next one. */
  isGiven?: boolean;
}

/** Tokens that are about to expire are exchanged before they are used. */
const MARGIN_MS = 30_000;

const ENDED = 'The session has ended. Get a new one from your game server, and pass it to session().';
const OTHER_PLAYER =
  'The session stored here is that of another player. Use a client with its own `device` for each player.';

/**
 * The session of a device, in its storage: tabs share it. An expired access token is refreshed, and where the refresh is
 * refused a session is started for the same device, which is the same player; not in place of one that the game server started.
 */
export class Sessions {
  #current: Session | undefined;
  /** The session whose start is known on the clock that never goes back, and that time. */
  #origin: { startedAt: number; elapsed: number } | undefined;
  /** The newest refusal of a session's start that another attempt does not change, whatever its status. */
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

  /** The service's name for the player has become this one. */
  async named(displayName: string): Promise<void> {
    if (this.#current?.displayName === displayName) return;
    await this.settings.locks.request(`${this.name}.lock`, async () => {
      const session = await this.#stored();
      if (!session) return;
      this.#current = { ...session, displayName };
      await this.#store(this.#current);
    });
  }

  /** Takes the session that the game server started. @throws LeaderboardError CONFLICT: another player's is stored */
  give({ identity_id: identityId, display_name, ...tokens }: SessionTokens): Promise<Session> {
    return this.settings.locks.request(`${this.name}.lock`, async () => {
      const stored = await this.#stored();
      if (stored && stored.identityId !== identityId)
        throw new LeaderboardError('CONFLICT', OTHER_PLAYER, 409);
      const session = { ...this.#tokens(tokens), ...this.#begun(identityId, display_name), isGiven: true };
      this.refusal = undefined;
      this.#current = session;
      await this.#store(session);
      return session;
    });
  }

  #expired({ expiresAt }: Session): boolean {
    return this.settings.clock.now() > expiresAt - MARGIN_MS;
  }

  /** @param refused an access token that is not good any more */
  #renew(refused: string | undefined, signal?: AbortSignal): Promise<Session> {
    return this.settings.locks.request(`${this.name}.lock`, async () => {
      const stored = await this.#stored();
      // Another tab, or a parallel request, has a newer session.
      if (stored && stored.accessToken !== refused && !this.#expired(stored)) {
        this.#current = stored;
        return stored;
      }
      const session = (stored && (await this.#refresh(stored, signal))) ?? (await this.#next(stored, signal));
      this.#current = session;
      await this.#store(session);
      return session;
    });
  }

  /** Undefined: the refresh token is void, which is so after a refresh whose answer was lost. */
  async #refresh(session: Session, signal?: AbortSignal): Promise<Session | undefined> {
    const path = '/v1/client/sessions/refresh';
    const body = { refresh_token: session.refreshToken };
    try {
      const answer = await send<Refreshed>(this.settings, { method: 'POST', path, body, signal });
      return { ...session, ...this.#tokens(answer) };
    } catch (error) {
      const isFinal = error instanceof LeaderboardError && (error.status === 401 || error.status === 422);
      if (isFinal) return undefined;
      throw error;
    }
  }

  async #next(ended: Session | undefined, signal?: AbortSignal): Promise<Session> {
    if (!ended?.isGiven) return this.#start(signal);
    this.refusal = new LeaderboardError('INVALID_REFRESH_TOKEN', ENDED, 401);
    throw this.refusal;
  }

  async #start(signal?: AbortSignal): Promise<Session> {
    const { gameId, platform, metadata, testMode } = this.settings;
    const body: StartBody = {
      game_id: gameId,
      client_fingerprint: this.device,
      ...(platform !== undefined && { platform }),
      ...(metadata !== undefined && { metadata }),
      ...(testMode !== undefined && { test_mode: testMode }),
    };
    const path = '/v1/client/sessions';
    const answer = await send<Started>(this.settings, { method: 'POST', path, body, signal }).catch(
      (error: LeaderboardError) => {
        if (!error.isTemporary) this.refusal = error;
        throw error;
      },
    );
    return { ...this.#tokens(answer), ...this.#begun(answer.identity_id, answer.display_name) };
  }

  /** A session that begins now. */
  #begun(identityId: string, displayName: string) {
    const { clock } = this.settings;
    const startedAt = clock.now();
    this.#origin = { startedAt, elapsed: clock.elapsed() };
    // A new player has no name yet.
    return { identityId, displayName: displayName || null, startedAt };
  }

  #tokens(answer: Refreshed) {
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

  /** A session that cannot be stored is good for this process. */
  async #store(session: Session): Promise<void> {
    try {
      await this.settings.storage.setItem(this.name, JSON.stringify(session));
    } catch (error) {
      this.settings.onTrouble(new LeaderboardError('STORAGE', String(error)));
    }
  }
}
