import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';

/** A client's connection and the matching one to the server. */
interface Link {
  client: Socket;
  server: Socket;
  /** Bytes held back from the other side. Undefined: everything is passed on. */
  held: (() => void)[] | undefined;
  /** What the client has sent since the last call of `loseAnswer`. */
  recent: string;
  /** True if the server's bytes are dropped. */
  deaf: boolean;
}

/**
 * A proxy between client and Postgres that can fall silent like a network: nothing is refused, nothing is closed,
 * and nothing arrives.
 */
export class SilentProxy {
  readonly #links = new Set<Link>();
  #server!: Server;
  #silent = false;
  #port = 0;
  #sent = '';
  #unanswered: readonly string[] | undefined;
  /** Responses dropped for `loseAnswer`. */
  answersLost = 0;
  /** Connection string of the same database through this proxy. */
  connectionString!: string;

  /** @param target connection string of a server behind a Unix socket */
  static async before(target: string): Promise<SilentProxy> {
    const proxy = new SilentProxy();
    const url = new URL(target);
    const [directory, port] = [url.searchParams.get('host')!, url.searchParams.get('port') ?? url.port];
    const socket = path.join(directory, `.s.PGSQL.${port || 5432}`);
    proxy.#server = createServer((client) => proxy.#link(client, connect(socket)));
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve));
    const { port: own } = proxy.#server.address() as { port: number };
    const { username, password, pathname } = url;
    proxy.connectionString = `postgres://${username}:${password}@127.0.0.1:${own}${pathname}`;
    return proxy;
  }

  #link(client: Socket, server: Socket): void {
    const link: Link = { client, server, held: this.#silent ? [] : undefined, recent: '', deaf: false };
    this.#links.add(link);
    const pass = (what: () => void) => (link.held ? link.held.push(what) : what());
    client.on('data', (bytes) => {
      this.#sent += bytes.toString('latin1');
      pass(() => server.write(bytes));
      this.#look(link, bytes);
    });
    server.on('data', (bytes) => {
      if (link.deaf) this.answersLost += 1;
      else pass(() => client.write(bytes));
    });
    client.on('error', () => undefined).on('close', () => pass(() => server.end()));
    server
      .on('error', () => undefined)
      .on('close', () => {
        pass(() => client.destroy());
        this.#links.delete(link);
      });
  }

  #look(link: Link, bytes: Buffer): void {
    if (!this.#unanswered) return;
    link.recent += bytes.toString('latin1');
    let from = 0;
    for (const text of this.#unanswered) {
      const at = link.recent.indexOf(text, from);
      if (at === -1) return;
      from = at + text.length;
    }
    this.#unanswered = undefined;
    link.deaf = true;
  }

  /**
   * The next client that sends these texts, in order, gets no more responses, although the server executes
   * everything.
   */
  loseAnswer(to: readonly string[]): void {
    for (const link of this.#links) link.recent = '';
    this.answersLost = 0;
    this.#unanswered = to;
  }

  /** How often clients have sent this since the last call of `forget`. */
  sent(text: string): number {
    return this.#sent.split(text).length - 1;
  }

  forget(): void {
    this.#sent = '';
  }

  /** Passes nothing on in either direction, on existing connections. */
  hold(): void {
    for (const link of this.#links) link.held ??= [];
  }

  /** The same, including new connections. */
  fallSilent(): void {
    this.#silent = true;
    this.hold();
  }

  /** Ends the connections of clients. The server still receives what they had sent, once it is passed on. */
  cut(): void {
    for (const { client } of this.#links) client.destroy();
  }

  /** Connections closed by the client that the server hasn't noticed or cleaned up yet. */
  get lost(): number {
    return [...this.#links].filter(({ client }) => client.destroyed).length;
  }

  /** Passes everything on again, starting with what was held back. */
  deliver(): void {
    this.#silent = false;
    for (const link of this.#links) {
      const held = link.held ?? [];
      link.held = undefined;
      for (const pass of held) pass();
    }
  }

  /** Acts like a stopped server: connections end, and new ones are refused until `accept`. */
  async refuse(): Promise<void> {
    this.#port = (this.#server.address() as { port: number }).port;
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.cut();
    await closed;
  }

  async accept(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve));
  }

  async close(): Promise<void> {
    this.deliver();
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
