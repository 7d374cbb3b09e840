import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { Data } from './http.js';
import { Inbox } from './wait.js';

/** One server-sent event; comments and `retry` are stored separately. */
interface ServerEvent {
  event: string;
  id: string | undefined;
  data: Data;
}

/** True if the text contains the end of an event. */
export function holdsEvent(text: string): boolean {
  return /(^|\n)data: .*\n\n/.test(text);
}

/** A client for server-sent events that returns them in order as they arrive. */
export class EventStream {
  readonly comments: string[] = [];
  retry: number | undefined;
  readonly #inbox = new Inbox<ServerEvent>('an event of a stream');
  /** Resolves once the service ends the stream or the connection is lost. */
  readonly ended: Promise<void>;
  #rest = '';

  private constructor(
    private readonly asked: ClientRequest,
    readonly answer: IncomingMessage,
  ) {
    answer.setEncoding('utf8');
    answer.on('data', (text: string) => this.#take(text));
    answer.on('error', () => undefined);
    this.ended = new Promise((resolve) => answer.once('close', resolve));
    answer.once('close', () => this.#inbox.close());
  }

  static open(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
    return new Promise((resolve, reject) => {
      const asked = request(url, { headers, agent: false });
      asked.once('response', (answer) => resolve(new EventStream(asked, answer)));
      asked.on('error', reject);
      asked.end();
    });
  }

  /** Rejects if no event arrives in time. */
  next(): Promise<ServerEvent> {
    return this.#inbox.next();
  }

  async close(): Promise<void> {
    this.asked.destroy();
    await this.ended;
  }

  #take(text: string): void {
    const blocks = (this.#rest + text).split('\n\n');
    this.#rest = blocks.pop()!;
    for (const block of blocks) this.#block(block);
  }

  #block(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      if (line.startsWith(':')) this.comments.push(line.slice(1).trim());
      else fields.set(line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim());
    }
    if (fields.has('retry')) this.retry = Number(fields.get('retry'));
    const data = fields.get('data');
    if (data === undefined) return;
    this.#inbox.put({ event: fields.get('event') ?? '', id: fields.get('id'), data: JSON.parse(data) });
  }
}
