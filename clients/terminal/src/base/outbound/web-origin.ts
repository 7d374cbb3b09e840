/**
 * The origin of a web address if a policy of a page can name it, as browsers write it; undefined: it has none, or a
 * host with other signs.
 */
export function webOriginOf(address: string): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  // A host may hold signs that end a rule of a policy, like ; and ,
  return url && /^https?:$/.test(url.protocol) && /^[a-z\d._-]+$/.test(url.hostname) ? url.origin : undefined;
}

/** The origin that a text names, and nothing else: `https`, or `http` on `localhost`. */
export function frameOriginOf(text: string): string | undefined {
  if (!/^https?:\/\/[^/?#@\\]+\/?$/i.test(text)) return undefined;
  const origin = webOriginOf(text);
  return origin && /^(https:|http:\/\/localhost(:|$))/.test(origin) ? origin : undefined;
}
