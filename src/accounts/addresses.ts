interface AddressSettings {
  publicUiUrl: string | undefined;
  consoleUrl: string | undefined;
}

const withoutSlash = (root: string | undefined) => root?.replace(/(?<!\/)\/+$/, '');

/** Addresses that people open in a browser: of the public pages (PUBLIC_UI_URL) and of the console (CONSOLE_URL). */
export class Addresses {
  readonly #pages: string | undefined;
  /** Origin and path of the console's service, without a slash at the end; undefined: not known. */
  readonly consoleRoot: string | undefined;

  constructor({ publicUiUrl, consoleUrl }: AddressSettings) {
    this.#pages = withoutSlash(publicUiUrl);
    this.consoleRoot = withoutSlash(consoleUrl) ?? this.#pages;
  }

  /** The page of a game; null: the service has no public pages. */
  game(slug: string): string | null {
    return this.#pages ? `${this.#pages}/games/${slug}` : null;
  }

  /** The short address of a board's page; null: the service has no public pages. */
  board(shortCode: string): string | null {
    return this.#pages ? `${this.#pages}/b/${shortCode}` : null;
  }

  /** A picture by its name, from the root of the service where the public address is not known. */
  picture(name: string | null): string | null {
    return name && `${this.#pages ?? ''}/pictures/${name}`;
  }

  /** A path of the service as browsers elsewhere call it; null: its public address is not known. */
  service(path: string): string | null {
    return this.#pages ? this.#pages + path : null;
  }

  /** A page for people of a studio, like `console/moderation`; undefined: the console has no known address. */
  studio(page: string): string | undefined {
    return this.consoleRoot && `${this.consoleRoot}/${page}`;
  }
}
