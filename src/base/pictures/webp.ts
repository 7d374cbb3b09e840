import { type CheckSides, type Sides, Walk, WalkFault } from './walk.js';

const [RIFF, WEBP] = [Buffer.from('RIFF'), Buffer.from('WEBP')];
const KEY_FRAME = Buffer.from([0x9d, 0x01, 0x2a]);
const LOSSLESS = 0x2f;
const ANIMATED = 2;

/** Sides of a frame with losses, RFC 6386 section 9.1. */
function sidesOfLossy(frame: Walk): Sides {
  const tag = frame.take(3).readUIntLE(0, 3);
  if ((tag & 1) !== 0 || !frame.take(3).equals(KEY_FRAME)) throw new WalkFault('its header is corrupt');
  const [width, height] = [frame.take(2).readUInt16LE() & 0x3fff, frame.take(2).readUInt16LE() & 0x3fff];
  frame.take(tag >>> 5);
  return { width, height };
}

function sidesOfLossless(frame: Walk): Sides {
  if (frame.byte() !== LOSSLESS) throw new WalkFault('its header is corrupt');
  const bits = frame.take(4).readUInt32LE();
  if (bits >>> 29 !== 0) throw new WalkFault('its header is corrupt');
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function canvasOf(data: Walk): Sides {
  if (data.left !== 10) throw new WalkFault('its header is corrupt');
  if (data.take(4)[0]! & ANIMATED) throw new WalkFault('it is animated');
  return { width: data.take(3).readUIntLE(0, 3) + 1, height: data.take(3).readUIntLE(0, 3) + 1 };
}

/**
 * Walks a WebP file: every chunk up to the end that the file names, and one frame as large as its canvas.
 * @throws WalkFault
 */
export async function walkWebp(bytes: Buffer, checkSides: CheckSides): Promise<Sides> {
  const walk = new Walk(bytes);
  walk.expect(RIFF);
  const length = walk.take(4).readUInt32LE();
  walk.expect(WEBP);
  if (length !== bytes.length - 8) throw new WalkFault('its length does not match its header');
  let canvas: Sides | undefined;
  let frame: Sides | undefined;
  for (let first = true; walk.left > 0; first = false) {
    walk.part();
    const type = walk.take(4).toString('latin1');
    const size = walk.take(4).readUInt32LE();
    const data = new Walk(walk.take(size));
    walk.take(size % 2);
    if (type === 'VP8X' && first) canvas = canvasOf(data);
    else if (type === 'VP8 ' || type === 'VP8L') {
      if (frame || (!first && !canvas)) throw new WalkFault('it has more than one frame');
      frame = type === 'VP8L' ? sidesOfLossless(data) : sidesOfLossy(data);
      checkSides(frame.width, frame.height);
    } else if (type === 'ANIM' || type === 'ANMF') throw new WalkFault('it is animated');
    else if (!canvas || type === 'VP8X') throw new WalkFault('it contains an unknown chunk type');
  }
  if (!frame) throw new WalkFault('it contains no image data');
  if (canvas && (canvas.width !== frame.width || canvas.height !== frame.height))
    throw new WalkFault('its headers disagree about its size');
  return frame;
}
