import type { Knex } from 'knex';
import { Account } from '../../accounts/account.js';
import type { SignIn } from '../../accounts/keys/console-key.js';
import type { KeySettings } from '../../accounts/keys/save.js';
import { loadUser, reachableUsers } from '../../accounts/read.js';
import { User } from '../../accounts/users/user.js';
import { DomainError } from '../../base/errors.js';
import { uuidOf } from '../../base/ids.js';
import type { Log } from '../../base/log.js';
import { lockRecord, saveRecord } from '../../db/save.js';
import { adminOf, requireAccount } from '../../graphql/access.js';
import { auditedWrite } from '../../graphql/author.js';
import type { Context } from '../../graphql/context.js';
import type { Seal } from '../../mail/outbox.js';
import { hashToken, VerificationCode } from '../codes/code.js';
import { useOnce } from '../passkeys/challenges.js';
import { requireLinkChange } from '../passkeys/demand.js';
import { connected, enter, postponeKeys, usageOf } from './enter.js';
import { begin, type Needs, redeem, type SignInIssuer } from './flow.js';
import { noProvider, ownProvider, refuseForeignUser } from './grounds.js';
import { wrongSignIn } from './issuer/faults.js';
import type { Issuers } from './issuers.js';
import type { BackChannelLogout } from './logout.js';
import { neededOf } from './needed.js';
import { type IdentityProvider, isConfigured } from './record/identity-provider.js';
import { linksOf, ProviderLink, subjectKeyOf } from './record/provider-link.js';
import { liveProviders, providerOf, providerOfLink } from './record/read.js';
import { noteRefusal } from './refusals.js';
import { type Ticket, Tickets } from './tickets.js';

/** The issuer of the settings. */
export type InstallationIssuer = Omit<SignInIssuer, 'providerId' | 'accountId'> & { name: string };

interface SingleSignOnParts {
  db: Knex;
  log: Log;
  logout: BackChannelLogout;
  /** To which issuers send browsers back; undefined: the console has no host name. */
  returnUrl: string | undefined;
  installation: InstallationIssuer | undefined;
  issuers: Issuers;
  keys: KeySettings;
  /** Of client secrets, and of refresh tokens. */
  secrets: Seal;
  sessions: Seal;
  /** Counts a try of a caller without a credential. */
  admitTry(context: Context): Promise<void>;
}

/** A ticket, and what leads a gateway to the cell of its person. */
interface Redeemed {
  ticket: string;
  subject: string;
  domain: string | null;
}

interface Starting {
  accountSlug?: string | null;
  verificationToken?: string | null;
  browserToken: string;
}

const MOST_LINKS = 10;

const OFF =
  'Single sign-on is off on this server, because its console has no host name. Its operator can set CONSOLE_URL.';

/** Signs in at issuers (docs/decisions/single-sign-on.md). */
export class SingleSignOn {
  readonly #tickets: Tickets;

  constructor(private readonly parts: SingleSignOnParts) {
    this.#tickets = new Tickets(parts.keys.keySecret);
  }

  /** @throws DomainError FORBIDDEN where it is off */
  get #flow() {
    const { returnUrl, issuers } = this.parts;
    if (returnUrl === undefined) throw new DomainError('FORBIDDEN', OFF);
    return { returnUrl, issuers, tickets: this.#tickets };
  }

