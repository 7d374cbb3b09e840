import type { Socket } from 'node:net';
import type { WebSocket } from 'ws';

/** Bytes a second of the slowest honest peer. */
const SLOWEST = 20_000;
/** A pong is waited for no longer than a peer that takes nothing. */
const LONGEST_MS = 300_000;

/**
 * Ends the connection of a vanished peer within two beats. The pong of a slow reader comes behind everything that the
 * system's buffers hold for it, and is awaited for as long as reading that takes; while bytes wait in this process,
 * those that the peer takes count, and no pongs.
 */
export class Pulse {
  /** Bytes that were written before the last ping, and before the last one that was answered. */
  #pinged = 0;
  #answered = 0;
  /** Beats since the last ping; undefined: it was answered. */
  #beats: number | undefined;

  constructor(
    private readonly socket: WebSocket,
    private readonly stream: Socket,
    private readonly beatMs: number,
  ) {
    socket.on('pong', () => {
      this.#answered = this.#pinged;
      this.#beats = undefined;
    });
  }

  beat(): void {
    const { socket, stream } = this;
    if (stream.writableLength > 0) return;
    if (this.#beats === undefined) {
      this.#pinged = stream.bytesWritten;
      this.#beats = 0;
      socket.ping();
      return;
    }
    this.#beats += 1;
    const readingMs = ((this.#pinged - this.#answered) / SLOWEST) * 1_000;
    if (this.#beats * this.beatMs >= Math.min(this.beatMs + readingMs, LONGEST_MS)) socket.terminate();
  }
}
