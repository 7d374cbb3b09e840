import { PictureThread } from './thread.js';

/** A line of text that is fitted into a width: smaller letters first, then an ellipsis. Sizes and places in pixels. */
export interface DrawnText {
  text: string;
  /** Left end, or right end of text at the right. */
  x: number;
  /** Of the base line. */
  y: number;
  width: number;
  /** Of the letters: at most, and at least. */
  size: number;
  least: number;
  colour: string;
  atRight?: boolean;
}

/** The work of `draw-thread.ts`. */
export interface Drawing {
  width: number;
  height: number;
  /** SVG below the texts; nothing in it may come from a user. */
  ground: string;
  texts: DrawnText[];
}

/** Kept for a while, since starting costs more than a drawing. */
const drawer = new PictureThread({
  file: require.resolve('./draw-thread.js'),
  deadlineMs: 5_000,
  startMs: 20_000,
  keptMs: 30_000,
  turns: { atATime: 1, waiting: 50, patienceMs: 2_000 },
});

/**
 * Returns a drawing as PNG.
 * @param owner whose drawing it is
 * @throws ThreadFault; DomainError UNAVAILABLE when too many wait
 */
export async function drawnPng(drawing: Drawing, owner: string): Promise<Buffer> {
  return Buffer.from(await drawer.run<Uint8Array>(drawing, owner));
}
