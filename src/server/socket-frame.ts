const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/** Up to so many bytes of a frame are copied: that costs less than handing the system two pieces. */
const COPIED = 16_384;

/** The beginning of an unmasked text frame (RFC 6455 section 5.2) whose payload is `prefix` and `rest` bytes that follow. */
function writeHead(frame: Buffer, size: number, prefix: Buffer, length: number): void {
  frame[0] = FINAL_TEXT;
  if (size === 2) {
    frame[1] = length;
  } else if (size === 4) {
    frame[1] = LENGTH_16;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = LENGTH_64;
    frame.writeUIntBE(0, 2, 2);
    frame.writeUIntBE(length, 4, 6);
  }
  prefix.copy(frame, size);
}

/**
 * An unmasked text frame whose payload is `prefix` and `rest`, in one or two pieces: what thousands of sockets are sent alike
 * is kept once and written after each one's own beginning.
 */
export function textFrame(prefix: Buffer, rest: Buffer): [Buffer] | [Buffer, Buffer] {
  const length = prefix.length + rest.length;
  const size = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10;
  const begin = size + prefix.length;
  if (length <= COPIED) {
    const whole = Buffer.allocUnsafe(begin + rest.length);
    writeHead(whole, size, prefix, length);
    rest.copy(whole, begin);
    return [whole];
  }
  const head = Buffer.allocUnsafe(begin);
  writeHead(head, size, prefix, length);
  return [head, rest];
}
