import type { WebSocket } from 'ws';
import type { Outlet } from '../../graphql/live/sink.js';

/**
 * The messages of a peer, in their order. While the peer has no room for earlier responses, they are neither handled
 * nor read; at most the piece that the system had passed on already waits here.
 */
export class Inlet {
  readonly #held: string[] = [];
  #paused = false;
  #pongUnderWay = false;
  #newestPing: Buffer | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly outlet: Outlet,
    private readonly handle: (message: string) => void,
  ) {
    socket.on('message', (data) => this.#received(String(data)));
    socket.on('ping', (data) => this.#pinged(data));
  }

  #received(message: string): void {
    if (this.#paused) this.#held.push(message);
    else this.handle(message);
    this.#check();
  }

  /** One answer at a time, to the newest ping, as RFC 6455 section 5.5.3 allows. */
  #pinged(data: Buffer): void {
    this.#check();
    this.#newestPing = data;
    if (this.#pongUnderWay) return;
    this.#pongUnderWay = true;
    this.#answerPing();
  }

  #answerPing(): void {
    const { socket } = this;
    const data = this.#newestPing;
    this.#newestPing = undefined;
    if (!data || socket.readyState !== socket.OPEN) this.#pongUnderWay = false;
    // Copied: the ping is a part of everything that was read with it.
    else socket.pong(Buffer.from(data), false, () => this.#answerPing());
  }

  /** Stops reading where there is no room. */
  #check(): void {
    if (this.#paused || this.outlet.hasRoom) return;
    this.#paused = true;
    this.socket.pause();
    this.outlet.whenRoom(() => this.#resume());
  }

  #resume(): void {
    this.#paused = false;
    while (this.#held.length > 0 && !this.#paused) {
      this.handle(this.#held.shift()!);
      this.#check();
    }
    if (!this.#paused) this.socket.resume();
  }
}
