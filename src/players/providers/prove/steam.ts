import {
  checkedSubject,
  type GivenProof,
  jsonOf,
  ProofRefusal,
  type Proven,
  ProviderFault,
  quoted,
} from './proof.js';

const ADDRESS = 'https://partner.steam-api.com/ISteamUserAuth/AuthenticateUserTicket/v1/';
const TICKET = /^([0-9a-f]{2}){20,3000}$/i;
const STEAM_ID = /^[0-9]{1,20}$/;
/** Steam doesn't say when a ticket ends. */
const REMEMBERED_MS = 30 * 86_400_000;

interface TicketResult {
  response?: {
    params?: { result?: unknown; steamid?: unknown; ownersteamid?: unknown };
    error?: { errorcode?: unknown; errordesc?: unknown };
  };
}

/** A ticket of `GetAuthTicketForWebApi`, in hex. @throws ProofRefusal, ProviderFault, OutboundError */
export async function proveSteam({ provider, secret, token, now, fetch }: GivenProof): Promise<Proven> {
  if (!TICKET.test(token)) throw new ProofRefusal('The ticket is not one of Steam in hex.');
  const ticket = token.toLowerCase();
  const query = new URLSearchParams({
    key: secret!,
    appid: provider.clientId!,
    ticket,
    // A ticket that names no identity, or another service's, does not pass.
    identity: provider.steamIdentity!,
  });
  const response = await fetch(`${ADDRESS}?${query}`);
  if (response.status === 401 || response.status === 403) {
    throw new ProviderFault(`Steam refuses the Web API key or app id (status ${response.status}).`);
  }
  if (response.status >= 500 || response.status === 429) {
    throw new ProviderFault(`Steam responded with status ${response.status}.`);
  }
  const { params, error } = ((await jsonOf(response, 'Steam')) as TicketResult).response ?? {};
  if (error) throw new ProofRefusal(`Steam refuses the ticket: ${quoted(error.errordesc)}.`);
  if (params?.result !== 'OK') throw new ProviderFault(`Steam responded with ${quoted(params?.result)}.`);
  const { steamid, ownersteamid } = params;
  if (typeof steamid !== 'string' || !STEAM_ID.test(steamid)) {
    throw new ProviderFault('Steam named no account.');
  }
  if (!provider.allowBorrowed && ownersteamid !== steamid) {
    throw new ProofRefusal('The copy of the game is lent by Family Sharing.');
  }
  return { subject: checkedSubject(steamid), once: ticket, until: now + REMEMBERED_MS };
}
