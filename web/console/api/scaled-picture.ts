import { LARGEST_PICTURE_BYTES, type PictureKind } from './pictures.js';

/** Pixels that a picture is scaled down to: twice what pages show, for dense screens. */
const SIDES: Record<PictureKind, { width: number; height: number }> = {
  logo: { width: 512, height: 512 },
  cover: { width: 1_920, height: 1_080 },
};

/** Without losses first; a photo is then too large. A browser that writes no WebP writes PNG. */
const QUALITIES = [1, 0.9, 0.75];

/** Each time half as wide; photos fit at the first one. */
const MOST_HALVINGS = 4;

const packed = (canvas: HTMLCanvasElement, quality: number) =>
  new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/webp', quality));

function drawn(source: CanvasImageSource, width: number, height: number): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width));
  canvas.height = Math.max(1, Math.round(height));
  const context = canvas.getContext('2d')!;
  context.imageSmoothingQuality = 'high';
  context.drawImage(source, 0, 0, canvas.width, canvas.height);
  return canvas;
}

/**
 * A picture as small as the pages need it, rewritten by the browser: of any format that it reads, and
 * without the place and the camera that photos carry. Undefined: the browser cannot read the file.
 */
export async function scaledPicture(kind: PictureKind, file: File): Promise<Blob | undefined> {
  const source = await createImageBitmap(file).catch(() => undefined);
  if (!source) return undefined;
  const most = SIDES[kind];
  let scale = Math.min(1, most.width / source.width, most.height / source.height);
  try {
    for (let n = 0; n <= MOST_HALVINGS; n += 1, scale /= 2) {
      const canvas = drawn(source, source.width * scale, source.height * scale);
      for (const quality of QUALITIES) {
        const blob = await packed(canvas, quality);
        if (blob && blob.size <= LARGEST_PICTURE_BYTES) return blob;
      }
    }
    return undefined;
  } finally {
    source.close();
  }
}
