import { mkdir, open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { PeriodicTask } from '../base/clock.js';
import { idOf, isId } from '../base/ids.js';
import type { Log } from '../base/log.js';
import type { Queryable } from '../db/pool.js';
import type { ErasedScores } from './erasure.js';

/** One erasure, by ids alone. */
export interface ListedErasure {
  identityId: string;
  scores: ErasedScores;
  /** ISO 8601. */
  requestedAt: string;
}

const SYNC_INTERVAL_MS = 60_000;
const LISTED =
  'select identity_id, scores, created_at from identity_erasures order by created_at, identity_id';

/** File of the data directory with every erasure: it outlives the database, whose backups know nothing of later ones. */
export function erasureFile(dataDir: string): string {
  return path.join(dataDir, 'erasures.ndjson');
}

const keyOf = ({ identityId, scores }: ListedErasure) => `${identityId} ${scores}`;

/** Reads a list; an unfinished last line is left out. No file: none. */
export async function readErasures(file: string): Promise<ListedErasure[]> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    const record = parsed(line);
    return record ? [record] : [];
  });
}

function parsed(line: string): ListedErasure | undefined {
  try {
    const record = JSON.parse(line) as Partial<ListedErasure>;
    const isWhole = isId('identity', record.identityId) && /^(keep|remove)$/.test(record.scores ?? '');
    return isWhole ? (record as ListedErasure) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Keeps the list of erasures in the data directory. Those of other machines on the same database are added every minute, and
 * so are those that could not be written immediately. Several processes may write the file: a line written twice does no harm.
 */
export class ErasureList {
  readonly #file: string;
  readonly #task: PeriodicTask;
  #known: Set<string> | undefined;

  constructor(
    private readonly pool: Queryable,
    dataDir: string,
    private readonly log: Log,
  ) {
    this.#file = erasureFile(dataDir);
    this.#task = new PeriodicTask(() => this.sync(), {
      everyMillis: SYNC_INTERVAL_MS,
      log,
      failure: 'failed to write the list of erasures; a restored backup would not repeat the latest ones',
    });
  }

  start(): void {
    this.#task.start();
  }

  /** Adds an erasure that is committed; if that fails, it is added later. */
  async add(erasure: ListedErasure): Promise<void> {
    try {
      await this.#append([erasure]);
    } catch (error) {
      this.log.warn({ err: error }, 'failed to add an erasure to the list; retrying');
      this.#task.wake(SYNC_INTERVAL_MS);
    }
  }

  /** Adds what is in the database but not in the file. */
  async sync(): Promise<void> {
    const { rows } = await this.pool.query<{ identity_id: string; scores: ErasedScores; created_at: Date }>(
      LISTED,
    );
    const listed = rows.map((row) => ({
      identityId: idOf('identity', row.identity_id),
      scores: row.scores,
      requestedAt: row.created_at.toISOString(),
    }));
    if (listed.length > 0) await this.#append(listed);
  }

  /** Durable when it resolves. */
  async #append(erasures: ListedErasure[]): Promise<void> {
    this.#known ??= new Set((await readErasures(this.#file)).map(keyOf));
    const missing = erasures.filter((erasure) => !this.#known!.has(keyOf(erasure)));
    if (missing.length === 0) return;
    await mkdir(path.dirname(this.#file), { recursive: true, mode: 0o700 });
    const handle = await open(this.#file, 'a', 0o600);
    try {
      // One write: lines of several processes do not mix. The line feed in front ends a line that a kill has cut.
      await handle.appendFile(`\n${missing.map((erasure) => JSON.stringify(erasure)).join('\n')}\n`);
      await handle.sync();
    } finally {
      await handle.close();
    }
    for (const erasure of missing) this.#known.add(keyOf(erasure));
  }

  close(): Promise<void> {
    return this.#task.close();
  }
}
