import { type KeyObject, verify, X509Certificate } from 'node:crypto';
import tls from 'node:tls';
import { LRUCache } from 'lru-cache';
import { certificateMillis } from '../../../base/moments/certificate-time.js';
import type { GuardedFetch } from '../../../base/outbound/guarded-fetch.js';
import {
  checkedSubject,
  type GivenProof,
  ProofRefusal,
  type Proven,
  ProviderFault,
  quoted,
} from './proof.js';

/** What `fetchItemsForIdentityVerificationSignature` gives the game, and who the player is. */
interface Signed {
  publicKeyUrl: string;
  /** Base64. */
  signature: string;
  salt: string;
  /** Epoch milliseconds. */
  timestamp: number;
  teamPlayerId: string;
  bundleId: string;
}

const LONGEST_AGE_MS = 10 * 60_000;
const AHEAD_MS = 60_000;
const CERTIFICATE_MS = 3_600_000;
const MOST_CERTIFICATES = 50;
/** Certificates above Apple's, without the root. */
const MOST_ISSUERS = 3;
const OWNER = 'O=Apple Inc.';
/** The signed bytes have no lengths: only ids of one length keep a part of another app's bundle id out. */
const TEAM_PLAYER = /^T:_[0-9a-f]{32}$/;

/** Checks signatures of Game Center, with certificates that it caches. */
export class GameCenter {
  readonly #keys = new LRUCache<string, Promise<KeyObject>>({ max: MOST_CERTIFICATES, ttl: CERTIFICATE_MS });
  readonly #roots: X509Certificate[];

  /** @param roots trusted ones as PEM */
  constructor(roots: readonly string[] = tls.rootCertificates) {
    this.#roots = roots.map((pem) => new X509Certificate(pem));
  }

  /** @param given its token is the JSON of a {@link Signed} @throws ProofRefusal, ProviderFault, OutboundError */
  async prove({ provider, token, now, fetch }: GivenProof): Promise<Proven> {
    const signed = signedOf(token);
    const { publicKeyUrl, signature, timestamp, teamPlayerId, bundleId } = signed;
    if (!provider.audiences.includes(bundleId)) {
      throw new ProofRefusal(`The signature is for another app: ${quoted(bundleId)}.`);
    }
    if (timestamp > now + AHEAD_MS || timestamp < now - LONGEST_AGE_MS) {
      throw new ProofRefusal('The signature is more than 10 minutes old, or of the future.');
    }
    const key = await this.#keyOf(publicKeyUrl, fetch, now);
    const payload = payloadOf(signed);
    if (!verify('sha256', payload, key, Buffer.from(signature, 'base64'))) {
      throw new ProofRefusal('The signature is not that of this player, app and moment.');
    }
    const until = timestamp + LONGEST_AGE_MS + AHEAD_MS;
    return { subject: checkedSubject(teamPlayerId), once: payload.toString('base64'), until };
  }

  #keyOf(address: string, fetch: GuardedFetch, now: number): Promise<KeyObject> {
    const known = this.#keys.get(address);
    if (known) return known;
    const reading = this.#trusted(address, fetch, now).then(({ publicKey }) => publicKey);
    this.#keys.set(address, reading);
    reading.catch(() => this.#keys.delete(address));
    return reading;
  }

  /** Apple's certificate at an address, once its chain ends at a trusted root. */
  async #trusted(address: string, fetch: GuardedFetch, now: number): Promise<X509Certificate> {
    const leaf = await certificateAt(address, fetch);
    // Others also have code signing certificates below the same roots.
    if (!leaf.subject.split('\n').includes(OWNER)) {
      throw new ProofRefusal(
        `The certificate is not Apple's: ${quoted(leaf.subject.replaceAll('\n', ', '))}.`,
      );
    }
    let below = leaf;
    requireValid(below, now);
    for (let above = 0; above <= MOST_ISSUERS; above += 1) {
      const root = this.#roots.find((one) => isIssuer(one, below));
      if (root) {
        requireValid(root, now);
        return leaf;
      }
      const next = issuerAddress(below);
      if (!next || above === MOST_ISSUERS) break;
      const issuer = await certificateAt(next, fetch);
      if (!isIssuer(issuer, below)) break;
      requireValid(issuer, now);
      below = issuer;
    }
    throw new ProofRefusal('The chain of the certificate does not end at a root that is trusted.');
  }
}

function isIssuer(above: X509Certificate, below: X509Certificate): boolean {
  return above.ca && below.checkIssued(above) && below.verify(above.publicKey);
}

function requireValid({ validFrom, validTo, subject }: X509Certificate, now: number): void {
  if (certificateMillis(validFrom) <= now && now < certificateMillis(validTo)) return;
  throw new ProofRefusal(
    `A certificate of the chain is not valid now: ${quoted(subject.replaceAll('\n', ', '))}.`,
  );
}

/** Issuers are fetched where certificates say, which is an http address: their own signature is what is checked. */
function issuerAddress({ infoAccess }: X509Certificate): string | undefined {
  const line = infoAccess?.split('\n').find((one) => one.startsWith('CA Issuers - URI:'));
  return line?.slice('CA Issuers - URI:'.length).replace(/^http:/, 'https:');
}

async function certificateAt(address: string, fetch: GuardedFetch): Promise<X509Certificate> {
  const response = await fetch(address);
  if (response.status !== 200) {
    throw new ProviderFault(
      `The certificate at ${quoted(address)} could not be read: status ${response.status}.`,
    );
  }
  try {
    return new X509Certificate(Buffer.from(await response.arrayBuffer()));
  } catch {
    throw new ProofRefusal(`There is no certificate at ${quoted(address)}.`);
  }
}

function isOfApple(address: string): boolean {
  if (address.length > 500 || !URL.canParse(address)) return false;
  const { protocol, hostname, port, username, password } = new URL(address);
  return protocol === 'https:' && hostname.endsWith('.apple.com') && `${port}${username}${password}` === '';
}

const TEXTS = ['publicKeyUrl', 'signature', 'salt', 'teamPlayerId', 'bundleId'] as const;

function signedOf(token: string): Signed {
  let given: Partial<Signed> | null = null;
  try {
    given = JSON.parse(token) as Partial<Signed> | null;
  } catch {
    // Refused below.
  }
  const isWhole =
    typeof given === 'object' &&
    given !== null &&
    TEXTS.every((name) => typeof given[name] === 'string') &&
    Number.isSafeInteger(given.timestamp) &&
    given.timestamp! >= 0;
  if (!isWhole) {
    throw new ProofRefusal(`The token is not JSON with ${TEXTS.join(', ')} and timestamp.`);
  }
  const signed = given as Signed;
  if (!TEAM_PLAYER.test(signed.teamPlayerId)) {
    throw new ProofRefusal(`It names no player of a team: ${quoted(signed.teamPlayerId)}.`);
  }
  if (!isOfApple(signed.publicKeyUrl)) {
    throw new ProofRefusal(`The key is not at an address of Apple: ${quoted(signed.publicKeyUrl)}.`);
  }
  return signed;
}

function payloadOf({ teamPlayerId, bundleId, timestamp, salt }: Signed): Buffer {
  const moment = Buffer.alloc(8);
  moment.writeBigUInt64BE(BigInt(timestamp));
  return Buffer.concat([
    Buffer.from(teamPlayerId),
    Buffer.from(bundleId),
    moment,
    Buffer.from(salt, 'base64'),
  ]);
}
