import { DomainError } from '../../../base/errors.js';
import { uuidFrom, uuidOf } from '../../../base/ids.js';
import { subscriberOf } from '../../../base/ip-address.js';
import { Limit, SHARED_ADDRESS, type TurnLimits, Turns } from '../../../base/limits.js';
import type { Log } from '../../../base/log.js';
import { type GuardedFetch, OutboundError } from '../../../base/outbound/guarded-fetch.js';
import { runStatement } from '../../../db/pool.js';
import type { Context } from '../../../graphql/context.js';
import type { PlayerProvider } from '../provider.js';
import { providerOfGame } from '../read.js';
import type { Sealing } from '../save.js';
import { proveAuthCode } from './auth-code.js';
import { GameCenter } from './game-center.js';
import { type GivenProof, ProofRefusal, type Proven, ProviderFault } from './proof.js';
import { proveSteam } from './steam.js';
import { IdTokens, proveSigned } from './tokens.js';

/** A proof that its provider confirms. */
export interface VerifiedProof {
  provider: PlayerProvider;
  subject: string;
  /** What is noted of it, so that it is accepted once. A bare uuid. */
  use: string;
  usableUntil: Date;
}

/** What an administrator is told of a token. */
export interface TestedProof {
  isAccepted: boolean;
  /** The account, as the provider names it; null: it was refused. */
  subject: string | null;
  /** Null: it was accepted. */
  reason: string | null;
}

/** Requests to providers, of one process: one that is silent must not keep other accounts waiting. */
const REQUESTS: TurnLimits = { atATime: 40, ofOwner: 10, waiting: 100, patienceMs: 3_000 };
/** Of one address within an hour; a school or a café behind one has several players. */
const PROOFS_OF_ADDRESS = 240;
const HOUR_SECONDS = 3_600;
/** From one note of a refusal to the next: whoever sends wrong proofs must not write rows all day. */
const NOTE_MS = 10_000;

const NOTE = `
  update player_providers set last_refusal = :reason, last_refused_at = :at
  where id = :id and (last_refused_at is null or last_refused_at <= :before)`;

function proofRefused(): DomainError {
  return new DomainError('PROOF_REFUSED', 'This sign-in could not be verified. Sign in again.');
}

function providerUnavailable(): DomainError {
  return new DomainError(
    'PROVIDER_UNAVAILABLE',
    'The sign-in service does not respond. Try again in a moment.',
  );
}

interface VerifierParts {
  fetch: GuardedFetch;
  seal: Pick<Sealing, 'open'>;
  log: Log;
  /** Trusted roots of Game Center's certificates as PEM; absent: those of Node. */
  roots?: readonly string[] | undefined;
}

/** Checks proofs with their providers, before any transaction: whatever a provider does, no connection waits for it. */
export class ProofVerifier {
  readonly #tokens = new IdTokens();
  readonly #gameCenter: GameCenter;
  readonly #turns = new Turns(REQUESTS);
  readonly #ofAddresses = new Limit(PROOFS_OF_ADDRESS, HOUR_SECONDS, { what: 'proofs from your address' });
  readonly #ofProxies = new Limit(SHARED_ADDRESS * PROOFS_OF_ADDRESS, HOUR_SECONDS, {
    what: 'proofs from your address',
  });

  constructor(private readonly parts: VerifierParts) {
    this.#gameCenter = new GameCenter(parts.roots);
  }

  /**
   * @param gameId prefixed @param slug of the provider
   * @throws DomainError RATE_LIMITED, PROOF_REFUSED, PROVIDER_UNAVAILABLE
   */
  async verify(context: Context, gameId: string, slug: string, token: string): Promise<VerifiedProof> {
    const { ip, behindUnknownProxy } = context;
    await (behindUnknownProxy ? this.#ofProxies : this.#ofAddresses).count(
      `${gameId} ${ip === undefined ? 'unknown' : subscriberOf(ip)}`,
    );
    const provider = await providerOfGame(context.db, gameId, slug);
    if (!provider) {
      this.parts.log.warn({ gameId, provider: slug }, 'a proof names no provider of its game');
      throw proofRefused();
    }
    try {
      const proven = await this.#prove(provider, token, context.clock());
      return verifiedOf(provider, proven);
    } catch (error) {
      throw await this.refusalOf(context, provider, error);
    }
  }

  /** What a player is told; the reason is in the log, and with the provider. */
  async refusalOf(context: Context, provider: PlayerProvider, error: unknown): Promise<unknown> {
    const isRefused = error instanceof ProofRefusal;
    if (!isRefused && !isFault(error)) return error;
    const reason = (error as Error).message;
    const outbound = error instanceof OutboundError ? error.detail : undefined;
    const { id, gameId, kind } = provider;
    this.parts.log.warn({ provider: id, gameId, kind, reason, outbound }, 'a proof of a player was refused');
    const at = new Date(context.clock());
    const before = new Date(at.getTime() - NOTE_MS);
    if (!provider.lastRefusedAt || provider.lastRefusedAt <= before) {
      await runStatement(context.db, NOTE, { id: uuidOf(id), reason, at, before });
    }
    return isRefused ? proofRefused() : providerUnavailable();
  }

  /** Checks a token without using it up, and tells what players are not told. */
  async test({ clock }: Context, provider: PlayerProvider, token: string): Promise<TestedProof> {
    try {
      const { subject } = await this.#prove(provider, token, clock());
      return { isAccepted: true, subject, reason: null };
    } catch (error) {
      if (!(error instanceof ProofRefusal) && !isFault(error)) throw error;
      const { message } = error as Error;
      const detail = error instanceof OutboundError ? error.detail : undefined;
      return { isAccepted: false, subject: null, reason: detail ? `${message} ${detail}` : message };
    }
  }

  #prove(provider: PlayerProvider, token: string, now: number): Promise<Proven> {
    const { seal, fetch } = this.parts;
    const given: GivenProof = {
      ...{ provider, token, now },
      secret: provider.sealedSecret && seal.open(provider.id, provider.sealedSecret),
      fetch: (url, request) => this.#turns.run(() => fetch(url, request), provider.accountId),
    };
    switch (provider.kind) {
      case 'oidc':
        return this.#tokens.prove(given);
      case 'signed':
        return proveSigned(given);
      case 'steam':
        return proveSteam(given);
      case 'game_center':
        return this.#gameCenter.prove(given);
      case 'play_games':
      case 'discord':
        return proveAuthCode(given);
    }
  }
}

/** The provider could not be asked. */
function isFault(error: unknown): boolean {
  if (error instanceof ProviderFault || error instanceof OutboundError) return true;
  return error instanceof DomainError && error.code === 'UNAVAILABLE';
}

function verifiedOf(provider: PlayerProvider, { subject, once, until }: Proven): VerifiedProof {
  // The job that forgets uses finds ids of nonces by their time, and those from 1000… on by their expiry.
  const use = `f${uuidFrom('proof', provider.id, once).slice(1)}`;
  return { provider, subject, use, usableUntil: new Date(until) };
}
