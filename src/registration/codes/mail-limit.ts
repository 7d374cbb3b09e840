import type { Knex } from 'knex';
import { DomainError } from '../../base/errors.js';
import { runStatement } from '../../db/pool.js';

/** Mails with codes that an address gets within an hour, whoever requests them and for whatever. */
const MAILS_AN_HOUR = 12;
/** Requests of one network for one address and purpose: a stranger's leave room for the person's own. */
const OF_NETWORK = 3;
const HOUR = 3_600_000;

/** A request for a code within the last hour. */
interface Recent {
  signs_in: boolean;
  network: Buffer | null;
  withheld: boolean;
  created_at: Date;
}

const RECENT = `
  select type = 'sign_in' as signs_in, network, withheld, created_at from verification_codes
  where email = ? and created_at > ? order by created_at, id`;

/** The requests for an address within the last hour, oldest first. */
export async function recentRequests(trx: Knex.Transaction, email: string, now: Date): Promise<Recent[]> {
  return (await runStatement<Recent>(trx, RECENT, [email, new Date(now.getTime() - HOUR)])).rows;
}

/** When fewer than so many are of the last hour; undefined: now. */
function freeAt(requests: Recent[], times: number): Date | undefined {
  const last = requests.at(-times);
  return last && new Date(last.created_at.getTime() + HOUR);
}

/** When an address can get another mail; undefined: now. */
export function mailFreeAt(recent: Recent[]): Date | undefined {
  return freeAt(
    recent.filter(({ withheld }) => !withheld),
    MAILS_AN_HOUR,
  );
}

/**
 * Refuses a request beyond the limits. They count requests, not mails, so that they are the same for addresses that get none.
 * Registrations count against sign-ins where everyone can register: then each was mailed, with a link that signs in.
 * @throws DomainError RATE_LIMITED
 */
export function refuseBeyond(
  recent: Recent[],
  { network, signsIn, invitedOnly }: { network: Buffer; signsIn: boolean; invitedOnly: boolean },
  now: Date,
): void {
  // Not invitations: whether there is one must not show.
  const requests = recent.filter((request) => request.network !== null);
  const same = requests.filter(({ signs_in }) => signs_in === signsIn);
  const all = freeAt(signsIn && !invitedOnly ? requests : same, MAILS_AN_HOUR);
  if (all) throw beyond(`An address gets at most ${MAILS_AN_HOUR} emails an hour.`, all, now);
  const own = freeAt(
    same.filter((request) => request.network?.equals(network)),
    OF_NETWORK,
  );
  if (own) throw beyond(`A network can request ${OF_NETWORK} emails an hour for an address.`, own, now);
}

function beyond(limit: string, free: Date, now: Date): DomainError {
  const seconds = Math.ceil((free.getTime() - now.getTime()) / 1_000);
  const minutes = Math.ceil(seconds / 60);
  const sentence =
    `${limit} Open the link in the newest one: it works for two hours, whoever requested it. Or ` +
    `try again in ${minutes} minute${minutes === 1 ? '' : 's'}.`;
  return new DomainError('RATE_LIMITED', sentence, undefined, seconds);
}
