/** Control and bidirectional characters and other invisible ones, except those that join letters and emoji. */
const HIDDEN = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Text that mail programs turn into links: schemes, addresses, names and numbers of hosts. */
const ADDRESS =
  /@|\/\/|\b(?:mailto|tel|sms|data|javascript):|\bwww\b|[\p{L}\p{N}_-][.。]\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu;

/** True if a name holds no address and no character that reorders or hides text. */
export function isPlainName(name: string): boolean {
  return name.search(HIDDEN) < 0 && !ADDRESS.test(name.replace(IGNORED, '').normalize('NFKC'));
}

/**
 * Makes a name that a stranger chose fit for a mail of the service, which its reader trusts.
 * @returns undefined when it holds an address, or nothing is left of it
 */
export function mailName(name: string): string | undefined {
  const seen = name.replace(HIDDEN, '').trim();
  return seen !== '' && isPlainName(seen) ? seen : undefined;
}
