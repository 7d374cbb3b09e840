import { setTimeout as delay } from 'node:timers/promises';
import { got, isUnreached, type LeaderboardClient, type Schemas, ServiceError } from '../rest/client.js';
import type { Progress } from './progress.js';
import type { Resume } from './resume.js';
import type { FileRow } from './rows.js';

export type ImportRecord = Schemas['ScoreImport'];

/** Sizes of a chunk: within the service's 5,000 lines and 2 MiB. */
const CHUNK_LINES = 5_000;
const CHUNK_BYTES = 1_000_000;
const POLL_INTERVAL_MS = 500;
/** Pauses before a request is sent again, seconds. */
const PAUSES = [1, 2, 4, 8, 15, 30];

function isPassing(error: unknown): boolean {
  return error instanceof ServiceError ? error.status === 503 || error.status === 429 : isUnreached(error);
}

/** Sends a request again while the service is away or busy: every request of an import may be repeated. */
async function persistently<T>(send: () => Promise<T>): Promise<T> {
  for (const seconds of PAUSES) {
    try {
      return await send();
    } catch (error) {
      if (!isPassing(error)) throw error;
      await delay(seconds * 1_000);
    }
  }
  return send();
}

/** Groups rows into chunks of text. */
export async function* chunksOf(rows: AsyncIterable<FileRow>): AsyncGenerator<string> {
  let lines: string[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const line = `${JSON.stringify(row)}\n`;
    const size = Buffer.byteLength(line);
    if (lines.length > 0 && (lines.length === CHUNK_LINES || bytes + size > CHUNK_BYTES)) {
      yield lines.join('');
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += size;
  }
  if (lines.length > 0) yield lines.join('');
}

/**
 * Reads the first chunk up front, so that a file that is not understood starts no import, and each further one while the previous one
 * is being sent.
 */
export async function readAhead<T>(items: AsyncIterable<T>): Promise<AsyncGenerator<T>> {
  const reader = items[Symbol.asyncIterator]();
  return ahead(reader, Promise.resolve(await reader.next()));
}

async function* ahead<T>(reader: AsyncIterator<T>, first: Promise<IteratorResult<T>>): AsyncGenerator<T> {
  let next = first;
  for (;;) {
    const { value, done } = await next;
    if (done) return;
    next = reader.next();
    // An error of the next item is thrown when it is its turn.
    next.catch(() => undefined);
    yield value;
  }
}

/** One import, from its first chunk to the new standings. */
export class ImportRun {
  #bad = 0;
  #skipped = 0;
  #accepted = 0;

  private constructor(
    private readonly client: LeaderboardClient,
    readonly record: ImportRecord,
  ) {}

  /** Goes on with the import of the same command, or begins one. */
  static async begin(
    client: LeaderboardClient,
    boardId: string,
    settings: { checked: boolean; rename: boolean },
    resume: Resume | undefined,
  ): Promise<ImportRun> {
    const importId = resume?.read();
    if (importId) {
      const params = { path: { import_id: importId } };
      const begun = await got(client.GET('/v1/imports/{import_id}', { params })).catch((error) => {
        if (error instanceof ServiceError && error.status === 404) return undefined;
        throw error;
      });
      if (begun && begun.status !== 'cancelled') return new ImportRun(client, begun);
    }
    const made = await got(
      client.POST('/v1/boards/{board_id}/imports', {
        params: { path: { board_id: boardId } },
        body: settings,
      }),
    );
    resume?.write(made.id);
    return new ImportRun(client, made);
  }

  get counts() {
    return { accepted: this.#accepted, skipped: this.#skipped, bad: this.#bad };
  }

  get #params() {
    return { path: { import_id: this.record.id } };
  }

  /** Sends the chunks that the service does not have. @param onBad is called for each bad line that is left out */
  async send(
    chunks: AsyncIterable<string>,
    { skipBad, dryRun }: { skipBad: boolean; dryRun: boolean },
    onBad: (bad: { line: number; reason: string }) => void,
    onChunk: () => void,
  ): Promise<void> {
    let number = -1;
    for await (const content of chunks) {
      number += 1;
      onChunk();
      if (this.record.status !== 'open' || number < this.record.chunks) continue;
      const body = { number, format: 'ndjson' as const, content, skip_bad: skipBad, dry_run: dryRun };
      const answer = await persistently(() =>
        got(this.client.POST('/v1/imports/{import_id}/chunks', { params: this.#params, body })),
      );
      this.#accepted += answer.accepted;
      this.#skipped += answer.skipped;
      this.#bad += answer.bad.length;
      for (const bad of answer.bad) onBad(bad);
    }
  }

  async cancel(): Promise<void> {
    await persistently(() =>
      got(this.client.POST('/v1/imports/{import_id}/cancel', { params: this.#params })),
    );
  }

  /** Finishes the import and waits until the board shows it. */
  async finish(progress: Progress): Promise<ImportRecord> {
    let record = await persistently(() =>
      got(this.client.POST('/v1/imports/{import_id}/finish', { params: this.#params })),
    );
    while (record.status !== 'finished') {
      progress.show('Ranking the board', record.progress);
      await delay(POLL_INTERVAL_MS);
      record = await persistently(() =>
        got(this.client.GET('/v1/imports/{import_id}', { params: this.#params })),
      );
    }
    progress.clear();
    return record;
  }
}
