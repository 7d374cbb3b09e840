/** An address of the file that is read from the environment: `${NAME}`. */
const PLACEHOLDER = /^\$\{([A-Za-z_][A-Za-z0-9_]*)\}$/;

/** The environment variable that has the address; undefined: the file has it. */
export function variableOf(url: unknown): string | undefined {
  return PLACEHOLDER.exec(String(url))?.[1];
}

/** The address to send; that of a variable which is not set stays a placeholder. */
export function addressOf(url: unknown): unknown {
  const name = variableOf(url);
  return (name !== undefined && process.env[name]) || url;
}

/** Who knows the address of a chat's webhook can post there. Those with a query often have a token in it. */
export function isSecretAddress({ format, url }: Record<string, unknown>): boolean {
  return (format ?? 'json') !== 'json' || (URL.canParse(String(url)) && new URL(String(url)).search !== '');
}
