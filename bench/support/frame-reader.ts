const PING = 0x9;
const TEXT = 0x1;

export interface FrameEvents {
  /** The frame's payload, or undefined if not wanted. */
  text(payload: Buffer | undefined): void;
  ping(): void;
}

/** Reads unmasked frames of a WebSocket server as cheaply as possible: unwanted payloads are skipped, not kept. */
export class FrameReader {
  #head: Buffer = Buffer.alloc(0);
  /** Bytes of the current payload still to come. */
  #left = 0;
  #opcode = 0;
  #kept: Buffer[] | undefined;

  /** @param wanted whether to return text payloads */
  constructor(
    private readonly events: FrameEvents,
    public wanted: boolean,
  ) {}

  take(bytes: Buffer): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#left === 0) {
        const known = this.#head.length;
        const head =
          known > 0 ? Buffer.concat([this.#head, bytes.subarray(at, at + 10)]) : bytes.subarray(at);
        const size = headSize(head);
        if (size > head.length) {
          this.#head = Buffer.from(head);
          return;
        }
        this.#opcode = head[0]! & 0x0f;
        this.#left = payloadLength(head);
        this.#head = Buffer.alloc(0);
        this.#kept = this.wanted && this.#opcode === TEXT ? [] : undefined;
        at += size - known;
        if (this.#left === 0) this.#done();
        continue;
      }
      const part = Math.min(this.#left, bytes.length - at);
      this.#kept?.push(bytes.subarray(at, at + part));
      at += part;
      this.#left -= part;
      if (this.#left === 0) this.#done();
    }
  }

  #done(): void {
    if (this.#opcode === PING) this.events.ping();
    else if (this.#opcode === TEXT) this.events.text(this.#kept && Buffer.concat(this.#kept));
  }
}

function headSize(head: Buffer): number {
  if (head.length < 2) return 2;
  const length = head[1]! & 0x7f;
  return length < 126 ? 2 : length === 126 ? 4 : 10;
}

function payloadLength(head: Buffer): number {
  const length = head[1]! & 0x7f;
  if (length < 126) return length;
  return length === 126 ? head.readUInt16BE(2) : head.readUIntBE(4, 6);
}

/** A client's frame below 64 KiB. Its mask is zero, which leaves the payload as it is. */
export function clientFrame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload;
  const head = Buffer.alloc(length < 126 ? 6 : 8);
  head[0] = 0x80 | opcode;
  head[1] = 0x80 | Math.min(length, 126);
  if (length >= 126) head.writeUInt16BE(length, 2);
  return Buffer.concat([head, payload]);
}
