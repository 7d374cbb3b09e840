import { createPublicKey, type KeyObject } from 'node:crypto';
import { invalidField } from '../../base/errors.js';
import type { PlayerProvider, PlayerProviderKind } from './provider.js';

/** What a provider is made of. */
type ProviderSettings = Pick<
  PlayerProvider,
  | 'kind'
  | 'issuer'
  | 'keysUrl'
  | 'publicKey'
  | 'audiences'
  | 'clientId'
  | 'redirectUrl'
  | 'steamIdentity'
  | 'allowBorrowed'
> & { hasSecret: boolean };

type Setting = Exclude<keyof ProviderSettings, 'kind' | 'hasSecret' | 'allowBorrowed'> | 'secret';

const SETTINGS: readonly Setting[] = [
  ...([
    'issuer',
    'keysUrl',
    'publicKey',
    'audiences',
    'clientId',
    'secret',
    'redirectUrl',
    'steamIdentity',
  ] as const),
];

const NEEDS: Record<PlayerProviderKind, { required: Setting[]; allowed?: Setting[] }> = {
  oidc: { required: ['issuer', 'audiences'], allowed: ['keysUrl'] },
  signed: { required: ['audiences'], allowed: ['issuer', 'publicKey', 'secret'] },
  steam: { required: ['clientId', 'secret', 'steamIdentity'] },
  game_center: { required: ['audiences'] },
  play_games: { required: ['clientId', 'secret'], allowed: ['redirectUrl'] },
  discord: { required: ['clientId', 'secret'], allowed: ['redirectUrl'] },
};

const SHORTEST_SECRET = 32;
const SHORTEST_RSA = 2_048;

/** The algorithm with which a key's owner signs. One key has one: a token does not choose. */
export function algorithmOf(key: KeyObject): 'RS256' | 'ES256' | 'EdDSA' | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'rsa') return (details?.modulusLength ?? 0) >= SHORTEST_RSA ? 'RS256' : undefined;
  if (type === 'ec') return details?.namedCurve === 'prime256v1' ? 'ES256' : undefined;
  return type === 'ed25519' ? 'EdDSA' : undefined;
}

function isGiven(settings: ProviderSettings, name: Setting): boolean {
  if (name === 'secret') return settings.hasSecret;
  if (name === 'audiences') return settings.audiences.length > 0;
  return settings[name] !== null;
}

/**
 * Checks that a provider has what its kind needs, and nothing that it would ignore.
 * @param secret the new one, if one is given @param allowHttp OIDC_ALLOW_HTTP @throws DomainError VALIDATION_FAILED
 */
export function checkProvider(
  settings: ProviderSettings,
  secret: string | null | undefined,
  allowHttp: boolean,
): void {
  const { kind } = settings;
  const { required, allowed = [] } = NEEDS[kind];
  const shown = kind.toUpperCase();
  for (const name of SETTINGS) {
    const given = isGiven(settings, name);
    if (!given && required.includes(name)) throw invalidField([name], `is required for ${shown}`, 'required');
    if (given && !required.includes(name) && !allowed.includes(name)) {
      throw invalidField([name], `has no meaning for ${shown}`);
    }
  }
  for (const name of ['issuer', 'keysUrl'] as const) {
    // The issuer of a token that is signed with a given key is a name: nothing is read there.
    if (kind === 'oidc' && !allowHttp && settings[name]?.startsWith('http:')) {
      throw invalidField([name], 'must begin with https://', 'url');
    }
  }
  if (kind === 'signed') checkKeys(settings, secret);
}

function checkKeys({ publicKey, hasSecret }: ProviderSettings, secret: string | null | undefined): void {
  if ((publicKey !== null) === hasSecret) {
    throw invalidField(['publicKey'], 'or `secret` is required for SIGNED, and only one of them', 'required');
  }
  if (secret != null && secret.length < SHORTEST_SECRET) {
    throw invalidField(['secret'], `must have ${SHORTEST_SECRET} characters or more for SIGNED`, 'length');
  }
  if (publicKey !== null && !algorithmOfText(publicKey)) {
    throw invalidField(
      ['publicKey'],
      'must be a key of RSA with 2,048 bits or more, of P-256 or of Ed25519',
      'key',
    );
  }
}

function algorithmOfText(pem: string) {
  try {
    return algorithmOf(createPublicKey(pem));
  } catch {
    return undefined;
  }
}
