import { domainToASCII } from 'node:url';

const LONGEST_ADDRESS = 254;
const LONGEST_LOCAL = 64;

/** RFC 5321's dot-string, and RFC 6531's signs beyond ASCII: no quotes, comments, angle brackets or stray dots. */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~\P{ASCII}-]+)*$/u;
/** Checked before the conversion to ASCII, which would also decode percent signs and read numbers as IP addresses. */
const DOMAIN = /^[\p{L}\p{M}\p{N}.-]+$/u;
const LABEL = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;
/** Control, format, private and unassigned characters, blanks, and others without a visible glyph. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;

/** The rule of addresses, as a fault says it. */
export const EMAIL_SENTENCE =
  'must be a plain email address: one @, at most 64 bytes before it and 254 in total, with no quotes, ' +
  'comments, misplaced dots, invisible or full-width characters';

/**
 * Returns the canonical spelling of an email address: local part in lower case, domain in lower case as ASCII
 * (punycode). All limits, locks, look-ups and stored addresses use it, so that each mailbox has one spelling.
 * @returns undefined when the text is no address, or has another spelling that looks the same (NFKC)
 */
export function canonicalEmail(text: string): string | undefined {
  if (text.length > LONGEST_ADDRESS || UNSEEN.test(text) || text.normalize('NFKC') !== text) return undefined;
  const [local = '', domain = '', ...rest] = text.toLowerCase().split('@');
  if (rest.length > 0 || !LOCAL.test(local) || !DOMAIN.test(domain)) return undefined;
  const ascii = domainToASCII(domain);
  const labels = ascii.split('.');
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // A number as the last label makes it an IP address.
  if (/^\d+$/.test(labels.at(-1)!)) return undefined;
  const email = `${local}@${ascii}`;
  const fits = Buffer.byteLength(local) <= LONGEST_LOCAL && Buffer.byteLength(email) <= LONGEST_ADDRESS;
  return fits && email.normalize('NFKC') === email ? email : undefined;
}

const UNPROVEN = '@unproven.invalid';

/**
 * Returns the placeholder address for a user whose own address was taken over by the person who verified it. It can
 * never be a mailbox (RFC 2606).
 * @param id of the user
 */
export function unprovenAddress(id: string): string {
  return id + UNPROVEN;
}

/** True if an address is an {@link unprovenAddress}: no mail is sent to it and no request may contain it. */
export function isUnprovenAddress(email: string): boolean {
  return email.endsWith(UNPROVEN);
}
