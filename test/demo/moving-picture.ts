/** A picture of a film: a WebP file of one frame, and for how long it is shown. */
export interface Frame {
  webp: Buffer;
  millis: number;
}

function chunk(name: string, body: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, 'latin1');
  head.writeUInt32LE(body.length, 4);
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)]);
}

function uint24(value: number): Buffer {
  const bytes = Buffer.alloc(3);
  bytes.writeUIntLE(value, 0, 3);
  return bytes;
}

/** The picture itself of a WebP file: its `VP8 ` or `VP8L` chunk. */
function imageOf(webp: Buffer): Buffer {
  for (let at = 12; at < webp.length; ) {
    const length = webp.readUInt32LE(at + 4);
    const end = at + 8 + length + (length % 2);
    if (webp.toString('latin1', at, at + 3) === 'VP8' && webp[at + 3] !== 'X'.charCodeAt(0))
      return webp.subarray(at, end);
    at = end;
  }
  throw new Error('a frame is no WebP');
}

/** An animated WebP that repeats, of frames of one size (developers.google.com/speed/webp/docs/riff_container). */
export function movingPicture(frames: readonly Frame[], width: number, height: number): Buffer {
  const size = Buffer.concat([uint24(width - 1), uint24(height - 1)]);
  const ANIMATED = 0b10;
  const extended = chunk('VP8X', Buffer.concat([Buffer.from([ANIMATED, 0, 0, 0]), size]));
  // White below, and no end of repetitions.
  const animation = chunk('ANIM', Buffer.from([255, 255, 255, 255, 0, 0]));
  const NO_BLENDING = 0b10;
  const shown = frames.map(({ webp, millis }) =>
    chunk(
      'ANMF',
      Buffer.concat([uint24(0), uint24(0), size, uint24(millis), Buffer.from([NO_BLENDING]), imageOf(webp)]),
    ),
  );
  const body = Buffer.concat([Buffer.from('WEBP', 'latin1'), extended, animation, ...shown]);
  return chunk('RIFF', body);
}
