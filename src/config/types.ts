import { isIP } from 'node:net';
import { z } from 'zod';
import { canonicalEmail, isUnprovenAddress } from '../base/email-address.js';
import { isId } from '../base/ids.js';

/** One setting as documented. Its value comes from the environment variable of that name. */
export interface Setting {
  readonly name: string;
  /** The default as it would be written; null: see `doc`. */
  readonly fallback: string | null;
  /** Unit of its number; null: none. */
  readonly unit: string | null;
  readonly doc: string;
  /** A secret: never shown, not even in an error. */
  readonly secret: boolean;
}

export interface Definition<T> extends Setting {
  readonly type: z.ZodType<T, string>;
}

// The messages of these types complete the sentence "It must be …".

export const whole = (min: number, max: number) => {
  const message = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,15}$/, message)
    .transform(Number)
    .pipe(z.number().min(min, message).max(max, message));
};
export const matching = (form: RegExp, message: string) => z.string().regex(form, message);
export const that = (fits: (text: string) => boolean, message: string) => z.string().refine(fits, message);
export const list = (fits: (text: string) => boolean, message: string) =>
  z
    .string()
    .transform((text) => text.split(',').map((part) => part.trim()))
    .pipe(z.array(z.string().refine(fits, message)));
export const flag = z.enum(['true', 'false'], 'true or false').transform((text) => text === 'true');
export const secret = matching(/^[\x20-\x7e]{32,}$/, 'at least 32 printable characters');

type SettingOptions = Partial<Omit<Setting, 'name' | 'fallback'>> & Pick<Setting, 'doc'>;

export function withDefault<T>(
  name: string,
  fallback: string,
  type: z.ZodType<T, string>,
  facts: SettingOptions,
): Definition<T> {
  return { name, fallback, type, unit: null, secret: false, ...facts };
}

export function optional<T>(
  name: string,
  type: z.ZodType<T, string>,
  facts: SettingOptions,
): Definition<T | undefined> {
  return { name, fallback: null, type, unit: null, secret: false, ...facts };
}

function urlOf(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** A connection string that names a database; the host may be a socket's directory in the query. */
export function isPostgresUrl(text: string): boolean {
  const url = urlOf(text);
  if (!url || !/^postgres(ql)?:$/.test(url.protocol)) return false;
  return url.pathname.length > 1 && (url.hostname !== '' || url.searchParams.has('host'));
}

/** A base URL: others are made by appending a path. */
export function isWebRoot(text: string): boolean {
  const url = urlOf(text);
  return !!url && /^https?:$/.test(url.protocol) && !/[?#]/.test(text) && !url.username;
}

/** A short code or an id of a board. */
export function isBoardName(text: string): boolean {
  return /^[a-z0-9]{3,16}$/i.test(text) || isId('board', text);
}

/** Of wrappers of web pages, like `capacitor://localhost`. */
const WRAPPER_ORIGIN = /^(?!(https?|wss?|ftp):)[a-z][a-z\d+.-]*:\/\/[a-z\d._-]*(:\d{1,5})?$/;

/** An origin as browsers send it: lower case, no path, no default port; of sandboxed frames and files `null`. */
function isOrigin(text: string): boolean {
  if (text === 'null' || WRAPPER_ORIGIN.test(text)) return true;
  return /^https?:[^*]+$/.test(text) && urlOf(text)?.origin === text;
}

/** An origin, or `*` as the first label of one: all origins one label below. */
export function isOriginPattern(text: string): boolean {
  return isOrigin(text.replace(/^(https?:\/\/)\*\./, '$1any.'));
}

/** An address, or a network in CIDR notation. */
export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const family = isIP(address);
  if (family === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
}

/** The URL of a mail server; its query may hold options of the connection. */
export function isSmtpUrl(text: string): boolean {
  const url = urlOf(text);
  return !!url && /^smtps?:$/.test(url.protocol) && url.hostname !== '' && /^\/?$/.test(url.pathname);
}

/** A bucket: `s3://<key>:<secret>@<host>/<bucket>[/<folder>][?region=…&tls=off]`. */
export function isBucketUrl(text: string): boolean {
  const url = urlOf(text);
  if (url?.protocol !== 's3:' || !url.hostname || !url.username || !url.password) return false;
  const known = [...url.searchParams.keys()].every((name) => name === 'region' || name === 'tls');
  return known && /^\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](\/[\w.-]+)*\/?$/.test(url.pathname);
}

/** A mail address that a user can have. */
export function isEmail(text: string): boolean {
  const email = canonicalEmail(text);
  return email !== undefined && !isUnprovenAddress(email);
}

/** A mail address, or a name followed by one in angle brackets. */
export function isMailbox(text: string): boolean {
  return /^(?:[^<>@\r\n]{0,100}<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text);
}
