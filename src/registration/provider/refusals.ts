import { AuditAction } from '../../accounts/audit/entry.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { auditedWrite, workOf } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import type { IdentityProvider } from './record/identity-provider.js';
import { installationProviderOf, liveProviders } from './record/read.js';
import type { Ticket } from './tickets.js';
import { recordOnce } from './trail.js';

/** Whom an issuer sent; of a sign-in that failed at the issuer, nobody is known. */
type Sent = Pick<Ticket, 'issuer' | 'providerId' | 'infoFault'> & Partial<Pick<Ticket, 'subject' | 'email'>>;

/** Refusals that whoever runs the issuer or the account can change; those of the service itself are none of theirs. */
function isTold({ code }: DomainError, { subject, infoFault }: Sent): boolean {
  if (subject === undefined) return code === 'INVALID_CODE' || code === 'UNAVAILABLE';
  return code === 'FORBIDDEN' || code === 'CONFLICT' || (code === 'UNAVAILABLE' && infoFault !== undefined);
}

/** Notes why somebody could not sign in: in the log, and in the trail of the account that it would belong to. */
export async function noteRefusal(log: Log, context: Context, sent: Sent, error: unknown): Promise<void> {
  if (!(error instanceof DomainError) || !isTold(error, sent)) return;
  const { issuer, providerId, subject, email, infoFault } = sent;
  const reason = [error.message, infoFault].filter(Boolean).join(' ');
  const facts = { issuer, provider: providerId, subject, reason };
  // Failures at the issuer are in the log already.
  if (subject !== undefined) log.warn(facts, 'a sign-in with an identity provider was refused');
  const provider = await providerOf(context, sent);
  if (!provider) return;
  const { id: subjectId, accountId } = provider;
  const acting = { ...workOf('job', 'single-sign-on', new Date(context.clock())), ip: context.ip };
  const after = subject === undefined ? null : { person: email ?? subject };
  const act = { action: AuditAction.SIGN_IN_REFUSED, accountId, gameId: null, subjectId, before: null };
  await auditedWrite({ db: context.db, ...acting }, (trx) =>
    recordOnce(trx, acting, { ...act, after, reason }),
  );
}

async function providerOf(
  { db }: Context,
  { providerId, email }: Sent,
): Promise<IdentityProvider | undefined> {
  if (providerId !== null) return liveProviders(db).findById(uuidOf(providerId));
  return email == null
    ? undefined
    : installationProviderOf(db, email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}
