import type { DomainError } from '../../base/errors.js';

/** Bytes to be sent: a short piece as text of one character a byte, which costs less on its way than a buffer. */
export type Frame = string | Buffer;

/** Longer ones are handed to the system as they are, however many they are for. */
const COPIED = 16_384;

/** A text's bytes in UTF-8, a character each. */
export function bytesOf(text: string): string {
  return Buffer.byteLength(text) === text.length ? text : Buffer.from(text).toString('latin1');
}

/** @param bytes a character each */
export function frameOf(bytes: string): Frame {
  return bytes.length > COPIED ? Buffer.from(bytes, 'latin1') : bytes;
}

/** A connection that frames are written to: a socket, or an answer that goes on. */
export interface Outlet {
  /** False while earlier frames wait for the peer: a frame that is written all the same is kept in memory. */
  readonly hasRoom: boolean;
  /** Calls once there is room again, or never. */
  whenRoom(call: () => void): void;
}

/** One subscriber's end of it. */
export interface Sink {
  readonly outlet: Outlet;
  write(frame: Frame): void;
  /** Tells why nothing more will come. */
  end(error: DomainError): void;
}

/** The part of Node's writable streams that an outlet needs. */
interface Writable {
  readonly writableNeedDrain: boolean;
  once(event: 'drain', listener: () => void): unknown;
}

/** An outlet over a stream. Holds at most what the stream buffers and one frame more, however slow the peer is. */
export class StreamOutlet implements Outlet {
  #waiting: (() => void)[] = [];

  constructor(private readonly stream: Writable) {}

  get hasRoom(): boolean {
    return !this.stream.writableNeedDrain;
  }

  whenRoom(call: () => void): void {
    this.#waiting.push(call);
    // One listener however many subscriptions the connection has.
    if (this.#waiting.length === 1) this.stream.once('drain', () => this.#drained());
  }

  #drained(): void {
    for (const call of this.#waiting.splice(0)) call();
  }
}
