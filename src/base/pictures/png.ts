import { crc32, createInflate } from 'node:zlib';
import { type CheckSides, type Sides, Walk, WalkFault } from './walk.js';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Channels and allowed bits of a channel, by colour type. */
const COLOURS: Record<number, { channels: number; depths: number[] }> = {
  0: { channels: 1, depths: [1, 2, 4, 8, 16] },
  2: { channels: 3, depths: [8, 16] },
  3: { channels: 1, depths: [1, 2, 4, 8] },
  4: { channels: 2, depths: [8, 16] },
  6: { channels: 4, depths: [8, 16] },
};
/** First column, first row and their steps in each pass of an interlaced picture. */
const WHOLE = [[0, 0, 1, 1]] as const;
const ADAM7 = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/** Of colour profiles and packed texts together, unpacked. */
const LARGEST_UNPACKED_BYTES = 2 ** 20;
/** A bit of the first letter: decoders may pass over the chunk. */
const ANCILLARY = 0x20;

interface Head extends Sides {
  /** Bytes of all rows, unpacked. */
  unpacked: number;
}

function headOf(data: Buffer): Head {
  if (data.length !== 13) throw new WalkFault('its header is corrupt');
  const [width, height] = [data.readUInt32BE(0), data.readUInt32BE(4)];
  const [depth, colour, packing, filter, interlace] = data.subarray(8) as unknown as number[];
  const { channels, depths } = COLOURS[colour!] ?? { channels: 0, depths: [] };
  if (!depths.includes(depth!) || packing !== 0 || filter !== 0 || interlace! > 1)
    throw new WalkFault('its header is corrupt');
  let unpacked = 0;
  for (const [x, y, right, down] of interlace === 1 ? ADAM7 : WHOLE) {
    const columns = Math.ceil(Math.max(0, width - x) / right);
    const rows = Math.ceil(Math.max(0, height - y) / down);
    if (columns > 0) unpacked += rows * (1 + Math.ceil((columns * channels * depth!) / 8));
  }
  return { width, height, unpacked };
}

/** The packed part of an ancillary chunk; undefined: it has none. */
function packedIn(type: string, data: Buffer): Buffer | undefined {
  if (type !== 'iCCP' && type !== 'zTXt' && type !== 'iTXt') return undefined;
  const keyword = data.indexOf(0) + 1;
  if (keyword === 0) throw new WalkFault(`its ${type} chunk is corrupt`);
  if (type !== 'iTXt') return data.subarray(keyword + 1);
  if (data[keyword] !== 1) return undefined;
  const language = data.indexOf(0, keyword + 2) + 1;
  return data.subarray(data.indexOf(0, language) + 1);
}

/** Decompressed size in bytes, counted off the event loop without keeping the data; stops at the limit. */
async function unpackedBytes(packed: Buffer, most: number): Promise<number> {
  const inflate = createInflate();
  inflate.end(packed);
  let count = 0;
  try {
    for await (const part of inflate) {
      count += (part as Buffer).length;
      if (count > most) break;
    }
  } catch {
    throw new WalkFault('its data is corrupt');
  }
  return count;
}

/**
 * Walks a PNG file: each chunk with its checksum, and pixel data that unpack to the header's size and no byte more.
 * @throws WalkFault
 */
export async function walkPng(bytes: Buffer, checkSides: CheckSides): Promise<Sides> {
  const walk = new Walk(bytes);
  walk.expect(SIGNATURE);
  let head: Head | undefined;
  const pixels: Buffer[] = [];
  let [last, allowance] = ['', LARGEST_UNPACKED_BYTES];
  while (last !== 'IEND') {
    walk.part();
    const length = walk.take(4).readUInt32BE();
    const named = walk.take(4);
    const data = walk.take(length);
    if (walk.take(4).readUInt32BE() !== crc32(data, crc32(named)))
      throw new WalkFault('a checksum does not match');
    const type = named.toString('latin1');
    if ((type === 'IHDR') !== (head === undefined)) throw new WalkFault('its header is corrupt');
    if (type === 'IHDR') {
      head = headOf(data);
      checkSides(head.width, head.height);
    } else if (type === 'IDAT') {
      if (pixels.length > 0 && last !== 'IDAT') throw new WalkFault('its pixel data is not contiguous');
      pixels.push(data);
    } else if (type === 'acTL' || type === 'fcTL' || type === 'fdAT') throw new WalkFault('it is animated');
    else if (!(named[0]! & ANCILLARY) && type !== 'PLTE' && type !== 'IEND')
      throw new WalkFault(`it contains the unknown chunk ${type}`);
    const packed = packedIn(type, data);
    if (packed) allowance -= await unpackedBytes(packed, allowance);
    if (allowance < 0) throw new WalkFault('its text or colour profile is too large once decompressed');
    last = type;
  }
  walk.end();
  const { width, height, unpacked } = head!;
  if ((await unpackedBytes(Buffer.concat(pixels), unpacked)) !== unpacked)
    throw new WalkFault('the size of its pixel data does not match its header');
  return { width, height };
}