  get #entering() {
    const { log, keys, sessions, installation } = this.parts;
    return { log, keys, sessions, installation: installation?.issuer };
  }

  /** @returns the address at the issuer. @throws DomainError FORBIDDEN, INVALID_TOKEN, UNAVAILABLE, RATE_LIMITED */
  async start(context: Context, { accountSlug, verificationToken, browserToken }: Starting): Promise<string> {
    const flow = this.#flow;
    await this.parts.admitTry(context);
    const { db } = context;
    const from = verificationToken
      ? await this.#ofInvitation(db, verificationToken)
      : await this.#ofSlug(db, accountSlug ?? undefined);
    const beginning = { linking: null, isInvited: Boolean(verificationToken) };
    return begin(flow, from, browserToken, beginning, context.clock());
  }

  /** The same for a user who is signed in and connects itself. */
  async startLink(context: Context, browserToken: string): Promise<string> {
    const flow = this.#flow;
    const user = await loadUser(context, adminOf(context).userId);
    await requireLinkChange(context.db, context, user, 'adds');
    await this.parts.admitTry(context);
    const own = user.superAdmin ? undefined : await providerOf(context.db, user.accountId);
    const from = own && isConfigured(own) ? this.#issuerOf(own) : this.#installation();
    return begin(flow, from, browserToken, { linking: user.id, isInvited: false }, context.clock());
  }

  /** @throws DomainError INVALID_CODE, FORBIDDEN, UNAVAILABLE, RATE_LIMITED */
  async redeem(context: Context, returned: { response: string; browserToken: string }): Promise<Redeemed> {
    const flow = this.#flow;
    await this.parts.admitTry(context);
    const now = context.clock();
    const find = async (providerId: string | null) => {
      if (providerId === null) return this.#installation();
      return this.#issuerOf(await liveProviders(context.db).findById(uuidOf(providerId)));
    };
    const needs: Needs = (person, beginning) => neededOf(context.db, person, beginning);
    const failed = (from: SignInIssuer, error: unknown) => noteRefusal(this.parts.log, context, from, error);
    const ticket = await redeem(flow, { find, needs, failed }, returned, now);
    const domain = ticket.email?.split('@').at(-1)?.toLowerCase() ?? null;
    return { ticket: this.#tickets.issue(ticket, now), subject: subjectKeyOf(ticket), domain };
  }

  /** @throws DomainError as {@link enter}, and RATE_LIMITED */
  async signIn(
    context: Context,
    input: { ticket: string; verificationToken?: string | null },
  ): Promise<SignIn> {
    await this.parts.admitTry(context);
    const ticket = this.#opened(context, input.ticket);
    const entering = enter(this.#entering, context, ticket, input.verificationToken ?? undefined);
    return entering.catch(async (error: unknown) => {
      await noteRefusal(this.parts.log, context, ticket, error);
      throw error;
    });
  }

  /** @throws DomainError INVALID_CODE, FORBIDDEN, CONFLICT, INVALID_TRANSITION (too many) */
  async link(context: Context, text: string): Promise<ProviderLink> {
    const ticket = this.#opened(context, text);
    const { userId } = adminOf(context);
    if (ticket.linking !== userId) throw wrongSignIn();
    const now = new Date(context.clock());
    return auditedWrite(context, async (trx) => {
      const own = await ownProvider(trx, this.#entering, ticket);
      const user = await lockRecord(User, reachableUsers(trx), userId, 'User');
      await requireLinkChange(trx, context, user, 'adds');
      refuseForeignUser(user, ticket, own);
      if ((await linksOf(trx, userId)).length >= MOST_LINKS) {
        throw new DomainError(
          'INVALID_TRANSITION',
          `A user can have ${MOST_LINKS} of them. Remove one first.`,
        );
      }
      if (!(await useOnce(trx, usageOf(ticket), user.accountId, now))) throw wrongSignIn();
      const provider = await providerOf(trx, user.accountId);
      await postponeKeys(trx, userId, provider?.keyDays ?? null, now);
      return (await connected(trx, ticket, user, now)).link;
    });
  }

  /** Removes one's own for good. @throws DomainError NOT_FOUND, FORBIDDEN */
  removeLink(context: Context, id: string): Promise<ProviderLink> {
    return auditedWrite(context, async (trx) => {
      const user = await lockRecord(User, reachableUsers(trx), adminOf(context).userId, 'User');
      await requireLinkChange(trx, context, user);
      const live = ProviderLink.query(trx).whereNull('deleted_at');
      const link = await lockRecord(ProviderLink, live, id, 'Connection');
      requireAccount(context, { accountId: link.accountId });
      if (link.userId !== adminOf(context).userId) {
        throw new DomainError('FORBIDDEN', 'This belongs to another user.');
      }
      const now = new Date(context.clock());
      await saveRecord(trx, link, { deletedAt: now }, now);
      if ((await linksOf(trx, link.userId)).length === 0) await postponeKeys(trx, link.userId, null, now);
      return link;
    });
  }

  /**
   * @param accountId whose issuer logs out; undefined: that of the installation.
   * @throws DomainError BAD_REQUEST, NOT_FOUND, RATE_LIMITED
   */
  async logOut(context: Context, accountId: string | undefined, token: string): Promise<void> {
    await this.parts.admitTry(context);
    const from =
      accountId === undefined
        ? this.#installation()
        : this.#issuerOf(await providerOf(this.parts.db, accountId));
    await this.parts.logout.end(from, token, new Date(context.clock()));
  }

  /** The issuer of a connection, as it is set up now; undefined: no longer. */
  async issuerOf(link: ProviderLink): Promise<SignInIssuer | undefined> {
    if (link.providerId === null) return this.parts.installation && this.#installation();
    const provider = await providerOfLink(this.parts.db, link);
    return provider && isConfigured(provider) ? this.#issuerOf(provider) : undefined;
  }

  #opened(context: Context, text: string): Ticket {
    const ticket = this.#tickets.ticket(text, context.clock());
    if (!ticket) throw wrongSignIn();
    return ticket;
  }

  async #ofSlug(db: Knex, slug: string | undefined): Promise<SignInIssuer> {
    if (slug === undefined) return this.#installation();
    const account = await Account.query(db).where('slug', slug).whereNull('deleted_at').first();
    return this.#ofAccount(account && (await providerOf(db, account.id)));
  }

  async #ofInvitation(db: Knex, token: string): Promise<SignInIssuer> {
    const hash = hashToken(this.parts.keys.keySecret, token);
    const code = await VerificationCode.query(db).where('token_hash', hash).first();
    const user = code?.userId ? await User.query(db).findById(code.userId) : undefined;
    if (!user) throw new DomainError('INVALID_TOKEN', 'Invalid invitation. Open its link again.');
    const provider = await providerOf(db, user.accountId);
    return provider?.kind === 'own' ? this.#ofAccount(provider) : this.#installation();
  }

  /** @throws DomainError FORBIDDEN when it has none that works */
  #ofAccount(provider: IdentityProvider | undefined): SignInIssuer {
    if (provider?.kind === 'installation') return this.#installation();
    return this.#issuerOf(provider);
  }

  #installation(): SignInIssuer {
    const { installation } = this.parts;
    if (!installation) throw noProvider();
    return { ...installation, providerId: null, accountId: null };
  }

  /** @throws DomainError FORBIDDEN unless it is set up */
  #issuerOf(provider: IdentityProvider | undefined): SignInIssuer {
    if (!provider || !isConfigured(provider)) throw noProvider();
    const { id, accountId, issuer, clientId, sealedSecret, scopes, groupsClaim } = provider;
    const clientSecret = this.parts.secrets.open(id, sealedSecret!);
    const client = { clientId: clientId!, clientSecret };
    return { providerId: id, accountId, issuer: issuer!, ...client, scopes, groupsClaim };
  }
}
