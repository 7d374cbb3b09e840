import { Readable } from 'node:stream';
import { crc32, createDeflate } from 'node:zlib';

/** Whole pictures, 8 by 4 pixels. */
const bytes = (base64: string) => Buffer.from(base64, 'base64');

export const PNG = bytes(
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAECAIAAAA8r+mnAAAAFElEQVR4nGPUCjvGgA0wYRUlSwIAfiQBToLY1+kAAAAASUVORK5CYII=',
);
export const JPEG = bytes(
  '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBCYFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAEAAgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAABAX/xAAUEQEAAAAAAAAAAAAAAAAAAAAA/9oADAMBAAIRAxEAPwCMBSGf/9k=',
);
export const WEBP = bytes('UklGRjIAAABXRUJQVlA4ICYAAABwAQCdASoIAAQABUB8JaACdAFAAAD+5Qr/JL1J+VhPdVU9ffoAAA==');
/** Of two frames. */
export const MOVING_WEBP = bytes(
  'UklGRsYAAABXRUJQVlA4WAoAAAACAAAABwAAAwAAQU5JTQYAAAAAAAAAAABBTk1GSAAAAAAAAAAAAAcAAAMAAGQAAAJWUDggMAAAADABAJ0BKggABAABQCYloAADcAD+8MQL//7B3//nAf/84D+mD//8K1/Wh/bzk6AAAEFOTUZKAAAAAAAAAAAABwAAAwAAZAAAAFZQOCAyAAAANAEAnQEqCAAEAAAAJiWgAANwAP7y63//+bA/9vP/BHoB///S4P/+lwf/9Lg/9KQAAAA=',
);

/** A chunk of a PNG file, with its checksum. */
export function pngChunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, checksum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  checksum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, checksum]);
}

/** A PNG that says it is so wide and high, of 24 bits, with these chunks behind its header. */
export function pngOf(width: number, height: number, ...chunks: Buffer[]): Buffer {
  const header = Buffer.from(PNG.subarray(16, 29));
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  const signature = PNG.subarray(0, 8);
  return Buffer.concat([signature, pngChunk('IHDR', header), ...chunks, pngChunk('IEND', Buffer.alloc(0))]);
}

/** Zeros, packed: 200 kB for 200 MB. */
export async function packedZeros(megabytes: number): Promise<Buffer> {
  const zeros = Buffer.alloc(2 ** 20);
  const parts: Buffer[] = [];
  const deflate = Readable.from(Array.from({ length: megabytes }, () => zeros)).pipe(createDeflate());
  for await (const part of deflate) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Where the header of {@link JPEG} begins, its marker included, and where its scan does. */
const [FRAME, SCAN] = [JPEG.indexOf(Buffer.from([0xff, 0xc0])), JPEG.indexOf(Buffer.from([0xff, 0xda]))];

/** The header of {@link JPEG}, saying that it is so wide and high. */
export function jpegFrame(width: number, height: number): Buffer {
  const frame = Buffer.from(JPEG.subarray(FRAME, FRAME + 2 + JPEG.readUInt16BE(FRAME + 2)));
  frame.writeUInt16BE(height, 5);
  frame.writeUInt16BE(width, 7);
  return frame;
}

/** {@link JPEG} with bytes before its header. */
export const jpegWith = (before: Buffer) =>
  Buffer.concat([JPEG.subarray(0, FRAME), before, JPEG.subarray(FRAME)]);

/** {@link JPEG} with its scan so many times. */
export const jpegOfScans = (scans: number) =>
  Buffer.concat([
    JPEG.subarray(0, SCAN),
    ...Array.from({ length: scans }, () => JPEG.subarray(SCAN, -2)),
    JPEG.subarray(-2),
  ]);
