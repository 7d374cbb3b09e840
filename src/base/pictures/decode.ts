import { createHash } from 'node:crypto';
import { imageSize } from 'image-size';
import { PictureThread, ThreadFault } from './thread.js';

/** Content types of pictures that are accepted, with the endings of their names. */
export const PICTURE_TYPES = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
export type PictureType = keyof typeof PICTURE_TYPES;

export const MAX_PICTURE_BYTES = 512 * 1_024;
/** Pixels: a small file may unpack to gigabytes. */
export const MAX_PICTURE_SIDE = 4_096;

/** A picture that was decoded. */
export interface Picture {
  type: PictureType;
  bytes: Buffer;
  width: number;
  height: number;
  /** SHA-256 of the bytes, hexadecimal. */
  digest: string;
}

/** The work of `decode-thread.ts`. */
export interface DecodeWork {
  type: PictureType;
  bytes: Uint8Array;
}

/** WebAssembly that met a broken picture may be broken itself, so each picture has a thread of its own. */
const decoder = new PictureThread({
  file: require.resolve('./decode-thread.js'),
  deadlineMs: 5_000,
  keptMs: 0,
  turns: { atATime: 1, waiting: 8, patienceMs: 10_000 },
});

function sizeOf(type: PictureType, bytes: Buffer): { width: number; height: number } {
  try {
    const { type: found, width, height } = imageSize(bytes);
    if (found === PICTURE_TYPES[type]) return { width, height };
  } catch {
    // The same fault.
  }
  throw new UnsoundPicture(`must be a picture of type ${type}`);
}

/** The bytes are no picture that can be stored; the message says why, after the name of the field. */
export class UnsoundPicture extends Error {}

/**
 * Decodes a picture as a browser would, all of it.
 * @throws UnsoundPicture; DomainError UNAVAILABLE when too many wait
 */
export async function decodePicture(type: PictureType, bytes: Buffer): Promise<Picture> {
  const { width, height } = sizeOf(type, bytes);
  if (Math.max(width, height) > MAX_PICTURE_SIDE || Math.min(width, height) < 1) {
    throw new UnsoundPicture(`must be at most ${MAX_PICTURE_SIDE} pixels wide and high`);
  }
  const work: DecodeWork = { type, bytes };
  const decoded = await decoder.run<{ width: number; height: number }>(work).catch((error: unknown) => {
    if (error instanceof ThreadFault) return undefined;
    throw error;
  });
  if (decoded?.width !== width || decoded.height !== height) {
    throw new UnsoundPicture('must be a whole, still picture that can be decoded');
  }
  return { type, bytes, width, height, digest: createHash('sha256').update(bytes).digest('hex') };
}
