import { nameFault } from '../../base/text.js';

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
  const fits = nameFault(made, 2, email.length) === undefined;
  return [...(fits ? made : email)].slice(0, LONGEST_NAME).join('').trim();
}
