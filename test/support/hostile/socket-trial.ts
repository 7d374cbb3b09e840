import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { Frame } from '../socket.js';
import type { Dice } from './dice.js';
import type { GraphRequests } from './graph-requests.js';
import { nothingCame, type Trial } from './trial.js';

/** Codes with which the service may close a socket: the protocol's own, and those of broken or oversized frames. */
const CLOSINGS = [1002, 1003, 1007, 1009, 4400, 4401, 4408, 4409, 4429];

const PATIENCE_MS = 10_000;

/** Feeds that send future events only, and nothing until then: they are open when nothing was refused for a while. */
const FEEDS_TO_COME = /scoreFlagged\b/;
const FEED_PATIENCE_MS = 1_000;

/** The result of a frame: all frames of its id up to the end of the operation, or the close of the socket. */
type Reaction = { frames: Frame[] } | { closed: number } | 'silence' | 'open';

/** Hostile operations over one socket after another. */
export class SocketTrial {
  #socket: WebSocket | undefined;
  #serial = 0;

  constructor(
    private readonly trial: Trial,
    private readonly requests: GraphRequests,
  ) {}

  async one(dice: Dice, name: string): Promise<void> {
    const socket = await this.#opened(dice);
    if (!socket) return;
    this.#serial += 1;
    const id = `op${this.#serial}`;
    const text = this.requests.frame(dice, id);
    const wrong = await this.#judged(await this.#reaction(socket, text, id));
    if (wrong.length === 0) return;
    const shown = JSON.stringify(text.slice(0, 3_000));
    this.trial.faults.push(`${name}: ${wrong.join('; ')}\nframe: ${shown}`);
  }

  async close(): Promise<void> {
    const socket = this.#socket;
    if (socket?.readyState !== WebSocket.OPEN) return;
    socket.close();
    await once(socket, 'close');
  }

  /** The socket at hand, or a new one that was acknowledged; undefined when its greeting was refused. */
  async #opened(dice: Dice): Promise<WebSocket | undefined> {
    if (this.#socket?.readyState === WebSocket.OPEN && dice.chance(0.98)) return this.#socket;
    await this.close();
    const socket = new WebSocket(
      `${this.trial.wire.url.replace('http', 'ws')}/graphql`,
      'graphql-transport-ws',
    );
    this.#socket = socket;
    await once(socket, 'open');
    const greeting = this.requests.greeting(dice);
    const reaction = await this.#reaction(socket, greeting, undefined);
    if (typeof reaction === 'object' && 'frames' in reaction) return socket;
    const wrong = await this.#judged(reaction);
    if (wrong.length > 0) this.trial.faults.push(`${wrong.join('; ')}\nframe: ${greeting.slice(0, 3_000)}`);
    return undefined;
  }

  /** Sends a text and waits for what comes of it. Events of a subscription are not waited for: it is ended. */
  #reaction(socket: WebSocket, text: string, id: string | undefined): Promise<Reaction> {
    const frames: Frame[] = [];
    return new Promise((resolve) => {
      const done = (reaction: Reaction) => {
        clearTimeout(impatience);
        socket.off('message', heard).off('close', closed);
        resolve(reaction);
      };
      const heard = (data: unknown) => {
        const frame = JSON.parse(String(data)) as Frame;
        if (id !== undefined && frame.id !== id && frame.type !== 'pong') return;
        frames.push(frame);
        if (frame.type === 'next') socket.send(JSON.stringify({ id, type: 'complete' }));
        done({ frames });
      };
      const closed = (code: number) => done({ closed: code });
      const waits = id !== undefined && FEEDS_TO_COME.test(text);
      const impatience = setTimeout(
        () => {
          if (waits) socket.send(JSON.stringify({ id, type: 'complete' }));
          done(waits ? 'open' : 'silence');
        },
        waits ? FEED_PATIENCE_MS : PATIENCE_MS,
      );
      socket.on('message', heard).once('close', closed);
      socket.send(text);
    });
  }

  async #judged(reaction: Reaction): Promise<string[]> {
    const { trial } = this;
    const written = await trial.written();
    if (reaction === 'silence') return ['no answer'];
    if (reaction === 'open') {
      trial.note('waits');
      return written;
    }
    if ('closed' in reaction) {
      trial.note(`closed ${reaction.closed}`);
      const wrong = CLOSINGS.includes(reaction.closed) ? [] : [`closed with ${reaction.closed}`];
      return [...wrong, ...written];
    }
    const { type, payload } = reaction.frames[0]!;
    if (type !== 'next' && type !== 'error') return [];
    const result = type === 'error' ? { errors: payload } : payload;
    const wrong = trial.graphFaults(result);
    return nothingCame(result) ? [...wrong, ...written] : wrong;
  }
}
