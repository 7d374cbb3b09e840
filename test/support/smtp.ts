import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail as a server received it. */
interface TakenMail {
  from: string;
  to: string[];
  text: string;
  messageId: string;
}

/** How a server behaves; by default, like a good server. */
interface Manners {
  /** Refuses recipients with this code. */
  refuseReader?: number;
  /** Refuses the whole mail with this code after receiving it. */
  refuseMail?: number;
  /** Cuts the connection when the mail begins, halfway through, or after receiving it but before responding. */
  cut?: 'before' | 'within' | 'after';
  /** Resolves when the server may respond to the received mail. */
  hold?: Promise<void>;
}

function refusal(code: number): Error {
  return Object.assign(new Error(`the test wants ${code}`), { responseCode: code });
}

/** A real mail server on its own port, whose behaviour the test chooses. */
export class MailServer {
  readonly taken: TakenMail[] = [];
  connections = 0;
  manners: Manners = {};
  #server: SMTPServer;
  #sockets = new Set<Socket>();

  private constructor() {
    this.#server = this.#make();
  }

  static async start(): Promise<MailServer> {
    const server = new MailServer();
    await server.listen(0);
    return server;
  }

  get port(): number {
    return (this.#server.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `smtp://127.0.0.1:${this.port}`;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server.server, 'listening');
  }

  /** Stops listening and frees the port. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  /** Listens again on the same port. */
  async again(port: number): Promise<void> {
    this.#server = this.#make();
    await this.listen(port);
  }

  #cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #make(): SMTPServer {
    const options: SMTPServerOptions = {
      authOptional: true,
      disabledCommands: ['STARTTLS', 'AUTH'],
      logger: false,
      onRcptTo: (_address, _session, done) => {
        const { refuseReader } = this.manners;
        done(refuseReader ? refusal(refuseReader) : undefined);
      },
      onData: (stream, session, done) => {
        const { cut, refuseMail, hold } = this.manners;
        if (cut === 'before') return this.#cut();
        const parts: Buffer[] = [];
        stream.on('data', (part: Buffer) => {
          parts.push(part);
          if (cut === 'within') this.#cut();
        });
        stream.on('end', async () => {
          if (cut === 'within') return;
          await hold;
          if (refuseMail) return done(refusal(refuseMail));
          const text = Buffer.concat(parts).toString();
          const { mailFrom, rcptTo } = session.envelope;
          this.taken.push({
            from: mailFrom ? mailFrom.address : '',
            to: rcptTo.map(({ address }) => address),
            text,
            messageId: /^message-id: (.+)$/im.exec(text)?.[1]?.trim() ?? '',
          });
          if (cut === 'after') this.#cut();
          else done();
        });
      },
    };
    const server = new SMTPServer(options);
    server.on('error', () => undefined);
    server.server.on('connection', (socket: Socket) => {
      this.connections += 1;
      this.#sockets.add(socket);
      socket.on('error', () => undefined);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    return server;
  }
}
