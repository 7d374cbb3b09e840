import type * as Client from 'openid-client';
import { nameFault } from '../../../base/text.js';
import {
  addressIn,
  type Claims,
  groupsIn,
  lacksAddress,
  lacksGroups,
  restIn,
  type SaidGroups,
} from './claims.js';
import { answeredStatus, reasonOf } from './faults.js';

interface Info {
  claims: Claims;
  /** Why it could not be read. */
  fault?: string;
  /** True: it accepts no such token, and so says nothing about anybody. */
  isRefused?: boolean;
}

/** Statuses of requests that may succeed later. */
const TRANSIENT = new Set([408, 429]);

/**
 * What the userinfo endpoint says, for claims that the ID token lacks. An endpoint that refuses the token says nothing: that of
 * ADFS accepts no token that is meant for a client. Never fails: whoever needs a claim decides what its absence means.
 */
async function readUserInfo(
  client: typeof Client,
  config: Client.Configuration,
  accessToken: string,
  sub: string,
): Promise<Info> {
  if (!config.serverMetadata().userinfo_endpoint) return { claims: {} };
  try {
    return { claims: await client.fetchUserInfo(config, accessToken, sub) };
  } catch (error) {
    const status = answeredStatus(error);
    const isRefused = status !== undefined && status >= 400 && status < 500 && !TRANSIENT.has(status);
    if (isRefused) return { claims: {}, isRefused };
    const reason = status === undefined ? reasonOf(error) : `it answered ${status}`;
    return { claims: {}, fault: `The userinfo endpoint could not be read: ${reason.replace(/\.$/, '')}.` };
  }
}

/** What a sign-in depends on beyond the subject. */
export interface Needed {
  /** A verified address. */
  address: boolean;
  groups: boolean;
}

/** What an issuer says about a person. */
export interface SaidPerson extends SaidGroups {
  email: string | null;
  emailVerified: boolean;
  name: string | null;
  sid: string | null;
  refreshToken: string | null;
  /** Why the userinfo endpoint could not be read, which may have said what is missing here. */
  infoFault?: string | undefined;
}

type Tokens = Client.TokenEndpointResponse & Client.TokenEndpointResponseHelpers;

/** A ticket has to hold it. */
const LONGEST_REFRESH_TOKEN = 8_000;

/** Reads the tokens of a sign-in, and the userinfo endpoint for what is needed and not in the ID token. */
export async function personSaid(
  client: typeof Client,
  config: Client.Configuration,
  tokens: Tokens,
  groupsClaim: string,
  needed: Needed,
): Promise<SaidPerson> {
  const { refresh_token: refresh, access_token: accessToken } = tokens;
  const token = tokens.claims()!;
  const lacksGroup = lacksGroups(token, groupsClaim);
  const lacks = (needed.address && lacksAddress(token)) || (needed.groups && lacksGroup);
  const read: Info = lacks ? await readUserInfo(client, config, accessToken, token.sub) : { claims: {} };
  const { claims: info, fault } = read;
  const { name, sid } = restIn(token, info);
  return {
    ...addressIn(token, info),
    ...groupsIn(token, info, groupsClaim),
    ...(fault !== undefined && lacksGroup && { groupsUnknown: true, groupsNote: fault }),
    infoFault: fault,
    name: nameFault(name, 2, 100) === undefined ? name : null,
    sid,
    refreshToken: refresh !== undefined && refresh.length <= LONGEST_REFRESH_TOKEN ? refresh : null,
  };
}

/**
 * What the issuer says about the groups of a person whose session is confirmed. Undefined: nothing. The absence of the claim
 * says that there are none where an ID token and the userinfo endpoint lack it, as with issuers that send no empty claims.
 * @throws Error when they could not be read
 */
export async function groupsNow(
  client: typeof Client,
  config: Client.Configuration,
  groupsClaim: string,
  tokens: Tokens,
  sub: string,
): Promise<SaidGroups | undefined> {
  const token = tokens.claims();
  const own = { ...token };
  if (!lacksGroups(own, groupsClaim)) return groupsIn(own, {}, groupsClaim);
  const { claims: info, fault, isRefused } = await readUserInfo(client, config, tokens.access_token, sub);
  if (fault !== undefined) throw new Error(fault);
  const isSaid = (token && !isRefused) || !lacksGroups(info, groupsClaim);
  return isSaid ? groupsIn(own, info, groupsClaim) : undefined;
}
