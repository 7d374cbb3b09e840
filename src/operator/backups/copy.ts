import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, mkdir, open } from 'node:fs/promises';
import path from 'node:path';
import { giveTo, type ServerUser } from '../../db/embedded/server-process.js';

const CHUNK_BYTES = 1024 * 1024;

/** A file of a backup. */
export interface CopiedFile {
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

/** Copies files one after the other through one buffer, and syncs each to disk. */
export class Copier {
  readonly #buffer = Buffer.allocUnsafe(CHUNK_BYTES);

  /**
   * @param signal ends a copy in the middle of a file
   * @param owner of the copies; default: this process' user
   */
  constructor(
    private readonly signal: AbortSignal,
    private readonly onBytes: (bytes: number) => void,
    private readonly owner: ServerUser = {},
  ) {}

  /** Makes a directory that only its owner may enter, with the missing ones above it. */
  async directory(dir: string): Promise<void> {
    const first = await mkdir(dir, { recursive: true, mode: 0o700 });
    if (first === undefined) return;
    for (let made = dir; made.length >= first.length; made = path.dirname(made)) giveTo(made, this.owner);
  }

  /**
   * Copies as many bytes as the file has at the beginning: a file of a running server may grow in the meantime.
   * @returns undefined when there is no such file (any more)
   */
  async file(from: string, to: string): Promise<CopiedFile | undefined> {
    let source: FileHandle;
    try {
      source = await open(from, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
    try {
      const { size } = await source.stat();
      return await this.#write(to, async (sink) => {
        for (let left = size; left > 0; ) {
          const { bytesRead } = await source.read(this.#buffer, 0, Math.min(left, CHUNK_BYTES), null);
          if (bytesRead === 0) break; // it was cut off meanwhile
          await sink(this.#buffer.subarray(0, bytesRead));
          left -= bytesRead;
        }
      });
    } finally {
      await source.close();
    }
  }

  /** Writes a file that has no source. */
  text(to: string, text: string | Buffer): Promise<CopiedFile> {
    return this.#write(to, (sink) => sink(Buffer.from(text as string)));
  }

  async #write(
    to: string,
    fill: (sink: (part: Buffer) => Promise<void>) => Promise<void>,
  ): Promise<CopiedFile> {
    const hash = createHash('sha256');
    let bytes = 0;
    const target = await open(to, 'wx', 0o600);
    try {
      await fill(async (part) => {
        this.signal.throwIfAborted();
        hash.update(part);
        for (let done = 0; done < part.length; ) {
          done += (await target.write(part, done, part.length - done)).bytesWritten;
        }
        bytes += part.length;
        this.onBytes(part.length);
      });
      await target.sync();
    } finally {
      await target.close();
    }
    giveTo(to, this.owner);
    return { bytes, sha256: hash.digest('hex') };
  }
}
