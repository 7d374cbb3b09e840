import type * as Client from 'openid-client';
import { isLabel } from '../../base/text.js';
import type { IssuerFacts, Issuers } from './issuers.js';
import { wrongSignIn } from './issuers.js';
import { randomText, type Ticket, type Tickets } from './tickets.js';

/** What a sign-in needs of an issuer. */
export interface SignInIssuer extends IssuerFacts {
  /** Prefixed; null: not known. */
  accountId: string | null;
  scopes: string;
  groupsClaim: string;
}

interface FlowParts {
  issuers: Issuers;
  tickets: Tickets;
  /** The one address to which issuers send browsers back. */
  returnUrl: string;
}

/** @param linking the user who connects itself; null: a sign-in @returns the address at the issuer */
export function begin(
  { issuers, tickets, returnUrl }: FlowParts,
  from: SignInIssuer,
  browserToken: string,
  linking: string | null,
  now: number,
): Promise<string> {
  return issuers.exchange(from, async (client, config) => {
    const { providerId, issuer, accountId } = from;
    const [verifier, nonce] = [client.randomPKCECodeVerifier(), randomText()];
    const flow = { providerId, issuer, verifier, nonce, linking };
    const url = client.buildAuthorizationUrl(config, {
      redirect_uri: returnUrl,
      scope: from.scopes,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state: tickets.begin(flow, browserToken, accountId, now),
      nonce,
    });
    return url.href;
  });
}

/** Members of what an issuer sends back with the browser. */
const MEMBERS = ['code', 'state', 'iss', 'error', 'error_description', 'session_state'];

interface Returned {
  /** The query of the address to which the issuer sent the browser. */
  response: string;
  browserToken: string;
}

/** The issuer of a flow that was begun, as it is now. */
type FindIssuer = (providerId: string | null) => Promise<SignInIssuer>;

/**
 * Exchanges the issuer's code for what it says about the person. Codes of other flows, browsers and issuers are refused.
 * @throws DomainError INVALID_CODE, UNAVAILABLE, FORBIDDEN (no longer set up)
 */
export async function redeem(
  { issuers, tickets, returnUrl }: FlowParts,
  find: FindIssuer,
  { response, browserToken }: Returned,
  now: number,
): Promise<Ticket> {
  const sent = new URLSearchParams(response);
  const state = sent.get('state') ?? '';
  const flow = tickets.flow(state, browserToken, now);
  if (!flow) throw wrongSignIn();
  const from = await find(flow.providerId);
  if (from.issuer !== flow.issuer || (from.accountId && !state.startsWith(`${from.accountId}.`))) {
    throw wrongSignIn();
  }
  const current = new URL(returnUrl);
  for (const name of MEMBERS) for (const value of sent.getAll(name)) current.searchParams.append(name, value);
  return issuers.exchange(from, async (client, config) => {
    const tokens = await client.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: flow.verifier,
      expectedNonce: flow.nonce,
      expectedState: state,
      idTokenExpected: true,
    });
    const claims = tokens.claims()!;
    const needed = ['email', 'email_verified', from.groupsClaim];
    const more = await missingClaims(client, config, needed, tokens.access_token, claims);
    const { id, expires, providerId, issuer, linking } = flow;
    const facts = personOf({ ...more, ...claims }, from.groupsClaim);
    const refreshToken = tokens.refresh_token ?? null;
    return { id, expires, providerId, issuer, linking, subject: claims.sub, ...facts, refreshToken };
  });
}

type Claims = Record<string, unknown>;

/** Some issuers put nothing into the token that the userinfo endpoint has. */
async function missingClaims(
  client: typeof Client,
  config: Client.Configuration,
  needed: string[],
  accessToken: string,
  claims: Claims & { sub: string },
): Promise<Claims> {
  if (needed.every((name) => name in claims) || !config.serverMetadata().userinfo_endpoint) return {};
  return client.fetchUserInfo(config, accessToken, claims.sub);
}

/**
 * The groups of a person whose session is confirmed. Undefined: the issuer says nothing about them, as without an ID token the
 * absence of groups does not.
 */
export async function groupsNow(
  client: typeof Client,
  config: Client.Configuration,
  { groupsClaim }: SignInIssuer,
  tokens: Client.TokenEndpointResponse & Client.TokenEndpointResponseHelpers,
  sub: string,
): Promise<string[] | undefined> {
  const claims = tokens.claims();
  const own = { ...claims, sub };
  const all = { ...(await missingClaims(client, config, [groupsClaim], tokens.access_token, own)), ...own };
  return claims || groupsClaim in all ? groupsOf(all, groupsClaim) : undefined;
}

const MOST_GROUPS = 500;

function groupsOf(claims: Claims, groupsClaim: string): string[] {
  const groups = [claims[groupsClaim]].flat().filter((one): one is string => typeof one === 'string');
  return groups.slice(0, MOST_GROUPS);
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

function personOf(claims: Claims, groupsClaim: string) {
  const name = text(claims.name);
  return {
    email: text(claims.email),
    // Some issuers send it as a text.
    emailVerified: claims.email_verified === true || claims.email_verified === 'true',
    name: name !== null && isLabel(name, 2, 100) ? name : null,
    groups: groupsOf(claims, groupsClaim),
    sid: text(claims.sid),
  };
}
