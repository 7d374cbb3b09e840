const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

/**
 * The beginning of an unmasked text frame (RFC 6455 section 5.2) whose payload is `prefix` and `rest` bytes that follow:
 * what thousands of sockets are sent alike is kept once and written after each one's own beginning.
 */
export function frameHead(prefix: Buffer, rest: number): Buffer {
  const length = prefix.length + rest;
  const size = length < LENGTH_16 ? 2 : length < 65_536 ? 4 : 10;
  const head = Buffer.allocUnsafe(size + prefix.length);
  head[0] = FINAL_TEXT;
  if (size === 2) {
    head[1] = length;
  } else if (size === 4) {
    head[1] = LENGTH_16;
    head.writeUInt16BE(length, 2);
  } else {
    head[1] = LENGTH_64;
    head.writeUIntBE(0, 2, 2);
    head.writeUIntBE(length, 4, 6);
  }
  prefix.copy(head, size);
  return head;
}
