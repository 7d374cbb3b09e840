import type { DomainError } from '../../base/errors.js';

/** Bytes to send: a short piece as text of one character per byte, which is cheaper to send than a buffer. */
export type Frame = string | Buffer;

/** Longer frames are buffers, which the socket sends without copying, to any number of subscribers. */
const COPIED = 16_384;

/** Returns a text's UTF-8 bytes, one character each. */
export function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}

/** @param bytes one character each */
export function frameOf(bytes: string): Frame {
  return bytes.length > COPIED ? Buffer.from(bytes, 'latin1') : bytes;
}

/** A connection that frames are written to: a socket, or a streamed response. */
export interface Outlet {
  /** False while earlier frames wait for the peer; a frame written in that state is buffered in memory. */
  readonly hasRoom: boolean;
  /** Calls `call` once when there is room again; never if the connection ends first. */
  whenRoom(call: () => void): void;
}

/** One subscriber's share of an outlet. */
export interface Sink {
  readonly outlet: Outlet;
  write(frame: Frame): void;
  /** Ends the subscription with the error as its reason. */
  end(error: DomainError): void;
}

/** The part of Node's writable streams that an outlet needs. */
interface Writable {
  readonly writableNeedDrain: boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** An outlet over a stream. Buffers at most the stream's buffer and one frame more, however slow the peer is. */
export class StreamOutlet implements Outlet {
  #waiting: (() => void)[] = [];

  constructor(private readonly stream: Writable) {}

  get hasRoom(): boolean {
    return !this.stream.writableNeedDrain;
  }

  whenRoom(call: () => void): void {
    this.#waiting.push(call);
    // One listener, however many subscriptions the connection has.
    if (this.#waiting.length === 1) this.stream.once('drain', () => this.#drained());
  }

  #drained(): void {
    for (const call of this.#waiting.splice(0)) call();
  }
}
