import { createHash, timingSafeEqual } from 'node:crypto';
import { canonicalEmail } from '../../base/email-address.js';
import { DomainError } from '../../base/errors.js';
import { isId, uuidOf } from '../../base/ids.js';
import { cellOfToken } from '../cell.js';
import type { Content, NameHints } from './hints.js';
import type { CellPlacement } from './placement.js';
import type { CellPlaces } from './places.js';

/** A request as the choice reads it. */
export interface Routed {
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /** True where only game clients are served: of two credentials the client's is used. */
  forClients: boolean;
  /** The names in path and query. */
  outside: Content;
  /**
   * The same with the body, which is read only where credential, path and query do not decide.
   * @param known the credential is valid
   */
  content(known: boolean): Promise<Content>;
  hasBody: boolean;
  /** Counts a request without a credential, before anything is read for it. @throws DomainError RATE_LIMITED */
  limitVisit(): Promise<void>;
}

/** A cell, and the account that led to it. Undefined cell: any, all of them answer alike. */
export interface CellChoice {
  cell: string | undefined;
  account?: string;
  /** All cells, for a response that is a single list; this error otherwise. */
  allOr?: DomainError;
}

interface ChoiceParts {
  places: CellPlaces;
  placement: CellPlacement;
  /** Names of all cells. */
  cells: readonly string[];
  headerPrefix: string;
  /** The public part of an API key, by which it is found. */
  keyNameOf(key: string): string;
  /** All cells have it. */
  superadminKey: string;
}

const ANY: CellChoice = { cell: undefined };
const ACCOUNT_OF_TOKEN = /"account":"acc_([0-9a-f-]{36})"/;
const BEARER = /^Bearer +[^\s.]+\.([^\s.]+)\./i;

/** Returns the account of a token without checking its signature: the cell does. Bare uuid. */
function accountOfToken(payload: string | undefined): string | undefined {
  if (payload === undefined) return undefined;
  const uuid = ACCOUNT_OF_TOKEN.exec(Buffer.from(payload, 'base64url').toString('latin1'))?.[1];
  return isId('account', `acc_${uuid}`) ? uuid : undefined;
}

const hashOf = (key: string) => createHash('sha256').update(key).digest();

const textOf = (value: string | string[] | undefined) => (Array.isArray(value) ? value.join(', ') : value);

/** Finds the cell of a request (docs/decisions/cells.md). */
export class Choice {
  readonly #keyHeader: string;
  readonly #cellHeader: string;

  constructor(private readonly parts: ChoiceParts) {
    this.#keyHeader = `${parts.headerPrefix}-api-key`;
    this.#cellHeader = `${parts.headerPrefix}-cell`;
  }

