const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_SHOWN = 0x20;
const LAST_SHOWN = 0x7e;
const ZERO = 0x30;

/** JSON under construction: bytes in one reused buffer, as thousands of short texts are written per tick. */
export class JsonBytes {
  #bytes = Buffer.allocUnsafeSlow(4_096);
  #length = 0;

  /** Discards the content. */
  clear(): void {
    this.#length = 0;
  }

  /** Returns the content, one character per byte (UTF-8). */
  text(): string {
    return this.#bytes.toString('latin1', 0, this.#length);
  }

  /** @param bytes JSON, in UTF-8 */
  bytes(bytes: Uint8Array): void {
    const target = this.#roomFor(bytes.length);
    let at = this.#length;
    for (let i = 0; i < bytes.length; i += 1) target[at++] = bytes[i]!;
    this.#length = at;
  }

  /** @param text JSON */
  json(text: string): void {
    const { length } = text;
    // A UTF-16 code unit takes three bytes at most.
    const target = this.#roomFor(length * 3);
    let at = this.#length;
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i);
      if (code > LAST_SHOWN) {
        this.#length += target.write(text, this.#length);
        return;
      }
      target[at++] = code;
    }
    this.#length = at;
  }

  /** A text, in quotes. */
  string(text: string): void {
    const { length } = text;
    const target = this.#roomFor(length + 2);
    let at = this.#length;
    target[at++] = QUOTE;
    for (let i = 0; i < length; i += 1) {
      const code = text.charCodeAt(i);
      if (code < FIRST_SHOWN || code > LAST_SHOWN || code === QUOTE || code === BACKSLASH) {
        this.json(JSON.stringify(text));
        return;
      }
      target[at++] = code;
    }
    target[at++] = QUOTE;
    this.#length = at;
  }

  /** A finite number. */
  number(value: number): void {
    // JSON.stringify prints negative zero without a sign; so does this.
    if ((value | 0) !== value || value < 0) {
      this.json(`${value}`);
      return;
    }
    const target = this.#roomFor(10);
    let digits = 1;
    for (let power = 10; value >= power; power *= 10) digits += 1;
    let left = value;
    for (let at = this.#length + digits - 1; at >= this.#length; at -= 1) {
      const next = (left / 10) | 0;
      target[at] = ZERO + left - next * 10;
      left = next;
    }
    this.#length += digits;
  }

  #roomFor(more: number): Buffer {
    const wanted = this.#length + more;
    if (wanted <= this.#bytes.length) return this.#bytes;
    const grown = Buffer.allocUnsafeSlow(2 * wanted);
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
    return grown;
  }
}
