/** The structure of a picture's file is wrong; the message says what is wrong with the file. */
export class WalkFault extends Error {}

export interface Sides {
  width: number;
  height: number;
}

/** Called as soon as width and height are known, before any work that depends on them. */
export type CheckSides = (width: number, height: number) => void;

/** Chunks or segments of a file; encoders make some dozens. */
const MOST_PARTS = 1_024;

/** Reads a file from its first byte to its last; nothing may be missing and nothing left over. */
export class Walk {
  #at = 0;
  #parts = 0;

  constructor(private readonly bytes: Buffer) {}

  get left(): number {
    return this.bytes.length - this.#at;
  }

  /** @throws WalkFault when the file ends before */
  take(length: number): Buffer {
    if (length > this.left) throw new WalkFault('it ends too early');
    this.#at += length;
    return this.bytes.subarray(this.#at - length, this.#at);
  }

  byte(): number {
    return this.take(1)[0]!;
  }

  /** @throws WalkFault when the file has had too many parts */
  part(): void {
    this.#parts += 1;
    if (this.#parts > MOST_PARTS) throw new WalkFault(`it has more than ${MOST_PARTS} parts`);
  }

  /** Skips to the next byte that ends the data, or to the end of the file. */
  skipTo(ends: (byte: number, next: number | undefined) => boolean): void {
    while (this.left > 0 && !ends(this.bytes[this.#at]!, this.bytes[this.#at + 1])) this.#at += 1;
  }

  /** @throws WalkFault unless these bytes are next */
  expect(bytes: Buffer): void {
    if (this.left < bytes.length || !this.take(bytes.length).equals(bytes))
      throw new WalkFault('it does not start like a file of this type');
  }

  /** @throws WalkFault unless the file ends here */
  end(): void {
    if (this.left > 0) throw new WalkFault('there is extra data after the end of the image');
  }
}
