import { type FileOptions, readFile } from '../../src/imports/read.js';

interface Read {
  said: string[];
  rows: Record<string, unknown>[];
  lines: number;
}

async function* inParts(bytes: Buffer): AsyncGenerator<Buffer> {
  // Characters and marks lie across the borders of what a file is read in.
  const size = bytes.length < 10_000 ? 7 : 64 * 1_024;
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a file as the terminal's import does. */
export async function reads(
  content: string | Buffer,
  options: Partial<FileOptions> = {},
  name = 'scores.txt',
): Promise<Read> {
  const said: string[] = [];
  const all = { column: [], header: true, ...options };
  const file = await readFile(inParts(Buffer.from(content)), name, all, (text) => said.push(text));
  const rows: Read['rows'] = [];
  for await (const row of file.rows) rows.push(row);
  return { said, rows, lines: file.lines };
}

export const columns = (...column: string[]) => ({ column });

/** The sentence that a file is refused with. */
export const reason = (content: string | Buffer, options: Partial<FileOptions> = {}, name?: string) =>
  reads(content, options, name).then(
    ({ rows }) => `was read: ${JSON.stringify(rows)}`,
    (error: Error) => error.message,
  );

/** Each row as `key value`, or its fault. */
export const short = ({ rows }: Read) =>
  rows.map(({ external_key: key, value, fault }) => fault ?? `${key} ${value}`);
