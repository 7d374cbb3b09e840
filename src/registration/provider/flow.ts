import { storableText } from './issuer/claims.js';
import { wrongSignIn } from './issuer/faults.js';
import { type Needed, personSaid } from './issuer/said.js';
import type { IssuerFacts, Issuers } from './issuers.js';
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

/** Whom a sign-in is for, as far as its beginning knows. */
export interface Beginning {
  /** The user who connects itself; null: a sign-in. */
  linking: string | null;
  /** True: the person has opened an invitation, which has proven the address. */
  isInvited: boolean;
}

/** @returns the address at the issuer */
export function begin(
  { issuers, tickets, returnUrl }: FlowParts,
  from: SignInIssuer,
  browserToken: string,
  beginning: Beginning,
  now: number,
): Promise<string> {
  return issuers.exchange(from, async (client, config) => {
    const { providerId, issuer, accountId } = from;
    const [verifier, nonce] = [client.randomPKCECodeVerifier(), randomText()];
    const flow = { providerId, issuer, verifier, nonce, ...beginning };
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

export type Person = Pick<Ticket, 'providerId' | 'issuer' | 'subject'>;

export type Needs = (person: Person, beginning: Beginning) => Promise<Needed>;

interface Questions {
  find: FindIssuer;
  needs: Needs;
  /** Told of an exchange that failed. */
  failed(from: SignInIssuer, error: unknown): Promise<void>;
}

/**
 * Exchanges the issuer's code for what it says about the person. Codes of other flows, browsers and issuers are refused.
 * @throws DomainError INVALID_CODE, UNAVAILABLE, FORBIDDEN (no longer set up)
 */
export async function redeem(
  { issuers, tickets, returnUrl }: FlowParts,
  { find, needs, failed }: Questions,
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
  const exchanged = issuers.exchange(from, async (client, config) => {
    const tokens = await client.authorizationCodeGrant(config, current, {
      pkceCodeVerifier: flow.verifier,
      expectedNonce: flow.nonce,
      expectedState: state,
      idTokenExpected: true,
    });
    const { id, expires, providerId, issuer, linking } = flow;
    const subject = storableText(tokens.claims()!.sub);
    if (subject === null) throw new Error('the claim sub is not a text of at most 255 characters');
    const person = { providerId, issuer, subject };
    const said = await personSaid(client, config, tokens, from.groupsClaim, await needs(person, flow));
    return { id, expires, linking, ...person, ...said };
  });
  return exchanged.catch(async (error: unknown) => {
    await failed(from, error);
    throw error;
  });
}
