import { canonicalEmail } from '../../base/email-address.js';
import { DomainError } from '../../base/errors.js';
import { isId, uuidOf } from '../../base/ids.js';
import { cellOfToken } from '../cell.js';
import type { Content, Hint } from './hints.js';
import type { Placement } from './placement.js';
import type { Places } from './places.js';

/** A request as the choice reads it. */
export interface Routed {
  /** Lower-case names. */
  headers: Record<string, string | string[] | undefined>;
  /** True where only game clients are served: of two credentials the client's is used. */
  forClients: boolean;
  /** Read only where the credential does not decide. */
  content(): Content;
}

/** A cell, and the account that led to it. Undefined cell: any, all of them answer alike. */
export interface Way {
  cell: string | undefined;
  account?: string;
  /** All cells, for an answer that is one list; this error for any other. */
  allOr?: DomainError;
}

export interface ChoiceParts {
  places: Places;
  placement: Placement;
  /** Names of all cells. */
  cells: readonly string[];
  headerPrefix: string;
  /** The public part of an API key, by which it is found. */
  keyNameOf(key: string): string;
  /** Of the superadmin's key, which all cells have. */
  superadminName: string;
}

const ANY: Way = { cell: undefined };
const ACCOUNT_OF_TOKEN = /"account":"acc_([0-9a-f-]{36})"/;
const BEARER = /^Bearer +[^\s.]+\.([^\s.]+)\./i;

/** Returns the account of a token without checking its signature: the cell does. Bare uuid. */
function accountOfToken(payload: string | undefined): string | undefined {
  if (payload === undefined) return undefined;
  const uuid = ACCOUNT_OF_TOKEN.exec(Buffer.from(payload, 'base64url').toString('latin1'))?.[1];
  return isId('account', `acc_${uuid}`) ? uuid : undefined;
}

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
  choose(request: Routed): Way | Promise<Way> {
    const { headers, forClients } = request;
    const key = textOf(headers[this.#keyHeader]);
    const { authorization } = headers;
    if (key && !(forClients && authorization)) return this.#ofKey(key.trim(), request);
    if (!authorization) return this.#ofContent(request);
    const account = accountOfToken(BEARER.exec(authorization.toString().trim())?.[1]);
    return account === undefined ? ANY : this.ofAccount(account);
  }

  /** @param account bare uuid */
  ofAccount(account: string): Way | Promise<Way> {
    const cell = this.parts.places.cellOf(account);
    return cell instanceof Promise ? cell.then((cell) => ({ cell, account })) : { cell, account };
  }

  async #ofKey(key: string, request: Routed): Promise<Way> {
    const { places, keyNameOf, superadminName } = this.parts;
    const name = keyNameOf(key);
    if (name === superadminName) return this.#ofSuperadmin(request);
    const place = await places.named('key_prefix', name);
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

  /** A list that names nothing is that of all cells; for anything else the cell has to be named. */
  async #ofSuperadmin(request: Routed): Promise<Way> {
    const wanted = this.#wanted(request);
    if (wanted !== undefined) return { cell: wanted };
    const content = request.content();
    if (content.fields.includes('createAccount')) return { cell: await this.parts.placement.choose() };
    const way = await this.#byIds(content.hints);
    if (way) return way;
    if (!content.mayList) throw this.#cellRequired();
    return { cell: undefined, allOr: this.#cellRequired() };
  }

  async #ofContent(request: Routed): Promise<Way> {
    const { places } = this.parts;
    const { hints, fields } = request.content();
    const text = (...names: string[]) => hints.find(({ name }) => names.includes(name))?.text;
    const cell = cellOfToken(text('verificationtoken') ?? '');
    if (cell !== undefined) return this.parts.cells.includes(cell) ? { cell } : ANY;
    const refreshed = accountOfToken(text('refreshtoken')?.split('.')[1]);
    if (refreshed !== undefined) return this.ofAccount(refreshed);
    const email = canonicalEmail(text('email') ?? '');
    if (email !== undefined) return this.#ofAddress(email, fields);
    const byIds = await this.#byIds(hints);
    if (byIds) return byIds;
    const code = text('shortcode') ?? text('code');
    const slug = text('gameslug') ?? text('slug');
    const place = code
      ? await places.named('short_code', code.toUpperCase())
      : slug
        ? await places.named('game_slug', slug)
        : undefined;
    if (!place) return ANY;
    return 'cell' in place ? place : this.ofAccount(place.account);
  }

  /** A registration takes an address from an unproven user only on that user's cell. */
  async #ofAddress(email: string, fields: string[]): Promise<Way> {
    const { places, placement } = this.parts;
    const place = await places.named('email', email.toLowerCase());
    if (place) return 'cell' in place ? place : this.ofAccount(place.account);
    const begins = fields.includes('registerInitiate') || fields.includes('registerResend');
    return { cell: begins ? await placement.place(email) : await placement.of(email) };
  }

  /** The one account that a request names; undefined: none or several. */
  async accountNamed(request: Routed): Promise<string | undefined> {
    const accounts = await this.#accountsOf(request.content().hints);
    return accounts.size === 1 ? [...accounts][0] : undefined;
  }

  /** By the accounts, games and boards of the request; undefined: it names none that the directory knows. */
  async #byIds(hints: Hint[]): Promise<Way | undefined> {
    const accounts = await this.#accountsOf(hints);
    if (accounts.size > 1) throw severalAccounts();
    const [account] = accounts;
    return account === undefined ? undefined : this.ofAccount(account);
  }

  async #accountsOf(hints: Hint[]): Promise<Set<string>> {
    const accounts = new Set<string>();
    for (const { text } of hints) {
      if (isId('account', text)) accounts.add(uuidOf(text));
      if (!isId('game', text) && !isId('board', text)) continue;
      const account = await this.parts.places.accountOf(uuidOf(text));
      if (account !== undefined) accounts.add(account);
    }
    return accounts;
  }

  #cellRequired(): DomainError {
    const sentence = `Name the cell in the header ${this.#cellHeader} (${this.parts.cells.join(', ')}), or an account, a game or a board in the request`;
    return new DomainError('CELL_REQUIRED', sentence);
  }
}

function severalAccounts(): DomainError {
  return new DomainError(
    'SEVERAL_ACCOUNTS',
    'The request names records of several accounts, which may be in different places: send one request for each',
  );
}
