/** Control and bidirectional characters, and others that no screen shows but those that join letters and emoji. */
const HIDDEN = /(?![\u200c\u200d])[\p{C}\p{Zl}\p{Zp}]/gu;
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;

/** Text that mail programs make links of: schemes, addresses, names and numbers of hosts. */
const ADDRESS =
  /@|\/\/|\b(?:mailto|tel|sms|data|javascript):|\bwww\b|[\p{L}\p{N}_-][.。]\p{L}{2}|\d{1,3}(?:\.\d{1,3}){3}/iu;

/** True if a name holds neither an address nor a sign that orders or hides text. */
export function isPlainName(name: string): boolean {
  return name.search(HIDDEN) < 0 && !ADDRESS.test(name.replace(IGNORED, '').normalize('NFKC'));
}

/**
 * A name that a stranger chose, as it may stand in a mail of ours: people believe our mails.
 * @returns undefined when it holds an address, or nothing is left of it
 */
export function mailName(name: string): string | undefined {
  const seen = name.replace(HIDDEN, '').trim();
  return seen !== '' && isPlainName(seen) ? seen : undefined;
}
