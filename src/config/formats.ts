import { isIP } from 'node:net';
import { canonicalEmail, isUnprovenAddress } from '../base/email-address.js';

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

/** An origin as browsers send it: lower case, no path, no default port. */
export function isOrigin(text: string): boolean {
  return urlOf(text)?.origin === text;
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

/** A mail address that a user can have. */
export function isEmail(text: string): boolean {
  const email = canonicalEmail(text);
  return email !== undefined && !isUnprovenAddress(email);
}

/** A mail address, or a name followed by one in angle brackets. */
export function isMailbox(text: string): boolean {
  return /^(?:[^<>@\r\n]{0,100}<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/.test(text);
}
