import { pipeline, Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { UsageError } from '../output/failure.js';
import { encodingOf, type FileFormat, formatOf, refuseForeign } from './formats.js';

/** Bytes of a file that say what it is. */
const HEAD_BYTES = 64 * 1_024;
/** Lines of a table are compressed to a fiftieth at best; more is a bomb. */
const MOST_RATIO = 250;
const ALWAYS_BYTES = 64 * 1_024 * 1_024;

/** A file whose text can be read. */
export interface OpenFile {
  format: FileFormat;
  /** The beginning of the text. */
  head: string;
  /** True if `head` is all of it. */
  isWhole: boolean;
  text: AsyncIterable<string>;
  /** Notes for the user: encoding and compression. */
  notes: string[];
}

async function* joined(first: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  yield* first;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

/** The beginning of a stream, and the whole stream again. */
async function peek(source: AsyncIterable<Buffer>) {
  const reader = source[Symbol.asyncIterator]();
  const parts: Buffer[] = [];
  let bytes = 0;
  let isWhole = false;
  while (bytes < HEAD_BYTES && !isWhole) {
    const next = await reader.next();
    if (next.done) isWhole = true;
    else {
      parts.push(Buffer.from(next.value));
      bytes += next.value.length;
    }
  }
  return { head: Buffer.concat(parts), isWhole, all: joined(parts, reader) };
}

/** @throws UsageError the file ends early or is damaged, or is far larger than what it was compressed to */
async function* unzipped(source: AsyncIterable<Buffer>, partial: boolean): AsyncGenerator<Buffer> {
  let [read, written] = [0, 0];
  async function* counted() {
    for await (const part of source) {
      read += part.length;
      yield part;
    }
  }
  const gunzip = createGunzip({ finishFlush: partial ? constants.Z_SYNC_FLUSH : constants.Z_FINISH });
  pipeline(Readable.from(counted()), gunzip, () => undefined);
  try {
    for await (const part of gunzip as AsyncIterable<Buffer>) {
      written += part.length;
      if (written > ALWAYS_BYTES && written > MOST_RATIO * read) {
        throw new UsageError(`the file expands to more than ${MOST_RATIO} times its compressed size`);
      }
      yield part;
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'Z_BUF_ERROR') {
      throw new UsageError('the compressed file is cut off. Use --partial to import it as far as it goes');
    }
    if (!code?.startsWith('Z_')) throw error;
    throw new UsageError(`the compressed file is corrupt: ${(error as Error).message}`);
  }
}

async function* decoded(source: AsyncIterable<Buffer>, encoding: string): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  for await (const part of source) yield decoder.decode(part, { stream: true });
  yield decoder.decode();
}

const isGzip = (head: Buffer) => head[0] === 0x1f && head[1] === 0x8b;

/**
 * Opens a file by what it holds: compressed or not, in UTF-8 or UTF-16, of one of the formats.
 * @param format the format that the user says it has
 * @throws UsageError it is empty, no text, or of a format that is not read
 */
export async function openFile(
  source: AsyncIterable<Buffer>,
  format: FileFormat | undefined,
  partial: boolean,
): Promise<OpenFile> {
  const notes: string[] = [];
  let peeked = await peek(source);
  if (isGzip(peeked.head)) {
    notes.push('gzip');
    peeked = await peek(unzipped(peeked.all, partial));
  }
  refuseForeign(peeked.head);
  const encoding = encodingOf(peeked.head);
  if (encoding !== 'utf-8') notes.push(encoding.toUpperCase());
  const head = new TextDecoder(encoding).decode(peeked.head, { stream: true });
  if (peeked.isWhole && head.trim() === '') throw new UsageError('the file is empty');
  return {
    format: format ?? formatOf(head, peeked.isWhole),
    head,
    isWhole: peeked.isWhole,
    text: decoded(peeked.all, encoding),
    notes,
  };
}
