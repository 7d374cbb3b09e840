import { isLabel } from '../base/text.js';

const LONGEST_NAME = 100;

/** The words of an address before its `@` and any `+`: `ann.smith+games@…` is Ann Smith. */
function fromAddress(email: string): string {
  const words = email
    .replace(/[@+].*$/s, '')
    .split(/[._-]+/)
    .filter((word) => word !== '');
  return words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join(' ');
}

/**
 * The given name, else one derived from the address. Always 2 to 100 characters.
 * @param given blank counts as absent
 */
export function displayNameOf(given: string | null | undefined, email: string): string {
  const name = given?.trim() ?? '';
  if (name !== '') return name;
  const made = fromAddress(email).trim();
  const fits = isLabel(made, 2, Number.POSITIVE_INFINITY);
  return [...(fits ? made : email)].slice(0, LONGEST_NAME).join('').trim();
}

/** Control and bidirectional characters and other invisible ones, except those that join letters and emoji. */
const HIDDEN_CHARACTERS = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Text that mail programs turn into links: schemes, addresses, names and numbers of hosts. */
const ADDRESS_PATTERN =
  /@|\/\/|\b(?:mailto|tel|sms|data|javascript):|\bwww\b|[\p{L}\p{N}_-][.。]\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu;

/** True if a name holds no address and no character that reorders or hides text. */
export function isPlainName(name: string): boolean {
  return (
    name.search(HIDDEN_CHARACTERS) < 0 && !ADDRESS_PATTERN.test(name.replace(IGNORED, '').normalize('NFKC'))
  );
}

/**
 * Makes a name that a stranger chose fit for a mail of the service, which its reader trusts.
 * @returns undefined when it holds an address, or nothing is left of it
 */
export function mailName(name: string): string | undefined {
  const seen = name.replace(HIDDEN_CHARACTERS, '').trim();
  return seen !== '' && isPlainName(seen) ? seen : undefined;
}
