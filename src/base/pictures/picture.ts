import { createHash } from 'node:crypto';
import { walkJpeg } from './jpeg.js';
import { walkPng } from './png.js';
import { WalkFault } from './walk.js';
import { walkWebp } from './webp.js';

/** Content types of pictures that are accepted, with the endings of their names. */
export const PICTURE_TYPES = { 'image/png': 'png', 'image/jpeg': 'jpg', 'image/webp': 'webp' } as const;
export type PictureType = keyof typeof PICTURE_TYPES;
/** The content type of a picture whose first bytes tell its type. */
export const ANY_PICTURE = 'application/octet-stream';

export const LARGEST_PICTURE_BYTES = 512 * 1_024;
/** Pixels: a small file may unpack to gigabytes in the browsers of visitors. */
export const LONGEST_PICTURE_SIDE = 2_048;

/** A picture that was checked. */
export interface Picture {
  type: PictureType;
  bytes: Buffer;
  width: number;
  height: number;
  /** SHA-256 of the bytes, hexadecimal. */
  digest: string;
}

/** The bytes are no picture that can be stored; the message says why, after the name of the field. */
export class UnsoundPicture extends Error {}

const WALKS = { 'image/png': walkPng, 'image/jpeg': walkJpeg, 'image/webp': walkWebp };

/** The first bytes of each type, as its walk expects them. */
const STARTS: [start: string, type: PictureType][] = [
  ['\x89PNG', 'image/png'],
  ['\xff\xd8', 'image/jpeg'],
  ['RIFF', 'image/webp'],
];

function typeOf(bytes: Buffer): PictureType {
  const start = bytes.toString('latin1', 0, 4);
  const found = STARTS.find(([text]) => start.startsWith(text));
  if (!found) throw new UnsoundPicture('must be a PNG, JPEG or WebP image');
  return found[1];
}

/**
 * Checks a picture by its structure, from the first byte to the last. Nothing is decoded: the memory that any
 * decoder needs for a file that passes is bounded by its sides.
 * @throws UnsoundPicture
 */
export async function checkPicture(named: PictureType | typeof ANY_PICTURE, bytes: Buffer): Promise<Picture> {
  const type = named === ANY_PICTURE ? typeOf(bytes) : named;
  try {
    const { width, height } = await WALKS[type](bytes, checkSides);
    return { type, bytes, width, height, digest: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    if (!(error instanceof WalkFault)) throw error;
    throw new UnsoundPicture(`must be a complete, non-animated ${type} image: ${error.message}`);
  }
}

function checkSides(width: number, height: number): void {
  if (Math.max(width, height) <= LONGEST_PICTURE_SIDE && Math.min(width, height) >= 1) return;
  throw new UnsoundPicture(
    `must be at most ${LONGEST_PICTURE_SIDE} pixels wide and high; this one is ${width} by ${height}`,
  );
}
