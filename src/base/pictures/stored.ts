/** The pictures that a game may have; also the names of its columns. */
export const PICTURE_KINDS = ['logo', 'cover'] as const;
export type PictureKind = (typeof PICTURE_KINDS)[number];

export interface StoredPicture {
  /** Null where they were not wanted. */
  bytes: Buffer | null;
}
