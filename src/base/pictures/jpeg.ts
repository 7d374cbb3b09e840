import { type CheckSides, type Sides, Walk, WalkFault } from './walk.js';

const START = Buffer.from([0xff, 0xd8]);
/** Markers after the byte 0xff. */
const [FIRST_RESTART, LAST_RESTART, END, SCAN] = [0xd0, 0xd7, 0xd9, 0xda];
/** Frames that browsers draw: baseline, extended and progressive, with Huffman codes. */
const FRAMES = [0xc0, 0xc1, 0xc2];
/** Tables, restart interval, application data and comments. */
const isPassed = (marker: number) =>
  marker === 0xc4 ||
  marker === 0xdb ||
  marker === 0xdd ||
  (marker >= 0xe0 && marker <= 0xef) ||
  marker === 0xfe;

/** Encoders make about ten; each one makes a decoder go through the whole picture. */
const MOST_SCANS = 32;

function sidesOf(frame: Buffer): Sides {
  const components = frame[5] ?? 0;
  if (frame.length !== 6 + 3 * components || frame[0] !== 8 || ![1, 3, 4].includes(components))
    throw new WalkFault('its header is corrupt');
  for (let n = 0; n < components; n += 1) {
    const sampling = frame[7 + 3 * n]!;
    if (![1, 2, 4].includes(sampling >> 4) || ![1, 2, 4].includes(sampling & 15))
      throw new WalkFault('its header is corrupt');
  }
  return { width: frame.readUInt16BE(3), height: frame.readUInt16BE(1) };
}

/** A marker in the data of a scan: neither an escaped byte nor a restart. */
const endsScan = (byte: number, next = END) =>
  byte === 0xff && next !== 0 && next !== 0xff && (next < FIRST_RESTART || next > LAST_RESTART);

function nextMarker(walk: Walk): number {
  walk.part();
  if (walk.byte() !== 0xff) throw new WalkFault('a marker is missing');
  let marker = walk.byte();
  while (marker === 0xff) marker = walk.byte();
  return marker;
}

/**
 * Walks a JPEG file: every segment, one header, its scans, and the end as the last bytes.
 * @throws WalkFault
 */
export async function walkJpeg(bytes: Buffer, checkSides: CheckSides): Promise<Sides> {
  const walk = new Walk(bytes);
  walk.expect(START);
  let sides: Sides | undefined;
  let scans = 0;
  for (;;) {
    const marker = nextMarker(walk);
    if (marker === END) break;
    const length = walk.take(2).readUInt16BE();
    if (length < 2) throw new WalkFault('a segment is corrupt');
    const segment = walk.take(length - 2);
    if (FRAMES.includes(marker)) {
      if (sides) throw new WalkFault('it has more than one header');
      sides = sidesOf(segment);
      checkSides(sides.width, sides.height);
    } else if (marker === SCAN) {
      scans += 1;
      if (!sides) throw new WalkFault('its header is missing');
      if (scans > MOST_SCANS) throw new WalkFault(`it has more than ${MOST_SCANS} scans`);
      walk.skipTo(endsScan);
    } else if (!isPassed(marker)) throw new WalkFault('it contains an unknown segment type');
  }
  walk.end();
  if (!sides || scans === 0) throw new WalkFault('it contains no image data');
  return sides;
}
