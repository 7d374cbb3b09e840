import type { PlayerProviderKind } from '../provider.js';
import {
  checkedSubject,
  type GivenProof,
  jsonOf,
  ProofRefusal,
  type Proven,
  ProviderFault,
  quoted,
} from './proof.js';

interface CodeIssuer {
  name: string;
  tokenUrl: string;
  /** Where the token tells whose it is. */
  playerUrl: string;
  subjectOf(player: Record<string, unknown>): unknown;
}

const ISSUERS: Partial<Record<PlayerProviderKind, CodeIssuer>> = {
  play_games: {
    name: 'Google',
    tokenUrl: 'https://oauth2.googleapis.com/token',
    playerUrl: 'https://games.googleapis.com/games/v1/players/me',
    subjectOf: ({ playerId }) => playerId,
  },
  discord: {
    name: 'Discord',
    tokenUrl: 'https://discord.com/api/oauth2/token',
    playerUrl: 'https://discord.com/api/users/@me',
    subjectOf: ({ id }) => id,
  },
};

const CODE = /^[\x21-\x7e]{4,2000}$/;
/** Codes are used up by their issuer; this is against one that does so late. */
const REMEMBERED_MS = 3_600_000;
/** The fault of whoever sent the code; others are those of the provider's settings. */
const OF_CODE = new Set(['invalid_grant', 'invalid_request']);

/**
 * A code that the game got, exchanged for a token that is asked whose it is, and forgotten.
 * @throws ProofRefusal, ProviderFault, OutboundError
 */
export async function proveAuthCode(given: GivenProof): Promise<Proven> {
  const { provider, token: code, now, fetch } = given;
  const issuer = ISSUERS[provider.kind]!;
  if (!CODE.test(code)) throw new ProofRefusal('The code is not one of printable characters.');
  const accessToken = await exchanged(given, issuer);
  const response = await fetch(issuer.playerUrl, { headers: { authorization: `Bearer ${accessToken}` } });
  if (response.status === 401 || response.status === 403) {
    throw new ProofRefusal(`The code does not give access to the player (status ${response.status}).`);
  }
  if (response.status !== 200) {
    throw new ProviderFault(`${issuer.name} responded with status ${response.status} for the player.`);
  }
  const subject = issuer.subjectOf(await jsonOf(response, issuer.name));
  if (typeof subject !== 'string') throw new ProviderFault(`${issuer.name} named no player.`);
  return { subject: checkedSubject(subject), once: code, until: now + REMEMBERED_MS };
}

async function exchanged({ provider, secret, token, fetch }: GivenProof, { name, tokenUrl }: CodeIssuer) {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code: token,
    client_id: provider.clientId!,
    client_secret: secret!,
    ...(provider.redirectUrl !== null && { redirect_uri: provider.redirectUrl }),
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const response = await fetch(tokenUrl, { method: 'POST', headers, body });
  const answer = await jsonOf(response, name);
  if (response.status >= 400 && response.status < 500 && OF_CODE.has(String(answer.error))) {
    throw new ProofRefusal(`${name} refuses the code: ${quoted(answer.error_description ?? answer.error)}.`);
  }
  if (response.status !== 200) {
    throw new ProviderFault(`${name} responded with status ${response.status}: ${quoted(answer.error)}.`);
  }
  if (typeof answer.access_token !== 'string' || !/^[\x21-\x7e]+$/.test(answer.access_token)) {
    throw new ProviderFault(`${name} gave no token for the code.`);
  }
  return answer.access_token;
}
