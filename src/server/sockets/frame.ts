const FINAL_TEXT = 0x81;
const LENGTH_16 = 126;
const LENGTH_64 = 127;

const byteOf = (value: number, place: number) => Math.floor(value / 2 ** (8 * place)) % 256;

/**
 * Returns the header of an unmasked text frame (RFC 6455 section 5.2).
 * @param length length of its payload, in bytes
 * @returns one character per byte
 */
export function frameHead(length: number): string {
  if (length < LENGTH_16) return String.fromCharCode(FINAL_TEXT, length);
  if (length < 65_536) return String.fromCharCode(FINAL_TEXT, LENGTH_16, length >> 8, length & 0xff);
  const bytes = [7, 6, 5, 4, 3, 2, 1, 0].map((place) => byteOf(length, place));
  return String.fromCharCode(FINAL_TEXT, LENGTH_64, ...bytes);
}
