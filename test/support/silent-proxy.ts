import { connect, createServer, type Server, type Socket } from 'node:net';
import path from 'node:path';

/** A client's connection and the one that stands for it at the server. */
interface Link {
  client: Socket;
  server: Socket;
  /** Bytes for the other side that were held back. Undefined: all are passed on. */
  held: (() => void)[] | undefined;
  /** Sent by the client since the last call of `loseAnswer`. */
  recent: string;
  /** The server's bytes are dropped. */
  deaf: boolean;
}

/** Stands between a client and Postgres, and can fall silent as a network does: nothing is refused and nothing closed, and nothing comes. */
export class SilentProxy {
  readonly #links = new Set<Link>();
  #server!: Server;
  #silent = false;
  #port = 0;
  #sent = '';
  #unanswered: readonly string[] | undefined;
  /** Answers that were dropped for `loseAnswer`. */
  answersLost = 0;
  /** Of the same database, through this. */
  connectionString!: string;

  /** @param target of a server behind a Unix socket */
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

  /** The next client that has sent these texts, in their order, gets no answer any more, though the server does its part. */
  loseAnswer(to: readonly string[]): void {
    for (const link of this.#links) link.recent = '';
    this.answersLost = 0;
    this.#unanswered = to;
  }

  /** How often clients have sent that since the last call of `forget`. */
  sent(text: string): number {
    return this.#sent.split(text).length - 1;
  }

  forget(): void {
    this.#sent = '';
  }

  /** Passes nothing on, either way, of the connections that there are. */
  hold(): void {
    for (const link of this.#links) link.held ??= [];
  }

  /** The same of all that come, too. */
  fallSilent(): void {
    this.#silent = true;
    this.hold();
  }

  /** Ends the connections of clients. The server gets what they had sent, or will when that is passed on. */
  cut(): void {
    for (const { client } of this.#links) client.destroy();
  }

  /** Connections of whose end, on the client's side, the server does not know yet, or has not drawn the consequences. */
  get lost(): number {
    return [...this.#links].filter(({ client }) => client.destroyed).length;
  }

  /** Passes everything on again, what was held first. */
  deliver(): void {
    this.#silent = false;
    for (const link of this.#links) {
      const held = link.held ?? [];
      link.held = undefined;
      for (const pass of held) pass();
    }
  }

  /** As a server that has stopped: connections end, and new ones are refused until `accept`. */
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