  /** @throws DomainError SEVERAL_ACCOUNTS, CELL_REQUIRED, UNAVAILABLE */
  choose(request: Routed): CellChoice | Promise<CellChoice> {
    const { headers, forClients } = request;
    const key = textOf(headers[this.#keyHeader]);
    const { authorization } = headers;
    if (key && !(forClients && authorization)) return this.#ofKey(key.trim(), request);
    if (!authorization) return this.#ofVisitor(request);
    const account = accountOfToken(BEARER.exec(authorization.toString().trim())?.[1]);
    return account === undefined ? ANY : this.ofAccount(account);
  }

  /** @param account bare uuid */
  ofAccount(account: string): CellChoice | Promise<CellChoice> {
    const cell = this.parts.places.cellOf(account);
    return cell instanceof Promise ? cell.then((cell) => ({ cell, account })) : { cell, account };
  }

  async #ofKey(key: string, request: Routed): Promise<CellChoice> {
    if (this.#isSuperadmins(key)) return this.#ofSuperadmin(request);
    const { places, keyNameOf } = this.parts;
    const place = await places.named('key_prefix', keyNameOf(key));
    if (!place) return { cell: this.#wanted(request) };
    return 'cell' in place ? place : this.ofAccount(place.account);
  }

  /** The cell of the header. */
  #wanted({ headers }: Routed): string | undefined {
    const wanted = textOf(headers[this.#cellHeader]);
    if (wanted === undefined) return undefined;
    if (!this.parts.cells.includes(wanted)) throw this.#cellRequired();
    return wanted;
  }

  /** The whole key: its public part alone must not have a body read. */
  #isSuperadmins(key: string): boolean {
    const { keyNameOf, superadminKey } = this.parts;
    return keyNameOf(key) === keyNameOf(superadminKey) && timingSafeEqual(hashOf(key), hashOf(superadminKey));
  }

  /** A list that names nothing is that of all cells; for anything else the cell has to be named. */
  async #ofSuperadmin(request: Routed): Promise<CellChoice> {
    const wanted = this.#wanted(request);
    if (wanted !== undefined) return { cell: wanted };
    const { outside } = request;
    const content = outside.names.ids.size > 0 ? outside : await request.content(true);
    if (content.fields.includes('createAccount')) return { cell: await this.parts.placement.choose() };
    const way = await this.#byIds(content.names);
    if (way) return way;
    if (!content.mayList) throw this.#cellRequired();
    return { cell: undefined, allOr: this.#cellRequired() };
  }

  async #ofVisitor(request: Routed): Promise<CellChoice> {
    const { outside } = request;
    if (outside.names.isEmpty && !request.hasBody) return ANY;
    await request.limitVisit();
    return this.#ofContent(outside.names.isEmpty ? await request.content(false) : outside);
  }

  async #ofContent({ names, fields }: Content): Promise<CellChoice> {
    const { places } = this.parts;
    const cell = cellOfToken(names.text('verificationtoken') ?? '');
    if (cell !== undefined) return this.parts.cells.includes(cell) ? { cell } : ANY;
    const refreshed = accountOfToken(names.text('refreshtoken')?.split('.')[1]);
    if (refreshed !== undefined) return this.ofAccount(refreshed);
    const email = canonicalEmail(names.text('email') ?? '');
    if (email !== undefined) return this.#ofAddress(email, fields);
    if (names.ids.size > 0) return (await this.#byIds(names)) ?? ANY;
    const code = names.text('shortcode', 'code');
    const slug = names.text('gameslug', 'game', 'slug');
    const place = code
      ? await places.named('short_code', code.toUpperCase())
      : slug
        ? await places.named('game_slug', slug)
        : await this.#ofSingleSignOn(names);
    if (!place) return ANY;
    return 'cell' in place ? place : this.ofAccount(place.account);
  }

  /** A person is where it is connected; one who is new, where its domain is. */
  async #ofSingleSignOn(names: NameHints) {
    const { places } = this.parts;
    const [slug, subject, domain] = (['accountslug', 'subject', 'domain'] as const).map((name) =>
      names.text(name),
    );
    if (slug) return places.named('account_slug', slug);
    const known = subject && (await places.named('provider_subject', subject));
    return known || (domain ? places.named('provider_domain', domain) : undefined);
  }

  /** A registration takes an address from an unproven user only on that user's cell. */
  async #ofAddress(email: string, fields: string[]): Promise<CellChoice> {
    const { places, placement } = this.parts;
    const place = await places.named('email', email.toLowerCase());
    if (place) return 'cell' in place ? place : this.ofAccount(place.account);
    const begins = fields.includes('initiateRegistration') || fields.includes('resendRegistrationCode');
    return { cell: begins ? await placement.place(email) : await placement.of(email) };
  }

  /** The one account that a request names; undefined: none or several. */
  async accountNamed(request: Routed): Promise<string | undefined> {
    const key = textOf(request.headers[this.#keyHeader]);
    const { names } = await request.content(key !== undefined && this.#isSuperadmins(key.trim()));
    const accounts = await this.#accountsOf(names);
    return accounts.size === 1 ? [...accounts][0] : undefined;
  }

  /** By the accounts, games and boards of the request; undefined: it names none that the directory knows. */
  async #byIds(names: NameHints): Promise<CellChoice | undefined> {
    const accounts = await this.#accountsOf(names);
    if (accounts.size > 1) throw severalAccounts();
    const [account] = accounts;
    return account === undefined ? undefined : this.ofAccount(account);
  }

  /** All of them in one statement. */
  async #accountsOf({ ids }: NameHints): Promise<Set<string>> {
    const accounts = await Promise.all(
      [...ids].map((id) => (isId('account', id) ? uuidOf(id) : this.parts.places.accountOf(uuidOf(id)))),
    );
    return new Set(accounts.filter((account) => account !== undefined));
  }

  #cellRequired(): DomainError {
    const sentence =
      `Set the header ${this.#cellHeader} to one of ${this.parts.cells.join(', ')}, or name an ` +
      `account, game or board in the request.`;
    return new DomainError('CELL_REQUIRED', sentence);
  }
}

function severalAccounts(): DomainError {
  return new DomainError(
    'SEVERAL_ACCOUNTS',
    'This request names records of more than one account, which may be on different cells. Send one request for each account.',
  );
}
