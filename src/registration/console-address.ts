interface ConsoleSettings {
  consoleUrl: string | undefined;
  publicUiUrl: string | undefined;
}

/**
 * Addresses of the console and of the pages that belong to it are made of this one: `${root}/console/moderation`.
 * @returns origin and path of the console's service, without a slash at the end; undefined: not known
 */
export function consoleRootOf({ consoleUrl, publicUiUrl }: ConsoleSettings): string | undefined {
  return (consoleUrl ?? publicUiUrl)?.replace(/(?<!\/)\/+$/, '');
}
